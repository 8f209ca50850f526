"""A made-up prefix command `give`, and the server it is typed in."""

import pytest

from bot.errors import BadArguments
from bot.strict_json import Json
from cogs.options import OptionSpec
from cogs.prefix_arguments import parse_arguments
from tests.support.options import option

USAGE = "^give <to> <note…> [--count=number]"
SNACKS = (
    option("to", required=True),
    option("note", required=True),
    option("count", "integer"),
    option("price", "number"),
    option("tag", max_length=12),
    option("loud", "boolean"),
)


class Guild:
    """A server with one member, one channel and one role."""

    def has_member(self, member_id: str, /) -> bool:
        return member_id == "101"

    def has_channel(self, channel_id: str, /) -> bool:
        return channel_id == "202"

    def has_role(self, role_id: str, /) -> bool:
        return role_id == "303"


def parse(text: str, options: tuple[OptionSpec, ...] = SNACKS) -> dict[str, Json]:
    """The arguments in `text`. Raises `BadArguments`."""
    return parse_arguments(text, options, usage=USAGE, known=Guild())


def problems(text: str, options: tuple[OptionSpec, ...] = SNACKS) -> list[str]:
    """Why `text` is refused."""
    with pytest.raises(BadArguments) as told:
        parse(text, options)
    assert told.value.usage == USAGE
    return list(told.value.problems)
