"""What people type, understood as it stands: numbers, and words without what makes no difference."""

import math
import re
import unicodedata
from typing import Final

from bot.text import one_line

_QUOTES: Final = "\"'`“”„‟‘’‚«»‹›´"
_WIDE: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
"""East Asian keyboards write ASCII in these; other compatibility forms, such as 10², mean something else."""
_NUMBER = re.compile(r"[-+]?(?:[0-9]{1,400}(?:\.[0-9]{1,400})?|\.[0-9]{1,400})(?:[eE][-+]?[0-9]{1,3})?")
_WHOLE = re.compile(r"[-+]?[0-9]+")
_EXACT: Final = 2**53


def number(text: str) -> int | float | None:
    """A number in plain notation with a decimal point, which may have an exponent; whole ones are integers."""
    plain = folded(text).replace("−", "-")
    if not _NUMBER.fullmatch(plain):
        return None
    if _WHOLE.fullmatch(plain):
        return int(plain)
    value = float(plain)
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < _EXACT else value


def folded(text: str) -> str:
    """`text` without what makes no difference: case, white space around and quotes around, a period behind."""
    return one_line(bare(unicodedata.normalize("NFC", text).translate(_WIDE))).casefold()


def bare(text: str) -> str:
    """`text` without white space and quotes around it and periods behind it, however many."""
    before = None
    while text != before:
        before, text = text, text.strip().strip(_QUOTES).rstrip(".。")
    return text
