"""What is wrong with an argument, in a sentence of ours; never the library's text, never a value."""

from collections.abc import Sequence
from typing import Final

from jsonschema_rs import ValidationError, ValidationErrorKind

from bot.strict_json import NotJson, dump
from bot.text import clamp, inline_code, length

GENERAL: Final = "The input does not fit what the tool takes."

_OTHER = "does not fit what the tool takes"
_MAX_CHOICES = 10
_MAX_CHOICES_LENGTH = 200
_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "nothing",
}
_FORMATS = {
    "email": "an e-mail address",
    "uri": "a web address",
    "date": "a date like 2026-07-28",
    "date-time": "a date and time like 2026-07-28T12:00:00Z",
    "time": "a time like 12:00:00Z",
    "uuid": "a UUID",
}


def sentence_of(error: ValidationError) -> str:
    """One sentence for a member, a model or the owner."""
    kind = error.kind
    where = _where(error.instance_path)
    match kind:
        case ValidationErrorKind.Required():
            return f"{_where([*error.instance_path, kind.property])} is missing."
        case ValidationErrorKind.AdditionalProperties() | ValidationErrorKind.UnevaluatedProperties():
            names = ", ".join(_where([*error.instance_path, name]) for name in kind.unexpected[:3])
            return f"There is no input {names}."
        case ValidationErrorKind.FalseSchema():
            return f"{where} is not taken."
        case _:
            return f"{where} {_demand(kind)}."


def _where(path: Sequence[str | int]) -> str:
    """The property as `a.b[0]`; "The input" for the whole."""
    told = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return inline_code(told.removeprefix("."), 60) if told else "The input"


def _demand(kind: ValidationErrorKind) -> str:
    match kind:
        case ValidationErrorKind.Type():
            return _of_types(kind.types)
        case ValidationErrorKind.AnyOf():
            alternatives = [_types_alone(errors) for errors in kind.context]
            return _of_types([t for types in alternatives for t in types]) if all(alternatives) else _OTHER
        case ValidationErrorKind.Enum():
            return _one_of(kind.options)
        case ValidationErrorKind.Constant():
            return _one_of([kind.expected_value])
        case ValidationErrorKind.Format():
            return f"has to be {_FORMATS.get(kind.format, 'in another form')}"
        case ValidationErrorKind.Pattern():
            return "does not have the right form"
        case _:
            return _limit(kind)


def _limit(kind: ValidationErrorKind) -> str:
    match kind:
        case ValidationErrorKind.Minimum():
            return f"has to be at least {_shown(kind.limit)}"
        case ValidationErrorKind.Maximum():
            return f"has to be at most {_shown(kind.limit)}"
        case ValidationErrorKind.ExclusiveMinimum():
            return f"has to be more than {_shown(kind.limit)}"
        case ValidationErrorKind.ExclusiveMaximum():
            return f"has to be less than {_shown(kind.limit)}"
        case ValidationErrorKind.MultipleOf():
            return f"has to be a multiple of {_shown(kind.multiple_of)}"
        case ValidationErrorKind.MinLength():
            return f"has to have at least {kind.limit} characters"
        case ValidationErrorKind.MaxLength():
            return f"has to have at most {kind.limit} characters"
        case ValidationErrorKind.MinItems():
            return f"has to have at least {kind.limit} entries"
        case ValidationErrorKind.MaxItems():
            return f"has to have at most {kind.limit} entries"
        case ValidationErrorKind.UniqueItems():
            return "has the same entry more than once"
        case _:
            return _OTHER


def _types_alone(errors: Sequence[ValidationError]) -> list[str]:
    """The types that one alternative wants when nothing else is wrong by it; empty otherwise."""
    kind = errors[0].kind if len(errors) == 1 else None
    return kind.types if isinstance(kind, ValidationErrorKind.Type) else []


def _of_types(types: Sequence[str]) -> str:
    return "has to be " + " or ".join(_TYPES[name] for name in _TYPES if name in types)


def _one_of(options: Sequence[object]) -> str:
    shown = [inline_code(_shown(option), 60) for option in options[:_MAX_CHOICES]]
    told = ", ".join(shown)
    if len(options) > _MAX_CHOICES or length(told) > _MAX_CHOICES_LENGTH:
        return "has to be one of the tool's choices"
    return f"has to be {told}" if len(shown) == 1 else f"has to be one of {told}"


def _shown(value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        return clamp(dump(value).decode(), 60)  # pyright: ignore[reportArgumentType]
    except (NotJson, TypeError):
        return clamp(str(value), 60)
