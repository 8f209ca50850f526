"""Whole conversations in which the first process may die: the member goes on with the second one."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import simcord
from sqlalchemy import Table, select

from bot.assistant.assistant import Incoming
from bot.config import Config
from bot.errors import CardClosed
from bot.policy.audiences import Asker, Place
from bot.services import Services
from bot.signing import new_key
from storage.engine import Database
from storage.request_tables import approvals, questions, requests, tasks
from storage.tables import calls
from tests.support.deaths import Life, PassingClock, Word, look, mortal_process
from tests.support.journeys import Rows
from tests.support.talks import spoken
from tests.support.trick import TrickServer
from tests.support.world import World, config_for, open_world

LEASES = 130.0
"""Seconds after which no lease of a dead process holds any more."""
ROUNDS = 20


@dataclass(frozen=True)
class Story:
    """What the model says, how the member presses cards, and what is set up at the trick for each telling.

    A `patient` member lets the next process look around before they press anything.
    """

    words: Sequence[Word]
    verb: str = "do"
    patient: bool = False
    before: Callable[[TrickServer, str], object] = lambda _trick, _number: None


@dataclass
class Told:
    """How one telling went: what stands in Discord, and what is stored of it."""

    steps: list[str]
    said: list[str]
    buttons: list[str]
    rows: Rows
    effects: int

    @property
    def last(self) -> str:
        """The step after which the first process died."""
        return self.steps[-1]

    @property
    def is_unknown(self) -> bool:
        """Whether Kennel does not know what became of a call."""
        return any(row["status"] == "unknown" for row in self.rows["calls"])


@asynccontextmanager
async def silent_world(url: str, trick: TrickServer) -> AsyncGenerator[tuple[World, Config]]:
    """A simulated server with `trick`, whose own bot leaves conversations alone, and what processes are told."""
    clock = trick.clock = PassingClock()
    limits = {"requests_per_member_hour": 100_000, "requests_per_guild_day": 100_000}
    storage = {"url": url, "encryption_key": new_key()}
    config = config_for(url, trick, assistant=limits, storage=storage)
    async with open_world(config, clock) as world:
        await world.install(trick)
        for cog in ("Continuing", "Background", "Chat"):
            await world.bot.remove_cog(cog)
        yield world, config


class Stage:
    """Tells stories in channels of their own, all on one database and in one simulated server."""

    def __init__(self, world: World, trick: TrickServer, config: Config, database: Database) -> None:
        self.world = world
        self._trick = trick
        self.config = config
        self._database = database
        self._told = 0

    async def tell(self, story: Story, last: int | None = None) -> Told:
        """Tell a story. The first process dies after its step number `last`; then a second one goes on."""
        self._told += 1
        story.before(self._trick, f"task-{self._told}")
        channel = self.world.guild.create_text_channel(f"channel-{self._told}")
        message = await self.world.owner.send(channel, "please do it")
        life = Life(last)
        before = self._trick.effects.total()
        telling = _Telling(self, story, channel, str(message.id))
        try:
            await telling.live(life, starts=True)
        except asyncio.CancelledError:
            if not life.over:
                raise
        if life.over:
            await telling.live(Life(), starts=False)
        rows = await self.rows_of(telling.message_id)
        said = [each for place in telling.places for each in spoken(self.world, place)]
        return Told(
            life.steps,
            sorted(each.content or "(card)" for each in said),
            [button.custom_id for each in said for row in each.components for button in row.children],
            rows,
            self._trick.effects.total() - before,
        )

    async def rows_of(self, message_id: str) -> Rows:
        """What is stored of one conversation."""
        return {
            table.name: await self._rows(table, message_id)
            for table in (requests, approvals, tasks, questions, calls)
        }

    async def _rows(self, table: Table, message_id: str) -> list[dict[str, Any]]:
        found = await self._database.all(select(table).where(table.c.message_id == message_id))
        return [dict(zip(table.columns.keys(), row, strict=True)) for row in found]


class _Telling:
    def __init__(self, stage: Stage, story: Story, channel: simcord.ChannelHandle, message_id: str) -> None:
        self._stage = stage
        self._story = story
        self._channel = channel
        self.message_id = message_id
        self._world = stage.world
        self._asker = Asker(str(self._world.owner.id), str(self._world.guild.id), True, True, frozenset())

    @property
    def places(self) -> list[simcord.ChannelHandle]:
        """The channel, and the thread if there is one."""
        backend = self._world.env.backend
        thread = backend.channels.get(int(self.message_id))
        handles = [self._channel]
        if thread is not None:
            handles.append(simcord.builders.ChannelHandle(self._world.env, self._world.guild, thread))
        return handles

    async def live(self, life: Life, *, starts: bool) -> None:
        """Go on until nothing is left to do."""
        world, stage = self._world, self._stage
        async with mortal_process(stage.config, world.clock, world.bot, life, self._story.words) as services:
            if starts:
                place = Place(str(self._channel.id))
                await services.assistant.start(Incoming(self.message_id, self._asker, place, "please do it"))
            waits = self._story.patient and not starts
            for _ in range(ROUNDS):
                pressed = not waits and await self._press_all(services)
                waits = False
                world.clock.advance(LEASES)
                if not await look(services) and not pressed and await self._is_over():
                    return
            raise AssertionError(f"it never ends: {await stage.rows_of(self.message_id)}")

    async def _is_over(self) -> bool:
        rows = await self._stage.rows_of(self.message_id)
        waits = any(row["status"] in ("running", "waiting") for row in rows["requests"])
        return not waits and all(row["poll_at"] is None and row["news"] is None for row in rows["tasks"])

    async def _press_all(self, services: Services) -> bool:
        """Press what can be pressed, as the cogs do; whether anything was."""
        pressed = False
        for message in [each for place in self.places for each in spoken(self._world, place)]:
            ids = [button.custom_id for row in message.components for button in row.children]
            if ids:
                pressed = await self._press(services, message, ids) or pressed
        return pressed

    async def _press(self, services: Services, message: Any, ids: list[str]) -> bool:
        kind, _, key = ids[0].split(":")
        try:
            if kind == "a":
                verb: Any = self._story.verb
                place = Place(str(message.channel.id))
                approval = await services.approvals.press(key, verb, self._asker, place)
                await services.assistant.advance(approval.request_id)
            else:
                closed = await services.questions.press(key, 0, self._asker.member_id)
                await services.line.speaker.edit(str(message.channel.id), str(message.id), closed)
        except CardClosed:
            return False
        return True
