"""Posts of events: who may work on them, and what is kept of them."""

import asyncio

import pytest
from sqlalchemy import select

from storage.actions import Actions
from storage.engine import Database
from storage.event_posts import EventPosts
from storage.event_records import Post
from storage.event_tables import posts
from storage.outbox import Outbox
from storage.pulse import PROBE_MS, Pulse
from storage.subscriptions import Subscriptions
from tests.support.event_records import MEMBER, claimed, delivered, hearing, joined, left
from tests.support.records import GUILD, NOW, action

LEASE = NOW + 60_000
SHOWN = '{"text":"Hi"}'


@pytest.fixture
async def store(database: Database) -> EventPosts:
    """The store, with the post `e1-i1` of an enabled installation that has the channel 700."""
    await hearing(database)
    await Subscriptions(database).set_channel("i1", "700", turn_on=False)
    await answered(database)
    return EventPosts(database)


async def answered(database: Database, event_id: str = "e1", member: str = MEMBER) -> None:
    await Outbox(database).add([joined(event_id, member_id=member)])
    await Outbox(database).finish([delivered(row, SHOWN) for row in await claimed(database)], NOW)


async def one(store: EventPosts, now: int = NOW, lease_until: int = LEASE) -> Post:
    (post,) = await store.claim(now, 9, lease_until)
    return post


async def stored(database: Database) -> Post:
    row = await database.first(select(posts).where(posts.c.delivery_id == "e1-i1"))
    assert row is not None
    return Post(*row)


async def intended(store: EventPosts) -> Post:
    post = await one(store)
    assert await store.intend(post, "nonce", "700", '{"a":"k1"}', [action()], NOW + 1, LEASE)
    return post


async def test_a_claimed_post_is_nobody_elses_until_the_claim_lapses(
    database: Database, store: EventPosts
) -> None:
    post = await one(store)
    assert (post.status, post.presentation, post.lease_until) == ("waiting", SHOWN, LEASE)
    assert await store.claim(LEASE - 1, 9, LEASE + 1) == ()
    again = await one(store, LEASE, LEASE + 60_000)
    assert not await store.dropped(post)
    assert not await store.later(post, NOW)
    assert not await store.keep(post, LEASE + 1)
    assert not await store.intend(post, "n", "700", "{}", [action()], LEASE, LEASE + 1)
    assert await store.keep(again, LEASE + 90_000)
    assert await Actions(database).find("k1") is None


async def test_the_intent_is_stored_with_the_buttons_and_the_message_afterwards(
    database: Database, store: EventPosts
) -> None:
    post = await intended(store)
    row = await stored(database)
    assert (row.status, row.nonce, row.keys, row.channel_id, row.intended_at) == (
        "posting", "nonce", '{"a":"k1"}', "700", NOW + 1
    )  # fmt: skip
    view = await Actions(database).find("k1")
    assert view is not None
    assert (view.action.delivery_id, view.action.call_id, view.action.message_id) == ("e1-i1", None, None)
    assert await store.posted(post, "900")
    row = await stored(database)
    assert (row.status, row.message_id, row.presentation, row.keys) == ("posted", "900", None, None)
    view = await Actions(database).find("k1")
    assert view is not None
    assert view.action.message_id == "900"
    assert not await store.posted(post, "901")
    assert await store.claim(LEASE, 9, LEASE + 1) == ()


async def test_what_was_begun_is_given_to_whoever_comes_after_with_all_that_it_needs(
    store: EventPosts,
) -> None:
    await intended(store)
    post = await one(store, LEASE, LEASE + 60_000)
    assert (post.status, post.nonce, post.keys, post.presentation) == (
        "posting", "nonce", '{"a":"k1"}', SHOWN
    )  # fmt: skip


