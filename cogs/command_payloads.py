"""Slash commands as Discord's raw payloads, and our own check of them before each bulk write.

Discord refuses a whole list for one bad command, so every limit of "Application Command Object" is checked
here first. Text is measured without outer white space, which payloads do not carry.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal, NotRequired, TypedDict, cast

from bot.manifest.commands import (
    MAX_CHOICES,
    MAX_COMMAND_TEXT,
    MAX_OPTIONS,
    ChoiceValue,
    Command,
    OptionType,
    choice_problem,
)
from bot.manifest.names import discord_name_problem
from bot.strict_json import Json, canonical
from bot.text import inline_code, length
from cogs.options import OPTION_TYPES, OptionSpec
from cogs.schema_limits import LARGEST, LONGEST_STRING, MAX_CHOICE_NAME

MAX_COMMANDS = 100
MAX_DESCRIPTION = 100

_TYPES: dict[int, OptionType] = {number: name for name, number in OPTION_TYPES.items()}


class ChoicePayload(TypedDict):
    """One choice of an option."""

    name: str
    value: ChoiceValue


class OptionPayload(TypedDict):
    """One option; `type` is Discord's number."""

    type: int
    name: str
    description: str
    required: bool
    choices: NotRequired[list[ChoicePayload]]
    min_value: NotRequired[int | float]
    max_value: NotRequired[int | float]
    min_length: NotRequired[int]
    max_length: NotRequired[int]


class CommandPayload(TypedDict):
    """One chat-input command of a guild."""

    type: Literal[1]
    name: str
    description: str
    options: list[OptionPayload]


def slash_payload(command: Command, options: Iterable[OptionSpec]) -> CommandPayload:
    """The payload of `command` with its effective `options`: required ones first, else in their order."""
    ordered = sorted(options, key=lambda option: not option.required)
    return {
        "type": 1,
        "name": command.name,
        "description": command.description.strip(),
        "options": [_option_payload(option) for option in ordered],
    }


def payload_problems(payloads: Sequence[CommandPayload]) -> list[tuple[int, str]]:
    """Everything that Discord would refuse: index of the command, and a sentence that starts with its name.

    Without the commands named here the rest is fine: a refused command takes neither a name nor one of the
    100 places from the others.
    """
    problems: list[tuple[int, str]] = []
    taken: set[str] = set()
    for index, payload in enumerate(payloads):
        found = list(_command_problems(payload))
        if not found and payload["name"] in taken:
            found.append("has the name of another command.")
        elif not found and len(taken) == MAX_COMMANDS:
            found.append(f"is one more than the {MAX_COMMANDS} commands that a server has room for.")
        elif not found:
            taken.add(payload["name"])
        problems += [(index, f"{inline_code('/' + payload['name'])} {problem}") for problem in found]
    return problems


def payload_hash(payloads: Iterable[Mapping[str, object]]) -> str:
    """SHA-256 in hexadecimal: equal for equal sets of commands, whatever their order."""
    ordered = sorted(payloads, key=lambda payload: str(payload["name"]))
    return hashlib.sha256(canonical(cast("Json", ordered))).hexdigest()


def _option_payload(option: OptionSpec) -> OptionPayload:
    payload: OptionPayload = {
        "type": OPTION_TYPES[option.type],
        "name": option.name,
        "description": option.description.strip(),
        "required": option.required,
    }
    if option.choices:
        payload["choices"] = [{"name": name.strip(), "value": value} for name, value in option.choices]
        return payload
    if option.minimum is not None:
        payload["min_value"] = option.minimum
    if option.maximum is not None:
        payload["max_value"] = option.maximum
    if option.min_length is not None:
        payload["min_length"] = option.min_length
    if option.max_length is not None:
        payload["max_length"] = option.max_length
    return payload


def _command_problems(payload: CommandPayload) -> Iterator[str]:
    options = payload["options"]
    if discord_name_problem(payload["name"]):
        yield "has a name that Discord does not allow."
    if not _fits(payload["description"], MAX_DESCRIPTION):
        yield f"needs a description of 1 to {MAX_DESCRIPTION} characters."
    if len(options) > MAX_OPTIONS:
        yield f"has more than {MAX_OPTIONS} options."
    for name, count in Counter(option["name"] for option in options).items():
        if count > 1:
            yield f"has the option {inline_code(name)} {count} times."
    if any(late["required"] and not early["required"] for early, late in pairwise(options)):
        yield "has a required option behind one that is not."
    for option in options:
        for problem in _option_problems(option):
            yield f"has an option {inline_code(option['name'])} {problem}."
    if _text_length(payload) > MAX_COMMAND_TEXT:
        yield f"has more than {MAX_COMMAND_TEXT:,} characters of names, descriptions and values in all."


def _option_problems(option: OptionPayload) -> Iterator[str]:
    if discord_name_problem(option["name"]):
        yield "whose name Discord does not allow"
    if not _fits(option["description"], MAX_DESCRIPTION):
        yield f"whose description is not of 1 to {MAX_DESCRIPTION} characters"
    kind = _TYPES.get(option["type"])
    if kind is None:
        yield "of an unknown type"
        return
    yield from _choice_problems(kind, option.get("choices", []))
    yield from _range_problems(kind, option)
    yield from _size_problems(kind, option)


def _choice_problems(kind: OptionType, choices: Sequence[ChoicePayload]) -> Iterator[str]:
    if len(choices) > MAX_CHOICES:
        yield f"with more than {MAX_CHOICES} choices"
    if not all(_fits(choice["name"], MAX_CHOICE_NAME) for choice in choices):
        yield f"with a choice whose name is not of 1 to {MAX_CHOICE_NAME} characters"
    if not all(_is_value(kind, choice["value"]) for choice in choices):
        yield "with a choice whose value its type does not take"
    for part in ("name", "value"):
        if len({choice[part] for choice in choices}) < len(choices):
            yield f"with two choices of the same {part}"


def _range_problems(kind: OptionType, option: OptionPayload) -> Iterator[str]:
    low, high = option.get("min_value"), option.get("max_value")
    bounds = [bound for bound in (low, high) if bound is not None]
    if bounds and (kind not in LARGEST or option.get("choices")):
        yield "that cannot have a minimum or maximum"
    elif not all(_is_value(kind, bound) for bound in bounds):
        yield "with a minimum or maximum outside Discord's range"
    elif bounds != sorted(bounds):
        yield "with a minimum above its maximum"


def _size_problems(kind: OptionType, option: OptionPayload) -> Iterator[str]:
    low, high = option.get("min_length"), option.get("max_length")
    if low is None and high is None:
        return
    low, high = low or 0, LONGEST_STRING if high is None else high
    if kind != "string" or option.get("choices"):
        yield "that cannot have limits of length"
    elif not (0 <= low <= LONGEST_STRING and 1 <= high <= LONGEST_STRING):
        yield f"with limits of length outside 0 to {LONGEST_STRING:,}"
    elif low > high:
        yield "with a shortest length above its longest"


def _is_value(kind: OptionType, value: ChoiceValue) -> bool:
    return not isinstance(value, bool) and choice_problem(kind, value) is None


def _fits(text: str, limit: int) -> bool:
    return 1 <= length(text.strip()) <= limit


def _text_length(payload: CommandPayload) -> int:
    texts = [payload["name"], payload["description"]]
    for option in payload["options"]:
        texts += [option["name"], option["description"]]
        for choice in option.get("choices", []):
            texts += [choice["name"], str(choice["value"])]
    return sum(length(text) for text in texts)
