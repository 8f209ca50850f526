"""A question that a trick asks during a task: its message and its flat form, read, judged and checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from bot.mcp.jsonrpc import JsonObject
from bot.mcp.schemas import schema_problem
from bot.strict_json import Json, NotJson
from bot.tasks.fields import Choice, Field, checked, no_form, read_field, refused, text_of
from bot.tasks.secret_words import names_secret
from bot.text import clamp, printable

MAX_FIELDS: Final = 10
FIELDS_PER_PAGE: Final = 5
MAX_BUTTONS: Final = 24
"""A message holds 25 buttons, and one of them is Skip."""
MAX_MESSAGE: Final = 4_000
"""What goes on behind this is not judged, and so not kept either."""

GO_ON: Final = (Choice(True, "OK", "OK"),)
"""The one button of a question without fields, which only asks whether to go on."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with at most ten fields.

    `message` is the trick's own text, at most 4,000 characters; `schema` takes no other property.
    """

    message: str = field(repr=False)
    fields: tuple[Field, ...]
    schema: JsonObject = field(repr=False)

    @property
    def choices(self) -> tuple[Choice, ...] | None:
        """What its buttons offer when buttons can answer it; None when it takes a form."""
        if not self.fields:
            return GO_ON
        only = self.fields[0]
        if len(self.fields) > 1 or only.kind not in ("choice", "boolean") or len(only.choices) > MAX_BUTTONS:
            return None
        return only.choices

    @property
    def pages(self) -> tuple[tuple[Field, ...], ...]:
        """The fields as the pages of its form, five on each."""
        starts = range(0, len(self.fields), FIELDS_PER_PAGE)
        return tuple(self.fields[start : start + FIELDS_PER_PAGE] for start in starts)

    def picked(self, index: int) -> dict[str, Json] | None:
        """The content that the button at `index`, counted from 0, stands for; None if there is no such one."""
        choices = self.choices
        if choices is None or not 0 <= index < len(choices):
            return None
        return {only.name: choices[index].value for only in self.fields}


def read_question(message: str, schema: JsonObject) -> Question:
    """Read what `elicitation/create` asked.

    Raises `TaskFailed`, with a sentence for the asker, for a form that is not put to anybody: nested or of
    another shape, too large, with more than ten fields, with limits that nothing fits, or one that asks for
    a secret.
    """
    closed: JsonObject = {**schema, "additionalProperties": False}
    if not _is_usable(closed):
        raise no_form()
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list):
        raise no_form()
    if len(properties) > MAX_FIELDS:
        raise refused(f"more than {MAX_FIELDS} things at once")
    if any(name not in properties for name in required):
        raise refused("something that no answer fits")
    told = clamp(printable(message), MAX_MESSAGE)
    fields = tuple(read_field(name, prop, required=name in required) for name, prop in properties.items())
    if _asks_for_secret(told, schema, fields):
        raise refused("a password, token or key, which nobody should type here")
    return Question(told, fields, closed)


def problems(question: Question, content: Mapping[str, Json]) -> tuple[str, ...]:
    """What is wrong with `content` as the answer, formats included: sentences that never repeat a value."""
    return checked(question.schema, content, question.fields)


def _is_usable(schema: JsonObject) -> bool:
    try:
        return schema_problem(schema) is None
    except NotJson:
        return False


def _asks_for_secret(message: str, schema: JsonObject, fields: Sequence[Field]) -> bool:
    """Whether the form as a whole, or a field of it, names a secret. Yes and no alone give none away."""
    telling = [asked for asked in fields if asked.kind != "boolean"]
    if not telling:
        return False
    if any(
        text_of(asked.schema, "format") == "password" or asked.schema.get("writeOnly") for asked in telling
    ):
        return True
    whole = (message, text_of(schema, "title"), text_of(schema, "description"))
    each = (text for asked in telling for text in (asked.name, asked.title, asked.description))
    return any(map(names_secret, (*whole, *each)))
