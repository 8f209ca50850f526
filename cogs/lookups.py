"""Channels and servers by their id: from memory, else from Discord.

The process that speaks need not be the one whose shard has the server, and a thread that slept is in no memory.
"""

import discord

from bot.app import Kennel
from bot.log import logger
from cogs.messenger import NOT_SENT

Channel = discord.abc.GuildChannel | discord.Thread
_log = logger(__name__)


async def channel_of(bot: Kennel, channel_id: str) -> Channel | None:
    """A server's channel or thread; None when it is gone or hidden, or Discord does not say."""
    known = known_channel(bot, channel_id)
    if known is not None:
        return known
    try:
        fetched = await bot.fetch_channel(int(channel_id))
    except (*NOT_SENT, discord.InvalidData) as failure:
        _log.info("a channel could not be read", channel_id=channel_id, kind=type(failure).__name__)
        return None
    return fetched if isinstance(fetched, Channel) else None


def known_channel(bot: Kennel, channel_id: str) -> Channel | None:
    """The channel or thread as far as it is in memory."""
    known = bot.get_channel(int(channel_id))
    return known if isinstance(known, Channel) else None


def known_rights(bot: Kennel, channel: Channel | None) -> discord.Permissions | None:
    """What the bot itself may do there; None when that is not in memory."""
    me = None if channel is None or bot.user is None else channel.guild.get_member(bot.user.id)
    if channel is None or me is None:
        return None
    try:
        return channel.permissions_for(me)
    except discord.ClientException:  # a thread whose parent is not in memory
        return None


async def guild_of(bot: Kennel, guild_id: str) -> discord.Guild:
    """The server with its roles and owner. Raises what discord.py raises when Discord does not give it."""
    return bot.get_guild(int(guild_id)) or await bot.fetch_guild(int(guild_id), with_counts=False)


async def rights_in(bot: Kennel, guild_id: str, channel_id: str) -> discord.Permissions:
    """What the bot itself may do in a channel; a thread that is not in memory has its parent's rights.

    Raises what discord.py raises when Discord does not say.
    """
    known = known_rights(bot, known_channel(bot, channel_id))
    if known is not None:
        return known
    guild = await bot.fetch_guild(int(guild_id), with_counts=False)
    channel = await guild.fetch_channel(int(channel_id))
    if isinstance(channel, discord.Thread):
        channel = await guild.fetch_channel(channel.parent_id)
    assert isinstance(channel, discord.abc.GuildChannel)
    assert bot.user is not None
    return channel.permissions_for(await guild.fetch_member(bot.user.id))
