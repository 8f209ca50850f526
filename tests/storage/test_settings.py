"""Changing the settings of an installation in one transaction."""

import asyncio
import json

import pytest
from sqlalchemy import select

from storage import tables
from storage.engine import Database
from storage.installations import Installations
from storage.records import Installation
from storage.settings import Settings
from tests.support.records import GUILD, NOW, OWNER, installation

CHANNEL = "41771983423143938"


async def fill_in(database: Database, actor_id: str | None = OWNER, **values: str) -> Installation | None:
    """Add values to those that are there."""

    def merged(row: Installation) -> str:
        return json.dumps(json.loads(row.settings) | values)

    return await Settings(database).set_settings("i1", GUILD, merged, now=NOW, actor_id=actor_id)


async def stored(database: Database) -> dict[str, str]:
    row = await Installations(database).get("i1")
    assert row is not None
    return json.loads(row.settings)


async def audited(database: Database) -> list[tuple[object, ...]]:
    audit = tables.audit.c
    columns = select(audit.installation_id, audit.actor_id, audit.at).where(audit.what == "settings")
    return [(*row,) for row in await database.all(columns.order_by(audit.id))]


async def test_what_was_filled_in_is_stored_with_who_did_it(database: Database) -> None:
    await Installations(database).add(installation(), [])

    before = await fill_in(database, greeting="hi")

    assert before == installation()
    assert await stored(database) == {"greeting": "hi"}
    assert await audited(database) == [("i1", OWNER, NOW)]


async def test_what_stays_the_same_leaves_no_trace(database: Database) -> None:
    await Installations(database).add(installation(settings='{"greeting": "hi"}'), [])
    assert await fill_in(database, greeting="hi") is not None
    assert await audited(database) == []


async def test_what_no_person_did_names_no_person(database: Database) -> None:
    await Installations(database).add(installation(), [])
    await fill_in(database, None, greeting="hi")
    assert await stored(database) == {"greeting": "hi"}
    assert await audited(database) == []


async def test_pages_that_are_sent_at_the_same_moment_are_all_kept(database: Database) -> None:
    await Installations(database).add(installation(), [])
    await asyncio.gather(*(fill_in(database, **{f"key{number}": "x"}) for number in range(8)))
    assert len(await stored(database)) == 8
    assert len(await audited(database)) == 8


async def test_what_a_change_raises_leaves_everything_as_it_was(database: Database) -> None:
    await Installations(database).add(installation(settings='{"greeting": "hi"}'), [])

    def fails(row: Installation) -> str:
        raise ValueError(row.id)

    with pytest.raises(ValueError, match="i1"):
        await Settings(database).set_settings("i1", GUILD, fails, now=NOW, actor_id=OWNER)
    assert await stored(database) == {"greeting": "hi"}


async def test_another_server_neither_sees_nor_changes_them(database: Database) -> None:
    await Installations(database).add(installation(guild_id="7"), [])
    assert await fill_in(database, greeting="hi") is None
    assert await Settings(database).mentioning(GUILD, "hi") == ()
    row = await Installations(database).get("i1")
    assert row is not None
    assert row.settings == "{}"


async def test_the_installations_that_mention_an_id_are_found_oldest_first(database: Database) -> None:
    store = Installations(database)
    settings = json.dumps({"rooms": [CHANNEL]})
    for id, created_at, values in (("i1", NOW + 2, settings), ("i2", NOW, "{}"), ("i3", NOW + 1, settings)):
        await store.add(installation(id, created_at=created_at, settings=values), [])
    found = await Settings(database).mentioning(GUILD, CHANNEL)
    assert [row.id for row in found] == ["i3", "i1"]
