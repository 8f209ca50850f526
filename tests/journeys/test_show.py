"""`/tricks show`: one panel that says how a trick stands and what to do, with a button for each command."""

from typing import Any

import pytest
import simcord

from bot.app import Kennel
from tests.support.journeys import answer, labels, let_pass, said, tricks, typed
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_answers import status
from tests.support.turns import set_access
from tests.support.world import World, config_for, open_world, text_of

ALWAYS = ["Access", "Events", "Log", "Refresh", "New secret", "Remove", "Update this panel"]
SHELF = {"key": "shelf", "label": "Which shelf", "type": "text", "required": True}
ROOM = {"key": "room", "label": "Which room", "type": "channel"}


async def panel(world: World, trick: TrickServer) -> Any:
    """The panel as it is now."""
    return answer(await tricks(world, "show", trick=trick.id))


async def press(world: World, shown: Any, label: str) -> simcord.InteractionResult:
    """The owner presses a button of the panel."""
    return await world.owner.click(shown, label=label)


def field(shown: Any, name: str) -> str:
    """One field of the panel, empty where there is none."""
    return next((each.value for each in shown.embeds[0].fields if each.name.startswith(name)), "")


async def test_it_says_what_a_trick_is_how_it_stands_and_what_comes_next(
    world: World, trick: TrickServer
) -> None:
    await world.register(trick)
    shown = await panel(world, trick)
    told = text_of(shown)
    for line in (
        "Snack Club",
        "Read the available snacks, save one.",
        "by Example author",
        "For everyone: `snack_menu`",
        "For members who may manage the server: `save_snack` (write)",
        "`snacks` (/ and ^) See the snacks",
        "nothing is posted, because no channel is chosen",
        "Nothing failed in the last 24 hours.",
        f"Trick id {trick.id}",
    ):
        assert line in told, line
    assert "**Test** then checks the connection, and **Enable** shows its tools" in field(shown, "State")
    assert labels(shown) == ["Test", "Enable", *ALWAYS]


