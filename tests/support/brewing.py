"""A trick whose tools work long, the bot with it installed, and what askers see of such work."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest_asyncio
import simcord

from bot.assistant.prompts import continuation_prompt
from bot.config import Config
from tests.support.clock import ShiftedClock
from tests.support.model import Answer, Asked, ModelServer, call, say
from tests.support.talks import ask, spoken, tick
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_tools import ToolSpec
from tests.support.world import Hosted, World, config_for, open_world, text_of

WORKING = "I am working on it."
READ_ANSWER = "question: read"
MOST_TICKS = 16


class LeapingClock(ShiftedClock):
    """As `ShiftedClock`; for whoever sleeps by it, that time passes at once."""

    async def sleep(self, seconds: float) -> None:
        self.advance(seconds)
        await super().sleep(seconds)


def tools() -> list[ToolSpec]:
    """Two tools that anybody may use, one of them in a thread, and one that changes something."""
    return [
        ToolSpec("brew", "Brew something", read_only=True),
        ToolSpec("brew_aside", "Brew something aside", read_only=True, thread=True),
        ToolSpec("pour", "Pour it out"),
    ]


@pytest_asyncio.fixture
async def brewer(make_trick: MakeTrick) -> TrickServer:
    """A trick without commands."""
    return await make_trick(id="brewer", tools=tools(), commands=())


@pytest_asyncio.fixture
async def brewing(sqlite_url: str, brewer: TrickServer, model: ModelServer) -> AsyncGenerator[World]:
    """The bot with a model and with `brewer` installed; what waits a while waits no real time.

    The model tells whatever a task reports by `tell`.
    """
    clock = brewer.clock = LeapingClock()
    config = config_for(sqlite_url, brewer, assistant=model.config)
    async with brewing_with(brewer, config, model, clock) as world:
        yield world


@asynccontextmanager
async def brewing_with(
    trick: Hosted, config: Config, model: ModelServer, clock: LeapingClock
) -> AsyncGenerator[World]:
    """`brewing` with another trick or configuration."""
    model.on(continuation_prompt(), tell)
    async with open_world(config, clock) as world:
        await world.install(trick)
        yield world


def event_of(asked: Asked) -> dict[str, Any]:
    """What the model was woken for."""
    return json.loads(asked.last["content"])["event"]


def tell(asked: Asked) -> Answer:
    """The words of a model that repeats what it hears."""
    event = event_of(asked)
    match event["what"]:
        case "progress":
            return say(f"So far: {event['status']}")
        case "question":
            return say(f"Tell me: {event['question']['message']}")
        case _:
            return say(f"Done: {event['result']}")


def woken(model: ModelServer) -> list[str]:
    """What the model was woken for so far; fails where it had tools."""
    asked = model.asked_of(continuation_prompt())
    assert [each.tool_names for each in asked] == [[]] * len(asked)
    return [event_of(each)["what"] for each in asked]


async def begin(
    world: World,
    model: ModelServer,
    tool: str = "brew",
    *,
    trick: str = "brewer",
    member: simcord.MemberActor | None = None,
) -> list[Any]:
    """A member, or the one given, asks for what `tool` does; gives what the bot said in the channel."""
    model.script(call("load_trick", trick=trick), call(f"{trick}__{tool}"), say(WORKING))
    return await ask(world, "brew it", member=member)


async def until(world: World, done: Callable[[], object], ticks: int = MOST_TICKS) -> None:
    """Let the bot look for what is due until `done`; fails when that does not come."""
    for _ in range(ticks):
        if done():
            return
        await tick(world)
    assert done(), [text_of(each) for each in spoken(world)]


async def heard(
    world: World, text: str, channel: simcord.ChannelHandle | None = None, *, ticks: int = MOST_TICKS
) -> Any:
    """Wait for the bot's message that has `text` in it, and give it as it stands then."""
    await until(world, lambda: find(world, text, channel), ticks)
    return find(world, text, channel)


def find(world: World, text: str, channel: simcord.ChannelHandle | None = None) -> Any:
    """The newest of the bot's messages that has `text` in it, None if there is none."""
    return next((each for each in reversed(spoken(world, channel)) if text in text_of(each)), None)
