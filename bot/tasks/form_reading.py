"""What was filled in, page by page, read as the content of an answer."""

from collections.abc import Mapping, Sequence
from typing import Final

from bot.errors import CardClosed
from bot.strict_json import Json
from bot.tasks.fields import Field, field_problems
from bot.tasks.forms import Given, given, is_select
from bot.tasks.literals import literal_value
from bot.tasks.questions import Question, problems

_WRONG: Final = {
    "number": "has to be a number, like 3 or 2.5",
    "integer": "has to be a whole number, like 3",
    "boolean": "has to be yes or no",
    "choice": "has to be one of the choices",
    "choices": "has to be some of the choices, with commas between them",
}


def read_page(
    question: Question, number: int, values: Mapping[str, Given]
) -> tuple[dict[str, Json], tuple[str, ...]]:
    """What was filled in on one page: the content of the fields that fit, and a sentence for each problem.

    `values` has a text or a list of positions for each field; anything else is nothing. Raises `CardClosed`
    when there is no such page.
    """
    if not 0 <= number < len(question.pages):
        raise CardClosed
    return _read(question.pages[number], values)


def read_form(question: Question, draft: Mapping[str, Given]) -> tuple[dict[str, Json], tuple[str, ...]]:
    """As `read_page`, of all pages: with no problem the content is an answer that fits the whole question."""
    content, wrong = _read(question.fields, draft)
    return content, wrong or problems(question, content)


def draft_of(question: Question, values: Mapping[str, Given]) -> dict[str, Json]:
    """What of `values` belongs into a draft: the entries of the question's own fields, as they were typed."""
    names = {asked.name for asked in question.fields}
    return {
        name: value if isinstance(value, str) else [*given(values, name)]
        for name, value in values.items()
        if name in names
    }


def _read(fields: Sequence[Field], values: Mapping[str, Given]) -> tuple[dict[str, Json], tuple[str, ...]]:
    content: dict[str, Json] = {}
    wrong: list[str] = []
    for asked in fields:
        value, told = _value(asked, given(values, asked.name))
        if told:
            wrong += told
        elif value is not None:
            content[asked.name] = value
    return content, tuple(wrong)


def _value(asked: Field, texts: tuple[str, ...]) -> tuple[Json, tuple[str, ...]]:
    """The value and what is wrong with it; None without a problem is no value."""
    if not texts:
        if not asked.required:
            return None, ()
        return ([], field_problems(asked, [])) if asked.kind == "choices" else (None, (_missing(asked),))
    value = _picked(asked, texts) if is_select(asked) else _said(asked, "\n".join(texts))
    if value is None:
        return None, (f"{asked.shown} {_WRONG[asked.kind]}.",)
    return value, field_problems(asked, value)


def _missing(asked: Field) -> str:
    return f"{asked.shown} is missing."


def _said(asked: Field, text: str) -> Json:
    return text.strip() if asked.kind == "text" else literal_value(asked, text)


def _picked(asked: Field, texts: tuple[str, ...]) -> Json:
    """The values at the positions picked; None when one of them is none."""
    by_position = {str(index): choice.value for index, choice in enumerate(asked.choices)}
    if any(position not in by_position for position in texts):
        return None
    values: list[Json] = [by_position[position] for position in dict.fromkeys(texts)]
    if asked.kind == "choices":
        return values
    return values[0] if len(values) == 1 else None
