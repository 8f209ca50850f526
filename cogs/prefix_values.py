"""Reads one typed value as what its option takes; numbers in plain decimal notation only."""

import re
from collections.abc import Callable
from typing import Protocol

from bot.errors import BadArguments
from bot.manifest.commands import ChoiceValue
from bot.strict_json import Json
from bot.text import clamp, inline_code, one_line, visible
from cogs.options import OptionSpec
from cogs.schema_limits import LARGEST

_TOLD = 60
_TOLD_CHOICES = 100
_WHOLE = re.compile(r"-?[0-9]+")
_DECIMAL = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)")
_BOOLEANS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}
_ID = "([1-9][0-9]{0,19})"
_MEMBER, _CHANNEL, _ROLE = (re.compile(f"<{sign}{_ID}>|{_ID}") for sign in ("@!?", "#", "@&"))


class GuildIds(Protocol):
    """Which ids belong to the server. Ids are decimal strings without leading zeros."""

    def has_member(self, member_id: str, /) -> bool:
        """Whether this is a member of the server."""
        ...

    def has_channel(self, channel_id: str, /) -> bool:
        """Whether this is a channel or thread of the server."""
        ...

    def has_role(self, role_id: str, /) -> bool:
        """Whether this is a role of the server."""
        ...


def shown(typed: str) -> str:
    """What somebody typed, in a code span of at most 60 characters that hides nothing."""
    return inline_code(visible(typed), _TOLD)


def read_value(option: OptionSpec, typed: str, known: GuildIds) -> Json:
    """`typed` as the argument for `option`: text, a number, a boolean, a choice's value or an id.

    Raises `BadArguments` with one sentence that names the option and what was typed.
    """
    match option.type:
        case "boolean":
            return _boolean(option, typed)
        case "user":
            return _identifier(option, typed, _MEMBER, known.has_member, "a member")
        case "channel":
            return _identifier(option, typed, _CHANNEL, known.has_channel, "a channel")
        case "role":
            return _identifier(option, typed, _ROLE, known.has_role, "a role")
        case _ if option.choices:
            return _choice(option, typed)
        case "string":
            return _text(option, typed)
        case "integer" | "number":
            return _number(option, typed)


def _boolean(option: OptionSpec, typed: str) -> bool:
    value = _BOOLEANS.get(typed.casefold())
    if value is None:
        raise _wrong(option, typed, "is neither yes nor no")
    return value


def _identifier(
    option: OptionSpec, typed: str, form: re.Pattern[str], known: Callable[[str], bool], what: str
) -> str:
    match = form.fullmatch(typed)
    found = match and (match[1] or match[2])
    if not found or not known(found):
        raise _wrong(option, typed, f"is not {what} of this server; mention {what} or give an id")
    return found


def _choice(option: OptionSpec, typed: str) -> ChoiceValue:
    value, folded = typed if option.type == "string" else _plain_number(typed), _folded(typed)
    for found in (
        [choice for name, choice in option.choices if name == typed],
        [choice for _, choice in option.choices if choice == value],
        [choice for name, choice in option.choices if _folded(name) == folded],
        [choice for _, choice in option.choices if _folded(str(choice)) == folded],
    ):
        if found:
            return found[0]
    names = clamp(one_line(", ".join(name for name, _ in option.choices)), _TOLD_CHOICES)
    raise _wrong(option, typed, f"is none of {inline_code(names, _TOLD_CHOICES)}")


def _text(option: OptionSpec, typed: str) -> str:
    if option.min_length is not None and len(typed) < option.min_length:
        raise _wrong(option, typed, f"is shorter than {_count(option.min_length)}")
    if option.max_length is not None and len(typed) > option.max_length:
        raise _wrong(option, typed, f"is longer than {_count(option.max_length)}")
    return typed


def _number(option: OptionSpec, typed: str) -> int | float:
    value = _plain_number(typed)
    if option.type == "integer" and not isinstance(value, int):
        raise _wrong(option, typed, "is not a whole number")
    if value is None:
        raise _wrong(option, typed, "is not a number")
    largest = LARGEST[option.type]
    low = -largest if option.minimum is None else option.minimum
    high = largest if option.maximum is None else option.maximum
    if value < low:
        raise _wrong(option, typed, f"is less than {low}")
    if value > high:
        raise _wrong(option, typed, f"is more than {high}")
    return value


def _plain_number(typed: str) -> int | float | None:
    if _WHOLE.fullmatch(typed):
        return int(typed)
    return float(typed) if _DECIMAL.fullmatch(typed) else None


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _count(length: int) -> str:
    return "1 character" if length == 1 else f"{length} characters"


def _wrong(option: OptionSpec, typed: str, what: str) -> BadArguments:
    return BadArguments([f"{inline_code(option.name)}: {shown(typed)} {what}."])
