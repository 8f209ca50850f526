"""Servers that were left: what is remembered of that, and what is erased when."""

import dataclasses

from sqlalchemy import insert, select

from storage import tables
from storage.engine import Database
from storage.erase_guilds import EraseGuilds
from storage.guilds import Guilds
from storage.records import CallOutcome
from storage.request_tables import requests as request_rows
from storage.threads import Threads
from tests.support.privacy_rows import Subject, left_of, store, texts_of
from tests.support.records import GUILD, NOW, call, command, installation
from tests.support.request_records import asked, request
from tests.support.storing import counts, enabled, ended, everything

LATER = NOW + 1_000_000


async def left_at(database: Database, guild_id: str = GUILD) -> int | None:
    """Since when the bot is out of the server."""
    row = await Guilds(database).get(guild_id)
    return row.left_at if row else None


async def test_the_first_leaving_counts_until_the_bot_returns(database: Database) -> None:
    guilds = EraseGuilds(database)
    await enabled(database, installation(), [command()])
    assert await guilds.left(GUILD, NOW)
    assert await guilds.left(GUILD, LATER)
    assert await left_at(database) == NOW
    assert await guilds.left_before(NOW - 1) == ()
    assert await guilds.left_before(NOW) == (GUILD,)
    assert await guilds.returned(GUILD)
    assert not await guilds.returned(GUILD)
    assert await left_at(database) is None
    assert await guilds.left(GUILD, LATER)
    assert await left_at(database) == LATER


async def test_a_server_with_conversations_alone_is_remembered_too(database: Database) -> None:
    guilds = EraseGuilds(database)
    await asked(database, request())
    assert await guilds.known() == (GUILD,)
    assert await guilds.left(GUILD, NOW)
    assert await left_at(database) == NOW
    assert await guilds.erase(GUILD, NOW)
    assert not {"requests", "guilds"} & set(await counts(database))


async def test_of_a_server_of_which_nothing_is_stored_nothing_is_remembered(database: Database) -> None:
    guilds = EraseGuilds(database)
    before = await everything(database)
    assert not await guilds.left("elsewhere", NOW)
    assert not await guilds.returned("elsewhere")
    assert await everything(database) == before


async def test_a_server_that_is_there_or_was_left_lately_loses_nothing(database: Database) -> None:
    guilds, there = EraseGuilds(database), Subject("there", NOW)
    await store(database, there)
    assert not await guilds.erase(there.guild_id, LATER)
    await guilds.left(there.guild_id, LATER)
    assert not await guilds.erase(there.guild_id, NOW)
    await guilds.returned(there.guild_id)
    assert not await guilds.erase(there.guild_id, LATER)
    assert await left_of(database, there) == texts_of(there)


async def test_everything_goes_however_much_it_is_and_other_servers_lose_nothing(database: Database) -> None:
    guilds, there = EraseGuilds(database), Subject("there", NOW)
    await store(database, there)
    await enabled(database, installation("gone-trick"), [command(installation_id="gone-trick")])
    await ended(database, call(installation_id="gone-trick"), CallOutcome("succeeded"))
    many = [dataclasses.asdict(request(f"r{n}", status="answered")) for n in range(501)]
    calls = [
        {"guild_id": GUILD, "installation_id": "gone-trick", "at": NOW, "actor_id": "1", "what": "called"}
    ] * 1_203
    await asked(database, request("first"))
    await database.write(lambda connection: connection.execute(insert(request_rows), many))
    await database.write(lambda connection: connection.execute(insert(tables.audit), calls))
    await Threads(database).add("900", "somebody", GUILD, NOW)
    await guilds.left(GUILD, NOW)
    assert await guilds.erase(GUILD, NOW)
    left = await everything(database)
    assert GUILD not in left
    assert "gone-trick" not in left
    assert await left_of(database, there) == texts_of(there)
    assert set(await guilds.known()) == {there.guild_id}


async def test_whoever_returns_after_the_erasure_begins_anew(database: Database) -> None:
    guilds = EraseGuilds(database)
    await enabled(database, installation(), [command()])
    await guilds.left(GUILD, NOW)
    assert await guilds.erase(GUILD, NOW)
    assert not await guilds.returned(GUILD)
    await enabled(database, installation(), [command()])
    assert [row[0] for row in await database.all(select(tables.installations.c.id))] == ["i1"]
    assert await left_at(database) is None
