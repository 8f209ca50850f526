"""`/tricks settings`: from the form to what the trick gets, page by page, as the owner and as somebody else."""

from typing import Any

import pytest
import simcord

from bot.app import Kennel
from bot.errors import NoSuchTrick
from bot.signing import new_key
from bot.tricks.setting_forms import Present
from bot.tricks.settings import Filling
from tests.support.journeys import allow_everybody, another_server, answer, labels, rows_of, said, tricks
from tests.support.trick import TrickServer
from tests.support.world import World, config_for, open_world, text_of

CHOICES = [{"label": "Slow", "value": "s"}, {"label": "Fast", "value": "f"}]
FIRST: list[dict[str, Any]] = [
    {"key": "greeting", "label": "Greeting", "type": "text", "default": "Hello"},
    {"key": "rules", "label": "Rules", "type": "long_text"},
    {"key": "most", "label": "Most snacks", "type": "number", "min": 1, "max": 10},
    {"key": "loud", "label": "Loud", "type": "boolean"},
    {"key": "pace", "label": "Pace", "type": "select", "options": CHOICES},
]
SECOND: list[dict[str, Any]] = [
    {"key": "room", "label": "Room", "type": "channel"},
    {"key": "rooms", "label": "Rooms", "type": "channels"},
    {"key": "keeper", "label": "Keeper", "type": "role"},
    {"key": "keepers", "label": "Keepers", "type": "roles"},
]


def form_of(shown: simcord.InteractionResult) -> dict[str, Any]:
    """The form that answers; fails when there is none."""
    assert shown.modal is not None, said(shown)
    return shown.modal


def controls(shown: simcord.InteractionResult) -> list[dict[str, Any]]:
    """The form's controls in their order."""
    return [label["component"] for label in form_of(shown)["components"]]


async def opened(world: World, trick: TrickServer) -> simcord.InteractionResult:
    """What answers the owner's `/tricks settings`."""
    return await world.owner.slash(world.channel, "tricks settings", trick=trick.id)


async def received(world: World, trick: TrickServer) -> dict[str, Any]:
    """The settings that come with a command."""
    calls = trick.count("tools/call")
    await world.member.slash(world.channel, "snacks")
    assert trick.count("tools/call") == calls + 1
    return trick.received("tools/call")[-1].context["settings"]


async def test_every_kind_of_setting_is_filled_in_over_two_pages_and_reaches_the_trick(
    database_url: str, trick: TrickServer
) -> None:
    storage = {"url": database_url, "encryption_key": new_key()}
    async with open_world(config_for(database_url, trick, storage=storage)) as world:
        await every_kind(world, trick)


async def every_kind(world: World, trick: TrickServer) -> None:
    """The story, on either database."""
    trick.settings = FIRST + SECOND
    await world.install(trick)
    hall = world.guild.create_text_channel("hall")
    role, other = world.guild.create_role("keeper"), world.guild.create_role("helper")
    assert await received(world, trick) == {"greeting": "Hello"}

    shown = await opened(world, trick)
    assert form_of(shown)["title"] == "Settings of Snack Club (1 of 2)"
    assert controls(shown)[0]["value"] == "Hello"
    values = {"0": "Hi there", "1": "Be kind\nEat", "2": "2.5", "3": ["1"], "4": ["1"]}
    first = await world.owner.submit_modal(shown, values)
    assert first.ephemeral
    assert "Saved" in said(first)
    assert "**Greeting**: `Hi there`" in said(first)
    assert "**Pace**: `Fast`" in said(first)
    assert labels(answer(first)) == ["Page 2 of 2"]

    shown = await world.owner.click(answer(first), label="Page 2 of 2")
    assert form_of(shown)["title"] == "Settings of Snack Club (2 of 2)"
    picked = {"0": [hall], "1": [world.channel, hall], "2": [role], "3": [role, other]}
    second = await world.owner.submit_modal(shown, picked)
    assert f"**Room**: <#{hall.id}>" in text_of(second.response or answer(second))

    assert await received(world, trick) == {
        "greeting": "Hi there",
        "rules": "Be kind\nEat",
        "most": 2.5,
        "loud": False,
        "pace": "f",
        "room": str(hall.id),
        "rooms": [str(world.channel.id), str(hall.id)],
        "keeper": str(role.id),
        "keepers": [str(role.id), str(other.id)],
    }
    again = controls(await opened(world, trick))
    assert [again[0]["value"], again[2]["value"]] == ["Hi there", "2.5"]
    assert [option["default"] for option in again[4]["options"]] == [False, True]


