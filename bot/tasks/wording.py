"""A question as a model gets it, and as it is told when no model finds the words."""

from typing import Final

from bot.strict_json import Json
from bot.tasks.fields import Choice, Field
from bot.tasks.questions import Question
from bot.text import clamp, code_block, legible, one_line

MAX_DESCRIBED: Final = 1_500
_MAX_QUOTED: Final = 800
_MAX_LISTED: Final = 500
_MAX_LINE: Final = 100


def describe(question: Question) -> str:
    """The question as a message of at most 1,500 characters: fixed words, with what the trick wrote quoted.

    The quotation stands in code blocks; choices are numbered, since their numbers are understood as answers.
    """
    quoted = legible(question.message).strip()
    parts = [
        "Before this can go on, a question has to be answered:" if quoted else "An answer is needed first."
    ]
    if quoted:
        parts.append(code_block(quoted, _MAX_QUOTED))
    only = question.fields[0] if len(question.fields) == 1 else None
    if only is not None and only.choices:
        parts += ["Choices:", code_block(_listed(only.choices), _MAX_LISTED)]
    elif question.fields:
        parts += ["Asked for:", code_block("\n".join(map(_line, question.fields)), _MAX_LISTED)]
    parts.append("Use the buttons, or reply to this message in your own words.")
    return clamp("\n".join(parts), MAX_DESCRIBED)


def for_model(question: Question) -> dict[str, Json]:
    """The question as data for a model: the trick's own texts, and the exact names and values of answers."""
    return {
        "message": legible(question.message),
        "fields": [_as_json(asked) for asked in question.fields],
    }


def _listed(choices: tuple[Choice, ...]) -> str:
    return "\n".join(f"{number}. {choice.label}" for number, choice in enumerate(choices, start=1))


def _line(asked: Field) -> str:
    """The field on one line, with what it is about when the trick says so."""
    about = one_line(legible(asked.description))
    optional = "" if asked.required else " (optional)"
    return clamp(asked.label + optional + (f": {about}" if about else ""), _MAX_LINE)


def _as_json(asked: Field) -> Json:
    limits = {
        "text": ("minLength", "maxLength"),
        "choices": ("minItems", "maxItems"),
    }.get(asked.kind, ("minimum", "maximum"))
    about: dict[str, Json] = {
        "kind": asked.kind,
        "title": legible(asked.title),
        "description": legible(asked.description),
        "required": asked.required,
        "default": asked.default,
        "format": asked.format,
        limits[0]: asked.least,
        limits[1]: asked.most,
    }
    if asked.choices:
        about["choices"] = [
            {"value": choice.value, "title": legible(choice.title)} for choice in asked.choices
        ]
    told: dict[str, Json] = {"name": asked.name}
    return told | {key: value for key, value in about.items() if value is not None and value != ""}
