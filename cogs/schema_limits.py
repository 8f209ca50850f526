"""What an input schema says about one property, as far as Discord can show it to members.

Narrowing only helps people to type; it never decides. Whatever a schema says in a form that is not
understood here is left out, and the check against the whole schema still comes before the call.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from bot.manifest.commands import (
    MAX_CHOICES,
    MAX_INTEGER,
    MAX_NUMBER,
    ChoiceValue,
    OptionType,
    choice_problem,
)
from bot.manifest.texts import text_problem
from bot.strict_json import Json

MAX_CHOICE_NAME = 100
LONGEST_STRING = 6_000
LARGEST = {"integer": MAX_INTEGER, "number": MAX_NUMBER}
"""The largest magnitude that Discord lets a member give, by option type."""

Choices = tuple[tuple[str, ChoiceValue], ...]
"""Pairs of the name that people see and the value that the tool gets."""

_SCHEMA_PARTS = 64
_JSON_TYPES: dict[OptionType, tuple[str, ...]] = {
    "string": ("string",),
    "integer": ("integer", "number"),
    "number": ("integer", "number"),
}


@dataclass(frozen=True, slots=True)
class Limits:
    """Inclusive limits of a number, or of a string's length; None where there is none."""

    minimum: int | float | None = None
    maximum: int | float | None = None
    min_length: int | None = None
    max_length: int | None = None

    def admit(self, value: ChoiceValue) -> bool:
        """Whether `value`, of the type that the limits are for, lies within them."""
        if isinstance(value, str):
            return _within(len(value), self.min_length, self.max_length)
        return _within(value, self.minimum, self.maximum)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What a schema leaves of an option of the type `kind`: limits, and the values when it lists them all."""

    kind: OptionType
    limits: Limits = Limits()
    listed: Choices | None = None

    def admitted(self, own: Choices) -> Choices:
        """Those of `own`, the manifest's choices, whose values the schema takes."""
        values = None if self.listed is None else {value for _, value in self.listed}
        return tuple(
            (name, value)
            for name, value in own
            if self.limits.admit(value) and (values is None or value in values)
        )

    def offered(self) -> Choices:
        """The schema's own values as choices: all of them, or none when one of them cannot be a choice."""
        named = {value: name for name, value in reversed(self.listed or ()) if self.limits.admit(value)}
        if len({name.strip() for name in named.values()}) < len(named):
            named = {value: str(value) for value in named}
        choices = tuple((name, value) for value, name in reversed(named.items()))
        fits = len(choices) <= MAX_CHOICES and all(_can_be_choice(*choice, self.kind) for choice in choices)
        return choices if fits else ()


def narrowing(schema: dict[str, Json], name: str, kind: OptionType) -> Narrowing:
    """What `schema` says about its property `name` for an option of the type `kind`.

    Understood are `enum`, `const`, `anyOf` and `oneOf` of constants (a `title` is the name), the numeric and
    length limits, also behind `allOf`, a local `$ref`, and an `anyOf` whose other branches have other types.
    Limits are brought into Discord's ranges; limits that contradict each other are left out.
    """
    if kind not in _JSON_TYPES:
        return Narrowing(kind)
    parts = list(_conjuncts(schema, _dict(schema.get("properties")).get(name), kind))
    limits = _length_limits(parts) if kind == "string" else _number_limits(parts, kind)
    lists = [found for part in parts if (found := _listed(part, kind)) is not None]
    if not lists:
        return Narrowing(kind, limits)
    common = [{value for _, value in found} for found in lists]
    return Narrowing(
        kind, limits, tuple(pair for pair in lists[0] if all(pair[1] in each for each in common))
    )


def _conjuncts(root: dict[str, Json], node: Json, kind: OptionType) -> Iterator[dict[str, Json]]:
    """The schema objects that a value has to satisfy all; a bounded number of them, and no others."""
    waiting = [node]
    for _ in range(_SCHEMA_PARTS):
        if not waiting:
            return
        part = waiting.pop()
        if not isinstance(part, dict):
            continue
        yield part
        waiting.append(_referenced(root, part.get("$ref")))
        waiting.extend(_list(part.get("allOf")))
        for branches in _unions(part, kind):
            if len(branches) == 1:
                waiting.extend(branches)


