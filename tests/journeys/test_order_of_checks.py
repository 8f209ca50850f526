"""Before a command runs: trick enabled, command there, tool as pinned, access, arguments, limits, in this order."""

from typing import Any

import discord
import simcord
from sqlalchemy import update

from storage.tables import installations
from tests.support.journeys import answer, database_of, replies, said, tricks, typed
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_answers import status
from tests.support.trick_tools import ToolSpec, default_commands
from tests.support.world import World, config_for, open_world


async def many(world: World, member: simcord.MemberActor, content: str, times: int) -> list[str]:
    """The same message `times` times at once; gives the replies."""
    before = len(replies(world))
    for _ in range(times):
        world.env.backend.create_message(world.channel.id, member.id, content)
    await world.env.settle()
    return replies(world)[before:]


def manager(world: World, **rights: bool) -> simcord.MemberActor:
    """A member with these permissions."""
    role = world.guild.create_role("role", permissions=discord.Permissions(**rights))
    return world.guild.add_member(world.env.create_user("max"), roles=[role])


async def stale(world: World, name: str) -> simcord.InteractionResult:
    """The member uses a command that their client still shows, although Discord was told that it is gone."""
    command: dict[str, Any] = {"id": "1", "name": name, "type": 1, "guild_id": str(world.guild.id)}
    send = world.member._dispatch_interaction  # pyright: ignore[reportPrivateUsage]
    return await send(2, world.channel, command)


async def hold_back(world: World, trick: TrickServer) -> None:
    """The trick changes its tools, and the owner tests it."""
    trick.change_live("snack_menu", description="Something else.")
    trick.change_live("save_snack", description="Something else.")
    await tricks(world, "test", trick=trick.id)


async def test_read_tools_are_for_everyone_and_write_tools_for_those_who_manage_the_server(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    able = [world.owner, manager(world, manage_guild=True), manager(world, administrator=True)]
    unable = [world.member, manager(world, manage_channels=True, manage_roles=True, ban_members=True)]
    for each in [*able, *unable]:
        assert "popcorn" in await typed(world, "^snacks", each)
    for each in able:
        assert "Saved: fruit." in await typed(world, "^save fruit", each)
        assert "Saved: fruit." in said(await each.slash(world.channel, "save", snack="fruit"))
    for each in unable:
        refusal = "You cannot use this here: it is for members who may manage the server."
        assert await typed(world, "^save fruit", each) == refusal
        assert said(await each.slash(world.channel, "save", snack="fruit")) == refusal
    assert sum(trick.effects.values()) == 6


async def test_a_role_that_was_taken_away_counts_no_more(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    able = manager(world, manage_guild=True)
    assert "Saved" in await typed(world, "^save fruit", able)
    role = world.guild.roles["role"]
    world.env.backend.remove_member_role(world.guild.id, able.id, role.id)
    assert "manage the server" in await typed(world, "^save fruit", able)


async def test_each_check_has_its_sentence_and_its_place(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    able = manager(world, manage_guild=True)
    await many(world, able, "^save fruit", 20)
    assert "Try again in" in await typed(world, "^save fruit", able)
    assert "Usage:" in await typed(world, "^save gravel", able)
    assert "manage the server" in await typed(world, "^save gravel")
    await hold_back(world, trick)
    assert "is held back" in await typed(world, "^save gravel")
    assert "is held back" in await typed(world, "^save fruit", able)
    trick.on("tools/call", status(500))
    trick.live_tools = list(trick.tools)
    await tricks(world, "test", trick=trick.id)
    await many(world, world.member, "^snacks", 5)
    await hold_back(world, trick)
    assert "is paused" in await typed(world, "^save gravel")
    await tricks(world, "disable", trick=trick.id)
    assert "is turned off here" in said(await stale(world, "save"))
    await world.owner.click(answer(await tricks(world, "remove", trick=trick.id)), label="Remove")
    sent = await stale(world, "save")
    assert "is not here any more" in said(sent)
    assert sent.ephemeral


async def test_a_trick_may_be_kept_to_channels_and_their_threads(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    await world.install(trick)
    room = world.guild.create_text_channel("snacks-only")
    async with database_of(sqlite_url) as database:
        access = f'{{"channels": ["{room.id}"]}}'
        await database.write(
            lambda connection: connection.execute(update(installations).values(access=access))
        )
    refused = await typed(world, "^snacks")
    assert f"<#{room.id}>" in refused
    assert "popcorn" in said(await world.member.slash(room, "snacks"))
    thread = world.env.backend.create_thread(room.id, "talk", world.member.id)
    inside = simcord.builders.ChannelHandle(world.env, world.guild, thread)
    assert "popcorn" in said(await world.member.slash(inside, "snacks"))
    assert "popcorn" in await typed(world, "^snacks", world.owner)


async def test_a_tool_is_called_twenty_times_a_minute(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    answers = await many(world, world.member, "^snacks", 23)
    assert sum("popcorn" in each for each in answers) == 20
    refused = [each for each in answers if "popcorn" not in each]
    assert len(refused) == 3
    assert all("Try again in 60 s" in each for each in refused)
    assert trick.count("tools/call") == 20
    world.clock.advance(30)
    assert "Try again in 30 s" in said(await world.member.slash(world.channel, "snacks"))
    world.clock.advance(30)
    assert "popcorn" in said(await world.member.slash(world.channel, "snacks"))


async def read_tools(make_trick: MakeTrick) -> TrickServer:
    """A trick with five read tools, each behind its command."""
    tools = [ToolSpec(f"look_{n}", f"Look {n}", read_only=True) for n in range(5)]
    commands = [{"name": f"look{n}", "description": "Look", "tool": f"look_{n}"} for n in range(5)]
    return await make_trick(id="looks", tools=tools, commands=commands)


async def test_a_member_calls_thirty_times_a_minute_and_a_trick_is_called_sixty_times(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    trick = await read_tools(make_trick)
    async with open_world(config_for(sqlite_url, trick)) as world:
        await world.install(trick)
        others = [world.guild.add_member(world.env.create_user(f"m{n}")) for n in range(3)]
        done = [
            *await many(world, world.member, "^look0", 15),
            *await many(world, world.member, "^look1", 15),
        ]
        assert done == ["done\ntrue"] * 30
        assert "Try again" in await typed(world, "^look2")
        for other, name in zip(others, ("look2", "look3", "look4"), strict=True):
            await many(world, other, f"^{name}", 10)
        assert trick.count("tools/call") == 60
        assert "Try again" in await typed(world, "^look0", world.owner)
        world.clock.advance(61)
        trick.clock = world.clock
        assert "Try again" not in await typed(world, "^look0", world.owner)


async def test_what_is_refused_uses_nothing_up(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await many(world, world.member, "^save fruit", 40)
    await many(world, world.owner, "^save gravel", 40)
    assert "Saved" in await typed(world, "^save fruit", world.owner)
    assert "popcorn" in await typed(world, "^snacks")


async def test_a_command_that_only_one_surface_has_is_not_there_on_the_other(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    commands: list[dict[str, Any]] = [
        {**default_commands()[0], "surfaces": ["prefix"]},
        {"name": "menu", "description": "See them", "tool": "snack_menu", "surfaces": ["slash"]},
    ]
    trick = await make_trick(commands=commands)
    async with open_world(config_for(sqlite_url, trick)) as world:
        await world.install(trick)
        assert "popcorn" in await typed(world, "^snacks")
        assert await typed(world, "^menu") == ""
        assert "popcorn" in said(await world.member.slash(world.channel, "menu"))
        assert "snacks" not in world.member.available_commands(world.channel)
