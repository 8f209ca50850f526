"""Recognising a prefix command in a message, and the ids that may be typed in it."""

from typing import cast

import discord

_MAX_WORD = 32


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
    """Which ids of a message belong to its server: its channels and roles, and the members that it mentions.

    A member who is not mentioned is known only if Discord has told of them; an id that might be one passes,
    since the server's members are not kept.
    """

    def __init__(self, message: discord.Message) -> None:
        self._guild = cast("discord.Guild", message.guild)

    def has_member(self, member_id: str, /) -> bool:
        """Whether this can be a member: any id that is not one of the server's roles or channels."""
        return not self.has_role(member_id) and not self.has_channel(member_id)

    def has_channel(self, channel_id: str, /) -> bool:
        """Whether this is a channel or thread of the server."""
        return self._guild.get_channel_or_thread(int(channel_id)) is not None

    def has_role(self, role_id: str, /) -> bool:
        """Whether this is a role of the server."""
        return self._guild.get_role(int(role_id)) is not None
