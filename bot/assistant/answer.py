"""The model's answer as messages: only links that may be there, no pings but the asker's, split where it reads well.

A link may be there when the asker wrote it or a tool returned it, character for character, and when it has no
problem (`bot.policy.links`). It then stands as `<https://…>`, which no client unfurls. Nothing asks what is code:
what is removed is removed there, too.

What pings is decided by the allowed mentions of the message, where only the asker stands. So mentions of other
members stay, which show a name and ping nobody; roles, @everyone and @here are made plain text besides.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from bot.assistant.hidden_links import find_hidden
from bot.assistant.splitting import split
from bot.outbound import MAX_CONTENT
from bot.policy.links import REMOVED, LinkRules, without_tail
from bot.strict_json import Json
from bot.text import clamp, legible, length

MAX_MESSAGES = 5
MAX_TEXT = 16_000
"""Units of an answer that are looked at: more than five messages hold, whatever is removed."""
MAX_LINK = 1_900
"""Units of a link; a longer one fits into no message whole."""
MAX_NOTE = 200
MAX_NOTES = 5
CUT = "The answer was longer; the rest is left out."

_ROUNDS = 20
_ANGLED = re.compile(r"<(https://[^<>\s]*)>", re.IGNORECASE)
_BESIDE_LABEL = re.compile(r"(?P<label>(?<!\S)\S{1,253})? \(<(?P<url>https://[^<>\s]*)>\)", re.IGNORECASE)
_DISCORDS = re.compile(
    r"<(?:@[!&]?[0-9]+|#[0-9]+|t:-?[0-9]+(?::[a-zA-Z])?|a?:\w+:[0-9]+|/[\w -]+:[0-9]+|id:\w+)>", re.ASCII
)
"""Mentions, timestamps, emojis, commands: what Discord draws itself, and none of which leads elsewhere."""
_PUNCTUATION = re.compile(r"[.,:;!?'*_~\]})]{0,8}")
_MASS_PING = re.compile(r"<https://[^<>\s]*>|@(?=everyone|here)", re.IGNORECASE)
_ROLE = re.compile(r"<@&([0-9]+)>")
_NICK = re.compile(r"<@!([0-9]+)>")


def compose(
    text: str, *, allowed: Collection[str], links: LinkRules, notes: Sequence[str] = ()
) -> tuple[str, ...]:
    """`text` as at most five messages of 1 to 2,000 UTF-16 units; none when nothing of it can be seen.

    `allowed` are the links that the asker wrote or a tool returned, as `extract_links` and `links_in_result` give
    them. `notes` are sentences of ours, of one line each, which end the last message in small print.
    """
    text = clamp(text, MAX_TEXT)
    usable = {url for url in allowed if length(url) <= MAX_LINK and links.problem(url) is None}
    clean = _silent(_clean(text, usable, links)).strip()
    parts = split(clean)
    return _with_notes(parts, notes) if parts else ()


def with_notes(sentence: str, notes: Sequence[str]) -> str:
    """A sentence of ours with such notes under it."""
    return sentence + _small(notes)


def extract_links(text: str) -> tuple[str, ...]:
    """The links that stand in `text`, each once and as `compose` would read it in an answer.

    Only such as may be shown without a blocklist: what else is a link is never allowed, whoever wrote it.
    """
    found: dict[str, None] = {}
    for word in legible(text).replace("](", "] (").split():
        if "://" in word:
            found.update(dict.fromkeys(_ANGLED.findall(_ANY.tidy(word))))
    return tuple(found)


def links_in_result(result: Json) -> tuple[str, ...]:
    """The links in all texts of a tool's result, however deep, each once.

    A text that is nothing but a link is one as it stands, with the punctuation at its end.
    """
    found: dict[str, None] = {}
    for text in _texts(result):
        if "://" in text:
            if _ANY.problem(text) is None:
                found[text] = None
            found.update(dict.fromkeys(extract_links(text)))
    return tuple(found)


_ANY = LinkRules()


def _texts(value: Json) -> Iterator[str]:
    left: list[Json] = [value]
    while left:
        each = left.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            left.extend(each.values())
            left.extend(each)
        elif isinstance(each, list):
            left.extend(each)


def _clean(text: str, usable: Collection[str], links: LinkRules) -> str:
    """`text` with usable links alone and without mentions of roles.

    Taking one away may bring another together, so it goes on until nothing changes.
    """
    for _ in range(_ROUNDS):
        tidy = _ROLE.sub(r"role \1", links.tidy(text))
        tidy = _BESIDE_LABEL.sub(lambda found: _beside(found, usable, links), tidy)
        cleaned = _without_hidden(_only(tidy, usable), usable)
        if cleaned == text:
            return text
        text = cleaned
    return REMOVED


def _beside(found: re.Match[str], usable: Collection[str], links: LinkRules) -> str:
    """`label (<url>)`: alone the label where the link goes, alone the link where the label is but its host."""
    label, url = found["label"] or "", found["url"]
    if url not in usable and without_tail(url) not in usable:
        return label
    return f"<{url}>" if label == links.label("", url) else found[0]


def _only(text: str, usable: Collection[str]) -> str:
    """`text` with the usable ones of its `<https://…>` alone.

    A link is also recognised with, or without, the punctuation that stands at its end.
    """
    out: list[str] = []
    at = 0
    for found in _ANGLED.finditer(text):
        tail = _PUNCTUATION.match(text, found.end())
        shown, taken = _known(found[1], tail[0] if tail else "", usable)
        out.append(text[at : found.start()] + shown)
        at = found.end() + taken
    return "".join((*out, text[at:]))


def _known(url: str, tail: str, usable: Collection[str]) -> tuple[str, int]:
    """What is shown of `<url>` before the punctuation `tail`, and how much of the tail is part of it."""
    for size in range(len(tail), -1, -1):
        if url + tail[:size] in usable:
            return f"<{url}{tail[:size]}>", size
    short = without_tail(url)
    return (f"<{short}>{url[len(short) :]}" if short in usable else REMOVED), 0


def _without_hidden(text: str, usable: Collection[str]) -> str:
    spans = [found.span() for found in _ANGLED.finditer(text) if found[1] in usable]
    spans += [found.span() for found in _DISCORDS.finditer(text)]
    out: list[str] = []
    at = 0
    for link in find_hidden(text, sorted(spans)):
        if link.parting is not None:
            out.append(f"{text[at : link.parting]} ")
            at = link.parting
        else:
            out.append(f"{text[at : link.start]}{REMOVED}")
            at = link.end
    return "".join((*out, text[at:]))


def _silent(text: str) -> str:
    text = _NICK.sub(r"<@\1>", text)
    return _MASS_PING.sub(lambda found: "@\u200b" if found[0] == "@" else found[0], text)


def _with_notes(parts: tuple[str, ...], notes: Sequence[str]) -> tuple[str, ...]:
    small = _small(notes)
    if len(parts) < MAX_MESSAGES or (len(parts) == MAX_MESSAGES and _fits(parts[-1], small)):
        return (*parts[:-1], parts[-1] + small) if _fits(parts[-1], small) else (*parts, small.strip())
    small = _small((*notes, CUT))
    last = split(parts[MAX_MESSAGES - 1], MAX_CONTENT - length(small))[0]
    return (*parts[: MAX_MESSAGES - 1], last + small)


def _small(notes: Sequence[str]) -> str:
    lines = [clamp(" ".join(legible(note).split()), MAX_NOTE) for note in notes[-MAX_NOTES:]]
    return "".join(f"\n-# {line}" for line in lines if line)


def _fits(part: str, small: str) -> bool:
    return length(part) + length(small) <= MAX_CONTENT
