"""When and where the answer to an event is posted: screening, members who left, channels that are lost."""

import asyncio

import discord
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from bot.app import Kennel
from tests.support.joining import (
    choose_channel,
    join,
    join_screened,
    later,
    leave,
    pass_screening,
    posts,
    tick,
    told,
    welcomes,
    welcomes_joins,
)
from tests.support.journeys import answer, said, tricks
from tests.support.trick import Answer, TrickServer
from tests.support.trick_requests import Received
from tests.support.world import World, text_of

HOUR = 3_600
DAY = 24 * HOUR


def forbid(world: World, **rights: bool | None) -> None:
    """Set the bot's rights in the channel."""
    allow, deny = discord.PermissionOverwrite(**rights).pair()
    overwrite = Overwrite(world.env.backend.bot_user.id, OverwriteType.MEMBER, allow.value, deny.value)
    world.env.backend.set_overwrite(world.channel.id, overwrite)


async def welcomed(world: World, trick: TrickServer) -> None:
    """The trick welcomes whoever joins, in the world's channel."""
    await world.install(trick)
    await choose_channel(world, trick, world.channel)
    trick.on("events", welcomes_joins())


async def test_a_member_is_welcomed_once_they_have_passed_the_screening(
    world: World, trick: TrickServer
) -> None:
    await welcomed(world, trick)
    nina = await join_screened(world)
    assert told(trick) == [("member.joined", str(nina.id))]
    assert posts(world) == []
    await pass_screening(world, nina)
    assert len(posts(world)) == 1
    await later(world, 2 * DAY)
    assert len(posts(world)) == 1


async def test_a_screening_that_was_passed_while_nobody_listened_is_noticed_within_the_hour(
    world: World, trick: TrickServer
) -> None:
    await welcomed(world, trick)
    nina = await join_screened(world)
    world.env.backend.get_member(world.guild.id, nina.id).pending = False
    await later(world, HOUR)
    assert len(posts(world)) == 1


async def test_a_member_who_leaves_during_the_screening_is_not_welcomed(
    world: World, trick: TrickServer
) -> None:
    await welcomed(world, trick)
    nina = await join_screened(world)
    await leave(world, nina)
    await later(world, DAY)
    assert [kind for kind, _ in told(trick)] == ["member.joined", "member.left"]
    assert posts(world) == []


async def test_a_member_who_left_before_the_trick_answered_is_not_welcomed(
    world: World, trick: TrickServer
) -> None:
    await welcomed(world, trick)
    welcome, left = welcomes_joins(), asyncio.Event()

    async def slow(trick: TrickServer, received: Received) -> Answer:
        await left.wait()
        return await welcome(trick, received)

    trick.on("events", slow)
    nina = world.guild.add_member(world.env.create_user("nina"))
    await trick.next("events")
    world.guild.remove_member(nina)
    left.set()
    await later(world, HOUR)
    await later(world, DAY)
    assert [kind for kind, _ in told(trick)] == ["member.joined", "member.left"]
    assert posts(world) == []


async def test_other_changes_of_a_member_who_waits_are_no_reason_to_post(
    world: World, trick: TrickServer
) -> None:
    await welcomed(world, trick)
    nina = await join_screened(world)
    world.env.backend.announce_member_update(world.guild.id, nina.id)
    world.env.backend.announce_member_update(world.guild.id, world.member.id)
    await tick(world)
    assert posts(world) == []


async def test_a_lost_channel_stops_the_posts_and_the_owner_is_told_once(
    world: World, trick: TrickServer
) -> None:
    await welcomed(world, trick)
    forbid(world, send_messages=False)
    await join(world)
    await join(world, "nora")
    assert len(told(trick)) == 2
    assert posts(world) == []
    assert len(world.guild.owner.dm_channel.history()) == 1
    shown = said(await tricks(world, "events", trick=trick.id))
    assert "Posting stopped" in shown
    assert "**Send Messages**" in shown
    assert "wait to be posted: 2" in shown


async def test_choosing_the_channel_again_posts_what_waited(world: World, trick: TrickServer) -> None:
    await welcomed(world, trick)
    forbid(world, send_messages=False)
    await join(world)
    await join(world, "nora")
    forbid(world, send_messages=True)
    await choose_channel(world, trick, world.channel)
    await tick(world)
    await tick(world)
    assert len(posts(world)) == 2
    assert "Posting stopped" not in said(await tricks(world, "events", trick=trick.id))


async def test_a_channel_that_is_back_is_noticed_within_the_hour(world: World, trick: TrickServer) -> None:
    await welcomed(world, trick)
    forbid(world, send_messages=False)
    await join(world)
    forbid(world, send_messages=True)
    await later(world, HOUR + 60)
    await tick(world)
    assert len(posts(world)) == 1
    assert "Posting stopped" not in said(await tricks(world, "events", trick=trick.id))


async def test_a_welcome_that_waited_for_a_day_is_not_posted(world: World, trick: TrickServer) -> None:
    await welcomed(world, trick)
    forbid(world, send_messages=False)
    await join(world)
    await later(world, DAY + HOUR)
    forbid(world, send_messages=True)
    await choose_channel(world, trick, world.channel)
    await later(world, DAY)
    assert posts(world) == []


async def test_a_deleted_channel_is_a_lost_one(world: World, trick: TrickServer) -> None:
    lobby = world.guild.create_text_channel("lobby")
    await world.install(trick)
    await choose_channel(world, trick, lobby)
    trick.on("events", welcomes())
    world.env.backend.delete_channel(lobby.id)
    await join(world)
    assert len(told(trick)) == 1
    assert "Posting stopped" in said(await tricks(world, "events", trick=trick.id))


async def test_what_waits_is_not_posted_once_the_owner_cleared_the_channel(
    world: World, trick: TrickServer
) -> None:
    await welcomed(world, trick)
    nina = await join_screened(world)
    panel = answer(await tricks(world, "events", trick=trick.id))
    await world.owner.click(panel, label="Clear")
    await pass_screening(world, nina)
    await later(world, DAY)
    assert posts(world) == []


async def test_a_restart_neither_loses_a_post_nor_makes_a_second(world: World, trick: TrickServer) -> None:
    await welcomed(world, trick)
    await join(world)
    nina = await join_screened(world, "nora")
    assert len(posts(world)) == 1
    await world.env.restart_bot(Kennel(world.services, shard_count=1))
    await pass_screening(world, nina)
    await later(world, DAY)
    assert ["Welcome" in text_of(post) for post in posts(world)] == [True, True]
    pressed = await nina.click(posts(world)[1], label="See the snacks")
    assert "popcorn" in said(pressed)


async def test_discord_that_does_not_answer_delays_a_post_and_loses_none(
    world: World, trick: TrickServer
) -> None:
    await welcomed(world, trick)
    world.env.inject_error("GET", "/guilds/*/members/*", status=503, times=2)
    await join(world)
    for _ in range(3):
        await later(world, 60)
    await later(world, HOUR)
    assert len(posts(world)) == 1


async def test_a_message_that_discord_refuses_is_given_up_and_the_channel_stays(
    world: World, trick: TrickServer
) -> None:
    await welcomed(world, trick)
    world.env.inject_error("POST", "/channels/*/messages", status=400, code=50035)
    await join(world)
    await join(world, "nora")
    await later(world, HOUR)
    assert len(posts(world)) == 1
    assert "Posting stopped" not in said(await tricks(world, "events", trick=trick.id))
