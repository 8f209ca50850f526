"""Recognising a prefix command in a message, and the ids that may be typed in it."""

import asyncio
import re
from collections.abc import Iterable
from typing import Self, cast

import discord

from cogs.options import OptionSpec

BUILT_IN = frozenset({"help", "prefix"})
"""The bot's own commands that can be typed behind the prefix."""
_MAX_WORD = 32
_MAX_LOOKUPS = 5
_RAW_ID = re.compile(r"(?<![0-9])[1-9][0-9]{16,19}(?![0-9])")


def split_command(content: str, prefix: str) -> tuple[str, str] | None:
    """The word behind the prefix in lower case, and the text behind it; None when there is no such word."""
    if not content.startswith(prefix):
        return None
    behind = content[len(prefix) :]
    words = behind.split(maxsplit=1)
    if not words or behind[0].isspace() or len(words[0]) > _MAX_WORD:
        return None
    return words[0].lower(), behind[len(words[0]) :]


class TypedIds:
    """Which ids belong to the server of a message; the members among those that were typed are known."""

    def __init__(self, guild: discord.Guild, member_ids: Iterable[int]) -> None:
        self._guild = guild
        self._member_ids = frozenset(str(member_id) for member_id in member_ids)

    @classmethod
    async def of(cls, message: discord.Message, options: Iterable[OptionSpec]) -> Self:
        """Read the ids in `message`.

        Members are not kept in memory. Discord itself says who of those mentioned is one; a typed id that is
        no mention is looked up, at most five of them, and only when an option takes a member.
        """
        guild = cast("discord.Guild", message.guild)
        mentioned = {user.id for user in message.mentions if isinstance(user, discord.Member)}
        typed: set[int] = set()
        if any(option.type == "user" for option in options):
            raw = (int(found) for found in _RAW_ID.findall(message.content))
            typed = {i for i in raw if guild.get_role(i) is None and guild.get_channel_or_thread(i) is None}
        unknown = sorted(typed - mentioned)[:_MAX_LOOKUPS]
        found = await asyncio.gather(*(_is_member(guild, member_id) for member_id in unknown))
        return cls(guild, mentioned | {i for i, known in zip(unknown, found, strict=True) if known})

    def has_member(self, member_id: str, /) -> bool:
        """Whether this is a member of the server."""
        return member_id in self._member_ids

    def has_channel(self, channel_id: str, /) -> bool:
        """Whether this is a channel or thread of the server."""
        return self._guild.get_channel_or_thread(int(channel_id)) is not None

    def has_role(self, role_id: str, /) -> bool:
        """Whether this is a role of the server."""
        return self._guild.get_role(int(role_id)) is not None


async def _is_member(guild: discord.Guild, member_id: int) -> bool:
    try:
        await guild.fetch_member(member_id)
    except discord.NotFound:
        return False
    return True
