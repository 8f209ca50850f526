"""Five failures in a row pause a trick, its owner is told, and enabling it goes on."""

import discord
import pytest

from bot.app import Kennel
from bot.services import open_services
from tests.support.journeys import replies, rows_of, said, tricks, typed, writes
from tests.support.trick import Handler, TrickServer
from tests.support.trick_answers import drip, html, raw, redirect, rpc_error, status, tool_error
from tests.support.world import World, config_for, outside_transport, text_of


async def fail(world: World, trick: TrickServer, times: int) -> list[str]:
    """Let calls fail; gives what the members were told."""
    trick.on("tools/call", status(500))
    return [await typed(world, "^snacks") for _ in range(times)]


def system_channel(world: World, **rights: bool) -> str:
    """Give the server a system channel in which the bot has `rights`; its name."""
    assert world.guild.me is not None
    channel = world.guild.create_text_channel(
        "system", overwrites={world.guild.me: discord.PermissionOverwrite(**rights)}
    )
    world.env.backend.edit_guild(world.guild.id, {"system_channel_id": channel.id})
    return "system"


async def test_five_failures_in_a_row_pause_the_trick_and_its_commands_say_so(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    await world.owner.send(world.channel, "^snacks")
    reply = world.channel.last_message
    assert reply is not None
    told = await fail(world, trick, 5)
    assert all("did not answer as it should" in sentence for sentence in told)
    trick.behave()
    seen = trick.count("tools/call")
    for sentence in (
        said(await world.member.slash(world.channel, "snacks")),
        said(await world.owner.click(reply, label="Save fruit")),
        await typed(world, "^snacks"),
        await typed(world, "^save fruit --wrong=1", world.owner),
    ):
        assert "is paused because it failed several times in a row" in sentence
        assert "/tricks enable" in sentence
    assert trick.count("tools/call") == seen
    assert writes(world) == [["save", "snacks"]]
    assert "paused" in said(await tricks(world, "list"))
    assert "HTTP status 500" in said(await tricks(world, "show", trick=trick.id))


async def test_enabling_resumes_a_paused_trick_and_starts_the_count_anew(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    await fail(world, trick, 5)
    trick.behave()
    assert "is enabled" in said(await tricks(world, "enable", trick=trick.id))
    assert "popcorn" in await typed(world, "^snacks")
    await fail(world, trick, 4)
    trick.behave()
    assert "popcorn" in await typed(world, "^snacks")
    listed = said(await tricks(world, "list"))
    assert "enabled" in listed
    assert "paused" not in listed
    assert "HTTP" not in listed


async def test_a_paused_trick_that_still_fails_its_test_stays_paused(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    await fail(world, trick, 5)
    trick.on("challenge", status(500))
    assert "failed the test" in said(await tricks(world, "enable", trick=trick.id))
    assert "is paused" in await typed(world, "^snacks")


async def test_a_paused_trick_can_be_disabled(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await fail(world, trick, 5)
    assert "is off" in said(await tricks(world, "disable", trick=trick.id))
    assert writes(world)[-1] == []
    assert await typed(world, "^snacks") == ""


async def test_the_row_of_failures_goes_on_in_a_new_process(
    world: World, sqlite_url: str, trick: TrickServer
) -> None:
    await world.install(trick)
    await fail(world, trick, 4)
    config = config_for(sqlite_url, trick)
    async with open_services(config, world.clock, outside_transport(config)) as services:
        await world.env.restart_bot(Kennel(services, shard_count=1))
        assert "did not answer as it should" in await typed(world, "^snacks")
        assert "is paused" in await typed(world, "^snacks")
        assert len(world.guild.owner.dm_channel.history()) == 1
        await world.env.restart_bot(Kennel(world.services, shard_count=1))
    assert "is paused" in await typed(world, "^snacks")


@pytest.mark.parametrize(
    "handler",
    [status(404), status(503), redirect(), html(), raw(b'{"jsonrpc": "2.0"'), rpc_error(-32603), drip()],
    ids=["missing", "unavailable", "redirect", "web page", "half", "error", "drip"],
)
async def test_whatever_the_trick_does_wrong_counts(
    world: World, trick: TrickServer, handler: Handler
) -> None:
    await world.install(trick)
    trick.on("tools/call", handler)
    world.transport.patience = 0.5
    for _ in range(4):
        await typed(world, "^snacks")
    assert "paused" not in said(await tricks(world, "list"))
    await typed(world, "^snacks")
    listed = said(await tricks(world, "list"))
    assert "paused after repeated failures" in listed
    assert "`/tricks enable` tests it and turns it on again" in listed


async def test_what_goes_wrong_at_discord_is_no_failure_of_the_trick(
    world: World, sqlite_url: str, trick: TrickServer
) -> None:
    await world.install(trick)
    await fail(world, trick, 4)
    trick.behave()
    path = f"/channels/{world.channel.id}/messages"
    world.env.inject_error("POST", path, status=403, code=50013)
    await world.member.send(world.channel, "^snacks")
    assert [row["failures"] for row in (await rows_of(sqlite_url))["installations"]] == [0]


async def test_a_trick_that_is_paused_again_is_told_again(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    for times in (1, 2):
        await fail(world, trick, 6)
        assert len(world.guild.owner.dm_channel.history()) == times
        trick.behave()
        assert "is enabled" in said(await tricks(world, "enable", trick=trick.id))
        world.clock.advance(61)


async def test_a_success_in_between_starts_the_count_anew(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    for _ in range(3):
        await fail(world, trick, 4)
        trick.behave()
        assert "popcorn" in await typed(world, "^snacks")
        world.clock.advance(61)


async def test_a_tools_own_error_ends_a_row_and_never_pauses(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await fail(world, trick, 4)
    trick.on("tools/call", tool_error())
    for _ in range(6):
        await typed(world, "^snacks")
    await fail(world, trick, 4)
    trick.behave()
    assert "popcorn" in await typed(world, "^snacks")


async def test_wrong_arguments_and_refusals_are_no_failures(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await fail(world, trick, 4)
    trick.behave()
    for _ in range(3):
        await typed(world, "^save gravel", world.owner)
        await typed(world, "^save fruit")
    assert "popcorn" in await typed(world, "^snacks")


async def test_the_owner_is_told_in_the_system_channel_without_a_ping(
    world: World, trick: TrickServer
) -> None:
    trick.manifest_changes["name"] = "@everyone **[Snacks](https://evil.example)** Club"
    await world.install(trick)
    name = system_channel(world)
    await fail(world, trick, 6)
    notices = replies(world, world.guild.channels[name])
    assert len(notices) == 1
    assert "5 times in a row" in notices[0]
    assert "/tricks enable" in notices[0]
    assert "](" not in notices[0]
    posted = next(
        request.json
        for request in world.env.http_requests
        if request.path == f"/channels/{world.guild.channels[name].id}/messages"
    )
    assert posted is not None
    assert posted["allowed_mentions"] == {"parse": []}


async def test_without_a_system_channel_the_owner_gets_a_direct_message(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    await fail(world, trick, 5)
    assert ["5 times in a row" in text_of(each) for each in world.guild.owner.dm_channel.history()] == [True]


async def test_a_system_channel_that_is_closed_to_the_bot_is_no_way(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    name = system_channel(world, send_messages=False)
    await fail(world, trick, 5)
    assert replies(world, world.guild.channels[name]) == []
    assert len(world.guild.owner.dm_channel.history()) == 1


async def test_an_owner_who_cannot_be_reached_finds_it_in_the_list(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    world.env.inject_error("POST", "/users/@me/channels", status=403, code=50007)
    assert "did not answer" in (await fail(world, trick, 5))[-1]
    assert "HTTP status 500" in said(await tricks(world, "list"))
