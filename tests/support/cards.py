"""Messages with durable buttons, posted by the bot itself, and services that stand in for those behind them."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import discord
import simcord

from bot.outbound import Button, Reply
from bot.services import Services
from cogs.messenger import message_parts
from tests.support.world import World


def stand_in(world: World, **services: Any) -> None:
    """Let the cogs find `services` under these names; all others stay what they are."""
    real = {name: getattr(world.services, name) for name in Services.__dataclass_fields__}
    world.bot.services = cast("Services", SimpleNamespace(**(real | services)))


async def post_buttons(
    world: World, content: str, labels: Mapping[str, str], thread: simcord.ChannelHandle | None = None
) -> discord.Message:
    """A message of the bot's in the channel or `thread`; `labels` are the buttons' labels by custom id."""
    buttons = tuple(Button(custom_id, label) for custom_id, label in labels.items())
    channel = world.bot.get_partial_messageable((thread or world.channel).id, guild_id=world.guild.id)
    return await channel.send(**message_parts(Reply(content=content, buttons=buttons)))
