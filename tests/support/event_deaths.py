"""Members who join and leave while the process that was told of it may die: a second one goes on."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

from aiohttp import web
from sqlalchemy import exists, or_, select

from bot.app import Kennel
from bot.config import Config
from bot.events.outbox import EventType, NewEvent
from bot.events.poster import Presence
from bot.presentation.models import Presentation
from bot.services import Services
from cogs.event_posts import DiscordPoster
from storage.engine import Database
from storage.event_records import Delivery
from storage.event_tables import deliveries, delivery_is_pending, post_is_open, posts
from storage.subscriptions import Subscriptions
from storage.tables import installations
from tests.support.death_stories import silent_world
from tests.support.deaths import Life, mortal_process
from tests.support.joining import WELCOME, choose_channel, event_of
from tests.support.talks import spoken
from tests.support.trick import Answer, TrickServer
from tests.support.trick_requests import Received
from tests.support.world import World, text_of

ROUND_SECONDS = 130.0
"""After this no lease of a dead process holds any more."""
ROUNDS = 60


@dataclass(frozen=True)
class Story:
    """What happens to a member, and the statuses with which the trick answers one try after another.

    The last status is that of all further tries. A `screened` member passes the screening once the first
    process has looked.
    """

    statuses: Sequence[int] = (200,)
    kind: EventType = "member.joined"
    screened: bool = False


@dataclass
class Told:
    """How one telling went."""

    steps: list[str]
    delivery: Delivery
    tries: list[Received]
    messages: list[Any]


class _Poster(DiscordPoster):
    def __init__(self, bot: Kennel, life: Life) -> None:
        super().__init__(bot)
        self._life = life

    async def member(self, guild_id: str, member_id: str) -> Presence:
        member = super().member
        return await self._life.step("discord: member", lambda: member(guild_id, member_id))

    async def post(
        self, guild_id: str, channel_id: str, presentation: Presentation, keys: Mapping[str, str], nonce: str
    ) -> str:
        post = super().post
        return await self._life.step(
            "discord: post", lambda: post(guild_id, channel_id, presentation, keys, nonce)
        )

    async def find(
        self,
        guild_id: str,
        channel_id: str,
        presentation: Presentation,
        keys: Mapping[str, str],
        since_ms: int,
    ) -> str | None:
        find = super().find
        return await self._life.step(
            "discord: find", lambda: find(guild_id, channel_id, presentation, keys, since_ms)
        )


class EventStage:
    """Tells stories of members of their own, all on one database and in one simulated server."""

    def __init__(self, world: World, trick: TrickServer, config: Config, database: Database) -> None:
        self.world = world
        self.trick = trick
        self._config = config
        self._database = database
        self._statuses: dict[str, Sequence[int]] = {}
        self._numbers = count(1)
        trick.on("events", self._answer)

    async def tell(self, story: Story, last: int | None = None) -> Told:
        """Tell a story. The first process dies after its step number `last`; then a second one goes on."""
        self._pass_time(0)
        life, event = Life(last), self._happens(story, next(self._numbers))
        self._statuses[event.member_id] = story.statuses
        await Subscriptions(self._database).set_on(
            await self.installation_id(), True, self.world.clock.now_ms()
        )
        try:
            await self._live(story, event, life, starts=True)
        except asyncio.CancelledError:
            if not life.over:
                raise
        if life.over:
            await self._live(story, event, Life(), starts=False)
        row = await self._database.first(select(deliveries).where(deliveries.c.event_id == event.event_id))
        assert row is not None
        return Told(
            life.steps,
            Delivery(*row),
            [each for each in self.trick.received("events") if event_of(each)[1] == event.member_id],
            [each for each in spoken(self.world) if f"Hello {event.member_id}!" in text_of(each)],
        )

    async def installation_id(self) -> str:
        """The id of the one installation."""
        row = await self._database.first(select(installations.c.id))
        assert row is not None
        return row[0]

    def _happens(self, story: Story, number: int) -> NewEvent:
        world = self.world
        member = world.guild.add_member(world.env.create_user(f"nina{number}"))
        world.env.backend.get_member(world.guild.id, member.id).pending = story.screened
        if story.kind == "member.left":
            world.guild.remove_member(member)
        return NewEvent(
            event_id=world.clock.new_id(),
            guild_id=str(world.guild.id),
            member_id=str(member.id),
            type=story.kind,
            occurrence=f"{story.kind[7]}:{member.id}:{number}",
            occurred_at=world.clock.now_ms(),
            screening=story.screened,
        )

    async def _answer(self, trick: TrickServer, received: Received) -> Answer:
        member = event_of(received)[1]
        statuses = self._statuses[member]
        tries = [each for each in trick.received("events") if event_of(each)[1] == member]
        status = statuses[min(len(tries), len(statuses)) - 1]
        presentation = WELCOME | {"text": f"Hello {member}!"}
        return web.json_response({"presentation": presentation}, status=status)

    async def _live(self, story: Story, event: NewEvent, life: Life, *, starts: bool) -> None:
        """Go on until nothing is left to do."""
        world = self.world
        async with mortal_process(self._config, world.clock, world.bot, life, ()) as services:
            services.post_line.attach(_Poster(world.bot, life))
            if starts:
                services.outbox.record(event)
                await services.outbox.idle()
            for _ in range(ROUNDS):
                await services.deliveries.deliver_due()
                await services.posts.post_due()
                if life.over or await self._is_over(event):
                    return
                if story.screened:
                    await self._passes(services, event, hears=starts)
                self._pass_time(ROUND_SECONDS)
            raise AssertionError("it never ends")

    def _pass_time(self, seconds: float) -> None:
        """For the bot and for Discord, whose clocks agree."""
        self.world.clock.advance(seconds)
        discord = self.world.env.backend.clock
        discord.advance(self.world.clock.now_ms() / 1000 - discord.now().timestamp())

    async def _passes(self, services: Services, event: NewEvent, *, hears: bool) -> None:
        """The member passes the screening; a process that was not there then is not told of it."""
        guild_id, member_id = event.guild_id, event.member_id
        self.world.env.backend.get_member(int(guild_id), int(member_id)).pending = False
        if hears:
            services.posts.screened(guild_id, member_id)
            await services.posts.idle()

    async def _is_over(self, event: NewEvent) -> bool:
        theirs = deliveries.c.event_id == event.event_id
        waits = exists().where(theirs, delivery_is_pending)
        shows = exists().where(theirs, posts.c.delivery_id == deliveries.c.id, post_is_open)
        row = await self._database.first(select(or_(waits, shows)))
        return row is not None and not row[0]


@asynccontextmanager
async def event_stage(url: str, database: Database, trick: TrickServer) -> AsyncGenerator[EventStage]:
    """A server with a trick that welcomes, whose own bot leaves events alone."""
    async with silent_world(url, trick) as (world, config):
        await choose_channel(world, trick, world.channel)
        await world.bot.remove_cog("Members")
        yield EventStage(world, trick, config, database)
