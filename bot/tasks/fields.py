"""One property of a question's form: read from its schema, and a value checked against it.

The shapes are those of form elicitation in MCP 2026-07-28. What else JSON Schema could say of a property is
not shown to anybody but holds all the same, because every value is checked against the whole of it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

from bot.errors import TaskFailed
from bot.mcp.jsonrpc import JsonObject
from bot.mcp.schemas import argument_problems
from bot.strict_json import Json, NotJson, dump
from bot.text import clamp, inline_code, legible, one_line

MAX_TYPED: Final = 4_000
"""The most characters that Discord takes in one text of a form."""
LABEL_LIMIT: Final = 45
CHOICE_LABEL_LIMIT: Final = 80

Kind: TypeAlias = Literal["text", "number", "integer", "boolean", "choice", "choices"]
Format: TypeAlias = Literal["email", "uri", "date", "date-time"]
_FORMATS: Final[dict[str, Format]] = {name: name for name in get_args(Format)}
_NAME_BREAKS = re.compile(r"[_\s]+")


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose. `value` and `title` are the trick's own.

    `label` is one line of at most 80 characters, never empty, that tells it from the others.
    """

    value: str | bool
    title: str
    label: str


YES_NO: Final = (Choice(True, "Yes", "Yes"), Choice(False, "No", "No"))


@dataclass(frozen=True, slots=True)
class Field:
    """One property of the form; `title` and `description` are the trick's own text, empty for none.

    `least` and `most` limit a number, the characters of a text or how many choices are made. `default` is
    None when there is none that fits. `schema` is what a value is checked against.
    """

    name: str
    kind: Kind
    title: str
    description: str
    required: bool
    default: Json
    choices: tuple[Choice, ...]
    least: int | float | None
    most: int | float | None
    format: Format | None
    schema: JsonObject = field(repr=False)

    @property
    def label(self) -> str:
        """What a person sees of its name: one line of at most 45 characters, never empty."""
        shown = one_line(legible(self.title)) or one_line(legible(_NAME_BREAKS.sub(" ", self.name)))
        return clamp(shown or "Answer", LABEL_LIMIT)

    @property
    def shown(self) -> str:
        """The label in a code span, as sentences name the field."""
        return inline_code(self.label)


def refused(what: str) -> TaskFailed:
    """The end of a task whose question is put to nobody; `what` completes "the trick asked for …"."""
    return TaskFailed(f"That did not work: the trick asked for {what}. Tell the owner of this server.")


def no_form() -> TaskFailed:
    """The end of a task whose question has a form that is of no known shape."""
    return refused("something in a form that cannot be shown")


def read_field(name: str, prop: Json, *, required: bool) -> Field:
    """Read the property `name`. Raises `TaskFailed` when it is of no kind that a form has, or nothing fits it."""
    if not isinstance(prop, dict) or "$ref" in prop or "$dynamicRef" in prop:
        raise no_form()
    kind, choices = _kind(prop)
    least, most = _limits(kind, prop)
    if _nothing_fits(kind, least, most, choices):
        raise refused("something that no answer fits")
    return Field(
        name=name,
        kind=kind,
        title=text_of(prop, "title"),
        description=text_of(prop, "description"),
        required=required,
        default=_default(name, prop),
        choices=choices,
        least=least,
        most=most,
        format=_FORMATS.get(text_of(prop, "format")) if kind == "text" else None,
        schema=prop,
    )


def checked(schema: JsonObject, content: Mapping[str, Json], fields: Sequence[Field]) -> tuple[str, ...]:
    """What is wrong with `content` by `schema`, formats included; sentences with the labels of `fields`.

    They never repeat a value.
    """
    try:
        dump(dict(content))
    except NotJson:
        return ("The answer has characters or numbers that cannot be sent.",)
    shown = {inline_code(asked.name, 60): asked.shown for asked in fields}
    return tuple(_renamed(told, shown) for told in argument_problems(schema, content, formats=True))


def field_problems(asked: Field, value: Json) -> tuple[str, ...]:
    """As `checked`, of the value of one field alone."""
    return checked(_alone(asked.name, asked.schema), {asked.name: value}, (asked,))