def _unions(part: dict[str, Json], kind: OptionType) -> Iterator[list[Json]]:
    """For each union of `part`, those of its branches that may take a value of the type."""
    for word in ("anyOf", "oneOf"):
        yield [branch for branch in _list(part.get(word)) if _may_take(branch, kind)]


def _may_take(branch: Json, kind: OptionType) -> bool:
    if not isinstance(branch, dict):
        return branch is not False
    if "const" in branch and _as_value(branch["const"], kind) is None:
        return False
    types = branch.get("type")
    names = [types] if isinstance(types, str) else _list(types)
    return not names or any(name in _JSON_TYPES[kind] for name in names)


def _referenced(root: dict[str, Json], reference: Json) -> Json:
    """What a local `$ref` (RFC 6901 in a URI fragment) points at, through objects alone."""
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    node: Json = root
    for step in unquote(reference[2:]).split("/"):
        node = _dict(node).get(step.replace("~1", "/").replace("~0", "~"))
    return node


def _listed(part: dict[str, Json], kind: OptionType) -> Choices | None:
    """All values of the type that `part` takes, when it names them one by one."""
    if "const" in part:
        return tuple(_named(part, part["const"], kind))
    if isinstance(part.get("enum"), list):
        return tuple(pair for value in _list(part["enum"]) for pair in _named({}, value, kind))
    for branches in _unions(part, kind):
        constants = [branch for branch in branches if isinstance(branch, dict) and "const" in branch]
        if constants and len(constants) == len(branches):
            return tuple(pair for branch in constants for pair in _named(branch, branch["const"], kind))
    return None


def _named(part: dict[str, Json], value: Json, kind: OptionType) -> Choices:
    chosen, title = _as_value(value, kind), part.get("title")
    if chosen is None:
        return ()
    return ((title if isinstance(title, str) and title.strip() else str(chosen), chosen),)


def _as_value(value: Json, kind: OptionType) -> ChoiceValue | None:
    if kind == "string":
        return value if isinstance(value, str) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if kind == "integer" and isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value


def _can_be_choice(name: str, value: ChoiceValue, kind: OptionType) -> bool:
    trimmed = not isinstance(value, str) or value == value.strip()
    return trimmed and text_problem(name, MAX_CHOICE_NAME) is None and choice_problem(kind, value) is None


def _number_limits(parts: Iterable[dict[str, Json]], kind: OptionType) -> Limits:
    lows: list[int | float] = []
    highs: list[int | float] = []
    for part in parts:
        lows += _numbers(part, "minimum")
        highs += _numbers(part, "maximum")
        above, below = _numbers(part, "exclusiveMinimum"), _numbers(part, "exclusiveMaximum")
        lows += [math.floor(number) + 1 for number in above] if kind == "integer" else above
        highs += [math.ceil(number) - 1 for number in below] if kind == "integer" else below
    low, high = max(lows, default=None), min(highs, default=None)
    if kind == "integer":
        low, high = None if low is None else math.ceil(low), None if high is None else math.floor(high)
    if low is not None and high is not None and low > high:
        return Limits()
    return Limits(minimum=_clamped(low, LARGEST[kind]), maximum=_clamped(high, LARGEST[kind]))


def _length_limits(parts: Iterable[dict[str, Json]]) -> Limits:
    lows = [math.ceil(number) for part in parts for number in _numbers(part, "minLength")]
    highs = [math.floor(number) for part in parts for number in _numbers(part, "maxLength")]
    low, high = max(lows, default=None), min(highs, default=None)
    if low is not None and high is not None and low > high:
        return Limits()
    return Limits(
        min_length=None if low is None else min(max(low, 0), LONGEST_STRING),
        max_length=None if high is None else min(max(high, 1), LONGEST_STRING),
    )


def _clamped(number: int | float | None, largest: int) -> int | float | None:
    return None if number is None else min(max(number, -largest), largest)


def _numbers(part: dict[str, Json], word: str) -> list[int | float]:
    value = part.get(word)
    return [] if isinstance(value, bool) or not isinstance(value, int | float) else [value]


def _within(size: int | float, low: int | float | None, high: int | float | None) -> bool:
    return (low is None or size >= low) and (high is None or size <= high)


def _dict(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
