"""Finding what a reader could follow although it is no plain link: the same text as a suspicious eye reads it.

The text is folded first: what cannot be seen and what markdown swallows is left out, letters that look Latin become
Latin, compatibility forms their plain ones, and every character remembers where it came from. In that reading there
are looked for: addresses of any scheme, `javascript:` and its like, and hosts without a scheme.

A host without a scheme is a dotted word whose last part is a top-level domain. That also describes file names,
method calls and sentences without a blank between them; those are told apart by how they are written, and where it
stays doubtful a blank after the dot takes the link out of the words instead of the words out of the text. A plain
e-mail address is no link.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.policy.links import without_tail
from bot.policy.top_level import TOP_LEVEL
from bot.text import visible

_SWALLOWED = frozenset("*_~|`\\")
_TWINS = str.maketrans(
    "авсԁеһіјкӏмнорԛѕтԝхуԍьαβεικνορτυχωηӀı∶꞉ː⁄∕⧸╱",
    "abcdehijklmhopqstwxygbabeikvoptuxwnli:::////",
)
"""Letters and signs that look like one of ASCII, in lower case."""
_LATE_DOTS = re.compile(r"[。۔ꓸ](?=[a-z])")

_LABEL = r"(?:[0-9a-z-]|[^\s\x00-\xbf×÷\u2000-\u2bff\u3000-\u303f])"
_DOT = r"(?:\.|\[\.\]|\(\.\)|\{\.\}|\[dot\]|\(dot\)|\{dot\})"
_REST = r"[^\s<>\"]*"
_SCHEME = re.compile(rf"[a-z][a-z0-9+.-]{{0,30}}://{_REST}|(?:https?|ftp|wss?|discord|steam|file):/{_REST}")
_PSEUDO = re.compile(
    rf"(?<![a-z0-9])(?:(?:javascript|vbscript|livescript|mailto|callto|skype|facetime|magnet|bitcoin|intent|blob"
    rf"|view-source|ms-[a-z-]+|xmpp|sip|urn|jar):(?=[^\s<>\"]){_REST}|data:[a-z]*[/,;]{_REST}|(?:tel|sms):\+?[0-9(]{_REST})"
)
_RUN = re.compile(rf"(?<!{_LABEL}){_LABEL}++(?:{_DOT}{_LABEL}++)+")
_TAIL = re.compile(rf"(?::[0-9]{{1,5}}(?![0-9]))?(?:[/?#]{_REST})?")
_IPV4 = re.compile(rf"(?<![\w.])[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}}(?::[0-9]|/(?![0-9]{{1,2}}\b)){_REST}")
_WWW = re.compile(rf"(?<![a-z0-9.-])www{_DOT}{_LABEL}{_REST}")
_LOCAL_PART = re.compile(r"[a-z0-9.+%-]+@\Z")
_LATIN_START = re.compile(r"[a-z]+(?![a-z0-9])")
"""What may be a top-level domain before other letters or a hyphen: `com` of `com谢谢` and of `com-`."""

_TOP_LEVEL = TOP_LEVEL | {name.translate(_TWINS) for name in TOP_LEVEL}
_PLAINLY = frozenset(
    {
        *(
            "com",
            "net",
            "org",
            "edu",
            "gov",
            "mil",
            "int",
            "io",
            "co",
            "gg",
            "xyz",
            "ru",
            "cn",
            "example",
            "test",
        )
    }
)
"""Below these a dotted word is a host however it is written."""
_FILES = frozenset({"py", "md", "sh", "rs", "pl", "cc", "ps", "zip", "mov", "properties"})
"""Top-level domains that end the names of files: `main.py` is one, `main.py/x` is not."""
_WORDS = frozenset(
    {
        *("am", "as", "at", "be", "by", "de", "do", "es", "id", "il", "im", "in", "info", "is", "it", "la"),
        *("me", "my", "na", "name", "no", "now", "post", "run", "se", "so", "to", "us", "va"),
    }
)
"""Top-level domains that begin a sentence, or name an attribute, more often than they end a host."""


@dataclass(frozen=True, slots=True)
class Found:
    """A link from `start` to `end`. `parting`, where not None, is the index before which a blank undoes it."""

    start: int
    end: int
    parting: int | None = None


@dataclass(frozen=True, slots=True)
class _Reading:
    """The folded text and, for each of its characters, the index of the one that it came from."""

    text: str
    origins: Sequence[int]

    def found(self, start: int, end: int) -> Found:
        return Found(self.origins[start], self.origins[end - 1] + 1)


def find_hidden(text: str, kept: Sequence[tuple[int, int]]) -> tuple[Found, ...]:
    """The links in `text` outside the spans `kept`, in order and without overlaps."""
    reading = _read(text, kept)
    found: list[Found] = []
    for each in sorted(_all(reading, text), key=lambda each: (each.start, -each.end)):
        if not found or each.start >= found[-1].end:
            found.append(each)
    return tuple(found)


def _read(text: str, kept: Sequence[tuple[int, int]]) -> _Reading:
    folded: list[str] = []
    origins: list[int] = []
    spans = iter(kept)
    span = next(spans, None)
    for index, char in enumerate(text):
        while span is not None and index >= span[1]:
            span = next(spans, None)
        plain = " " if span is not None and index >= span[0] else _fold(char)
        folded.append(plain)
        origins.extend([index] * len(plain))
    return _Reading(_LATE_DOTS.sub(".", "".join(folded)), origins)


def _fold(char: str) -> str:
    if char.isascii():
        return "" if char in _SWALLOWED else char.lower()
    if visible(char) != char or unicodedata.combining(char) == 1:  # 1: marks that only strike through
        return ""
    return unicodedata.normalize("NFKC", char).casefold().translate(_TWINS)


def _all(reading: _Reading, text: str) -> Iterator[Found]:
    for pattern in (_SCHEME, _PSEUDO, _IPV4, _WWW):
        for match in pattern.finditer(reading.text):
            end = match.start() + len(without_tail(match[0]))
            if re.search(r":\W*\w", reading.text[match.start() : end]) or pattern in (_IPV4, _WWW):
                yield reading.found(match.start(), end)
    for match in _RUN.finditer(reading.text):
        host = _host(match)
        if host is not None:
            start = _begin(reading, text, *host[:2])
            yield from _judged(reading, text, start, *host[1:], match.end())


def _host(match: re.Match[str]) -> tuple[int, int, int] | None:
    """Start of the host, start and end of its top-level domain; None when the dotted word has none."""
    at = match.start()
    labels: list[tuple[int, int]] = []
    for label in re.finditer(rf"{_LABEL}+", re.sub(r"\[dot\]|\(dot\)|\{dot\}", "[...]", match[0])):
        labels.append((at + label.start(), at + label.end()))
    for number in range(len(labels) - 1, 0, -1):
        start, end = labels[number]
        label = match.string[start:end]
        latin = _LATIN_START.match(label)
        if latin is not None and label not in _TOP_LEVEL:
            label, end = latin[0], start + latin.end()
        if label in _TOP_LEVEL:
            return at, start, end
    return None


def _begin(reading: _Reading, text: str, start: int, last: int) -> int:
    """Where the host begins: in a language without blanks, its ASCII is cut from the words before it."""
    end = next(at for at in range(start, last) if not re.match(_LABEL, reading.text[at]))
    ascii_from = end
    while ascii_from > start and text[reading.origins[ascii_from - 1]].isascii():
        ascii_from -= 1
    return ascii_from if ascii_from < end else start


def _judged(reading: _Reading, text: str, start: int, last: int, end: int, run_end: int) -> Iterator[Found]:
    """What is to be done about the host from `start` to `end` whose top-level domain begins at `last`.

    The dotted word of which it is the beginning goes on until `run_end`.
    """
    folded, domain = reading.text, reading.text[last:end]
    tail = _TAIL.match(folded, end)
    whole = end + len(without_tail(f"x{tail[0]}")) - 1 if tail is not None else end
    path = "/" in folded[end:whole] or "?" in folded[end:whole] or "#" in folded[end:whole]
    if path:
        yield reading.found(start, whole)
        return
    written = text[reading.origins[last] : reading.origins[end - 1] + 1]
    in_mail = _LOCAL_PART.search(folded, max(0, start - 64), start) and whole == end
    if domain in _FILES or in_mail or (folded.startswith("@", end) and domain not in _PLAINLY):
        return
    if whole == end and domain not in _PLAINLY:
        numbers = re.fullmatch(r"[0-9.]+", folded[start:last]) is not None
        code = end < run_end or folded.startswith("(", end)
        if domain in _WORDS or numbers or code or written.istitle():
            found = reading.found(start, end)
            yield Found(found.start, found.end, reading.origins[last])
            return
    yield reading.found(start, whole)
