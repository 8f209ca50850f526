"""Which deliveries are sent when, and by whom: in order, at the allowed pace, while the trick is on."""

import asyncio

from bot.events.worker import LEASE_MS
from storage.engine import Database
from storage.gauges import Gauges
from storage.installations import Installations
from tests.support.event_records import joined, left
from tests.support.events import EventProcess, EventWorld, attempts, status
from tests.support.records import NOW, OWNER
from tests.support.trick import Answer, TrickServer
from tests.support.trick_requests import Received


async def test_deliveries_never_pause_a_trick_and_go_on_while_it_is_paused(events: EventWorld) -> None:
    store = Installations(events.database)
    events.trick.on("events", status(500))
    await events.here.happen(*(joined(f"e{number}", member_id=str(number)) for number in range(6)))
    row = await store.get("i1")
    assert row is not None
    assert (row.state, row.failures) == ("enabled", 0)
    await store.set_state("i1", {"enabled"}, "paused", NOW, OWNER)
    events.trick.behave()
    events.clock.advance(7)
    await events.here.happen(joined("late", member_id="late"))
    assert (await events.delivery("late-i1")).status == "delivered"
    assert (await events.delivery("e5-i1")).status == "delivered"


async def test_while_a_trick_is_disabled_nothing_is_made_and_nothing_sent(events: EventWorld) -> None:
    store = Installations(events.database)
    events.trick.on("events", status(500))
    await events.here.happen(joined())
    await store.set_state("i1", {"enabled"}, "disabled", NOW, OWNER)
    events.trick.behave()
    events.clock.advance(60)
    await events.here.happen(joined("e3", member_id="77"))
    assert len(attempts(events)) == 1
    await store.set_state("i1", {"disabled"}, "enabled", NOW, OWNER)
    await events.here.deliver()
    assert [each.json["eventId"] for each in attempts(events)] == ["e1", "e1"]


async def test_a_members_events_arrive_in_order_though_the_first_has_to_wait(events: EventWorld) -> None:
    events.trick.on("events", status(503))
    await events.here.happen(joined(), left(), joined("e3", member_id="77"))
    events.trick.behave()
    await events.here.deliver()
    assert [each.json["eventId"] for each in attempts(events)] == ["e1", "e3"]
    events.clock.advance(5)
    await events.here.deliver()
    assert [each.json["eventId"] for each in attempts(events)][2:] in (["e1", "e3", "e2"], ["e1", "e2", "e3"])


async def test_at_most_four_are_on_their_way_at_once(events: EventWorld) -> None:
    gate, inside, most = asyncio.Event(), 0, 0

    async def answer(_trick: TrickServer, _received: Received) -> Answer:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await gate.wait()
        inside -= 1
        return {}

    events.trick.on("events", answer)
    sending = asyncio.create_task(
        events.here.happen(*(joined(f"e{number}", member_id=str(number)) for number in range(9)))
    )
    for _ in range(4):
        await events.trick.next("events")
    gate.set()
    await sending
    assert (len(attempts(events)), most) == (9, 4)


async def test_at_most_five_are_sent_in_a_second(events: EventWorld) -> None:
    await events.here.happen(*(joined(f"e{number}", member_id=str(number)) for number in range(12)))
    seconds = [int(each.headers["webhook-timestamp"]) for each in attempts(events)]
    assert len(seconds) == 12
    assert max(seconds.count(second) for second in seconds) == 5
    assert seconds[-1] - seconds[0] == 2


async def test_one_slow_trick_holds_up_no_other(events: EventWorld) -> None:
    gate = asyncio.Event()

    async def slowly(_trick: TrickServer, _received: Received) -> Answer:
        await gate.wait()
        return {}

    events.trick.on("events", slowly)
    await events.install(events.other, "i2")
    sending = asyncio.create_task(events.here.happen(joined()))
    await events.trick.next("events")
    await events.other.next("events")
    later = asyncio.create_task(events.here.happen(joined("e3", member_id="77")))
    assert (await events.other.next("events")).json["eventId"] == "e3"
    gate.set()
    await asyncio.gather(sending, later)


async def test_a_process_that_died_leaves_it_to_another_with_the_same_bytes(
    events: EventWorld, database_url: str
) -> None:
    events.here.outbox.record(joined())
    await events.here.outbox.idle()
    (lost,) = await events.here.store.claim("i1", 4, NOW, NOW + LEASE_MS, lambda row: '{"id":"e1-i1"}')
    other_database = await Database.open(database_url)
    try:
        other = EventProcess(events, other_database)
        await other.deliver()
        assert attempts(events) == []
        events.clock.advance(LEASE_MS / 1000)
        await asyncio.gather(other.deliver(), events.here.deliver())
    finally:
        await other_database.close()
    (received,) = attempts(events)
    assert received.body.decode() == lost.body
    assert (await events.delivery()).attempts == 2


async def test_whoever_is_stopped_finishes_the_batch_and_begins_no_other(events: EventWorld) -> None:
    gate = asyncio.Event()

    async def answer(_trick: TrickServer, _received: Received) -> Answer:
        await gate.wait()
        return {}

    events.trick.on("events", answer)
    sending = asyncio.create_task(
        events.here.happen(*(joined(f"e{number}", member_id=str(number)) for number in range(9)))
    )
    for _ in range(4):
        await events.trick.next("events")
    events.here.deliveries.stop()
    gate.set()
    await sending
    assert len(attempts(events)) == 4
    assert (await Gauges(events.database).counts()).pending_deliveries == 5
    await events.here.deliver()
    assert len(attempts(events)) == 4
