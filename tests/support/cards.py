"""Messages with durable buttons, posted by the bot itself, and services that stand in for those behind them."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import discord
import simcord

from bot.outbound import Button, Reply
from cogs.messenger import message_parts
from tests.support.world import World


def stand_in(world: World, **services: Any) -> None:
    """Let the cogs find `services` under these names; all others stay what they are."""
    world.bot.services = dataclasses.replace(world.services, **services)


async def post_buttons(
    world: World, content: str, labels: Mapping[str, str], thread: simcord.ChannelHandle | None = None
) -> discord.Message:
    """A message of the bot's in the channel or `thread`; `labels` are the buttons' labels by custom id."""
    buttons = tuple(Button(custom_id, label) for custom_id, label in labels.items())
    channel = world.bot.get_partial_messageable((thread or world.channel).id, guild_id=world.guild.id)
    return await channel.send(**message_parts(Reply(content=content, buttons=buttons)))
