"""A world in which the assistant is on, and how a member talks to it."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest_asyncio
import simcord

from tests.support.clock import ShiftedClock
from tests.support.journeys import labels, let_pass
from tests.support.model import ModelServer
from tests.support.trick import TrickServer
from tests.support.world import World, config_for, open_world, text_of

TICK = 2.5
"""Seconds after which the bot has looked for what is due."""


@pytest_asyncio.fixture
async def talk(sqlite_url: str, trick: TrickServer, model: ModelServer) -> AsyncGenerator[World]:
    """The bot with a model and with the trick of the same test installed."""
    clock = trick.clock = ShiftedClock()
    async with open_world(config_for(sqlite_url, trick, assistant=model.config), clock) as world:
        await world.install(trick)
        yield world


def mention(world: World) -> str:
    """The bot's mention."""
    user = world.bot.user
    assert user is not None
    return f"<@{user.id}>"


def spoken(world: World, channel: simcord.ChannelHandle | None = None) -> list[Any]:
    """The bot's messages in a channel that everybody sees, oldest first."""
    bot_id = world.env.backend.bot_user.id
    history = (channel or world.channel).history()
    return [each for each in history if each.author.id == bot_id and not each.flags.ephemeral]


async def ask(
    world: World,
    text: str,
    *,
    member: simcord.MemberActor | None = None,
    channel: simcord.ChannelHandle | None = None,
    **options: Any,
) -> list[Any]:
    """A member mentions the bot; gives the messages that the bot has posted in the channel since."""
    where = channel or world.channel
    before = len(spoken(world, where))
    await (member or world.member).send(where, f"{mention(world)} {text}", **options)
    return spoken(world, where)[before:]


def texts(messages: Sequence[Any]) -> list[str]:
    """What can be read in them."""
    return [text_of(each) for each in messages]


def is_card(message: Any) -> bool:
    """Whether it is an approval card that is open."""
    return "Do it" in labels(message)


async def tick(world: World, seconds: float = TICK) -> None:
    """Let the bot look for what is due."""
    await let_pass(world, seconds)
