"""One new secret at a time, and the old one for as long as it signs."""

import asyncio

from sqlalchemy import select

from storage import tables
from storage.engine import Database
from storage.installations import Installations
from storage.records import Installation
from storage.rotations import Rotations
from tests.support.records import GUILD, NOW, OWNER, installation

UNTIL = NOW + 600_000


async def found(database: Database) -> Installation:
    row = await Installations(database).get("i1")
    assert row is not None
    return row


async def test_the_old_secret_stands_beside_the_new_one_and_the_deed_is_audited(database: Database) -> None:
    await Installations(database).add(installation(), [])
    assert await Rotations(database).rotate("i1", "sealed", "new", NOW, UNTIL, OWNER)
    row = await found(database)
    assert (row.secret, row.previous_secret, row.previous_secret_until) == ("new", "sealed", UNTIL)
    audit = tables.audit.c
    rows = await database.all(select(audit.what, audit.guild_id, audit.actor_id, audit.at).order_by(audit.id))
    assert tuple(rows[-1]) == ("rotated", GUILD, OWNER, NOW)


async def test_of_many_rotations_at_once_one_makes_a_secret(database: Database) -> None:
    await Installations(database).add(installation(), [])
    store = Rotations(database)
    made = await asyncio.gather(
        *(store.rotate("i1", "sealed", f"new{n}", NOW, UNTIL, OWNER) for n in range(6))
    )
    assert sorted(made) == [False] * 5 + [True]
    row = await found(database)
    assert (row.secret, row.previous_secret) == (f"new{made.index(True)}", "sealed")


async def test_nothing_is_rotated_while_an_older_secret_still_signs(database: Database) -> None:
    await Installations(database).add(installation(), [])
    store = Rotations(database)
    assert await store.rotate("i1", "sealed", "second", NOW, UNTIL, OWNER)
    assert not await store.rotate("i1", "second", "third", UNTIL - 1, UNTIL + 600_000, OWNER)
    assert await store.rotate("i1", "second", "third", UNTIL, UNTIL + 600_000, OWNER)
    assert not await store.rotate("i1", "second", "fourth", UNTIL * 2, UNTIL * 2, OWNER)
    assert not await store.rotate("nowhere", "sealed", "new", NOW, UNTIL, OWNER)
    row = await found(database)
    assert (row.secret, row.previous_secret) == ("third", "second")


async def test_a_lost_secret_is_replaced_and_the_one_before_it_stays(database: Database) -> None:
    await Installations(database).add(installation(), [])
    store = Rotations(database)
    assert not await store.replace("i1", "sealed", "other", NOW, UNTIL, OWNER)
    assert await store.rotate("i1", "sealed", "lost", NOW, UNTIL, OWNER)
    assert not await store.replace("i1", "sealed", "other", NOW, UNTIL, OWNER)
    assert await store.replace("i1", "lost", "other", NOW + 1, UNTIL + 1, OWNER)
    row = await found(database)
    assert (row.secret, row.previous_secret, row.previous_secret_until) == ("other", "sealed", UNTIL + 1)
    assert not await store.replace("i1", "other", "late", UNTIL + 1, UNTIL * 2, OWNER)


async def test_an_old_secret_is_erased_once_it_signs_no_longer(database: Database) -> None:
    await Installations(database).add(installation(), [])
    store = Rotations(database)
    await store.rotate("i1", "sealed", "new", NOW, UNTIL, OWNER)
    assert await store.forget_retired(UNTIL - 1) == 0
    assert (await found(database)).previous_secret == "sealed"
    assert await store.forget_retired(UNTIL) == 1
    row = await found(database)
    assert (row.secret, row.previous_secret, row.previous_secret_until) == ("new", None, None)
    assert await store.forget_retired(UNTIL) == 0
