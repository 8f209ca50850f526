"""Words understood as they stand, without a model: values, titles, numbers, yes and no."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from bot.strict_json import Json
from bot.tasks.fields import Choice, Field, field_problems
from bot.tasks.questions import Question
from bot.typed import bare, folded, number

_BETWEEN = re.compile(r"[,;\n、，]")
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


def _text(asked: Field, text: str) -> str | None:
    """Free text as it stands; text of a format only when it has that format, else a model has to find it."""
    typed = text.strip()
    if asked.format is None:
        return typed or None
    return next((form for form in (typed, bare(typed)) if not field_problems(asked, form)), None)


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
