"""Which links may be shown, and text in which no link can pretend to lead somewhere else.

A link may be shown when it is HTTPS, carries no credentials, is spelled so that every parser reads the same
host, and its host is neither a lookalike (`bot.policy.lookalikes`) nor, itself or as part of a domain, on the
blocklist. Letters outside ASCII are fine in a path, query or fragment, and in a host that is no lookalike.

Text is rewritten without asking what is code and what is not: parsers disagree about where a code span ends,
and that disagreement is where a link could hide. Afterwards every address in it stands as `<https://…>`,
which no client unfurls and which shows where it goes.
"""

import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import quote

from bot.errors import UrlRefused
from bot.policy.lookalikes import ascii_host, is_lookalike
from bot.text import ELLIPSIS, legible, one_line
from bot.urls import MAX_URL, Url, read_url

REMOVED = "(link removed)"

_HOST_NAME = re.compile(r"(?:[a-z0-9_-]{1,63}\.)+[a-z0-9-]{1,63}")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_THIN = "[\u034f\u061c\u200c-\u200f\ufe00-\ufe0f\U000e0000-\U000e01ef]*"
"""Invisible characters that text may keep: joiners, marks of direction, variation selectors, tags."""

_TARGET = re.compile(
    rf"\]{_THIN}\(\s*<?(?P<url>(?:\([^\s()]*+\)|[^\s<>()])*+|[^\s<>)]*+)>?"
    r"(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)"
)
_LIKE_AN_ADDRESS = re.compile(r"[:/.#]")
_ADJACENT = re.compile(rf"\]{_THIN}(?=\()")
_DEFINITION = re.compile(rf"\]{_THIN}:(?=\s*(?:\Z|<?[a-z][a-z0-9+.-]*:))", re.IGNORECASE)
_BARE = re.compile(
    r"(?<![\\<])[\\<]*(?P<url>(?:https?|steam|discord)://[^\s<>\"`|\\]*)(?P<close>>?)", re.IGNORECASE
)
_CONTACT = re.compile(r"(?<!<)<++(?P<said>[^\s<>@:/]++@[^\s<>]++|\+[0-9][^\s<>]*+)>++")
"""`<me@example.org>` and `<+44 …>`, which Discord makes links of that write a mail or dial."""
_TRAILING = frozenset(".,:;!?'*_~]}" + ELLIPSIS)

_MARKUP = re.compile(r"[*_~`|\\]")
_ADDRESS_IN_LABEL = re.compile(
    r"[a-z][a-z0-9+.-]*://\S*"
    r"|(?<![\w.-])(?:(?:[\w-]+\.)+(?:xn--[\w-]+|[^\W\d_]{2,})|[0-9]{1,3}(?:\.[0-9]{1,3}){3})(?![\w-])"
    r"(?::[0-9]+)?(?:/\S*)?"
)
_FILE_ENDING = re.compile(
    r"\.(?:[jt]sx?|txt|pdf|csv|json|xml|html|css|ya?ml|toml|png|jpe?g|gif|svg|webp|docx?|xlsx?|pptx?|exe|log|sql)\Z"
)
"""Endings of file names that are no top-level domain: `menu.pdf` is no address."""


@dataclass(frozen=True, slots=True)
class LinkRules:
    """The rules with one blocklist, as `read_hosts_file` gives it."""

    blocklist: frozenset[str] = frozenset()

    def problem(self, url: str) -> str | None:
        """Why `url` may not be shown, completing "the address …"; None when it may."""
        try:
            host = _read(url).host
        except UrlRefused as refused:
            return refused.reason
        if is_lookalike(host):
            return "has a host that looks like another one"
        labels = host.split(".")
        if any(".".join(labels[start:]) in self.blocklist for start in range(len(labels))):
            return "is on the list of harmful hosts"
        return None

    def label(self, label: str, url: str) -> str:
        """`label` on one line for a link to `url`, which has no problem.

        A label that is blank, or looks like another address than `url`, is replaced by the real host.
        """
        if not one_line(label) or _disguises(label, url):
            return _host(url)
        return " ".join(legible(label).split())

    def tidy(self, text: str) -> str:
        """`text` in which every link shows where it goes and none has a problem.

        `[x](url)` becomes `x (<url>)`, and `x` where the address has a problem; a bare address becomes
        `<url>`, or "(link removed)"; one that was cut off ("https://…" with "…" at its end) becomes "…".
        E-mail addresses and telephone numbers lose the brackets that make links of them.
        A blank parts `](` and `]:`, so that neither a link nor a reference definition is left for any reader.
        Other invisible characters than those that scripts and emoji need are taken out.
        """
        text = _CONTACT.sub(r"\g<said>", _BARE.sub(self._bare, self._unmask(legible(text))))
        return _DEFINITION.sub("] :", _ADJACENT.sub("] ", text))

    def _unmask(self, text: str) -> str:
        out: list[str] = []
        opened: list[int] = []
        closed: int | None = None
        at = 0
        while at < len(text):
            char = text[at]
            target = _TARGET.match(text, at) if char == "]" else None
            start = (opened.pop() if opened else closed) if char == "]" else None
            if target is not None and start is not None:
                label = "".join(out[start + 1 :])
                del out[start - 1 if out[start - 1 : start] == ["\\"] else start :]
                out.append(self._masked(label, target))
                closed, at = None, target.end()
                continue
            if char == "[":
                opened.append(len(out))
            elif char == "]":
                closed = start
            out.append(char)
            at += 1
        return "".join(out)

    def _masked(self, label: str, target: re.Match[str]) -> str:
        url = target["url"]
        if not _LIKE_AN_ADDRESS.search(url):
            return f"[{label}{target[0]}"
        label = label.rstrip("\\")
        if self.problem(url) is not None:
            return label
        if not one_line(label) or label.strip() == url:
            return f"<{url}>"
        return f"{_host(url) if _disguises(label, url) else label} (<{url}>)"

    def _bare(self, match: re.Match[str]) -> str:
        url = match["url"]
        if match["close"] and match[0].removesuffix(url + ">").endswith("<"):
            return REMOVED if self.problem(url) else f"<{url}>"
        end = _end(url)
        url, tail = url[:end], url[end:] + match["close"]
        if url.endswith("://") and url.count("://") == 1:
            return f"{url[:-2]}\u200b//{tail}"
        if ELLIPSIS in tail:
            return tail
        return (REMOVED if self.problem(url) else f"<{url}>") + tail