async def test_what_is_emptied_is_unset_and_a_default_holds_again(world: World, trick: TrickServer) -> None:
    trick.settings = FIRST
    await world.install(trick)
    await world.owner.submit_modal(await opened(world, trick), {"0": "Hi", "2": "3", "3": ["0"]})
    assert await received(world, trick) == {"greeting": "Hi", "most": 3, "loud": True}
    sent = await world.owner.submit_modal(await opened(world, trick), {"0": "", "2": "4"})
    assert "**Greeting**: `Hello`" in said(sent)
    assert "**Loud**: –" in said(sent)
    assert await received(world, trick) == {"greeting": "Hello", "most": 4}


async def test_all_problems_are_told_at_once_and_the_form_opens_with_what_was_typed(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    trick.settings = [*FIRST, *SECOND[:1]]
    await world.install(trick)
    first = await world.owner.submit_modal(await opened(world, trick), {"0": "a\nb", "2": "many", "4": ["1"]})
    assert "**Greeting** must be one line." in said(first)
    assert "**Most snacks** has to be a number, like 3 or 2.5." in said(first)
    assert (await rows_of(sqlite_url))["installations"][0]["settings"] == "{}"

    shown = await world.owner.click(answer(first), label="Correct it")
    assert [controls(shown)[0]["value"], controls(shown)[2]["value"]] == ["a\nb", "many"]
    assert controls(shown)[4]["options"][1]["default"]
    await world.owner.submit_modal(shown, {"0": "a b", "2": "7", "4": ["1"]})
    assert await received(world, trick) == {"greeting": "a b", "most": 7, "pace": "f"}


async def test_what_was_typed_is_kept_for_fifteen_minutes(world: World, trick: TrickServer) -> None:
    trick.settings = FIRST
    await world.install(trick)
    wrong = await world.owner.submit_modal(await opened(world, trick), {"2": "many"})
    world.clock.advance(15 * 60 + 1)
    late = await world.owner.click(answer(wrong), label="Correct it")
    assert late.modal is None
    assert "no longer open" in said(late)


async def test_somebody_else_sees_no_form(world: World, trick: TrickServer) -> None:
    trick.settings = FIRST
    await world.install(trick)
    await allow_everybody(world)
    refused = await world.member.slash(world.channel, "tricks settings", trick=trick.id)
    assert refused.modal is None
    assert refused.ephemeral
    assert said(refused) == "Only the server's owner can manage tricks."


async def test_a_former_owner_can_neither_open_nor_send_a_form(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    trick.settings = [*FIRST, *SECOND[:1]]
    await world.install(trick)
    saved = await world.owner.submit_modal(await opened(world, trick), {"0": "mine"})
    shown = await opened(world, trick)
    world.env.backend.edit_guild(world.guild.id, {"owner_id": world.member.id})
    await world.env.settle()

    for refused in (
        await world.owner.submit_modal(shown, {"0": "still mine"}),
        await world.owner.click(answer(saved), label="Page 2 of 2"),
    ):
        assert refused.modal is None
        assert said(refused) == "Only the server's owner can manage tricks."
    assert (await rows_of(sqlite_url))["installations"][0]["settings"] == '{"greeting": "mine"}'


async def test_without_settings_or_without_the_trick_a_sentence_says_so(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    assert said(await opened(world, trick)) == "This trick has no settings."
    nobody = await world.owner.slash(world.channel, "tricks settings", trick="nobody")
    assert nobody.ephemeral
    assert said(nobody).startswith("There is no such trick here.")


async def test_a_form_of_a_trick_that_was_removed_meanwhile_stores_nothing_and_says_so(
    world: World, trick: TrickServer
) -> None:
    trick.settings = FIRST
    await world.install(trick)
    shown = await opened(world, trick)
    wrong = await world.owner.submit_modal(await opened(world, trick), {"2": "many"})
    asked = await tricks(world, "remove", trick=trick.id)
    await world.owner.click(answer(asked), label="Remove")

    late = await world.owner.submit_modal(shown, {"0": "Hi"})
    assert said(late).startswith("There is no such trick here.")
    assert "no longer open" in said(await world.owner.click(answer(wrong), label="Correct it"))


async def test_a_form_of_settings_that_changed_meanwhile_stores_nothing_and_says_so(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    trick.settings = FIRST
    await world.install(trick)
    shown = await opened(world, trick)
    wrong = await world.owner.submit_modal(await opened(world, trick), {"2": "many"})
    trick.settings = [dict(FIRST[0], maxLength=10), *FIRST[1:]]
    asked = await tricks(world, "refresh", trick=trick.id)
    await world.owner.click(answer(asked), label="Accept")

    changed = "This trick's settings are others by now, so nothing was saved. Use `/tricks settings` again."
    assert said(await world.owner.submit_modal(shown, {"0": "Hi"})) == changed
    assert said(await world.owner.click(answer(wrong), label="Correct it")) == changed
    assert (await rows_of(sqlite_url))["installations"][0]["settings"] == "{}"


async def test_pages_sent_one_after_the_other_do_not_undo_each_other(
    world: World, trick: TrickServer
) -> None:
    trick.settings = FIRST + SECOND
    await world.install(trick)
    first = await world.owner.submit_modal(await opened(world, trick), {"0": "one"})
    second = await world.owner.click(answer(first), label="Page 2 of 2")
    stale = await opened(world, trick)
    await world.owner.submit_modal(second, {"0": [world.channel]})
    await world.owner.submit_modal(stale, {"0": "two"})
    assert await received(world, trick) == {"greeting": "two", "room": str(world.channel.id)}


async def test_two_owners_fill_in_the_same_trick_at_once_each_for_their_own_server(
    world: World, trick: TrickServer
) -> None:
    trick.settings = FIRST
    other = another_server(world)
    await world.install(trick)
    secrets = trick.secrets
    await other.install(trick)
    trick.trust(*secrets, *trick.secrets)
    here, there = await opened(world, trick), await opened(other, trick)
    wrong = await other.owner.submit_modal(there, {"0": "there", "2": "many"})
    await world.owner.submit_modal(here, {"0": "here"})

    again = await other.owner.click(answer(wrong), label="Correct it")
    assert controls(again)[0]["value"] == "there"
    await other.owner.submit_modal(again, {"0": "there"})
    assert await received(world, trick) == {"greeting": "here"}
    assert await received(other, trick) == {"greeting": "there"}


async def test_a_form_of_one_server_means_nothing_in_another(world: World, trick: TrickServer) -> None:
    trick.settings = FIRST
    await world.install(trick)
    other = another_server(world)
    *_, mark, installation_id = form_of(await opened(world, trick))["custom_id"].split(":")
    filling = Filling(installation_id, 0, mark, {"0": "theirs"})
    nothing = Present(frozenset(), frozenset())
    settings, guild_id = world.services.settings, str(other.guild.id)
    with pytest.raises(NoSuchTrick):
        await settings.submit(guild_id, str(other.owner.id), filling, nothing)
    with pytest.raises(NoSuchTrick):
        await settings.page(guild_id, installation_id, 0, nothing)
    assert await received(world, trick) == {"greeting": "Hello"}


async def test_forms_and_their_buttons_work_after_a_restart(world: World, trick: TrickServer) -> None:
    trick.settings = FIRST + SECOND
    await world.install(trick)
    wrong = await world.owner.submit_modal(await opened(world, trick), {"2": "many"})
    shown = await opened(world, trick)
    await world.env.restart_bot(Kennel(world.services, shard_count=1))

    saved = await world.owner.submit_modal(shown, {"0": "one"})
    assert form_of(await world.owner.click(answer(saved), label="Page 2 of 2"))
    again = await world.owner.click(answer(wrong), label="Correct it")
    assert controls(again)[2]["value"] == "many"
    await world.owner.submit_modal(again, {"0": "two", "2": "2"})
    assert await received(world, trick) == {"greeting": "two", "most": 2}


async def test_a_form_opened_from_the_panel_is_answered_beside_it(world: World, trick: TrickServer) -> None:
    trick.settings = FIRST
    await world.install(trick)
    panel = answer(await tricks(world, "show", trick=trick.id))
    before = text_of(panel)
    sent = await world.owner.submit_modal(await world.owner.click(panel, label="Settings"), {"0": "Hi"})
    assert sent.ephemeral
    assert said(sent).startswith("Saved: settings of Snack Club")
    assert text_of(panel) == before
    assert await received(world, trick) == {"greeting": "Hi"}
