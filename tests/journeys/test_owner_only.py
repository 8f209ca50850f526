"""Only the server's owner manages tricks, and each panel is pressed once, in time."""

import pytest
import simcord

from tests.support.journeys import allow_everybody, answer, said, tricks, writes
from tests.support.trick import TrickServer
from tests.support.world import World, text_of

VERBS = [
    *("list", "show", "test", "enable", "disable", "remove"),
    *("settings", "access", "events", "rotate", "refresh", "log"),
]


@pytest.mark.parametrize("verb", VERBS)
async def test_nobody_but_the_owner_gets_more_than_a_private_refusal(
    world: World, trick: TrickServer, verb: str
) -> None:
    await world.install(trick)
    seen = len(trick.requests)
    await allow_everybody(world)
    options = {} if verb == "list" else {"trick": trick.id}
    result = await world.member.slash(world.channel, f"tricks {verb}", **options)
    assert result.ephemeral
    assert said(result) == "Only the server's owner can manage tricks."
    assert len(trick.requests) == seen
    assert "enabled" in said(await tricks(world, "list"))


async def test_nobody_but_the_owner_registers_anything(world: World, trick: TrickServer) -> None:
    await allow_everybody(world)
    result = await world.member.slash(world.channel, "tricks register", manifest_url=trick.manifest_url)
    assert said(result) == "Only the server's owner can manage tricks."
    assert not trick.requests


async def test_autocomplete_knows_ids_and_names_for_the_owner_alone(world: World, trick: TrickServer) -> None:
    await world.register(trick)
    await allow_everybody(world)
    for written in ("", "snack", "CLUB", " snack_"):
        choices = await world.owner.autocomplete(world.channel, "tricks show", "trick", written)
        assert [choice["value"] for choice in choices] == [trick.id], written
    assert await world.owner.autocomplete(world.channel, "tricks show", "trick", "other") == []
    assert await world.member.autocomplete(world.channel, "tricks show", "trick", "") == []


async def test_a_former_owner_may_no_longer_press(world: World, trick: TrickServer) -> None:
    shown = answer(await tricks(world, "register", manifest_url=trick.manifest_url))
    world.env.backend.edit_guild(world.guild.id, {"owner_id": world.member.id})
    pressed = await world.owner.click(shown, label="Register")
    assert "Only the server's owner" in said(pressed)
    assert "No tricks here yet" in said(await world.member.slash(world.channel, "tricks list"))


async def test_a_panel_is_for_the_owner_who_opened_it(world: World, trick: TrickServer) -> None:
    shown = answer(await tricks(world, "register", manifest_url=trick.manifest_url))
    register = next(part["custom_id"] for row in shown.components for part in row["components"])
    other = world.env.create_guild(owner=world.member.user)
    room = other.create_text_channel("elsewhere")
    heir = simcord.MemberActor(world.env, other, world.member.user)
    theirs = answer(await heir.slash(room, "tricks register", manifest_url=trick.manifest_url))
    forged = world.env.backend.get_message(room.id, theirs.id)
    forged.components[0]["components"][0]["custom_id"] = register
    pressed = await heir.click(theirs, label="Register")
    assert "no longer open" in said(pressed)
    assert "No tricks here yet" in said(await heir.slash(room, "tricks list"))


async def test_a_panel_is_no_longer_open_after_fifteen_minutes(world: World, trick: TrickServer) -> None:
    shown = answer(await tricks(world, "register", manifest_url=trick.manifest_url))
    world.clock.advance(15 * 60 + 1)
    pressed = await world.owner.click(shown, label="Register")
    assert "no longer open" in said(pressed)
    assert "No tricks here yet" in said(await tricks(world, "list"))


async def test_a_second_press_is_told_so_and_does_not_hide_the_secret(
    world: World, trick: TrickServer
) -> None:
    shown = answer(await tricks(world, "register", manifest_url=trick.manifest_url))
    register, cancel = (part["custom_id"] for row in shown.components for part in row["components"])
    await world.owner.click(shown, label="Register")
    stored = world.env.backend.get_message(world.channel.id, shown.id)
    for custom_id in (register, cancel):
        stored.components[:] = [
            {"type": 1, "components": [{"type": 2, "style": 1, "label": "x", "custom_id": custom_id}]}
        ]
        pressed = await world.owner.click(shown, label="x")
        assert "no longer open" in said(pressed)
        assert pressed.followups[-1].ephemeral
        assert "whsec_" in text_of(shown)
    assert "registered" in said(await tricks(world, "list"))


async def test_a_trick_that_is_not_there_is_named_as_such(world: World) -> None:
    for verb in VERBS[1:]:
        assert "no such trick" in said(await tricks(world, verb, trick="nothing"))


async def test_disabling_twice_and_enabling_twice_change_nothing(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    assert "is enabled" in said(await tricks(world, "enable", trick=trick.id))
    await tricks(world, "disable", trick=trick.id)
    assert "was not on" in said(await tricks(world, "disable", trick=trick.id))
    assert len(writes(world)) == 2


async def test_keeping_a_trick_keeps_it(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    asked = answer(await tricks(world, "remove", trick=trick.id))
    assert "Nothing was changed" in said(await world.owner.click(asked, label="Keep it"))
    assert "popcorn" in said(await world.member.slash(world.channel, "snacks"))
