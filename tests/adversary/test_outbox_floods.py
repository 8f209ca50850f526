"""Floods of joins and leaves, and two processes at once: nothing is lost, doubled, or out of its order."""

import asyncio
import gc
import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Sequence

import pytest
from aiohttp import web
from sqlalchemy import ColumnElement, func, select

from bot.events.outbox import BATCH, EventOutbox, NewEvent
from storage.calls import Calls
from storage.engine import Database
from storage.event_tables import deliveries, posts
from storage.gauges import Gauges
from storage.outbox import SAME_LEAVE_MS, Outbox
from storage.records import Claim
from tests.support.clock import TurnedClock
from tests.support.event_records import hearing, joined, left
from tests.support.events import WELCOME, EventProcess, EventWorld, attempts
from tests.support.records import NOW, call
from tests.support.trick import Answer, TrickServer
from tests.support.trick_requests import Received

COMING_AND_GOING, STAYING = 250, 250
FLOOD, INSTALLATIONS = 10_000, 5
MEGABYTE = 2**20


@pytest.fixture
def database_url(own_url: str) -> str:
    """So many rows would slow down whatever comes after them in the same database."""
    return own_url


def comes_and_goes(member: str, who: str = "") -> list[NewEvent]:
    """A member joins, leaves, and joins again, as the process `who` tells it."""
    return [
        joined(f"{who}a{member}", member_id=member, occurrence=f"j:{member}:1"),
        left(f"{who}b{member}", member_id=member),
        joined(f"{who}c{member}", member_id=member, occurrence=f"j:{member}:2"),
    ]


def thousand_events(who: str) -> list[NewEvent]:
    """Of many members in turn, as the process `who` tells them."""
    both = [comes_and_goes(f"1{number:04}", who) for number in range(COMING_AND_GOING)]
    stay = [
        joined(f"{who}s{number}", member_id=f"2{number:04}", occurrence=f"j:2{number:04}")
        for number in range(STAYING)
    ]
    return [event for turn in zip(*both, strict=True) for event in turn] + stay


class CarefulTrick:
    """Answers with a welcome, fails on some first tries, and watches what is out at the same time."""

    def __init__(self, failing: int) -> None:
        self.faults: list[str] = []
        self.order: defaultdict[str, list[str]] = defaultdict(list)
        self._failing = failing
        self._tries: Counter[str] = Counter()
        self._out: set[str] = set()

    async def __call__(self, _trick: TrickServer, received: Received, /) -> Answer:
        key, member = received.json["id"], received.json["event"]["memberId"]
        if member in self._out:
            self.faults.append(f"two of {member} at once")
        self._out.add(member)
        await asyncio.sleep(0)
        self._out.discard(member)
        self._tries[key] += 1
        if self._tries[key] == 1 and sum(key.encode()) % self._failing == 0:
            return web.Response(status=500)
        self.order[member].append(received.json["event"]["type"])
        return {"presentation": WELCOME | {"text": f"{received.json['eventId'][1:]}"}}


async def test_two_processes_deliver_a_thousand_events_once_in_order_and_post_once(
    events: EventWorld, database_url: str
) -> None:
    trick = CarefulTrick(failing=7)
    events.trick.on("events", trick)
    other_database = await Database.open(database_url)
    try:
        processes = [
            EventProcess(events, database, limit=None) for database in (events.database, other_database)
        ]
        await asyncio.gather(
            *(
                _record(process.outbox, thousand_events(who))
                for process, who in zip(processes, "xy", strict=True)
            )
        )
        while (await Gauges(events.database).counts()).pending_deliveries:
            await asyncio.gather(*(process.deliver() for process in processes))
            await asyncio.gather(*(process.posts.post_due() for process in processes))
            events.clock.advance(30)
    finally:
        await other_database.close()
    assert trick.faults == []
    stays = {f"2{number:04}": ["member.joined"] for number in range(STAYING)}
    three = ["member.joined", "member.left", "member.joined"]
    assert trick.order == stays | {f"1{number:04}": three for number in range(COMING_AND_GOING)}
    bodies: defaultdict[str, set[bytes]] = defaultdict(set)
    for received in attempts(events):
        bodies[received.headers["webhook-id"]].add(received.body)
    assert len(bodies) == 3 * COMING_AND_GOING + STAYING
    assert {len(same) for same in bodies.values()} == {1}
    shown = Counter(message.text for message in events.poster.posted)
    assert set(shown.values()) == {1}
    assert await _count(events.database, posts.c.status == "posted") == sum(shown.values())
    assert await _count(events.database, posts.c.status.in_(("waiting", "posting"))) == 0
    missing = {f"{key}{number:04}" for number in range(COMING_AND_GOING) for key in ("b1", "c1")} - set(shown)
    assert missing == set()


