"""A manifest's settings: what the owner of a server fills in for a trick, in nine kinds of field."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field, PlainValidator, Strict

from bot.manifest.checking import NOT_NULL, CheckedPart, Part, Place, entries, is_list, repeats, sentence
from bot.manifest.names import Identifier
from bot.manifest.texts import LINE_BREAKS, hiding_problem, line, optional_block
from bot.strict_json import Json
from bot.text import length

MAX_SELECT_OPTIONS = 25
MAX_PICKED = 25
MAX_NUMBER = 2**53
MAX_LONG_TEXT = 4_000
"""Also the most that a text may allow itself: what Discord takes in one field of a form."""
DEFAULT_MAX_LENGTH = {"text": 500, "long_text": MAX_LONG_TEXT}
_SNOWFLAKE = re.compile(r"[1-9][0-9]{0,19}")

SettingType = Literal[
    "boolean", "text", "long_text", "number", "select", "channel", "channels", "role", "roles"
]
SettingValue = bool | int | float | str | tuple[str, ...]


def _default(value: object) -> SettingValue:
    if isinstance(value, bool | int | float | str):
        return value
    if is_list(value):
        texts = tuple(item for item in value if isinstance(item, str))
        if len(texts) == len(value):
            return texts
    raise sentence("Must be true or false, a number, text or a list of texts, as the type demands.")


def _bound(value: object) -> int | float:
    if problem := _number_problem(value):
        raise sentence(problem)
    return value  # pyright: ignore[reportReturnType]


class SelectOption(Part):
    """One value of a select, and the label that the owner sees for it; both within Discord's limits."""

    label: Annotated[str, line(100)]
    value: Annotated[str, line(100)]


class Setting(CheckedPart):
    """One field. `min` and `max` go with `number`, `max_length` with the texts, `options` with `select`.

    `default` is a tuple of ids for `channels` and `roles`, one id for `channel` and `role`.
    """

    key: Identifier
    label: Annotated[str, line(100)]
    type: SettingType
    description: Annotated[str, optional_block(500)] = ""
    required: bool = False
    default: Annotated[SettingValue | None, PlainValidator(_default)] = None
    options: Annotated[tuple[SelectOption, ...], Strict(False), entries(0, MAX_SELECT_OPTIONS)] = ()
    min: Annotated[int | float | None, PlainValidator(_bound)] = None
    max: Annotated[int | float | None, PlainValidator(_bound)] = None
    max_length: Annotated[int | None, NOT_NULL, Field(ge=1, le=MAX_LONG_TEXT)] = None

    @property
    def length_limit(self) -> int:
        """The most characters of a text: `max_length`, else 500, for a long text 4,000."""
        return self.max_length or DEFAULT_MAX_LENGTH.get(self.type, MAX_LONG_TEXT)

    def contradictions(self) -> Iterator[tuple[Place, str]]:
        """Limits and options that do not go with the type, and a default that the type does not take."""
        if self.type != "number":
            for place, bound in (("min", self.min), ("max", self.max)):
                if bound is not None:
                    yield (place,), "Only a number has this limit."
        elif self.min is not None and self.max is not None and self.min > self.max:
            yield ("min",), "Must not be greater than `max`."
        if self.max_length is not None and self.type not in DEFAULT_MAX_LENGTH:
            yield ("maxLength",), "Only text and long_text have this limit."
        yield from self._option_contradictions()
        if self.default is not None and (problem := setting_problem(self, _as_json(self.default))):
            yield ("default",), problem

    def _option_contradictions(self) -> Iterator[tuple[Place, str]]:
        if self.type != "select":
            if self.options:
                yield ("options",), "Only a select has options."
            return
        if not self.options:
            yield ("options",), "A select must have 1 to 25 options."
        for index, earlier in repeats([option.value for option in self.options]):
            yield ("options", index, "value"), f"This value is already that of options[{earlier}]."
        for index, earlier in repeats([option.label.strip() for option in self.options]):
            yield ("options", index, "label"), f"This label is already that of options[{earlier}]."


def setting_problem(setting: Setting, value: Json) -> str | None:
    """Why `value` cannot be the value of `setting`, as one sentence without the value; None if it can."""
    match setting.type:
        case "boolean":
            return None if isinstance(value, bool) else "Must be true or false."
        case "text" | "long_text":
            return _text_problem(setting, value)
        case "number":
            return _number_problem(value, setting.min, setting.max)
        case "select":
            known = any(option.value == value for option in setting.options)
            return None if known else "Must be the value of one of the options."
        case "channel" | "role":
            return None if _is_id(value) else f"Must be the id of a {setting.type}, as text."
        case "channels" | "roles":
            return _ids_problem(setting.type, value)


def effective_settings(settings: Iterable[Setting], stored: Mapping[str, Json]) -> dict[str, Json]:
    """The settings as a trick gets them: what is stored, else the default; what has neither has no key.

    A stored value that the setting no longer takes, because the manifest changed since, counts as not stored.
    """
    effective: dict[str, Json] = {}
    for setting in settings:
        value = stored.get(setting.key)
        if value is not None and setting_problem(setting, value) is None:
            effective[setting.key] = value
        elif setting.default is not None:
            effective[setting.key] = _as_json(setting.default)
    return effective


def missing_settings(settings: Iterable[Setting], effective: Mapping[str, Json]) -> tuple[Setting, ...]:
    """The required settings that have no value: none at all, a blank text or an empty list."""
    return tuple(setting for setting in settings if setting.required and is_blank(effective.get(setting.key)))


def is_blank(value: object) -> bool:
    """Whether a required setting may not be that."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, list | tuple) and not value)


def _as_json(value: SettingValue) -> Json:
    return list(value) if isinstance(value, tuple) else value


def _text_problem(setting: Setting, value: Json) -> str | None:
    if not isinstance(value, str):
        return "Must be text."
    if length(value) > setting.length_limit:
        return f"Must be at most {setting.length_limit:,} characters long."
    return hiding_problem(value, LINE_BREAKS if setting.type == "long_text" else "")


def _number_problem(
    value: object, least: int | float | None = None, most: int | float | None = None
) -> str | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return "Must be a number."
    if not abs(value) <= MAX_NUMBER:
        return "Must be between -(2^53) and 2^53."
    if least is not None and value < least:
        return f"Must be at least {least}."
    if most is not None and value > most:
        return f"Must be at most {most}."
    return None


def _ids_problem(kind: str, value: Json) -> str | None:
    if not isinstance(value, list) or not all(_is_id(item) for item in value):
        return f"Must be a list of ids of {kind}, as text."
    if len(value) > MAX_PICKED:
        return f"Must be at most {MAX_PICKED} {kind}."
    if any(repeats([str(item) for item in value])):
        return "Must not have the same id twice."
    return None


def _is_id(value: Json) -> bool:
    return isinstance(value, str) and _SNOWFLAKE.fullmatch(value) is not None
