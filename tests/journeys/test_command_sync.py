"""Discord's commands follow what is enabled: one write for a server, only when something differs, never in vain."""

from typing import Any

import simcord
from simcord.backend.errors import BackendError

from bot.app import Kennel
from bot.clock import Clock
from bot.tricks.lifecycle import AsksFirst
from tests.support.clock import ShiftedClock
from tests.support.discord_limits import refusals
from tests.support.journeys import let_pass, replies, said, tricks, typed, writes
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_answers import status
from tests.support.world import World, config_for, open_world, text_of

DAY = 86_400
COMMANDS_PATH = "/applications/*/guilds/*/commands"


class Unhurried(ShiftedClock):
    """Sleeps as long as it is told to, in the simulated time."""

    async def sleep(self, seconds: float) -> None:
        await Clock.sleep(self, seconds)


def named(prefix: str, count: int) -> list[dict[str, Any]]:
    """Commands `<prefix>0`, `<prefix>1` …"""
    return [{"name": f"{prefix}{n}", "description": "Do it", "tool": "snack_menu"} for n in range(count)]


def discord_dislikes(world: World, *bad: str) -> None:
    """From now on the simulated Discord refuses a list with one of these names, as the real one would."""
    backend = world.env.backend
    register = backend.register_commands

    def judge(guild_id: int | None, payloads: list[dict[str, Any]]) -> list[dict[str, Any]]:
        problem = {
            "_errors": [{"code": "APPLICATION_COMMAND_INVALID_NAME", "message": "Command name is invalid"}]
        }
        errors: dict[str, Any] = {
            str(index): {"name": problem} for index, each in enumerate(payloads) if each["name"] in bad
        }
        if errors and guild_id is not None:
            raise BackendError(400, 50035, "Invalid Form Body", errors=errors)
        return register(guild_id, payloads)

    backend.register_commands = judge  # pyright: ignore[reportAttributeAccessIssue]


async def in_many_servers(world: World, trick: TrickServer, count: int) -> list[simcord.GuildHandle]:
    """The trick enabled in `count` servers more, without the panels."""
    services = world.services
    made: list[simcord.GuildHandle] = []

    async def silent(*_: Any) -> None:
        return None

    for n in range(count):
        guild = world.env.create_guild(f"Server {n}")
        owner = str(guild.owner.id)
        preview = await services.registration.preview(str(guild.id), owner, trick.manifest_url)
        registered = await services.registration.confirm(preview.draft_id, str(guild.id), owner)
        trick.trust(*trick.secrets, registered.secret_text)
        asked = await services.lifecycle.enable(str(guild.id), trick.id, owner, silent)
        assert isinstance(asked, AsksFirst)
        await services.lifecycle.confirm_enable(asked.draft_id, str(guild.id), owner)
        made.append(guild)
    return made


def puts(world: World) -> int:
    """How many lists of commands were written for servers so far."""
    return sum(
        request.method == "PUT" and "/guilds/" in request.path and request.path.endswith("/commands")
        for request in world.env.http_requests
    )


async def test_several_changes_at_once_are_one_write(sqlite_url: str, make_trick: MakeTrick) -> None:
    first, second = await make_trick(), await make_trick(id="second", commands=named("b", 2))
    world_config = config_for(sqlite_url, first, second)
    async with open_world(world_config, Unhurried(), settle_timeout=1.0) as world:
        for trick in (first, second):
            await world.install(trick)
        await tricks(world, "disable", trick=first.id)
        await tricks(world, "enable", trick=first.id)
        assert writes(world) == []
        await world.env.advance_time(2)
        assert writes(world) == [["b0", "b1", "save", "snacks"]]
        await world.env.advance_time(6)
        assert len(writes(world)) == 1


