"""Rules for the texts of a manifest. Lengths are UTF-16 code units, as everywhere in Kennel."""

from functools import partial

from pydantic import AfterValidator

from bot.manifest.checking import rule
from bot.text import clamp, length, one_line, visible

_HARMLESS = frozenset("\u200c\u200d\u200e\u200f\u061c\ufe0e\ufe0f")
"""Joiners, direction marks and emoji variants: emoji, Persian and Hebrew need them, and they hide nothing."""

LINE_BREAKS = "\n\r\t"


def line(limit: int) -> AfterValidator:
    """The rule for one line of 1 to `limit` characters."""
    return rule(partial(text_problem, limit=limit))


def block(limit: int) -> AfterValidator:
    """The rule for lines of 1 to `limit` characters in all."""
    return rule(partial(text_problem, limit=limit, allowed=LINE_BREAKS))


def optional_block(limit: int) -> AfterValidator:
    """As `block`, and the empty text means that there is none."""

    def problem(text: str) -> str | None:
        return text_problem(text, limit, LINE_BREAKS) if text else None

    return rule(problem)


def text_problem(text: str, limit: int, allowed: str = "") -> str | None:
    """What is wrong with `text`, None if nothing: blank (Discord trims white space), too long, or hiding.

    `allowed` are the control characters that may stand in it.
    """
    if all(char.isspace() or char in _HARMLESS or _hides(char) for char in text):
        return "Must not be empty."
    if (count := length(text)) > limit:
        return f"Must be at most {limit:,} characters long, and has {count:,}."
    return hiding_problem(text, allowed)


def hiding_problem(text: str, allowed: str = "") -> str | None:
    """The sentence for a line break, a control character or one that shows nothing; None if there is none."""
    if text.isascii() and text.isprintable():
        return None
    char = next((char for char in text if char not in allowed and _hides(char)), None)
    if char is None:
        return None
    if char in "\n\r\u2028\u2029":
        return "Must be one line."
    return f"Must not contain the hidden character U+{ord(char):04X}."


def quoted(text: str, limit: int = 40) -> str:
    """Foreign `text` inside a sentence or path of ours: one line, all visible, at most `limit` characters."""
    return clamp(one_line(visible(text[: limit + 1])), limit) or '""'


def _hides(char: str) -> bool:
    return char in LINE_BREAKS or (visible(char) != char and char not in _HARMLESS)
