"""What a command's options take, and how their values become a tool's arguments."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.errors import BadArguments
from bot.manifest.commands import MAX_COMMAND_TEXT, Command, OptionType, text_total
from bot.strict_json import Json
from bot.text import clamp, inline_code, length, one_line
from cogs.schema_limits import Choices, Limits, narrowing

OPTION_TYPES: dict[OptionType, int] = {
    "string": 3,
    "integer": 4,
    "boolean": 5,
    "user": 6,
    "channel": 7,
    "role": 8,
    "number": 10,
}
"""Discord's number for each type (Application Commands, "Application Command Option Type")."""

_USAGE_LENGTH = 500
_HINTS: dict[OptionType, str] = {
    "string": "=text",
    "integer": "=number",
    "number": "=number",
    "boolean": "",
    "user": "=@member",
    "channel": "=#channel",
    "role": "=@role",
}


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option as members meet it. `type` is the manifest's word; limits are inclusive.

    `choices` are pairs of name and value; where there are any, the limits add nothing to them.
    """

    name: str
    description: str
    type: OptionType
    required: bool = False
    choices: Choices = ()
    minimum: int | float | None = None
    maximum: int | float | None = None
    min_length: int | None = None
    max_length: int | None = None

    @property
    def limits(self) -> Limits:
        """The four limits as one value."""
        return Limits(self.minimum, self.maximum, self.min_length, self.max_length)


def effective_options(command: Command, schema: dict[str, Json]) -> tuple[OptionSpec, ...]:
    """The options of `command` in the manifest's order, narrowed by `schema`, the input schema of its tool.

    The manifest's choices win, less those that the schema refuses; without any, the schema's own list of
    values is offered when it has at most 25, all of them can be choices and the command has room for their
    text. Limits lie in Discord's ranges.
    """
    room = MAX_COMMAND_TEXT - text_total(command)
    specs: list[OptionSpec] = []
    for option in command.options:
        found = narrowing(schema, option.name, option.type)
        choices = found.admitted(tuple((choice.name, choice.value) for choice in option.choices))
        if not choices and _text_length(found.offered()) <= room:
            choices = found.offered()
            room -= _text_length(choices)
        specs.append(
            OptionSpec(
                name=option.name,
                description=option.description,
                type=option.type,
                required=option.required,
                choices=choices,
                minimum=found.limits.minimum,
                maximum=found.limits.maximum,
                min_length=found.limits.min_length,
                max_length=found.limits.max_length,
            )
        )
    return tuple(specs)


def slash_arguments(
    options: Iterable[OptionSpec], data_options: Iterable[Mapping[str, Any]]
) -> dict[str, Json]:
    """The tool's arguments from an interaction's raw `data.options`: ids stay strings, numbers unchanged.

    Discord may still show a command as it was before a change. Options that are gone are left out; raises
    `BadArguments` for one that changed its type meanwhile, and for a required one that is missing.
    """
    given = {raw["name"]: raw for raw in data_options}
    arguments: dict[str, Json] = {}
    problems: list[str] = []
    for option in options:
        raw = given.get(option.name)
        if raw is None:
            problems += [f"{inline_code(option.name)} is missing."] if option.required else []
        elif raw["type"] != OPTION_TYPES[option.type]:
            problems.append(f"{inline_code(option.name)} has just changed. Type the command again.")
        else:
            arguments[option.name] = raw["value"]
    if problems:
        raise BadArguments(problems)
    return arguments


def usage_line(prefix: str, command: Command, options: Sequence[OptionSpec]) -> str:
    """How to type `command` behind a prefix: `^name <who> <note…> [--count=number] [--loud]`.

    At most 500 characters on one line, without backticks: it goes between two.
    """
    words = [f"<{option.name}>" for option in options if option.required]
    if takes_rest(options):
        words[-1] = words[-1][:-1] + "…>"
    words += [f"[--{option.name}{_HINTS[option.type]}]" for option in options if not option.required]
    return clamp(one_line(" ".join([prefix + command.name, *words])).replace("`", "ˋ"), _USAGE_LENGTH)


def takes_rest(options: Iterable[OptionSpec]) -> bool:
    """Whether the last required option is a string, which behind a prefix takes the rest of the text."""
    types = [option.type for option in options if option.required]
    return types[-1:] == ["string"]


def _text_length(choices: Choices) -> int:
    return sum(length(name) + length(str(value)) for name, value in choices)
