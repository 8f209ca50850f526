"""How the inputs of a write are written out for the person who decides: exactly, and so that nothing hides.

A value stands as JSON, in which a backslash is `\\\\`; so `\\u{200b}` always means the one character that cannot be
seen, and never the eight that can.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping

from bot.policy.lookalikes import mixes_scripts
from bot.strict_json import Json
from bot.text import ELLIPSIS, clamp, length, visible

_PLAIN_NAME = re.compile(r"\w[\w.-]{0,63}")
_WORD = re.compile(r"\w+")
_FENCE = re.compile("`{3,}")
_GAP = re.compile(r" {6,}(?!\d)")
"""Never right before a digit, which would be read as one of the count's."""
_MAX_MARKS = 3
_HALF = re.compile(r"\\(?:u(?:\{(?:[0-9a-f]+(?:\}(?:×[0-9]*)?)?)?)?)?\Z")
_ATOM = re.compile(r"\\u\{[0-9a-f]+\}(?:×[0-9]+)?|.", re.DOTALL)


def shown(text: str) -> str:
    """`text` with everything written as `\\u{…}` that a reader might not see, or that could leave a code block.

    That is what `bot.text.visible` finds, every blank but the space and the newline, long runs of spaces
    (which could push the rest out of sight), marks that stand on nothing or are piled up, and fences.
    """
    out: list[str] = []
    marks = _MAX_MARKS
    for char in visible(text):
        if unicodedata.category(char).startswith("M"):
            marks += 1
            out.append(char if marks <= _MAX_MARKS else _spelled(char))
            continue
        marks = 0 if char.isalnum() or char > "\u2000" else _MAX_MARKS
        out.append(_spelled(char) if char.isspace() and char not in " \n" else char)
    fenceless = _FENCE.sub(lambda run: _spelled("`") * len(run[0]), "".join(out))
    return _GAP.sub(lambda run: f"{_spelled(' ')}×{len(run[0])}", fenceless)


def value_text(value: Json) -> str:
    """`value` as JSON on one line, in which everything can be seen."""
    return shown(json.dumps(value, ensure_ascii=False))


def whole_text(arguments: Mapping[str, Json]) -> str:
    """All inputs as one indented JSON object, in which everything can be seen.

    The indentation is ours; inside the values no run of spaces is left that could look like it.
    """
    if not arguments:
        return "{}"
    lines = (
        f"  {shown(json.dumps(name, ensure_ascii=False))}: {_indented(arguments[name])}" for name in arguments
    )
    return "{\n" + ",\n".join(lines) + "\n}"


def input_line(name: str, value: Json, limit: int) -> tuple[str, bool]:
    """`name: JSON value` on one line of at most `limit` units, and whether that is all of it.

    A name that could be mistaken for more than a name stands as JSON, too.
    """
    written = shown(name if _PLAIN_NAME.fullmatch(name) else json.dumps(name, ensure_ascii=False))
    line = f"{written}: {value_text(value)}"
    return cut(line, limit), length(line) <= limit


def cut(text: str, limit: int) -> str:
    """As `clamp`, but no `\\u{…}` is cut in two."""
    if length(text) <= limit:
        return text
    return _HALF.sub("", clamp(text, limit).removesuffix(ELLIPSIS)) + ELLIPSIS


def blocks(text: str, limit: int) -> Iterator[str]:
    """`text`, as `shown` gives it, in pieces of at most `limit` units (at least 40) that joined are the whole.

    They end after a line or a word where that leaves a piece at least half full.
    """
    piece, size = "", 0
    for atom in _ATOM.findall(text):
        size += length(atom)
        if size > limit:
            half = len(piece) // 2
            border = piece.rfind("\n", half)
            if border < 0:
                border = piece.rfind(" ", half)
            end = border + 1 or len(piece)
            yield piece[:end]
            piece = piece[end:]
            size = length(piece) + length(atom)
        piece += atom
    yield piece


def mixed_words(arguments: Mapping[str, Json]) -> tuple[str, ...]:
    """The words of all names and texts, however deep, that mix scripts, each once."""
    words = (word for text in _texts(dict(arguments)) for word in _WORD.findall(text))
    return tuple(dict.fromkeys(word for word in words if mixes_scripts(word)))


def spelled_out(word: str) -> str:
    """`word` with every letter beyond ASCII written as `\\u{…}`."""
    return "".join(char if " " <= char <= "~" else _spelled(char) for char in word)


def _indented(value: Json) -> str:
    pretty = json.dumps(value, ensure_ascii=False, indent=2).split("\n")
    indents = [len(line) - len(line.lstrip(" ")) for line in pretty]
    lines = (" " * indent + shown(line[indent:]) for indent, line in zip(indents, pretty, strict=True))
    return "\n  ".join(lines)


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _spelled(char: str) -> str:
    return f"\\u{{{ord(char):04x}}}"