def ascii_url(url: str) -> str:
    """`url` in ASCII: its host as punycode, the rest percent-encoded (RFC 3987, section 3.1).

    Raises `UrlRefused` for a host in an odd spelling; never for a URL that has no problem.
    """
    scheme, _, rest = url.partition("://")
    cut = re.search(r"[/?#]|\Z", rest)
    end = cut.start() if cut else len(rest)
    authority = rest[:end] if "@" in rest[:end] else ascii_host(rest[:end])
    return f"{scheme.lower()}://{authority}{_NOT_ASCII.sub(lambda run: quote(run[0]), rest[end:])}"


def without_tail(url: str) -> str:
    """`url` without the punctuation at its end, which is no part of a link that stands in a text."""
    return url[: _end(url)]


def read_hosts_file(text: str) -> frozenset[str]:
    """The host names of a hosts file: `address name name… # comment`, or one name a line.

    Names of one label (`localhost`) and what is no host name are left out; Unicode names become punycode.
    """
    hosts: set[str] = set()
    for line in text.removeprefix("\ufeff").splitlines():
        words = line.partition("#")[0].split()
        for name in words[1:] or words:
            try:
                host = ascii_host(name.removesuffix("."))
            except (UrlRefused, UnicodeError):
                continue
            if _HOST_NAME.fullmatch(host):
                hosts.add(host)
    return frozenset(hosts)


def _read(text: str) -> Url:
    if len(text) > MAX_URL:
        raise UrlRefused(f"is longer than {MAX_URL} characters")
    if one_line(text) != text or " " in text:
        raise UrlRefused("contains invisible characters or spaces")
    if "](" in text or _DEFINITION.search(text):
        raise UrlRefused("contains characters that belong to markdown")
    try:
        plain = ascii_url(text)
    except UnicodeError:
        raise UrlRefused("contains characters that do not belong into a URL") from None
    return read_url(plain.replace("#", "?", 1))


def _host(url: str) -> str:
    return _read(url).host


def _end(url: str) -> int:
    end, surplus = len(url), url.count(")") - url.count("(")
    while end and (url[end - 1] in _TRAILING or (url[end - 1] == ")" and surplus > 0)):
        end -= 1
        surplus -= url[end] == ")"
    return end


def _disguises(label: str, url: str) -> bool:
    """Whether a reader of `label` would expect another address than `url`."""
    plain = _MARKUP.sub("", unicodedata.normalize("NFKC", one_line(label)))
    plain = re.sub(r"\u3002(?=[a-z])", ".", plain, flags=re.IGNORECASE).lower()
    return any(not _names(found[0], url) for found in _ADDRESS_IN_LABEL.finditer(plain))


def _names(address: str, url: str) -> bool:
    if "/" not in address and _FILE_ENDING.search(address):
        return True
    real = _read(url)
    written = _MARKUP.sub("", unicodedata.normalize("NFKC", url)).lower().partition("://")[2]
    said = address.removeprefix("https://")[: _end(address.removeprefix("https://"))].rstrip("/")
    known = {real.host, real.netloc, written.rstrip("/"), re.split("[/?#]", written)[0]}
    return any(said.removeprefix("www.") == name.removeprefix("www.") for name in known)
