"""The form of a question: what each page of it shows.

A draft holds, by the names of the fields, exactly what was typed or the positions that were picked, so that
nothing has to be typed again; a field that was never on a page that was sent has no entry.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from bot.errors import CardClosed
from bot.outbound import FormField, FormOption, FormPage
from bot.strict_json import Json
from bot.tasks.fields import MAX_TYPED, Choice, Field
from bot.tasks.questions import Question
from bot.text import clamp, legible, length, one_line, printable

MAX_OPTIONS: Final = 25
HINT_LIMIT: Final = 100
_ONE_LINE: Final = 200

Given: TypeAlias = "Json | Sequence[str]"
"""The text of a text input, or the positions picked in a select; anything else counts as nothing."""

_EXAMPLES: Final = {
    "email": "name@example.com",
    "uri": "https://example.com/page",
    "date": "2026-07-28",
    "date-time": "2026-07-28T12:00:00Z",
}


def page(question: Question, number: int, draft: Mapping[str, Given]) -> FormPage:
    """The page `number`, counted from 0, with what the draft or else the defaults fill in.

    Raises `CardClosed` when there is no such page.
    """
    pages = question.pages
    if not 0 <= number < len(pages):
        raise CardClosed
    title = "Your answer" if len(pages) == 1 else f"Your answer ({number + 1} of {len(pages)})"
    return FormPage(title, number, len(pages), tuple(_drawn(asked, draft) for asked in pages[number]))


def given(values: Mapping[str, Given], name: str) -> tuple[str, ...]:
    """The texts that `values` has for `name`, without blank ones."""
    found = values.get(name)
    texts = (found,) if isinstance(found, str) or not isinstance(found, Sequence) else found
    return tuple(text for text in texts if isinstance(text, str) and text.strip())


def is_select(asked: Field) -> bool:
    """Whether the field is drawn as a select; text inputs take what has more choices."""
    return 0 < len(asked.choices) <= MAX_OPTIONS


def _drawn(asked: Field, draft: Mapping[str, Given]) -> FormField:
    return _select(asked, draft) if is_select(asked) else _input(asked, draft)


def _select(asked: Field, draft: Mapping[str, Given]) -> FormField:
    several = asked.kind == "choices"
    most = min(_whole(asked.most, len(asked.choices)), len(asked.choices)) if several else 1
    least = _whole(asked.least, 0) if several else 1
    required = asked.required and least > 0
    picked = given(draft, asked.name) if asked.name in draft else _default_positions(asked)
    kept = [str(index) for index in range(len(asked.choices)) if str(index) in picked][: max(1, most)]
    return FormField(
        name=asked.name,
        label=asked.label,
        description=_description(asked),
        control="select",
        required=required,
        least=least if required else 0,
        most=max(1, most),
        placeholder="Pick what fits" if several else "Pick one",
        options=tuple(
            FormOption(str(index), choice.label, str(index) in kept)
            for index, choice in enumerate(asked.choices)
        ),
    )


def _input(asked: Field, draft: Mapping[str, Given]) -> FormField:
    most = _whole(asked.most, MAX_TYPED) if asked.kind == "text" else MAX_TYPED
    most = min(max(1, most), MAX_TYPED)
    least = _whole(asked.least, 1) if asked.kind == "text" else 1
    value = "\n".join(given(draft, asked.name)) if asked.name in draft else _default_text(asked)
    wide = (asked.kind == "text" and asked.format is None and most > _ONE_LINE) or asked.kind == "choices"
    return FormField(
        name=asked.name,
        label=asked.label,
        description=_description(asked),
        control="paragraph" if wide or "\n" in value else "line",
        required=asked.required,
        least=min(max(1, least), most) if asked.required else 0,
        most=most,
        value=value if length(value) <= most else "",
        placeholder=_placeholder(asked),
    )


def _description(asked: Field) -> str:
    return clamp(one_line(legible(asked.description)), HINT_LIMIT)


def _default_positions(asked: Field) -> tuple[str, ...]:
    default = asked.default if isinstance(asked.default, list) else [asked.default]
    return tuple(str(index) for index, choice in enumerate(asked.choices) if choice.value in default)


def _default_text(asked: Field) -> str:
    match asked.default:
        case str(text):
            return printable(text)
        case list(values):
            return ", ".join(printable(value) for value in values if isinstance(value, str))
        case bool() | dict() | None:
            return ""
        case value:
            return str(value)


def _placeholder(asked: Field) -> str:
    if asked.format is not None:
        return _EXAMPLES[asked.format]
    if asked.choices:
        return clamp(_listed(asked.choices), HINT_LIMIT)
    return "" if asked.kind == "text" else _range(asked)


def _listed(choices: Sequence[Choice]) -> str:
    return ", ".join(choice.label for choice in choices[:MAX_OPTIONS])


def _range(asked: Field) -> str:
    what = "A whole number" if asked.kind == "integer" else "A number"
    least = "" if asked.least is None else f" from {asked.least}"
    most = "" if asked.most is None else f" up to {asked.most}"
    return clamp(what + least + most, HINT_LIMIT)


def _whole(limit: int | float | None, otherwise: int) -> int:
    return otherwise if limit is None else int(limit)
