"""A long text as several messages, each of which reads well alone.

Lengths are UTF-16 units. A cut prefers the end of a paragraph, then of a line, a sentence, a word, and is always
between two characters as readers see them. No cut goes through a link in angle brackets, a mention or a fence. A
code block that goes on is closed, and opened again with its language.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from bot.assistant.graphemes import borders
from bot.outbound import MAX_CONTENT
from bot.text import length, one_line

FENCE = "```"

_FENCE = re.compile(r"```(?:([A-Za-z0-9_+.#-]{1,30})(?=\n))?\n?")
_WHOLE = re.compile(r"<[^<>\s]+>|```(?:[A-Za-z0-9_+.#-]{1,30}(?=\n))?")
_ENDS = (
    (re.compile(r"\n\s*\n"), 0.5),
    (re.compile(r"\n"), 0.4),
    (re.compile(r"[.!?…。！？]+[)\"'”’*_]*[ \u3000]|[。！？]"), 0.4),
    (re.compile(r"[ \t]"), 0.2),
)
"""What a cut may follow, best first, and how full the message must then be at least."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """One message and what is left. `language` is that of the code block in which the rest begins, or None."""

    content: str
    rest: str
    language: str | None


def split(text: str, limit: int = MAX_CONTENT) -> tuple[str, ...]:
    """`text` as messages of at most `limit` units (at least 200), none of them blank.

    White space at a cut goes, in code one newline. A code block that is never closed is closed at its end.
    """
    parts: list[str] = []
    rest: str = text
    language: str | None = None
    while rest:
        piece = _first(rest, language, limit)
        if one_line(piece.content.removeprefix(_opening(language)).replace(FENCE, "")):
            parts.append(piece.content)
        rest, language = piece.rest, piece.language
    return tuple(parts)


def _first(rest: str, language: str | None, limit: int) -> _Piece:
    opening = _opening(language)
    whole = opening + rest.rstrip()
    open_at_end, _ = _state(rest, language)
    if open_at_end is not None:
        whole = f"{whole}\n{FENCE}"
    if length(whole) <= limit:
        return _Piece(whole, "", None)
    end = _cut(rest, limit - length(opening) - len(FENCE) - 1)
    return _parted(rest, end, language)


def _parted(rest: str, end: int, language: str | None) -> _Piece:
    """`rest` parted at `end`, which is within a code block or not."""
    opening = _opening(language)
    content, after = rest[:end], rest[end:]
    still, opened = _state(content, language)
    if still is None:
        return _Piece(
            (opening + content).rstrip(), after.lstrip() if language is None else after.lstrip("\n"), None
        )
    if not one_line(content[opened:]) and opened:
        return _Piece((opening + content[: content.rindex(FENCE)]).rstrip(), after, still)
    after = after.removeprefix("\n") if not content.endswith("\n") else after
    closed = re.match(r"\s*```", after)
    if closed is not None:
        return _Piece(_closed(opening + content), after[closed.end() :].lstrip(), None)
    return _Piece(_closed(opening + content), after, still)


def _opening(language: str | None) -> str:
    return "" if language is None else f"{FENCE}{language}\n"


def _closed(content: str) -> str:
    return f"{content.removesuffix(chr(10))}\n{FENCE}"


def _state(text: str, language: str | None) -> tuple[str | None, int]:
    """The language of the code block in which `text` ends ("" without one, None outside), and where that began.

    `language` is what it begins in. The second is the index behind the fence that opened the block, 0 at best.
    """
    opened = 0
    for fence in _FENCE.finditer(text):
        if language is None:
            language, opened = fence[1] or "", fence.end()
        else:
            language = None
    return language, opened


def _cut(text: str, room: int) -> int:
    """The best index, at least 1, at which to end a message that has `room` units."""
    sizes = accumulate(2 if char > "\uffff" else 1 for char in text[: room + 1])
    most = max(1, bisect_right(list(sizes), room))
    wholes = [match.span() for match in _WHOLE.finditer(text, 0, most + MAX_CONTENT)]

    def last(edges: Iterable[int]) -> int:
        allowed = (at for at in edges if at <= most and not any(start < at < end for start, end in wholes))
        return max(allowed, default=0)

    for end, fullness in _ENDS:
        at = last(match.end() for match in end.finditer(text, 0, most))
        if at >= most * fullness:
            return at
    edges = list(borders(text[: most + 1]))[: -1 if most < len(text) else None]
    return last(edges) or max((edge for edge in edges if edge <= most), default=most)
