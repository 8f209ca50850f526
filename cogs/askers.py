"""Who asks and where, read from what Discord sent with the event itself."""

import discord

from bot.policy.audiences import Asker, Place


def asker_of(member: discord.Member) -> Asker:
    """The member as the rules see them; administrators count as Manage Server."""
    rights = member.guild_permissions
    return Asker(
        member_id=str(member.id),
        guild_id=str(member.guild.id),
        is_owner=member.id == member.guild.owner_id,
        manage_server=rights.manage_guild or rights.administrator,
        role_ids=frozenset(str(role.id) for role in member.roles),
    )


def place_of(channel_id: int, channel: object) -> Place:
    """The channel, with the parent of a thread."""
    parent = channel.parent_id if isinstance(channel, discord.Thread) else None
    return Place(str(channel_id), str(parent) if parent is not None else None)
