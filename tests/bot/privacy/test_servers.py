"""Servers that the bot has left, and when everything of them goes."""

import asyncio

from bot.privacy.servers import LeftServers
from storage.engine import Database
from storage.erase_guilds import EraseGuilds
from storage.guilds import Guilds
from tests.support.clock import ShiftedClock
from tests.support.records import GUILD, command, installation
from tests.support.storing import enabled

DAY = 86_400


def servers_of(database: Database, clock: ShiftedClock) -> LeftServers:
    """As a process that has just begun."""
    return LeftServers(EraseGuilds(database), clock)


async def is_there(database: Database) -> bool:
    return await Guilds(database).get(GUILD) is not None


async def installed(database: Database) -> None:
    await enabled(database, installation(), [command()])


async def test_thirty_days_after_the_removal_everything_is_erased_and_not_before(database: Database) -> None:
    clock = ShiftedClock()
    servers = servers_of(database, clock)
    await installed(database)
    await servers.left(GUILD)
    clock.advance(30 * DAY - 1)
    await servers.erase_due()
    assert await is_there(database)
    clock.advance(1)
    await servers.erase_due()
    assert not await is_there(database)


async def test_a_bot_that_returns_in_time_finds_everything(database: Database) -> None:
    clock = ShiftedClock()
    servers = servers_of(database, clock)
    await installed(database)
    await servers.left(GUILD)
    clock.advance(29 * DAY)
    await servers.there(GUILD)
    clock.advance(29 * DAY)
    await servers.erase_due()
    assert await is_there(database)


async def test_a_removal_while_the_process_was_down_is_found_at_its_start(database: Database) -> None:
    clock = ShiftedClock()
    await installed(database)
    await servers_of(database, clock).at_ready(["1"], lambda _: True)
    clock.advance(30 * DAY)
    after_a_restart = servers_of(database, clock)
    await after_a_restart.at_ready(["1"], lambda _: True)
    await after_a_restart.erase_due()
    assert not await is_there(database)


async def test_a_return_while_the_process_was_down_is_found_before_anything_is_erased(
    database: Database,
) -> None:
    clock = ShiftedClock()
    await installed(database)
    await servers_of(database, clock).left(GUILD)
    clock.advance(31 * DAY)
    after_a_restart = servers_of(database, clock)
    await after_a_restart.erase_due()  # the first look comes before Discord's list
    assert await is_there(database)
    await after_a_restart.at_ready([GUILD], lambda _: True)
    await after_a_restart.erase_due()
    assert await is_there(database)
    row = await Guilds(database).get(GUILD)
    assert row is not None
    assert row.left_at is None


async def test_a_server_of_another_process_is_left_to_that(database: Database) -> None:
    clock = ShiftedClock()
    servers = servers_of(database, clock)
    await installed(database)
    await servers.at_ready([], lambda guild_id: guild_id != GUILD)
    row = await Guilds(database).get(GUILD)
    assert row is not None
    assert row.left_at is None
    await EraseGuilds(database).left(GUILD, clock.now_ms())
    clock.advance(31 * DAY)
    await servers.erase_due()
    assert await is_there(database)


async def test_a_server_that_is_told_of_after_the_list_is_there(database: Database) -> None:
    clock = ShiftedClock()
    servers = servers_of(database, clock)
    await installed(database)
    listing = asyncio.create_task(servers.at_ready([], lambda _: True))
    await asyncio.sleep(0)
    await servers.there(GUILD)
    await listing
    await servers.there(GUILD)
    row = await Guilds(database).get(GUILD)
    assert row is not None
    assert row.left_at is None


async def test_what_was_seen_before_a_new_list_counts_no_more(database: Database) -> None:
    clock = ShiftedClock()
    servers = servers_of(database, clock)
    await installed(database)
    await servers.there(GUILD)
    await servers.at_ready([], lambda _: True)
    row = await Guilds(database).get(GUILD)
    assert row is not None
    assert row.left_at is not None