@pytest.mark.parametrize("how", ["later", "dropped"])
async def test_what_was_not_posted_has_no_buttons(database: Database, store: EventPosts, how: str) -> None:
    post = await intended(store)
    assert await (store.later(post, LEASE) if how == "later" else store.dropped(post))
    assert await Actions(database).find("k1") is None
    row = await stored(database)
    assert (row.keys, row.lease_until) == (None, None)
    if how == "later":
        assert (row.status, row.due_at, row.nonce, row.presentation) == ("waiting", LEASE, None, SHOWN)
    else:
        assert (row.status, row.due_at, row.presentation) == ("dropped", None, None)


async def test_what_is_looked_for_later_keeps_its_intent(database: Database, store: EventPosts) -> None:
    post = await intended(store)
    await store.look_later(post, NOW + 5)
    row = await stored(database)
    assert (row.status, row.due_at, row.lease_until, row.nonce) == ("posting", NOW + 5, None, "nonce")


async def test_while_its_channel_is_lost_a_post_is_due_once_in_a_while(
    database: Database, store: EventPosts
) -> None:
    await Subscriptions(database).pause("i1", "700", NOW)
    pulse = Pulse(database)
    assert await store.claim(NOW + PROBE_MS - 1, 9, LEASE) == ()
    assert not (await pulse.due(NOW + PROBE_MS - 1)).posts
    assert (await pulse.due(NOW + PROBE_MS)).posts
    await one(store, NOW + PROBE_MS, NOW + PROBE_MS + 1)


async def test_whoever_passes_the_screening_is_due(database: Database, store: EventPosts) -> None:
    await answered(database, "e3", "77")
    post, other = sorted(await store.claim(NOW, 9, LEASE), key=lambda row: row.delivery_id)
    await store.later(post, NOW + 3_600_000, checked=True)
    await store.later(other, NOW + 3_600_000)
    assert await store.screening(9) == {(GUILD, MEMBER)}
    await store.screened(GUILD, "77", NOW + 1)
    await store.screened("another", MEMBER, NOW + 1)
    assert [row.delivery_id for row in await store.claim(NOW + 1, 9, LEASE)] == ["e3-i1"]
    await store.screened(GUILD, MEMBER, NOW + 2)
    (due,) = await store.claim(NOW + 2, 9, LEASE)
    assert (due.delivery_id, due.checks) == ("e1-i1", 1)


async def test_a_later_leave_overtakes_a_welcome(database: Database, store: EventPosts) -> None:
    post = await one(store)
    assert not await store.overtaken(post)
    await Outbox(database).add([joined("e2")])
    assert not await store.overtaken(post)
    await Outbox(database).add([left("e3")])
    assert await store.overtaken(post)


async def test_two_processes_never_hold_the_same_post(
    database_url: str, database: Database, store: EventPosts
) -> None:
    for number in range(12):
        await answered(database, f"m{number}", str(number))
    other = await Database.open(database_url)
    try:
        taken = await asyncio.gather(
            *(EventPosts(each).claim(NOW, 3, LEASE) for each in (database, other) for _ in range(3))
        )
    finally:
        await other.close()
    ids = [post.delivery_id for batch in taken for post in batch]
    assert len(ids) == len(set(ids)) >= 3


async def test_a_flood_in_one_server_holds_up_no_other(database: Database, store: EventPosts) -> None:
    for n in range(12):
        await answered(database, f"flood{n}", f"5{n}")
    await hearing(database, "i2", guild_id="2", trick_id="other")
    await Outbox(database).add([joined("calm", guild_id="2")])
    await Outbox(database).finish([delivered(row, SHOWN) for row in await claimed(database, "i2")], NOW + 1)
    first = await store.claim(NOW + 1, 20, LEASE)
    assert [post.installation_id for post in first] == ["i1"] * 5 + ["i2"]
    assert len(await store.claim(NOW + 1, 20, LEASE)) == 5
    assert len(await store.claim(NOW + 1, 2, LEASE)) == 2
    assert len(await store.claim(NOW + 1, 20, LEASE)) == 1
