"""Looks that are due, taken by one process each."""

import asyncio

from storage.engine import Database
from storage.installations import Installations
from storage.looks import Looks
from tests.support.records import NOW, OWNER, installation
from tests.support.storing import enabled

LEASE = NOW + 60_000


async def test_only_enabled_installations_whose_time_has_come_are_due(database: Database) -> None:
    store = Looks(database)
    for id, at in (("due", NOW), ("later", NOW + 1), ("never", None), ("off", NOW)):
        await enabled(database, installation(id))
        await store.schedule(id, at)
    await Installations(database).set_state("off", {"enabled"}, "disabled", NOW, OWNER)
    assert [row.id for row in await store.due(NOW, 20, LEASE)] == ["due"]


async def test_what_one_took_is_nobody_elses_until_its_lease_ends(database: Database) -> None:
    store = Looks(database)
    await enabled(database, installation())
    await store.schedule("i1", NOW)
    (taken,) = await store.due(NOW, 20, LEASE)
    assert taken.look_until == LEASE
    assert await store.due(NOW, 20, LEASE) == ()
    assert await store.due(LEASE - 1, 20, LEASE) == ()
    assert len(await store.due(LEASE, 20, LEASE + 1)) == 1


async def test_a_finished_look_is_due_again_at_its_next_time(database: Database) -> None:
    store = Looks(database)
    await enabled(database, installation())
    await store.schedule("i1", NOW)
    await store.due(NOW, 20, LEASE)
    await store.schedule("i1", NOW + 10)
    assert await store.due(NOW + 9, 20, LEASE) == ()
    assert len(await store.due(NOW + 10, 20, LEASE)) == 1


async def test_the_longest_overdue_come_first_and_never_more_than_asked_for(database: Database) -> None:
    store = Looks(database)
    for n in range(5):
        await enabled(database, installation(f"i{n}"))
        await store.schedule(f"i{n}", NOW - n)
    assert {row.id for row in await store.due(NOW, 2, LEASE)} == {"i4", "i3"}
    assert {row.id for row in await store.due(NOW, 9, LEASE)} == {"i2", "i1", "i0"}


async def test_ten_at_once_share_the_due_looks_without_one_twice(database: Database) -> None:
    store = Looks(database)
    for n in range(30):
        await enabled(database, installation(f"i{n}"))
        await store.schedule(f"i{n}", NOW)
    shares = await asyncio.gather(*(store.due(NOW, 4, LEASE) for _ in range(10)))
    taken = [row.id for share in shares for row in share]
    assert len(taken) == len(set(taken))
    taken += [row.id for row in await store.due(NOW, 30, LEASE)]
    assert sorted(taken) == sorted(f"i{n}" for n in range(30))