def text_of(prop: JsonObject, keyword: str) -> str:
    """The text of `keyword`; empty when it has none."""
    value = prop.get(keyword)
    return value if isinstance(value, str) else ""


def _kind(prop: JsonObject) -> tuple[Kind, tuple[Choice, ...]]:
    match prop.get("type"):
        case "string" | None if _offers(prop):
            return "choice", _choices(prop)
        case "string":
            return "text", ()
        case "number":
            return "number", ()
        case "integer":
            return "integer", ()
        case "boolean":
            return "boolean", YES_NO
        case "array":
            items = prop.get("items")
            if isinstance(items, dict) and items.get("type", "string") == "string" and _offers(items):
                return "choices", _choices(items)
            raise no_form()
        case _:
            raise no_form()


def _offers(prop: JsonObject) -> bool:
    return any(keyword in prop for keyword in ("enum", "oneOf", "anyOf"))


def _choices(prop: JsonObject) -> tuple[Choice, ...]:
    pairs = _pairs(prop)
    values = [value for value, _ in pairs if isinstance(value, str)]
    titles = [title for _, title in pairs if isinstance(title, str)]
    if not pairs or len(values) < len(pairs) or len(titles) < len(pairs):
        raise no_form()
    if len(set(values)) < len(values):
        raise refused("one of several things, two of which are the same")
    return tuple(map(Choice, values, titles, _choice_labels(values, titles)))


def _pairs(prop: JsonObject) -> list[tuple[Json, Json]]:
    """Values and titles of `enum` (with `enumNames`), or of `oneOf` or `anyOf` (with `const` and `title`)."""
    values, names = prop.get("enum"), prop.get("enumNames")
    if isinstance(values, list):
        if not isinstance(names, list) or len(names) != len(values):
            names = values
        return list(zip(values, names, strict=True))
    entries = prop.get("oneOf", prop.get("anyOf"))
    if not isinstance(entries, list):
        return []
    titled = [entry if isinstance(entry, dict) else {} for entry in entries]
    return [(entry.get("const"), entry.get("title", entry.get("const"))) for entry in titled]


def _choice_labels(values: Sequence[str], titles: Sequence[str]) -> Iterator[str]:
    """A label for each; one that would be empty, or look like an earlier one, begins with its number."""
    seen: set[str] = set()
    for number, (value, title) in enumerate(zip(values, titles, strict=True), start=1):
        shown = one_line(legible(title)) or one_line(legible(value))
        label = clamp(shown, CHOICE_LABEL_LIMIT)
        if not label or label.casefold() in seen:
            label = clamp(f"{number}. {shown or 'nothing'}", CHOICE_LABEL_LIMIT)
        seen.add(label.casefold())
        yield label


def _limits(kind: Kind, prop: JsonObject) -> tuple[int | float | None, int | float | None]:
    match kind:
        case "number" | "integer":
            return _number(prop, "minimum"), _number(prop, "maximum")
        case "text":
            return _number(prop, "minLength"), _number(prop, "maxLength")
        case "choices":
            return _number(prop, "minItems"), _number(prop, "maxItems")
        case "boolean" | "choice":
            return None, None


def _nothing_fits(
    kind: Kind, least: int | float | None, most: int | float | None, choices: Sequence[Choice]
) -> bool:
    if least is None:
        return False
    limits = [most] if most is not None else []
    if kind == "text":
        limits.append(MAX_TYPED)
    elif kind == "choices":
        limits.append(len(choices))
    return any(least > limit for limit in limits)


def _number(prop: JsonObject, keyword: str) -> int | float | None:
    value = prop.get(keyword)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _default(name: str, prop: JsonObject) -> Json:
    value = prop.get("default")
    if value is None or argument_problems(_alone(name, prop), {name: value}, formats=True):
        return None
    return value


def _alone(name: str, prop: JsonObject) -> JsonObject:
    return {"type": "object", "properties": {name: prop}}


def _renamed(told: str, shown: Mapping[str, str]) -> str:
    """The sentence with the label that the asker knows where it begins with the property's name."""
    name = next((name for name in shown if told.startswith(f"{name} ")), None)
    return told if name is None else shown[name] + told.removeprefix(name)
