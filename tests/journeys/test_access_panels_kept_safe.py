"""The panels of `/tricks access` obey the owner of now, in their own server, and what is there."""

from collections.abc import Sequence

import pytest
import simcord

from tests.journeys.test_two_servers import another_server
from tests.support.access_panel import AccessPanel, rules
from tests.support.journeys import allow_everybody, answer, said, tricks
from tests.support.trick import TrickServer
from tests.support.world import World, text_of


def beside(pressed: simcord.InteractionResult) -> str:
    """What was said beside the panel, privately."""
    assert pressed.followups[-1].ephemeral
    return text_of(pressed.followups[-1])


async def press_everything(world: World, panel: AccessPanel, who: simcord.MemberActor) -> Sequence[str]:
    """Whoever it is presses each button and chooses in each select of a copy of the panel; what they are told."""
    return [
        beside(
            await who.click(panel.message, custom_id=each["custom_id"])
            if each["type"] == 2
            else await who.select(
                panel.message,
                {3: ["owner" if "who" in each["custom_id"] else "save_snack"], 8: [world.channel]}.get(
                    each["type"], [world.guild.default_role]
                ),
                custom_id=each["custom_id"],
            )
        )
        for each in panel.controls
    ]


async def test_a_former_owner_may_no_longer_press_anything(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    await world.install(trick)
    glance, one = (
        await AccessPanel.open(world, trick),
        await AccessPanel.open(world, trick, tool="save_snack"),
    )
    asked = await AccessPanel.open(world, trick, tool="save_snack")
    await glance.choose("channels", world.channel)
    await one.choose("who", "roles")
    await asked.choose("who", "everyone")
    before = await rules(sqlite_url)
    world.env.backend.edit_guild(world.guild.id, {"owner_id": world.member.id})
    for panel in (glance, one, asked):
        for told in await press_everything(world, panel, world.owner):
            assert told == "Only the server's owner can manage tricks."
    assert await rules(sqlite_url) == before


async def test_nobody_but_the_owner_opens_the_panel(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await allow_everybody(world)
    refused = await world.member.slash(world.channel, "tricks access", trick=trick.id)
    assert refused.ephemeral
    assert said(refused) == "Only the server's owner can manage tricks."


async def test_two_servers_share_no_rule_and_no_panel(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    other = another_server(world)
    await world.install(trick)
    await other.install(trick)
    here, there = (
        await AccessPanel.open(world, trick),
        await AccessPanel.open(other, trick, tool="save_snack"),
    )
    backend = world.env.backend
    forged = backend.get_message(other.channel.id, there.message.id)
    forged.components[:] = backend.get_message(world.channel.id, here.message.id).components
    assert "no such trick" in beside(await there.choose("channels", other.channel))
    await (await AccessPanel.open(other, trick, tool="snack_menu")).choose("who", "owner")
    assert sorted(await rules(sqlite_url)) == ['{"audiences":{"snack_menu":{"kind":"owner"}}}', "{}"]
    assert "For everyone**\n`snack_menu`" in (await AccessPanel.open(world, trick)).text


async def test_a_panel_of_a_trick_that_was_removed_says_so(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    panel = await AccessPanel.open(world, trick, tool="save_snack")
    await world.owner.click(answer(await tricks(world, "remove", trick=trick.id)), label="Remove")
    assert "no such trick" in beside(await panel.choose("who", "owner"))
    assert "no such trick" in beside(await panel.press("Back"))


async def test_what_was_deleted_between_the_choice_and_its_arrival_changes_nothing(
    world: World, trick: TrickServer, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.install(trick)
    baker, room = world.guild.create_role("baker"), world.guild.create_text_channel("room")
    channels, roles = (
        await AccessPanel.open(world, trick),
        await AccessPanel.open(world, trick, tool="save_snack"),
    )
    await roles.choose("who", "roles")
    guild = world.bot.get_guild(world.guild.id)
    assert guild is not None
    monkeypatch.setattr(type(guild), "roles", property(lambda _: [guild.default_role]))
    monkeypatch.setattr(type(guild), "channels", property(lambda _: []))
    await channels.choose("channels", room)
    await roles.choose("roles", baker)
    for panel in (channels, roles):
        assert "deleted meanwhile" in panel.text
    assert await rules(sqlite_url) == ["{}"]