async def test_what_is_written_is_what_discord_takes(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    put = next(each for each in world.env.http_requests if each.method == "PUT" and "/guilds/" in each.path)
    assert put.json is not None
    assert refusals(put.json) == []
    assert put.json[0]["options"][0]["choices"] == [
        {"name": snack, "value": snack} for snack in ("popcorn", "fruit", "pretzels")
    ]


async def test_nothing_is_written_when_nothing_differs(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await tricks(world, "enable", trick=trick.id)
    await tricks(world, "test", trick=trick.id)
    await world.owner.slash(world.channel, "prefix", value="!")
    await let_pass(world, 10)
    assert len(writes(world)) == 1


async def test_a_change_there_and_back_again_writes_twice_and_not_more(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    for _ in range(2):
        await tricks(world, "disable", trick=trick.id)
        await tricks(world, "enable", trick=trick.id)
        await let_pass(world, 6)
    assert writes(world) == [["save", "snacks"], [], ["save", "snacks"], [], ["save", "snacks"]]


async def test_a_restart_with_thirty_servers_writes_nothing_and_the_built_in_commands_are_written_once(
    world: World, trick: TrickServer
) -> None:
    guilds = await in_many_servers(world, trick, 30)
    await let_pass(world, 4)
    assert puts(world) == 30
    assert all(writes(world, guild) == [["save", "snacks"]] for guild in guilds)
    await world.env.restart_bot(Kennel(world.services, shard_count=1))
    await let_pass(world, 4)
    assert puts(world) == 30
    path = f"/applications/{world.bot.application_id}/commands"
    assert sum(each.method == "PUT" and each.path == path for each in world.env.http_requests) == 1


async def test_one_bad_command_costs_itself_alone(sqlite_url: str, make_trick: MakeTrick) -> None:
    trick = await make_trick(commands=named("a", 5))
    async with open_world(config_for(sqlite_url, trick)) as world:
        discord_dislikes(world, "a1", "a3")
        await world.install(trick)
        assert writes(world) == [["a0", "a1", "a2", "a3", "a4"], ["a0", "a2", "a4"]]
        assert "popcorn" in said(await world.member.slash(world.channel, "a2"))
        assert "popcorn" in await typed(world, "^a1")
        listed = said(await tricks(world, "list"))
        assert "`/a1`, `/a3`" in listed
        notices = [text_of(each) for each in world.guild.owner.dm_channel.history()]
        assert len(notices) == 1
        assert "`/a1`, `/a3`" in notices[0]
        await let_pass(world, 10)
        assert len(writes(world)) == 2


async def test_a_list_of_bad_commands_alone_is_not_tried_for_ever(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    trick = await make_trick(commands=named("a", 2))
    async with open_world(config_for(sqlite_url, trick)) as world:
        discord_dislikes(world, "a0", "a1")
        await world.install(trick)
        await let_pass(world, 10)
        assert writes(world) == [["a0", "a1"], []]
        assert "`/a0`, `/a1`" in said(await tricks(world, "list"))


async def test_a_refusal_that_names_no_command_waits_for_another_day(
    world: World, trick: TrickServer
) -> None:
    world.env.inject_error("PUT", COMMANDS_PATH, status=400, code=50035, message="Invalid Form Body", times=1)
    await world.install(trick)
    await let_pass(world, 10)
    assert len(writes(world)) == 1
    assert "refused the commands" in said(await tricks(world, "list"))
    assert "popcorn" in await typed(world, "^snacks")
    world.clock.advance(DAY)
    await let_pass(world, 4)
    assert writes(world)[1:] == [["save", "snacks"]]
    assert "refused" not in said(await tricks(world, "list"))


async def test_discord_being_down_is_tried_again_without_a_word(world: World, trick: TrickServer) -> None:
    world.env.inject_error("PUT", COMMANDS_PATH, status=503, times=2)
    await world.install(trick)
    await let_pass(world, 10)
    assert len(writes(world)) == 3
    assert world.guild.owner.dm_channel.history() == []
    assert "⚠️" not in said(await tricks(world, "list"))


async def test_without_the_right_to_add_commands_the_owner_gets_a_link_and_an_invitation_tries_again(
    world: World, trick: TrickServer
) -> None:
    world.env.inject_error("PUT", COMMANDS_PATH, status=403, code=50001, message="Missing Access", times=None)
    await world.install(trick)
    await let_pass(world, 10)
    assert len(writes(world)) == 1
    listed = said(await tricks(world, "list"))
    for told in (text_of(world.guild.owner.dm_channel.history()[0]), listed):
        assert "Invite it again: https://discord.com/" in told
        assert "applications.commands" in told
        assert str(world.guild.id) in told
    assert len(world.guild.owner.dm_channel.history()) == 1
    world.env.backend.faults.clear()
    await leave_and_come_back(world)
    assert writes(world)[1:] == [["save", "snacks"]]
    assert "Invite" not in said(await tricks(world, "list"))


async def leave_and_come_back(world: World) -> None:
    """The bot is kicked and invited anew; Discord forgets its commands of that server."""
    invited = next(data for _, name, data in reversed(world.env.backend.transcript) if name == "GUILD_CREATE")
    world.env.backend.emit("GUILD_DELETE", {"id": str(world.guild.id)})
    world.env.backend.emit("GUILD_CREATE", {k: v for k, v in invited.items() if k != "unavailable"})
    await world.env.settle()


async def test_an_invitation_anew_brings_back_what_discord_has_forgotten(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    await leave_and_come_back(world)
    assert writes(world) == [["save", "snacks"], ["save", "snacks"]]


async def test_a_server_that_has_just_invited_the_bot_is_written_nothing(world: World) -> None:
    world.env.create_guild("New")
    await let_pass(world, 10)
    assert puts(world) == 0


async def test_more_new_commands_than_discord_allows_a_day_follow_the_next_day(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    trick = await make_trick(commands=named("a", 95))
    async with open_world(config_for(sqlite_url, trick)) as world:
        trick.clock = world.clock
        await world.install(trick)
        await tricks(world, "disable", trick=trick.id)
        await tricks(world, "enable", trick=trick.id)
        await let_pass(world, 10)
        assert [len(each) for each in writes(world)] == [95, 0]
        assert "tomorrow" in said(await tricks(world, "list"))
        assert len(world.guild.owner.dm_channel.history()) == 1
        assert "popcorn" in await typed(world, "^a0")
        world.clock.advance(DAY)
        await let_pass(world, 4)
        assert [len(each) for each in writes(world)] == [95, 0, 95]
        assert "tomorrow" not in said(await tricks(world, "list"))


async def test_discords_own_limit_of_a_day_parks_too(world: World, trick: TrickServer) -> None:
    world.env.inject_error(
        "PUT", COMMANDS_PATH, status=400, code=30034, message="Max number of daily creates"
    )
    await world.install(trick)
    await let_pass(world, 10)
    assert len(writes(world)) == 1
    assert "tomorrow" in said(await tricks(world, "list"))
    world.clock.advance(DAY)
    await let_pass(world, 4)
    assert len(writes(world)) == 2


async def test_paused_keeps_the_commands_and_the_last_removal_writes_an_empty_list(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    trick.on("tools/call", status(500))
    for _ in range(5):
        await typed(world, "^snacks")
    await let_pass(world, 6)
    assert len(writes(world)) == 1
    asked = await tricks(world, "remove", trick=trick.id)
    assert asked.response is not None
    await world.owner.click(asked.response, label="Remove")
    assert writes(world)[1:] == [[]]
    assert replies(world)[-1] != ""
