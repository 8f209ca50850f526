"""The outbox: what becomes a delivery, who may try it, and in which order."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import select

from storage.engine import Database
from storage.event_records import Delivery
from storage.event_tables import deliveries, posts
from storage.gauges import Gauges
from storage.installations import Installations
from storage.outbox import SAME_LEAVE_MS, Outbox
from storage.subscriptions import Subscriptions
from tests.support.event_records import (
    MEMBER,
    again,
    claimed,
    delivered,
    failed,
    freeze,
    hearing,
    joined,
    left,
)
from tests.support.records import NOW, OWNER, installation


@pytest.fixture
async def outbox(database: Database) -> Outbox:
    """The store, with an enabled installation `i1` that hears both events."""
    await hearing(database)
    return Outbox(database)


async def all_rows(database: Database) -> list[Delivery]:
    return [Delivery(*row) for row in await database.all(select(deliveries).order_by(deliveries.c.seq))]


async def test_one_event_becomes_a_delivery_for_each_installation_that_hears_events(
    database: Database, outbox: Outbox
) -> None:
    await hearing(database, "i2", ["member.left"])
    await hearing(database, "silent", [])
    await hearing(database, "elsewhere", guild_id="9")
    assert await outbox.add([joined(screening=True)]) == 2
    rows = await all_rows(database)
    assert [(row.id, row.installation_id, row.status, row.next_at) for row in rows] == [
        ("e1-i1", "i1", "pending", NOW),
        ("e1-i2", "i2", "unheard", None),
    ]
    assert rows[0] == Delivery(
        rows[0].seq, "e1-i1", "i1", rows[0].guild_id, MEMBER, "e1", "member.joined", "j:e1", NOW,
        True, None, "pending", 0, NOW, None, None, None, None,
    )  # fmt: skip


@pytest.mark.parametrize("state", ["registered", "enabled", "paused", "disabled"])
async def test_deliveries_are_made_while_a_trick_is_enabled_or_paused(database: Database, state: Any) -> None:
    await Installations(database).add(installation(), (), events=["member.joined"])
    await Installations(database).set_state("i1", {"registered"}, state, NOW, OWNER)
    assert await Outbox(database).add([joined()]) == (state in ("enabled", "paused"))


async def test_an_event_that_is_told_again_is_one_event(database: Database, outbox: Outbox) -> None:
    assert await outbox.add([joined(), joined("e3", occurrence="j:e1")]) == 1
    assert await outbox.add([joined("e4", occurrence="j:e1")]) == 0
    assert await outbox.add([left(), left("e5", occurred_at=NOW + SAME_LEAVE_MS - 1)]) == 1
    assert [row.event_id for row in await all_rows(database)] == ["e1", "e2"]


async def test_leaving_again_later_or_after_coming_back_is_another_event(
    database: Database, outbox: Outbox
) -> None:
    later = left("e3", occurred_at=NOW + SAME_LEAVE_MS)
    assert await outbox.add([left(), later, joined("e4"), left("e5", occurred_at=later.occurred_at + 1)]) == 4
    assert len({row.occurrence for row in await all_rows(database)}) == 4


async def test_two_processes_that_hear_the_same_event_store_it_once(
    database_url: str, database: Database, outbox: Outbox
) -> None:
    other = await Database.open(database_url)
    try:
        for number in range(10):
            member = str(number)
            both = [
                [
                    joined(f"{who}j{member}", member_id=member, occurrence=f"j:{member}"),
                    left(f"{who}l{member}", member_id=member),
                ]
                for who in "ab"
            ]
            await asyncio.gather(outbox.add(both[0]), Outbox(other).add(both[1]))
    finally:
        await other.close()
    rows = await all_rows(database)
    assert sorted((row.member_id, row.type) for row in rows) == sorted(
        (str(number), kind) for number in range(10) for kind in ("member.joined", "member.left")
    )


async def test_the_body_is_frozen_at_the_first_attempt_and_forgotten_at_the_end(
    database: Database, outbox: Outbox
) -> None:
    await outbox.add([joined()])
    (first,) = await claimed(database)
    assert (first.attempts, first.body, first.lease_until) == (1, freeze(first), NOW + 30_000)
    await outbox.finish([again(first, NOW + 5_000)], NOW + 100)
    assert await claimed(database, now=NOW + 4_999) == ()
    (second,) = await claimed(database, now=NOW + 5_000)
    assert (second.attempts, second.body) == (2, first.body)
    await outbox.finish([delivered(second)], NOW + 6_000)
    (row,) = await all_rows(database)
    assert (row.status, row.body, row.next_at, row.ended_at) == ("delivered", None, None, NOW + 6_000)
    assert row.failure is None


async def test_what_is_claimed_is_nobody_elses_until_the_claim_lapses(
    database: Database, outbox: Outbox
) -> None:
    await outbox.add([joined()])
    (first,) = await claimed(database)
    assert await outbox.ready(NOW + 29_999, 9) == ()
    assert await claimed(database, now=NOW + 29_999) == ()
    assert await outbox.ready(NOW + 30_000, 9) == ("i1",)
    (second,) = await claimed(database, now=NOW + 30_000, lease_until=NOW + 60_000)
    assert (second.attempts, second.body) == (2, first.body)
    await outbox.finish([delivered(first, "{}")], NOW)  # too late: the claim is another's
    assert [row.status for row in await all_rows(database)] == ["pending"]
    assert await database.all(select(posts)) == []


async def test_the_events_of_one_member_are_sent_in_their_order(database: Database, outbox: Outbox) -> None:
    await outbox.add([joined(), left(), joined("e3", member_id="77"), joined("e4")])
    first = await claimed(database)
    assert [row.event_id for row in first] == ["e1", "e3"]
    assert await outbox.ready(NOW, 9) == ()
    await outbox.finish([again(first[0], NOW + 5_000), delivered(first[1])], NOW)
    assert await claimed(database, now=NOW + 4_000) == ()
    (retried,) = await claimed(database, now=NOW + 5_000)
    await outbox.finish([failed(retried)], NOW + 5_000)
    assert [row.event_id for row in await claimed(database, now=NOW + 5_000)] == ["e2"]


async def test_an_event_that_nobody_hears_holds_nothing_up(database: Database) -> None:
    await hearing(database, events=["member.left"])
    assert await Outbox(database).add([joined(), left()]) == 2
    assert [row.event_id for row in await claimed(database)] == ["e2"]


async def test_installations_are_ready_longest_waiting_first_and_not_while_turned_off(
    database: Database, outbox: Outbox
) -> None:
    await hearing(database, "i2", guild_id="2")
    await hearing(database, "i3", guild_id="3")
    await outbox.add([joined(), joined("e2", guild_id="2", occurred_at=NOW - 1), joined("e3", guild_id="3")])
    await Installations(database).set_state("i3", {"enabled"}, "disabled", NOW, OWNER)
    assert await outbox.ready(NOW - 1, 9) == ("i2",)
    assert await outbox.ready(NOW, 9) == ("i2", "i1")
    assert await outbox.ready(NOW, 1) == ("i2",)
    assert await claimed(database, "i3") == ()
    await Installations(database).set_state("i3", {"disabled"}, "enabled", NOW, OWNER)
    assert [row.event_id for row in await claimed(database, "i3")] == ["e3"]


async def test_what_waits_when_events_are_stopped_is_never_sent(database: Database, outbox: Outbox) -> None:
    await outbox.add([joined(), joined("e3", member_id="77")])
    (under_way, *_) = await claimed(database, most=1)
    await Subscriptions(database).set_on("i1", False, NOW + 1)
    assert {(row.status, row.body, row.ended_at) for row in await all_rows(database)} == {
        ("off", None, NOW + 1)
    }
    await outbox.finish([again(under_way, NOW + 2)], NOW + 2)
    assert await outbox.add([joined("e4")]) == 0
    await Subscriptions(database).set_on("i1", True, NOW + 3)
    assert await outbox.ready(NOW + 9_000, 9) == ()


async def test_a_delivery_with_an_answer_leaves_a_post_that_is_due(
    database: Database, outbox: Outbox
) -> None:
    await outbox.add([joined(), joined("e3", member_id="77")])
    one, other = await claimed(database)
    await outbox.finish([delivered(one, '{"text":"Hi"}'), delivered(other)], NOW + 9)
    ((delivery_id, status, due_at, shown, created_at),) = await database.all(
        select(posts.c.delivery_id, posts.c.status, posts.c.due_at, posts.c.presentation, posts.c.created_at)
    )
    assert (delivery_id, status, due_at, shown, created_at) == (
        one.id, "waiting", NOW + 9, '{"text":"Hi"}', NOW + 9
    )  # fmt: skip


async def test_failures_are_those_given_up_and_those_still_tried_newest_first(
    database: Database, outbox: Outbox
) -> None:
    for number in range(4):
        await outbox.add([joined(f"e{number}", member_id=str(number), occurred_at=NOW + number)])
    rows = await claimed(database, now=NOW + 9)
    await outbox.finish([failed(rows[0]), again(rows[1], NOW + 5_000), delivered(rows[2])], NOW + 10)
    found = await outbox.failures("i1", 9)
    assert [(row.event_id, row.status, row.failure_kind) for row in found] == [
        ("e1", "pending", "ConnectFailed"),
        ("e0", "failed", "ConnectFailed"),
    ]
    assert await outbox.failures("i1", 1) == found[:1]


async def test_it_is_known_how_many_wait_and_for_how_long_the_oldest_has(
    database: Database, outbox: Outbox
) -> None:
    empty = await Gauges(database).counts()
    assert (empty.pending_deliveries, empty.oldest_seconds(NOW)) == (0, None)
    await outbox.add([joined(), joined("e3", member_id="77", occurred_at=NOW + 50)])
    waiting = await Gauges(database).counts()
    assert (waiting.pending_deliveries, waiting.oldest_seconds(NOW + 100)) == (2, 0.1)
