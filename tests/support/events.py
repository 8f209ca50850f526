"""Events of members, sent to a scripted trick by the real worker on a real database, posted to nobody's Discord."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest_asyncio
from aiohttp import web
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.errors import KennelError
from bot.events.attempts import Attempts
from bot.events.outbox import EventOutbox, NewEvent
from bot.events.poster import PostLine, Presence
from bot.events.posting import Posting
from bot.events.posts import PostWorker
from bot.events.screening import Screening
from bot.events.worker import DeliveryWorker
from bot.presentation.models import Presentation
from bot.signing import SecretBox
from bot.signing.secrets import new_key
from bot.transport import SignedSender
from bot.tricks.installed import InstalledReader
from bot.tricks.limits import Limiter
from storage.engine import Database
from storage.event_posts import EventPosts
from storage.event_records import Delivery, Post
from storage.event_tables import deliveries, posts
from storage.installations import Installations
from storage.outbox import Outbox
from storage.subscriptions import Subscriptions
from storage.tables import installations
from tests.support.clock import TurnedClock
from tests.support.event_records import joined
from tests.support.mcp import SECRET, open_transport
from tests.support.records import NOW, OWNER, installation
from tests.support.tasks import Notices
from tests.support.trick import Answer, Handler, MakeTrick, TrickServer
from tests.support.trick_answers import result
from tests.support.trick_requests import Received

CHANNEL = "700"
BUTTON = {"id": "menu", "label": "Menu", "tool": "snack_menu", "arguments": {"n": 1}}
WELCOME: dict[str, Any] = {"text": "Welcome!", "actions": [BUTTON]}


@dataclass(frozen=True)
class Posted:
    """One message that stands in a channel."""

    message_id: str
    channel_id: str
    text: str
    keys: Mapping[str, str]
    nonce: str


@dataclass
class HeardPoster:
    """A Discord that keeps what is posted, and refuses when told to.

    `presence` are the members who are not simply there; `failing` is raised by the next posts; a post that is
    `taken` stands there although it raised. `on_asked` happens while Discord is asked about a member.
    """

    presence: dict[str, Presence | KennelError] = field(default_factory=dict[str, "Presence | KennelError"])
    failing: BaseException | None = None
    taken: bool = False
    blind: KennelError | None = None
    posted: list[Posted] = field(default_factory=list[Posted])
    asked: list[str] = field(default_factory=list[str])
    on_asked: Callable[[], None] = lambda: None

    async def member(self, guild_id: str, member_id: str) -> Presence:
        self.asked.append(member_id)
        answer = self.presence.get(member_id, "here")
        self.on_asked()
        if isinstance(answer, KennelError):
            raise answer
        return answer

    async def post(
        self, guild_id: str, channel_id: str, presentation: Presentation, keys: Mapping[str, str], nonce: str
    ) -> str:
        message_id = str(9_000 + len(self.posted))
        if self.failing is None or self.taken:
            self.posted.append(Posted(message_id, channel_id, presentation.text, dict(keys), nonce))
        if self.failing is not None:
            raise self.failing
        return message_id

    async def find(
        self,
        guild_id: str,
        channel_id: str,
        presentation: Presentation,
        keys: Mapping[str, str],
        since_ms: int,
    ) -> str | None:
        if self.blind is not None:
            raise self.blind
        found = (
            m for m in self.posted if (m.channel_id, m.text, m.keys) == (channel_id, presentation.text, keys)
        )
        return next((message.message_id for message in found), None)


class EventProcess:
    """The services of events of one process."""

    def __init__(self, world: "EventWorld", database: Database, **limits: Any) -> None:
        clock = world.clock
        reader, line = InstalledReader(world.box), PostLine()
        line.attach(world.poster)
        installations, subscriptions = Installations(database), Subscriptions(database)
        store, outbox = EventPosts(database), Outbox(database)
        screening = Screening(store, clock)
        posting = Posting(store, installations, subscriptions, reader, line, world.notices, screening, clock)
        attempts = Attempts(installations, subscriptions, reader, world.sender, world.notices, clock)
        self.posts = PostWorker(store, posting, screening, clock)
        self.deliveries = DeliveryWorker(
            outbox, attempts, Limiter(clock), clock, on_answered=lambda: None, **limits
        )
        self.outbox = EventOutbox(outbox, clock, on_stored=lambda: None)
        self.store = outbox

    async def deliver(self) -> None:
        """Send what is due, once."""
        await self.deliveries.deliver_due()

    async def happen(self, *events: NewEvent) -> None:
        """Record events, and send what is due."""
        for event in events:
            self.outbox.record(event)
        await self.outbox.idle()
        await self.deliver()


class EventWorld:
    """One server with a trick that hears events, and another one that is not installed.

    Time stands still until it is turned.
    """

    def __init__(
        self,
        database: Database,
        trick: TrickServer,
        other: TrickServer,
        sender: SignedSender,
        clock: TurnedClock,
    ) -> None:
        self.database, self.trick, self.other = database, trick, other
        self.sender, self.clock = sender, clock
        self.poster, self.notices = HeardPoster(), Notices()
        self.box = SecretBox([new_key()])
        self.here = EventProcess(self, database)

    async def install(self, trick: TrickServer, id: str = "i1", **changes: Any) -> None:
        """Enable a trick, with `CHANNEL` for its posts."""
        trick.trust(SECRET.text)
        store = Installations(self.database)
        manifest = json.dumps(trick.manifest())
        row = installation(id, manifest=manifest, secret=self.box.seal(id, SECRET.text))
        await store.add(replace(row, **changes), (), events=trick.events)
        await store.enable_first(id, (), NOW, OWNER)
        await Subscriptions(self.database).set_channel(id, CHANNEL, turn_on=False)

    async def delivery(self, id: str = "e1-i1") -> Delivery:
        """One delivery as it is stored."""
        row = await self.database.first(select(deliveries).where(deliveries.c.id == id))
        assert row is not None
        return Delivery(*row)

    async def deliveries_of(self, id: str = "i1") -> list[Delivery]:
        """Every delivery of an installation, oldest first."""
        whose = select(deliveries).where(deliveries.c.installation_id == id).order_by(deliveries.c.seq)
        return [Delivery(*row) for row in await self.database.all(whose)]

    async def change_row(self, id: str = "i1", **values: Any) -> None:
        """Change columns of an installation behind its back."""
        statement = update(installations).where(installations.c.id == id).values(**values)

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(statement)

        await self.database.write(work)

    async def posts_of(self, id: str = "e1-i1") -> list[Post]:
        """The post of a delivery as it is stored, if there is one."""
        return [Post(*row) for row in await self.database.all(select(posts).where(posts.c.delivery_id == id))]

    async def post(self, id: str = "e1-i1") -> Post:
        """One post as it is stored."""
        row = await self.database.first(select(posts).where(posts.c.delivery_id == id))
        assert row is not None
        return Post(*row)


def status(code: int, body: bytes = b"", **headers: str) -> Handler:
    """A reply with this status."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def answer(_trick: TrickServer, _received: Received) -> Answer:
        return web.Response(status=code, body=body, headers=named)

    return answer


