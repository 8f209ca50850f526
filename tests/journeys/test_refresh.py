"""A trick that changed: the difference is shown in words, and nothing changes before the owner accepts."""

from bot.demo.sample_trick import object_schema
from tests.support.journeys import (
    another_server,
    answer,
    labels,
    rows_of,
    said,
    tricks,
    typed,
    writes,
)
from tests.support.refreshing import accept, everything, grow, messages, refresh, written
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_answers import status
from tests.support.trick_tools import ToolSpec
from tests.support.world import World, config_for, open_world


async def test_a_trick_that_did_not_change_is_said_to_be_what_was_accepted(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    result = await refresh(world, trick)
    assert "Nothing has changed" in said(result)
    assert labels(answer(result)) == []
    assert [each.name for each in trick.requests[-3:]] == ["manifest", "challenge", "tools/list"]


async def test_the_difference_is_shown_in_words_and_taken_over_when_accepted(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    grow(trick)
    result = await refresh(world, trick)
    told = everything(result)
    for line in (
        "`order_snack` is new: write, always asks first",
        "`order_snack` is for members who may manage the server",
        "`order` (/ and ^) is new and runs `order_snack`: “Order one”",
        "`save` is gone",
        "“Which shelf” (`shelf`) is new: text",
        "**Order a snack** (`order_snack`, write, always asks first)",
        "For the asker.",
    ):
        assert line in told, line
    assert "Save the asker's" not in told
    assert labels(messages(result)[-1]) == ["Accept", "Keep the old one"]
    assert written(world) == {"snacks", "save"}
    assert await typed(world, "^order", world.owner) == ""

    assert "Its commands follow in a moment" in await accept(world, result)
    assert written(world) == {"snacks", "order"}
    assert await typed(world, "^save fruit", world.owner) == ""
    assert await typed(world, "^order", world.owner) != ""
    assert trick.effects
    assert "Nothing has changed" in said(await refresh(world, trick))


async def test_keeping_the_old_one_keeps_all_of_it(world: World, trick: TrickServer, sqlite_url: str) -> None:
    await world.install(trick)
    before = await rows_of(sqlite_url)
    grow(trick)
    trick.change_live("snack_menu", title="Something else")
    result = await refresh(world, trick)
    kept = await world.owner.click(answer(result), label="Keep the old one")
    assert "stays what you accepted before" in said(kept)
    assert "Still held back: `snack_menu`" in said(kept)
    assert labels(answer(kept)) == []
    after = await rows_of(sqlite_url)
    for table in ("commands", "pins", "subscriptions"):
        assert after[table] == before[table]
    assert after["installations"][0]["manifest"] == before["installations"][0]["manifest"]
    assert after["drafts"] == []
    assert "Saved" in await typed(world, "^save fruit", world.owner)
    assert "held back" in await typed(world, "^snacks")


async def test_a_changed_tool_is_held_back_by_the_refresh_and_works_again_once_accepted(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    schema = object_schema({"snack": {"type": "string"}, "loud": {"type": "boolean"}}, ["snack"])
    trick.change_live("save_snack", title="Save it", description="Does it all.", schema=schema)
    result = await refresh(world, trick)
    told = everything(result)
    for line in (
        "`save_snack` is called “Save it” now (was “Save your snack preference”)",
        "`save_snack` has another description, which stands below",
        "`save_snack` takes `loud` now",
        "`save_snack` takes something else as `snack` now (`enum`)",
        "Does it all.",
    ):
        assert line in told, line
    assert "is held back" in await typed(world, "^save fruit", world.owner)
    assert "popcorn" in await typed(world, "^snacks")
    await accept(world, result)
    assert "Saved" in await typed(world, "^save anything", world.owner)
    assert "held back" not in said(await tricks(world, "list"))
    assert "passed the test" in said(await tricks(world, "test", trick=trick.id))


async def test_a_tool_that_is_as_accepted_again_is_let_go_by_a_refresh(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    trick.change_live("snack_menu", title="Something else")
    await tricks(world, "test", trick=trick.id)
    assert "held back" in await typed(world, "^snacks")
    trick.live_tools = list(trick.tools)
    assert "Nothing of it is held back" in said(await refresh(world, trick))
    assert "popcorn" in await typed(world, "^snacks")


async def test_a_trick_that_was_never_enabled_shows_what_its_manifest_changed(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    await world.register(trick)
    grow(trick)
    result = await refresh(world, trick)
    told = everything(result)
    assert "`order_snack` is new" in told
    assert "Orders one." not in told
    assert "`/tricks enable" in await accept(world, result)
    rows = await rows_of(sqlite_url)
    assert rows["pins"] == []
    assert {row["name"] for row in rows["commands"]} == {"snacks", "order"}


async def test_instructions_are_shown_in_full_and_escaped(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    trick.manifest_changes["instructions"] = "\n".join(f"Rule {n}: <@1>" for n in range(120))
    result = await refresh(world, trick)
    told = everything(result)
    assert all(f"> Rule {n}\\: \\<\\@1\\>" in told for n in range(120))
    await accept(world, result)
    assert "Nothing has changed" in said(await refresh(world, trick))


async def test_a_read_that_becomes_a_write_is_for_those_who_manage_the_server(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    assert "popcorn" in await typed(world, "^snacks")
    trick.tools[0] = ToolSpec("snack_menu", "See the snacks", "List the snacks there are.")
    result = await refresh(world, trick)
    told = everything(result)
    assert "`snack_menu` is a write now (was read)" in told
    assert "`snack_menu` is for members who may manage the server now" in told
    assert "popcorn" in await typed(world, "^snacks")
    await accept(world, result)
    assert "members who may manage the server" in await typed(world, "^snacks")


async def test_events_that_a_new_manifest_asks_for_are_sent_from_then_on(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    trick = await make_trick(events=[])
    async with open_world(config_for(sqlite_url, trick)) as world:
        trick.clock = world.clock
        await world.install(trick)
        trick.events = ["member.joined"]
        result = await refresh(world, trick)
        assert "It is told who joins from now on" in everything(result)
        assert (await rows_of(sqlite_url))["subscriptions"] == []
        await accept(world, result)
        (row,) = (await rows_of(sqlite_url))["subscriptions"]
        assert (row["hears_joined"], row["hears_left"], row["is_on"]) == (True, False, True)
        trick.events = []
        await accept(world, await refresh(world, trick))
        assert (await rows_of(sqlite_url))["subscriptions"] == []


async def test_required_settings_that_are_new_are_asked_for(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    trick.settings = [{"key": "shelf", "label": "Which shelf", "type": "text", "required": True}]
    told = await accept(world, await refresh(world, trick))
    assert "waits for **Which shelf**: `/tricks settings" in told


async def test_a_refresh_in_one_server_changes_nothing_in_the_other(world: World, trick: TrickServer) -> None:
    other = another_server(world)
    await world.install(trick)
    first = trick.secrets
    await other.install(trick)
    trick.trust(*first, *trick.secrets)
    grow(trick)
    here, there = await refresh(world, trick), await refresh(other, trick)
    await accept(world, here)
    assert written(world) == {"snacks", "order"}
    assert written(other) == {"snacks", "save"}
    await accept(other, there)
    assert written(other) == {"snacks", "order"}


async def test_a_refresh_leaves_a_paused_trick_paused(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    trick.on("tools/call", status(500))
    for _ in range(5):
        await typed(world, "^snacks")
    trick.behave()
    grow(trick)
    await accept(world, await refresh(world, trick))
    assert "paused" in said(await tricks(world, "list"))
    assert written(world) == {"snacks", "order"}
    assert "paused" in await typed(world, "^snacks")


async def test_a_refresh_leaves_a_disabled_trick_off(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await tricks(world, "disable", trick=trick.id)
    grow(trick)
    assert "commands" not in await accept(world, await refresh(world, trick))
    assert writes(world)[-1] == []
    assert "disabled" in said(await tricks(world, "list"))
    await tricks(world, "enable", trick=trick.id)
    assert written(world) == {"snacks", "order"}
