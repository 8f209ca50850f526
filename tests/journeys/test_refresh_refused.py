"""What cannot be accepted after a refresh, what is no longer open, and who may not."""

import pytest

from bot.demo.sample_trick import JsonObject
from tests.support.journeys import (
    allow_everybody,
    answer,
    labels,
    rows_of,
    said,
    tricks,
    typed,
)
from tests.support.refreshing import ORDER, accept, everything, grow, refresh, written
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_answers import status, wrong_challenge
from tests.support.trick_tools import ToolSpec, default_tools
from tests.support.world import World, config_for, open_world


async def test_what_changes_between_the_panel_and_the_press_is_not_accepted(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    trick.change_live("snack_menu", title="Shown to the owner")
    result = await refresh(world, trick)
    trick.change_live("snack_menu", title="Never shown to the owner")
    await accept(world, result)
    world.clock.advance(3_600)
    await world.services.looks.look_at_due()
    assert "held back" in await typed(world, "^snacks")


async def test_a_panel_is_good_for_what_it_was_compared_with_alone(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    trick.change_live("snack_menu", title="One")
    first = await refresh(world, trick)
    trick.change_live("snack_menu", title="Two")
    second = await refresh(world, trick)
    await accept(world, second)
    assert "no longer open" in await accept(world, first)
    assert "popcorn" in await typed(world, "^snacks")


async def test_the_first_enabling_is_not_confirmed_with_tools_of_an_older_manifest(
    world: World, trick: TrickServer
) -> None:
    await world.register(trick)
    enabling = answer(await tricks(world, "enable", trick=trick.id))
    trick.tools[0] = ToolSpec("snack_menu", "See the snacks", "List the snacks there are.")
    await accept(world, await refresh(world, trick))
    assert "no longer open" in said(await world.owner.click(enabling, label="Enable"))
    assert "not enabled yet" in said(await tricks(world, "list"))
    await world.enable(trick)
    assert "Saved" in await typed(world, "^save fruit", world.owner)


@pytest.mark.parametrize("broken", ["manifest", "challenge", "tools/list", "missing", "id", "text"])
async def test_whatever_does_not_work_is_shown_and_there_is_nothing_to_accept(
    world: World, trick: TrickServer, broken: str, sqlite_url: str
) -> None:
    await world.install(trick)
    before = (await rows_of(sqlite_url))["installations"]
    grow(trick)
    expected = {
        "manifest": "HTTP status 500",
        "challenge": "did not send the challenge back",
        "tools/list": "HTTP status 500",
        "missing": "`order_snack` of the manifest is not in the tool list",
        "id": "`id` is another one than",
        "text": "`author`",
    }[broken]
    match broken:
        case "challenge":
            trick.on("challenge", wrong_challenge())
        case "missing":
            trick.live_tools.remove(ORDER)
        case "id":
            trick.manifest_changes["id"] = "other"
        case "text":
            trick.manifest_changes["author"] = ""
        case name:
            trick.on(name, status(500))
    result = await refresh(world, trick)
    assert expected in everything(result)
    assert labels(answer(result)) == []
    rows = await rows_of(sqlite_url)
    assert rows["drafts"] == []
    assert rows["installations"][0]["manifest"] == before[0]["manifest"]
    assert "popcorn" in await typed(world, "^snacks")


async def test_names_of_other_tricks_are_problems_also_when_they_come_between(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    trick, other = await make_trick(), await make_trick(id="other", commands=[])
    async with open_world(config_for(sqlite_url, trick, other)) as world:
        trick.clock = other.clock = world.clock
        await world.install(trick)
        await world.install(other)
        other.commands = [{"name": "nibble", "description": "Nibble", "tool": "snack_menu"}]
        theirs = await refresh(world, other)
        trick.commands = [{"name": "nibble", "description": "Nibble", "tool": "snack_menu"}]
        mine = await refresh(world, trick)
        await accept(world, theirs)
        assert "already a command of another trick" in await accept(world, mine)
        again = await refresh(world, trick)
        assert "`commands[0].name` is already a command of another trick" in said(again)
        assert labels(answer(again)) == []
        assert written(world) == {"snacks", "save", "nibble"}


async def test_other_addresses_are_named_have_to_be_confirmed_and_get_no_settings_before(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    settings: list[JsonObject] = [{"key": "shelf", "label": "Shelf", "type": "text", "default": "low"}]
    trick = await make_trick(events=[], settings=settings)
    elsewhere = await make_trick(id="elsewhere", settings=settings)
    async with open_world(config_for(sqlite_url, trick, elsewhere)) as world:
        trick.clock = elsewhere.clock = world.clock
        await world.install(trick)
        elsewhere.trust(*trick.secrets)
        trick.manifest_changes["endpoints"] = {
            "challenge": elsewhere.url("/challenge"),
            "mcp": elsewhere.url("/mcp"),
        }
        result = await refresh(world, trick)
        assert f"`http://{elsewhere.host_port}` is another address" in everything(result)
        assert labels(answer(result)) == ["Accept with these addresses", "Keep the old one"]
        assert elsewhere.received("tools/list")[0].context["settings"] == {}
        assert "popcorn" in await typed(world, "^snacks")
        assert elsewhere.count("tools/call") == 0
        await world.owner.click(answer(result), label="Accept with these addresses")
        assert "popcorn" in await typed(world, "^snacks")
        assert elsewhere.received("tools/call")[0].context["settings"] == {"shelf": "low"}
        assert "Nothing has changed" in said(await refresh(world, trick))
        assert elsewhere.received("tools/list")[-1].context["settings"] == {"shelf": "low"}


async def test_only_the_owner_refreshes_and_accepts(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await allow_everybody(world)
    seen = len(trick.requests)
    result = await world.member.slash(world.channel, "tricks refresh", trick=trick.id)
    assert said(result) == "Only the server's owner can manage tricks."
    assert len(trick.requests) == seen
    trick.change_live("snack_menu", title="Something else")
    shown = await refresh(world, trick)
    world.env.backend.edit_guild(world.guild.id, {"owner_id": world.member.id})
    for label in ("Accept", "Keep the old one"):
        assert "Only the server's owner" in said(await world.owner.click(answer(shown), label=label))
    assert "held back" in await typed(world, "^snacks")


async def test_a_panel_is_open_for_fifteen_minutes_and_pressed_once(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    trick.change_live("snack_menu", title="Something else")
    late = await refresh(world, trick)
    world.clock.advance(15 * 60 + 1)
    assert "no longer open" in await accept(world, late)
    shown = await refresh(world, trick)
    stored = world.env.backend.get_message(world.channel.id, answer(shown).id)
    buttons = [dict(row) for row in stored.components]
    await accept(world, shown)
    stored.components[:] = buttons
    assert "no longer open" in await accept(world, shown)
    assert "popcorn" in await typed(world, "^snacks")


async def test_a_great_many_changes_are_shown_within_discords_limits(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    tools = [ToolSpec(f"t{n}", "T", "D", read_only=True) for n in range(100)]
    commands = [{"name": f"c{n}", "description": "C", "tool": "t0"} for n in range(60)]
    trick = await make_trick(tools=tools, commands=commands)
    async with open_world(config_for(sqlite_url, trick)) as world:
        trick.clock = world.clock
        await world.install(trick)
        trick.tools = [ToolSpec(f"t{n}", "🦴" * 40, "_" * 300, always_ask=True) for n in range(100)]
        trick.live_tools = list(trick.tools)
        trick.commands = [{"name": f"c{n}", "description": "🦴" * 50, "tool": "t1"} for n in range(60)]
        result = await refresh(world, trick)
        assert everything(result).count("\\_" * 300) == 100
        await accept(world, result)
        assert "Nothing has changed" in said(await refresh(world, trick))


async def test_more_than_anybody_could_read_cannot_be_accepted(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    trick.change_live("snack_menu", description="x" * 40_001)
    result = await refresh(world, trick)
    assert "40,000 can be shown" in said(result)
    assert labels(answer(result)) == []
    assert default_tools()[1].title not in everything(result)