async def test_its_buttons_follow_the_state(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    assert labels(await panel(world, trick)) == ["Test", "Disable", *ALWAYS]
    await tricks(world, "disable", trick=trick.id)
    shown = await panel(world, trick)
    assert labels(shown) == ["Test", "Enable", *ALWAYS]
    assert "**Enable** turns it on again" in field(shown, "State")


async def test_what_a_button_leads_to_stands_beside_the_panel(world: World, trick: TrickServer) -> None:
    await world.register(trick)
    shown = await panel(world, trick)
    before = text_of(shown)
    for label, expected in (
        ("Test", "passed the test"),
        ("Access", "Who may use Snack Club"),
        ("Events", "Events of Snack Club"),
        ("Log", "Log of Snack Club"),
        ("Remove", "Remove Snack Club?"),
    ):
        pressed = await press(world, shown, label)
        assert pressed.ephemeral
        assert expected in said(pressed), label
    assert text_of(shown) == before


async def test_a_trick_is_taken_into_use_with_the_panel_alone(world: World, trick: TrickServer) -> None:
    await world.register(trick)
    shown = await panel(world, trick)
    asked = await press(world, shown, "Enable")
    assert "with these tools?" in said(asked)
    await world.owner.click(answer(asked), label="Enable")
    assert "popcorn" in said(await world.member.slash(world.channel, "snacks"))

    assert "not enabled yet" in field(shown, "State")
    await press(world, shown, "Update this panel")
    assert field(shown, "State") == "Enabled: members can use it."

    assert "is off" in said(await press(world, shown, "Disable"))
    assert "Update this panel" in labels(shown)
    await press(world, shown, "Update this panel")
    assert "Enable" in labels(shown)


async def test_a_new_secret_is_shown_beside_and_the_panel_says_until_when_both_count(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    shown = await panel(world, trick)
    assert "whsec_" in said(await press(world, shown, "New secret"))
    assert "whsec_" not in text_of(shown)
    assert "the old one signs alongside until <t:" in field(await panel(world, trick), "Connection")
    world.clock.advance(601)
    assert "alongside" not in field(await panel(world, trick), "Connection")


async def test_a_paused_trick_says_since_when_why_and_how_it_goes_on(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    trick.on("tools/call", status(500))
    for _ in range(5):
        await typed(world, "^snacks")
    paused_at = world.clock.now_ms() // 1000
    world.clock.advance(60)
    shown = await panel(world, trick)
    state = field(shown, "State")
    assert any(f"Paused <t:{paused_at - late}:R> after five failures in a row" in state for late in (0, 1))
    assert "HTTP status 500" in state
    assert labels(shown)[:3] == ["Test", "Enable", "Disable"]
    assert "5 failures in the last 24 hours; **Log** says which." in field(shown, "Connection")
    assert "HTTP status 500" in said(await press(world, shown, "Log"))
    trick.behave()
    assert "is enabled" in said(await press(world, shown, "Enable"))


async def test_settings_are_shown_with_their_values_and_what_is_missing_is_to_do(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    trick = await make_trick(settings=[SHELF, ROOM])
    async with open_world(config_for(sqlite_url, trick)) as world:
        await world.install(trick)
        shown = await panel(world, trick)
        assert "Fill in **Which shelf** (`/tricks settings`)" in field(shown, "To do")
        assert field(shown, "Settings").split("\n") == ["Which shelf: – (required)", "Which room: –"]
        form = await press(world, shown, "Settings")
        assert form.modal is not None
        await world.owner.submit_modal(form, {"0": "`the` upper", "1": [world.channel]})
        await press(world, shown, "Update this panel")
        assert field(shown, "To do") == ""
        assert f"Which room: <#{world.channel.id}>" in field(shown, "Settings")
        assert "the" in field(shown, "Settings")


async def test_tools_that_are_held_back_are_to_do(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    trick.change_live("snack_menu", description="Something else.")
    shown = await panel(world, trick)
    assert field(shown, "To do") == ""
    await press(world, shown, "Test")
    await press(world, shown, "Update this panel")
    todo = field(shown, "To do")
    assert "held back: `snack_menu`. `/tricks refresh` shows how." in todo
    assert "Something else." in said(await press(world, shown, "Refresh"))


async def test_commands_that_could_not_be_registered_are_to_do(world: World, trick: TrickServer) -> None:
    path = f"/applications/{world.bot.application_id}/guilds/{world.guild.id}/commands"
    world.env.inject_error("PUT", path, status=400, code=30032)
    await world.install(trick)
    await let_pass(world, 3)
    listed = said(await tricks(world, "list"))
    problem = listed.partition("⚠️ ")[2].split("\n")[0]
    assert problem
    assert problem in field(await panel(world, trick), "To do")


async def test_what_is_to_do_also_stands_in_the_list(sqlite_url: str, make_trick: MakeTrick) -> None:
    trick = await make_trick(settings=[SHELF])
    async with open_world(config_for(sqlite_url, trick)) as world:
        await world.install(trick)
        shown = answer(await tricks(world, "events", trick=trick.id))
        await world.owner.click(shown, label="Stop sending events")
        trick.change_live("snack_menu", description="Something else.")
        await tricks(world, "test", trick=trick.id)
        lines = said(await tricks(world, "list")).split("\n")
        assert lines[1] == f"**Snack Club** (`{trick.id}`): enabled."
        assert "Which shelf" in lines[2]
        assert "`snack_menu`" in lines[3]
        assert "events are off" in lines[4]
        assert [line[3:] for line in lines[2:5]] == [
            line[3:] for line in field(await panel(world, trick), "To do").split("\n")
        ]
        assert lines[5:] == ["", "`/tricks show` opens the panel of one of them."]


async def test_who_may_and_where_is_told_at_a_glance(
    world: World, sqlite_url: str, trick: TrickServer
) -> None:
    await world.install(trick)
    rules = {"save_snack": {"kind": "roles", "roles": ["7"]}}
    await set_access(sqlite_url, trick, audiences=rules, channels=[str(world.channel.id)])
    tools = field(await panel(world, trick), "Tools")
    assert "For members with <@&7>: `save_snack` (write)" in tools
    assert f"Only in <#{world.channel.id}>" in tools


async def test_it_works_after_a_restart(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    shown = await panel(world, trick)
    await world.env.restart_bot(Kennel(world.services, shard_count=1))
    assert "passed the test" in said(await press(world, shown, "Test"))
    assert "is off" in said(await press(world, shown, "Disable"))


async def test_a_former_owner_gets_a_private_refusal_for_every_button(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    shown = await panel(world, trick)
    before, seen = text_of(shown), len(trick.requests)
    world.env.backend.edit_guild(world.guild.id, {"owner_id": world.member.id})
    for label in labels(shown):
        pressed = await press(world, shown, label)
        assert pressed.modal is None
        assert answer(pressed).ephemeral
        assert "Only the server's owner" in said(pressed), label
    assert text_of(shown) == before
    assert len(trick.requests) == seen


async def test_a_panel_of_a_removed_trick_says_that_it_is_gone(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    shown = await panel(world, trick)
    asked = answer(await press(world, shown, "Remove"))
    assert "is gone" in said(await world.owner.click(asked, label="Remove"))
    for label in labels(shown):
        assert "no such trick" in said(await press(world, shown, label)), label


@pytest.mark.parametrize("label", ["Enable", "Disable"])
async def test_a_panel_acts_in_its_own_server_alone(world: World, trick: TrickServer, label: str) -> None:
    guild = world.env.create_guild("Elsewhere", owner=world.env.create_user("otto"))
    otto = simcord.MemberActor(world.env, guild, guild.owner)
    there = guild.create_text_channel("general")
    await world.install(trick)
    if label == "Enable":
        await tricks(world, "disable", trick=trick.id)
    secrets = list(trick.secrets)
    shown = answer(await otto.slash(there, "tricks register", manifest_url=trick.manifest_url))
    await otto.click(shown, label="Register")
    trick.trust(*secrets, text_of(shown).split("```")[1].strip())
    await press(world, await panel(world, trick), label)
    theirs = answer(await otto.slash(there, "tricks show", trick=trick.id))
    assert "not enabled yet" in field(theirs, "State")
