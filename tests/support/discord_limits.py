"""Discord's limits for the commands of a server, written from its pages alone, as a second opinion."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_NAME = re.compile(r"[\w'\-\u0900-\u0963\u0966-\u097f\u0e01-\u0e3a\u0e40-\u0e5b]{1,32}")
_LARGEST = {4: 2**53 - 1, 10: 2**53}


def refusals(commands: Sequence[Mapping[str, Any]]) -> list[str]:
    """Why Discord would refuse a bulk write of `commands`; empty when it would not."""
    found = [problem for each in commands for problem in _command(each)]
    if len(commands) > 100:
        found.append("commands")
    if len({each["name"] for each in commands}) < len(commands):
        found.append("command names")
    return found


def _command(each: Mapping[str, Any]) -> Iterator[str]:
    options = each["options"]
    required = [one["required"] for one in options]
    yield from _texts(each)
    if each["type"] != 1:
        yield "type"
    if len(options) > 25:
        yield "options"
    if len({one["name"] for one in options}) < len(options):
        yield "option names"
    if required != sorted(required, reverse=True):
        yield "order"
    if sum(_counted(part) for part in (each, *options)) > 8000:
        yield "text"
    for one in options:
        yield from _texts(one)
        yield from _choices(one["type"], one.get("choices", []))
        yield from _limits(one)


def _texts(part: Mapping[str, Any]) -> Iterator[str]:
    if not _NAME.fullmatch(part["name"]) or part["name"] != part["name"].lower():
        yield "name"
    if not 1 <= len(part["description"].strip()) <= 100:
        yield "description"


def _choices(kind: int, choices: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if len(choices) > 25:
        yield "choices"
    for choice in choices:
        if not 1 <= len(choice["name"].strip()) <= 100:
            yield "choice name"
        if not _is_value(kind, choice["value"]):
            yield "choice value"
    for part in ("name", "value"):
        if len({choice[part] for choice in choices}) < len(choices):
            yield f"same choice {part}"


def _limits(one: Mapping[str, Any]) -> Iterator[str]:
    kind = one["type"]
    if kind not in range(3, 11) or kind == 9:
        yield "option type"
    for low, high, kinds in (("min_value", "max_value", (4, 10)), ("min_length", "max_length", (3,))):
        given = [one[key] for key in (low, high) if key in one]
        if given and (kind not in kinds or one.get("choices")):
            yield "limits"
        elif given != sorted(given):
            yield "limits crossed"
        elif kind in _LARGEST and not all(_is_value(kind, limit) for limit in given):
            yield "range"
    if not 0 <= one.get("min_length", 0) <= 6000 or not 1 <= one.get("max_length", 6000) <= 6000:
        yield "length"


def _is_value(kind: int, value: Any) -> bool:
    if isinstance(value, bool):
        return False
    if kind == 3:
        return isinstance(value, str) and value.strip() != "" and len(value) <= 100
    if kind == 4 and not isinstance(value, int):
        return False
    return kind in _LARGEST and isinstance(value, int | float) and abs(value) <= _LARGEST[kind]


def _counted(part: Mapping[str, Any]) -> int:
    choices = part.get("choices", [])
    return (
        len(part["name"])
        + len(part["description"])
        + sum(len(c["name"]) + len(str(c["value"])) for c in choices)
    )
