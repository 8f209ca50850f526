"""Options to try commands with, and strategies that make up any."""

from typing import Any

from hypothesis import strategies as st

from bot.manifest import Choice, Command, Option, OptionType
from bot.strict_json import Json
from cogs.options import OptionSpec

TYPES: tuple[OptionType, ...] = ("string", "integer", "number", "boolean", "user", "channel", "role")

names = st.from_regex(r"[a-z][a-z0-9_-]{0,9}", fullmatch=True)
whole_numbers = st.integers(-(2**53) + 1, 2**53 - 1)
decimal_numbers = st.decimals(-1_000_000, 1_000_000, places=3).map(float)


def option(name: str, kind: OptionType = "string", *, required: bool = False, **limits: Any) -> OptionSpec:
    """An option with a description that does not matter."""
    return OptionSpec(name, "What it is", kind, required, **limits)


def command(*options: Option, name: str = "snacks", description: str = "Lists the snacks") -> Command:
    """A command of the tool `snack_menu`."""
    return Command(name=name, description=description, tool="snack_menu", options=options)


def wanted(name: str, kind: OptionType = "string", *choices: tuple[str, str | int | float]) -> Option:
    """An option as the manifest writes it, with `choices` as pairs of name and value."""
    listed = tuple(Choice(name=label, value=value) for label, value in choices)
    return Option(name=name, description="What it is", type=kind, choices=listed)


def schema(**properties: Json) -> dict[str, Json]:
    """An input schema with these properties."""
    return {"type": "object", "properties": properties}


@st.composite
def specs(draw: st.DrawFn) -> tuple[OptionSpec, ...]:
    """Up to six options with different names, some with limits or choices that make sense."""
    found: list[OptionSpec] = []
    for name in draw(st.lists(names, max_size=6, unique=True)):
        kind = draw(st.sampled_from(TYPES))
        limits = draw(_limits(kind))
        found.append(option(name, kind, required=draw(st.booleans()), **limits))
    return tuple(found)


@st.composite
def _limits(draw: st.DrawFn, kind: OptionType) -> dict[str, Any]:
    if kind not in ("string", "integer", "number") or draw(st.booleans()):
        return {}
    if draw(st.booleans()):
        values = (
            st.text(min_size=1, max_size=8).filter(str.strip) if kind == "string" else st.integers(-99, 99)
        )
        pairs = st.tuples(st.text("abc XYZ", min_size=1, max_size=6).filter(str.strip), values)
        return {"choices": tuple(draw(st.lists(pairs, min_size=1, max_size=5)))}
    low, high = sorted(draw(st.tuples(st.integers(0, 40), st.integers(1, 60))))
    if kind == "string":
        return {"min_length": low, "max_length": max(high, 1)}
    return {"minimum": low, "maximum": high}
