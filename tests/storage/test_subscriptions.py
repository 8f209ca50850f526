"""Subscriptions: what is heard, whether it is sent, where it is posted."""

import asyncio
from collections.abc import Sequence

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.acceptance import same_pins
from storage.call_ends import PAUSE_AFTER
from storage.engine import Database
from storage.event_records import Subscription
from storage.event_tables import deliveries, posts
from storage.gauges import Gauges
from storage.installations import Installations
from storage.outbox import Outbox
from storage.subscriptions import WANTS_NONE, Subscriptions, subscribe
from tests.storage.test_calls import FAULT
from tests.support.event_records import claimed, delivered, hearing, joined, left
from tests.support.records import GUILD, NOW, OWNER, call, installation
from tests.support.storing import counts, ended

NEW = Subscription("i1", GUILD, True, True, True, None, None)


@pytest.fixture
async def store(database: Database) -> Subscriptions:
    """The store, with an enabled installation `i1` that hears both events."""
    await hearing(database)
    return Subscriptions(database)


async def hears(database: Database, events: Sequence[str]) -> None:
    await database.write(lambda connection: subscribe(connection, "i1", GUILD, events))


async def test_a_new_one_is_sent_and_has_no_channel(database: Database, store: Subscriptions) -> None:
    assert await store.of("i1") == NEW
    await Installations(database).add(installation("i2"), (), events=["member.left"])
    assert await store.of("i2") == Subscription("i2", GUILD, False, True, True, None, None)
    await Installations(database).add(installation("silent"), ())
    assert await store.of("silent") is None


async def test_it_goes_with_its_installation(database: Database, store: Subscriptions) -> None:
    await Outbox(database).add([joined()])
    await Installations(database).remove("i1", NOW, OWNER)
    assert await store.of("i1") is None
    assert "deliveries" not in await counts(database)


async def test_what_the_owner_chose_outlasts_other_events(database: Database, store: Subscriptions) -> None:
    await store.set_channel("i1", "700", turn_on=False)
    await store.set_on("i1", False, NOW)
    await hears(database, ["member.joined"])
    assert await store.of("i1") == Subscription("i1", GUILD, True, False, False, "700", None)


async def test_what_is_heard_no_more_is_not_sent(database: Database, store: Subscriptions) -> None:
    await Outbox(database).add([joined(), left()])
    await hears(database, ["member.left"])
    rows = await database.all(select(deliveries.c.event_id, deliveries.c.status).order_by(deliveries.c.seq))
    assert [tuple(row) for row in rows] == [("e1", "off"), ("e2", "pending")]
    assert [row.event_id for row in await claimed(database)] == ["e2"]


async def test_without_events_there_is_no_subscription_and_nothing_waits(
    database: Database, store: Subscriptions
) -> None:
    await Outbox(database).add([joined(), joined("e3", member_id="77")])
    (row,) = await claimed(database, most=1)
    await Outbox(database).finish([delivered(row, '{"text":"Hi"}')], NOW)
    await hears(database, [])
    assert await store.of("i1") is None
    assert (await Gauges(database).counts()).pending_deliveries == 0
    assert [tuple(row) for row in await database.all(select(posts.c.status, posts.c.presentation))] == [
        ("dropped", None)
    ]


async def test_a_channel_is_set_cleared_and_may_turn_events_on(store: Subscriptions) -> None:
    await store.set_on("i1", False, NOW)
    assert await store.set_channel("i1", "700", turn_on=False)
    assert await store.of("i1") == Subscription("i1", GUILD, True, True, False, "700", None)
    assert await store.set_channel("i1", "701", turn_on=True)
    assert await store.of("i1") == Subscription("i1", GUILD, True, True, True, "701", None)
    assert await store.set_channel("i1", None, turn_on=False)
    assert await store.of("i1") == NEW
    assert not await store.set_channel("no", "700", turn_on=True)
    assert not await store.set_on("no", True, NOW)


async def test_a_lost_channel_pauses_once_and_another_one_ends_that(store: Subscriptions) -> None:
    await store.set_channel("i1", "700", turn_on=False)
    assert not await store.pause("i1", "another", NOW)
    assert await store.pause("i1", "700", NOW)
    assert not await store.pause("i1", "700", NOW + 1)
    assert await store.of("i1") == Subscription("i1", GUILD, True, True, True, "700", NOW + 1)
    await store.resume("i1")
    assert await store.pause("i1", "700", NOW + 2)
    await store.set_channel("i1", "701", turn_on=False)
    assert await store.of("i1") == Subscription("i1", GUILD, True, True, True, "701", None)


async def test_a_trick_turns_its_events_off_once_and_the_owner_on_again(
    database: Database, store: Subscriptions
) -> None:
    async def notice() -> str | None:
        row = await Installations(database).get("i1")
        assert row is not None
        return row.notice

    await Outbox(database).add([joined()])
    assert await store.turn_off("i1", NOW)
    assert not await store.turn_off("i1", NOW)
    assert await notice() == WANTS_NONE
    assert (await Gauges(database).counts()).pending_deliveries == 0
    await store.set_on("i1", True, NOW)
    assert await notice() is None
    await store.turn_off("i1", NOW)
    await store.set_channel("i1", "700", turn_on=True)
    assert await notice() is None


async def test_a_paused_trick_that_wants_no_more_events_keeps_the_reason_of_its_pause(
    database: Database, store: Subscriptions
) -> None:
    for number in range(PAUSE_AFTER):
        await ended(database, call(f"c{number}"), FAULT)
    assert await store.turn_off("i1", NOW)
    row = await Installations(database).get("i1")
    assert row is not None
    assert (row.state, row.notice) == ("paused", FAULT.failure)
    found = await store.of("i1")
    assert found is not None
    assert not found.is_on


async def test_a_trick_is_accepted_anew_while_events_come_and_are_turned_off_without_a_deadlock(
    database: Database, store: Subscriptions
) -> None:
    held, begun = asyncio.Event(), 0

    async def accept(connection: AsyncConnection) -> None:
        nonlocal begun
        begun += 1
        assert await same_pins(connection, "i1", ())
        held.set()
        await asyncio.sleep(0.1)  # for the others to begin
        await subscribe(connection, "i1", GUILD, ["member.joined"])

    accepting = asyncio.create_task(database.write(accept))
    await held.wait()
    events = [joined(f"e{n}") for n in range(20)]
    await asyncio.gather(accepting, Outbox(database).add(events), store.turn_off("i1", NOW))
    assert begun == 1
    found = await store.of("i1")
    assert found is not None
    assert (found.is_on, found.hears_left) == (False, False)