async def _record(outbox: EventOutbox, events: Sequence[NewEvent]) -> None:
    for event in events:
        outbox.record(event)
    await outbox.idle()


async def _count(database: Database, *where: ColumnElement[bool]) -> int:
    row = await database.first(select(func.count()).select_from(posts).where(*where))
    return row[0] if row else 0


def flood() -> list[NewEvent]:
    """Members who come and go within a minute."""
    events: list[NewEvent] = []
    for number in range(FLOOD // 2):
        member = str(number)
        events.append(joined(f"j{member}", member_id=member, occurrence=f"j:{member}"))
        if number >= 50:
            gone = str(number - 50)
            events.append(left(f"l{gone}", member_id=gone))
    return events


async def test_a_flood_is_stored_once_in_order_and_commands_write_beside_it(events: EventWorld) -> None:
    for number in range(2, INSTALLATIONS + 1):
        await hearing(events.database, f"i{number}")
    happening, calls = flood(), Calls(events.database)
    storing = asyncio.create_task(_record(events.here.outbox, happening))
    answered = 0
    while not storing.done():
        claim = Claim(f"interaction:{answered}", NOW + 1_000)
        assert await calls.begin(claim, call(f"c{answered}"), NOW)
        answered += 1
    await storing
    assert answered > len(happening) / BATCH / 4
    of = deliveries.c
    rows = await events.database.all(select(of.installation_id, of.event_id).order_by(of.seq))
    stored: defaultdict[str, list[str]] = defaultdict(list)
    for installation_id, event_id in rows:
        stored[installation_id].append(event_id)
    ids = [event.event_id for event in happening]
    assert stored == {f"i{number}": ids for number in range(1, INSTALLATIONS + 1)}


async def test_every_trick_gets_its_turn_in_a_flood(events: EventWorld) -> None:
    await events.install(events.other, "i2")
    each, tricks = 40, (events.trick, events.other)

    async def answer(_trick: TrickServer, _received: Received) -> Answer:
        if all(trick.count("events") >= each for trick in tricks):
            events.here.deliveries.stop()
        return {}

    for trick in tricks:
        trick.on("events", answer)
    await events.here.happen(*flood()[:1_000])
    first, second = (trick.count("events") for trick in tricks)
    assert min(first, second) >= each
    assert abs(first - second) < each


class Nowhere(Outbox):
    """Takes everything and keeps nothing."""

    def __init__(self) -> None:
        """There is no database behind it."""

    async def add(self, events: Sequence[NewEvent]) -> int:
        return len(events)


async def test_what_a_flood_leaves_in_memory_goes_after_ten_minutes() -> None:
    clock = TurnedClock(NOW)
    outbox = EventOutbox(Nowhere(), clock, on_stored=lambda: None)
    await _record(outbox, flood()[:1_000])
    tracemalloc.start()
    try:
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        await _record(outbox, flood())
        clock.advance(SAME_LEAVE_MS / 1_000)
        await _record(outbox, [joined("late", member_id="late")])
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < MEGABYTE