def attempts(world: EventWorld) -> list[Received]:
    """Every attempt so far, as the trick saw it."""
    return world.trick.received("events")


async def answered(events: EventWorld, event: NewEvent | None = None, **shown: Any) -> None:
    """An event is delivered, and this is the answer."""
    events.trick.on("events", result({"presentation": shown or WELCOME}))
    await events.here.happen(event or joined())


async def post(events: EventWorld, seconds: float = 0.0) -> None:
    """Let time pass and post what is due."""
    events.clock.advance(seconds)
    await events.here.posts.post_due()


def texts(events: EventWorld) -> list[str]:
    """What stands in Discord."""
    return [message.text for message in events.poster.posted]


@pytest_asyncio.fixture
async def events(database: Database, make_trick: MakeTrick) -> AsyncIterator[EventWorld]:
    """A trick that hears both events and is enabled as `i1`, its answers to be decided by the test."""
    clock = TurnedClock(NOW)
    trick, other = await make_trick(clock=clock), await make_trick(id="other", clock=clock)
    transport = open_transport(trick.host_port, other.host_port)
    try:
        world = EventWorld(database, trick, other, SignedSender(transport, clock), clock)
        await world.install(trick)
        yield world
        await world.here.deliveries.idle()
    finally:
        await transport.aclose()
