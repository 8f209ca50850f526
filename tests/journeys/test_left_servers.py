"""Servers that the bot leaves: their data goes after thirty days, unless the bot comes back."""

from typing import Any

from bot.app import Kennel
from tests.support.journeys import another_server, rows_of, typed
from tests.support.trick import TrickServer
from tests.support.world import World

DAY = 86_400


async def two_servers(world: World, trick: TrickServer) -> World:
    """The same trick in a second server; gives that one."""
    other = another_server(world)
    await world.install(trick)
    first = trick.secrets
    await other.install(trick)
    trick.trust(*first, *trick.secrets)
    for here in (world, other):
        assert "popcorn" in await typed(here, "^snacks")
    return other


async def gateway(world: World, event: str, payload: dict[str, Any]) -> None:
    """Discord says something about a server."""
    world.env.backend.emit(event, payload)
    await world.env.settle()


async def guild_ids(url: str) -> dict[str, set[str]]:
    """The servers that each table names."""
    rows = await rows_of(url)
    return {name: {row["guild_id"] for row in of if "guild_id" in row} for name, of in rows.items() if of}


async def test_thirty_days_after_the_removal_nothing_of_the_server_is_left(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    other = await two_servers(world, trick)
    here, gone = str(world.guild.id), str(other.guild.id)
    await gateway(world, "GUILD_DELETE", {"id": gone})
    world.clock.advance(30 * DAY - 1)
    await world.services.privacy.servers.erase_due()
    assert gone in (await guild_ids(sqlite_url))["audit"]
    world.clock.advance(1)
    await world.services.privacy.servers.erase_due()
    named = await guild_ids(sqlite_url)
    assert {here} == set().union(*named.values())
    assert "popcorn" in await typed(world, "^snacks")


async def test_an_outage_is_no_removal(world: World, trick: TrickServer, sqlite_url: str) -> None:
    await world.install(trick)
    await gateway(world, "GUILD_DELETE", {"id": str(world.guild.id), "unavailable": True})
    world.clock.advance(31 * DAY)
    await world.services.privacy.servers.erase_due()
    (guild,) = (await rows_of(sqlite_url))["guilds"]
    assert guild["left_at"] is None


async def test_a_return_in_time_keeps_everything(world: World, trick: TrickServer, sqlite_url: str) -> None:
    other = await two_servers(world, trick)
    gone = str(other.guild.id)
    created = next(
        data
        for _, name, data in reversed(world.env.backend.transcript)
        if name == "GUILD_CREATE" and data["id"] == gone
    )
    await gateway(world, "GUILD_DELETE", {"id": gone})
    world.clock.advance(29 * DAY)
    await gateway(world, "GUILD_CREATE", created)
    world.clock.advance(29 * DAY)
    await world.services.privacy.servers.erase_due()
    assert gone in (await guild_ids(sqlite_url))["installations"]
    assert {row["left_at"] for row in (await rows_of(sqlite_url))["guilds"]} == {None}


async def test_a_removal_while_the_process_was_down_is_noticed_at_its_start(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    other = await two_servers(world, trick)
    gone = str(other.guild.id)
    del world.env.backend.guilds[other.guild.id]
    await world.env.restart_bot(Kennel(world.services, shard_count=1))
    left = {row["guild_id"]: row["left_at"] for row in (await rows_of(sqlite_url))["guilds"]}
    assert left[str(world.guild.id)] is None
    assert left[gone] is not None
