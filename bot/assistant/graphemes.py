"""Where a text may be cut without taking apart what a reader sees as one character.

The rules of Unicode Standard Annex 29, section 3.1.1, as far as general categories and a few ranges decide
them: what they leave out (prepended marks, conjuncts of some scripts) is cut into two characters that can still be
read.
"""

import unicodedata
from collections.abc import Iterator

ZERO_WIDTH_JOINER = "\u200d"
_EXTENDS = frozenset({"Mn", "Me", "Mc"})


def borders(text: str) -> Iterator[int]:
    """The indexes, in order, before which `text` may be cut; without 0, with its end. Empty text has none."""
    flags = 0
    for index, char in enumerate(text):
        if index and not _joined(text[index - 1], char, flags):
            yield index
        flags = flags + 1 if _is_flag(char) else 0
    if text:
        yield len(text)


def _joined(before: str, char: str, flags: int) -> bool:
    """Whether `char` belongs to `before`; `flags` counts the regional indicators that end with `before`."""
    if before == "\r":
        return char == "\n"
    if before in "\n" or char in "\r\n":
        return False
    if before == ZERO_WIDTH_JOINER or _extends(char):
        return True
    if _is_flag(char):
        return flags % 2 == 1
    return _is_same_syllable(before, char)


def _extends(char: str) -> bool:
    return (
        unicodedata.category(char) in _EXTENDS
        or char in "\u200c\u200d"
        or "\U0001f3fb" <= char <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= char <= "\U000e007f"  # tags, as in the flags of regions
    )


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _is_same_syllable(before: str, char: str) -> bool:
    """Hangul: a lead goes with a lead, a vowel or a syllable, a vowel with a vowel or a tail, a tail with a tail."""
    match _hangul(before):
        case "lead":
            return _hangul(char) in {"lead", "vowel", "open", "closed"}
        case "vowel" | "open":
            return _hangul(char) in {"vowel", "tail"}
        case "tail" | "closed":
            return _hangul(char) == "tail"
        case _:
            return False


def _hangul(char: str) -> str:
    if "\u1100" <= char <= "\u115f" or "\ua960" <= char <= "\ua97c":
        return "lead"
    if "\u1160" <= char <= "\u11a7" or "\ud7b0" <= char <= "\ud7c6":
        return "vowel"
    if "\u11a8" <= char <= "\u11ff" or "\ud7cb" <= char <= "\ud7fb":
        return "tail"
    if "\uac00" <= char <= "\ud7a3":
        return "open" if (ord(char) - 0xAC00) % 28 == 0 else "closed"
    return ""
