"""`/tricks events`: the owner sees and decides what is sent to a trick, and where its answers are posted."""

import discord
import pytest

from bot.app import Kennel
from tests.support.journeys import (
    allow_everybody,
    another_server,
    answer,
    labels,
    said,
    tricks,
)
from tests.support.trick import TrickServer
from tests.support.world import World


async def test_the_panel_says_what_is_sent_and_that_nothing_is_posted_without_a_channel(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    shown = await tricks(world, "events", trick=trick.id)
    assert "joins or leaves" in said(shown)
    assert "Sending: **on**" in said(shown)
    assert "**nowhere**" in said(shown)
    assert labels(answer(shown)) == ["Stop sending events"]


async def test_only_what_the_trick_asks_for_is_named(world: World, trick: TrickServer) -> None:
    trick.events = ["member.joined"]
    await world.install(trick)
    shown = said(await tricks(world, "events", trick=trick.id))
    assert "joins" in shown
    assert "leaves" not in shown


async def test_a_trick_without_events_has_nothing_to_choose(world: World, trick: TrickServer) -> None:
    trick.events = []
    await world.install(trick)
    for options in ({}, {"channel": world.channel}):
        shown = await tricks(world, "events", trick=trick.id, **options)
        assert "does not ask to be told" in said(shown)
        assert labels(answer(shown)) == []


async def test_a_channel_is_chosen_shown_and_cleared(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    chosen = await tricks(world, "events", trick=trick.id, channel=world.channel)
    assert f"<#{world.channel.id}>" in said(chosen)
    shown = await tricks(world, "events", trick=trick.id)
    assert f"<#{world.channel.id}>" in said(shown)
    assert labels(answer(shown)) == ["Clear", "Stop sending events"]
    cleared = await world.owner.click(answer(shown), label="Clear")
    assert "**nowhere**" in said(cleared)
    assert "Sending: **on**" in said(cleared)
    assert "**nowhere**" in said(await tricks(world, "events", trick=trick.id))


async def test_sending_stops_and_starts_and_choosing_a_channel_starts_it_too(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    panel = answer(await tricks(world, "events", trick=trick.id))
    stopped = await world.owner.click(panel, label="Stop sending events")
    assert "Sending: **off**" in said(stopped)
    assert labels(answer(stopped)) == ["Start"]
    assert "Sending: **on**" in said(await world.owner.click(answer(stopped), label="Start"))
    panel = answer(await tricks(world, "events", trick=trick.id))
    await world.owner.click(panel, label="Stop sending events")
    chosen = await tricks(world, "events", trick=trick.id, channel=world.channel)
    assert "Sending: **on**" in said(chosen)


async def test_before_a_trick_is_enabled_the_panel_says_that_nothing_is_sent_yet(
    world: World, trick: TrickServer
) -> None:
    await world.register(trick)
    assert "once the trick is enabled" in said(await tricks(world, "events", trick=trick.id))


async def test_an_announcement_channel_may_be_chosen(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    news = world.guild.create_text_channel("news")
    world.env.backend.get_channel(news.id).type = discord.ChannelType.news.value
    assert f"<#{news.id}>" in said(await tricks(world, "events", trick=trick.id, channel=news))


@pytest.mark.parametrize(
    ("lacking", "named"), [("view_channel", "View Channel"), ("send_messages", "Send Messages")]
)
async def test_a_channel_where_the_bot_cannot_post_is_not_chosen_and_the_permission_is_named(
    world: World, trick: TrickServer, lacking: str, named: str
) -> None:
    await world.install(trick)
    assert world.guild.me is not None
    overwrite = discord.PermissionOverwrite(**{lacking: False})
    closed = world.guild.create_text_channel("closed", overwrites={world.guild.me: overwrite})
    assert f"**{named}**" in said(await tricks(world, "events", trick=trick.id, channel=closed))
    assert "**nowhere**" in said(await tricks(world, "events", trick=trick.id))


async def test_a_trick_that_is_not_there_is_named_as_such(world: World, trick: TrickServer) -> None:
    assert "no such trick" in said(await tricks(world, "events", trick="nothing"))
    await world.install(trick)
    panel = answer(await tricks(world, "events", trick=trick.id))
    asked = answer(await tricks(world, "remove", trick=trick.id))
    await world.owner.click(asked, label="Remove")
    pressed = await world.owner.click(panel, label="Stop sending events")
    assert "no such trick" in said(pressed)


async def test_nobody_but_the_owner_sees_or_changes_anything(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await allow_everybody(world)
    refusal = "Only the server's owner can manage tricks."
    for options in ({}, {"channel": world.channel}):
        shown = await world.member.slash(world.channel, "tricks events", trick=trick.id, **options)
        assert shown.ephemeral
        assert said(shown) == refusal
    panel = answer(await tricks(world, "events", trick=trick.id))
    world.env.backend.edit_guild(world.guild.id, {"owner_id": world.member.id})
    assert refusal in said(await world.owner.click(panel, label="Stop sending events"))
    shown = await world.member.slash(world.channel, "tricks events", trick=trick.id)
    assert "Sending: **on**" in said(shown)
    assert "**nowhere**" in said(shown)


async def test_the_panel_works_after_a_restart(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    panel = answer(await tricks(world, "events", trick=trick.id))
    await world.env.restart_bot(Kennel(world.services, shard_count=1))
    assert "Sending: **off**" in said(await world.owner.click(panel, label="Stop sending events"))


async def test_a_panel_of_one_server_changes_nothing_in_another(world: World, trick: TrickServer) -> None:
    other = another_server(world)
    await world.install(trick)
    await other.install(trick)
    here = answer(await tricks(world, "events", trick=trick.id))
    there = answer(await tricks(other, "events", trick=trick.id))
    backend = world.env.backend
    backend.get_message(other.channel.id, there.id).components[:] = backend.get_message(
        world.channel.id, here.id
    ).components
    assert "no such trick" in said(await other.owner.click(there, label="Stop sending events"))
    for each in (world, other):
        assert "Sending: **on**" in said(await tricks(each, "events", trick=trick.id))


async def test_the_name_of_a_trick_is_text_and_no_markdown(world: World, trick: TrickServer) -> None:
    trick.manifest_changes["name"] = "**[Snacks](https://evil.example)** @everyone"
    await world.install(trick)
    assert "](" not in said(await tricks(world, "events", trick=trick.id)).partition("\n")[2]
