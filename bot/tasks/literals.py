"""Words understood as they stand, without a model: values, titles, numbers, yes and no."""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from bot.strict_json import Json
from bot.tasks.fields import Choice, Field, field_problems
from bot.tasks.questions import Question
from bot.text import one_line

_QUOTES: Final = "\"'`“”„‟‘’‚«»‹›´"
_WIDE: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
"""East Asian keyboards write ASCII in these; other compatibility forms, such as 10², mean something else."""
_BETWEEN = re.compile(r"[,;\n、，]")
_NUMBER = re.compile(r"[-+]?(?:[0-9]{1,400}(?:\.[0-9]{1,400})?|\.[0-9]{1,400})(?:[eE][-+]?[0-9]{1,3})?")
_WHOLE = re.compile(r"[-+]?[0-9]+")
_EXACT: Final = 2**53
_POSITION = re.compile(r"[0-9]{1,5}")
_YES: Final = frozenset({"yes", "y", "yeah", "yep", "yup", "true"})
_NO: Final = frozenset({"no", "n", "nope", "nah", "false"})
_GO_ON: Final = _YES | {"ok", "okay", "1"}


def literal(question: Question, text: str, direct: bool) -> dict[str, Json] | None:
    """The content that `text` is as it stands, unchecked; None when it takes more to understand it.

    Only a question of at most one field is answered so. `direct` says that the message is a reply to the
    question itself, which then is the text that a free text field asks for. A mention in front of the words
    has been removed.
    """
    if not question.fields:
        return {} if folded(text) in _GO_ON else None
    only, *others = question.fields
    if others:
        return None
    value = _text(only, text) if only.kind == "text" and direct else literal_value(only, text)
    return None if value is None else {only.name: value}


def literal_value(asked: Field, text: str) -> Json:
    """The value of one field that `text` is as it stands; None for none, and always for free text."""
    match asked.kind:
        case "boolean":
            return _yes_or_no(asked, text)
        case "choice":
            return _Names(asked.choices).find(text)
        case "choices":
            return _several(asked, text)
        case "number" | "integer":
            return number(text)
        case "text":
            return None


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
    return one_line(_bare(unicodedata.normalize("NFC", text).translate(_WIDE))).casefold()


def _bare(text: str) -> str:
    before = None
    while text != before:
        before, text = text, text.strip().strip(_QUOTES).rstrip(".。")
    return text


def _text(asked: Field, text: str) -> str | None:
    """Free text as it stands; text of a format only when it has that format, else a model has to find it."""
    typed = text.strip()
    if asked.format is None:
        return typed or None
    return next((form for form in (typed, _bare(typed)) if not field_problems(asked, form)), None)


def _yes_or_no(asked: Field, text: str) -> Json:
    word = folded(text)
    if word in _YES:
        return True
    return False if word in _NO else _Names(asked.choices).find(text)


def _several(asked: Field, text: str) -> Json:
    """The choices between commas, in their order, each once; None when one of them is unknown."""
    names = _Names(asked.choices)
    whole = names.find(text)
    if whole is not None:
        return [whole]
    found = [names.find(part) for part in _BETWEEN.split(text) if part.strip()]
    if not found or None in found:
        return None
    return list(dict.fromkeys(found))


class _Names:
    """Finds choices by what they may be called: a value before a title before a number."""

    def __init__(self, choices: Sequence[Choice]) -> None:
        self._choices = choices
        values = [str(choice.value) for choice in choices]
        titles = [choice.title for choice in choices]
        self._levels = [
            (_positions(map(form, names)), form) for names in (values, titles) for form in (str.strip, folded)
        ]

    def find(self, text: str) -> str | bool | None:
        """The value of the one choice that is meant; None for none, or for several alike."""
        for positions, form in self._levels:
            found = positions.get(form(text))
            if found is not None:
                return self._choices[found[0]].value if len(found) == 1 else None
        position = folded(text)
        if not _POSITION.fullmatch(position) or not 0 < int(position) <= len(self._choices):
            return None
        return self._choices[int(position) - 1].value


def _positions(names: Iterable[str]) -> dict[str, list[int]]:
    """Where each name stands; an empty one is no name."""
    positions: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        if name:
            positions.setdefault(name, []).append(index)
    return positions
