"""A tool list that cannot be used fails the test in plain words, and nothing is enabled."""

from typing import Any

from bot.demo.sample_trick import JsonObject, object_schema
from tests.support.journeys import answer, labels, said, tricks, typed, writes
from tests.support.trick import Handler, MakeTrick, TrickServer
from tests.support.trick_answers import (
    Hang,
    accepted,
    drip,
    drop,
    gzipped,
    html,
    not_a_number,
    oversize,
    raw,
    redirect,
    result,
    rpc_error,
    status,
    wrong_id,
)
from tests.support.trick_tools import ToolSpec
from tests.support.world import World, config_for, open_world

SLOW = ("silence", "one byte after another")
PATIENCE = 0.3
WORDS = "THE TRICK'S OWN WORDS"


def nested(levels: int) -> JsonObject:
    """A schema that goes `levels` deep."""
    schema: JsonObject = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"deeper": schema}}
    return schema


def bomb() -> JsonObject:
    """A schema of a few lines that stands for a billion nodes."""
    levels = {f"l{n}": {"allOf": [{"$ref": f"#/$defs/l{n + 1}"}] * 10} for n in range(9)}
    return {"type": "object", "$defs": {**levels, "l9": {}}, "properties": {"snack": {"$ref": "#/$defs/l0"}}}


def with_snack(schema: Any) -> JsonObject:
    """A schema with one property."""
    return {"type": "object", "properties": {"snack": schema}}


SCHEMAS: dict[str, tuple[Any, str]] = {
    "an option that is no property": (object_schema({"other": {"type": "string"}}, ()), "is no property"),
    "no properties at all": ({"type": "object"}, "is no property"),
    "a reference to elsewhere": (with_snack({"$ref": "https://evil.example/schema"}), "input schema"),
    "a reference to a file": (with_snack({"$ref": "file:///etc/passwd"}), "input schema"),
    "a reference to nothing": (with_snack({"$ref": "#/$defs/none"}), "input schema"),
    "a bomb": (bomb(), "multiplies"),
    "too deep": (nested(25), "20 levels"),
    "too large": (with_snack({"type": "string", "description": "x" * 70_000}), "64 KiB"),
    "too many nodes": (object_schema({f"p{n}": True for n in range(1_001)}, ()), "1,000 nodes"),
    "no JSON Schema": (with_snack({"type": "snack"}), "not valid JSON Schema"),
    "a pattern that is none": (with_snack({"type": "string", "pattern": "("}), "input schema"),
    "a list at its root": ({"type": "array"}, "save_snack"),
    "no schema": (None, "save_snack"),
    "a text": ("object", "save_snack"),
}
REPLIES: dict[str, tuple[Handler, str]] = {
    "a web page": (html(), "Tool list"),
    "202": (accepted(), "Tool list"),
    "500": (status(500, WORDS), "HTTP status 500"),
    "404": (status(404, WORDS), "HTTP 404"),
    "a redirect": (redirect(), "redirect"),
    "gzip": (gzipped(), "compressed"),
    "too much": (oversize(), "larger than 1 MiB"),
    "a broken connection": (drop(), "closed before"),
    "silence": (Hang(), "took longer"),
    "one byte after another": (drip(), "took longer"),
    "somebody else's id": (wrong_id(), "Tool list"),
    "NaN": (not_a_number(), "Tool list"),
    "an error": (rpc_error(-32603, WORDS), "error -32603"),
    "an old version": (rpc_error(-32022, WORDS, 400, supported=["2025-06-18"]), "has to speak 2026-07-28"),
    "no tools": (result({"tools": [], "ttlMs": 0, "cacheScope": "private"}), "not in the tool list"),
    "tools that are none": (result({"tools": WORDS}), "Tool list"),
    "tools that are numbers": (result({"tools": [1, 2], "ttlMs": 0, "cacheScope": "private"}), "tool list"),
    "no JSON": (raw(b"{"), "Tool list"),
}


async def fails(world: World, trick: TrickServer) -> str:
    """Enable and expect the test to fail; gives the report."""
    world.clock.advance(361)  # ten tests an hour are allowed
    result = await tricks(world, "enable", trick=trick.id)
    assert "failed the test" in said(result)
    assert labels(answer(result)) == []
    assert result.followups == []
    assert WORDS not in said(result)
    assert "not enabled yet" in said(await tricks(world, "list"))
    return said(result)


async def test_an_input_schema_that_cannot_be_used_is_named(world: World, trick: TrickServer) -> None:
    await world.register(trick)
    for name, (schema, told) in SCHEMAS.items():
        trick.change_live("save_snack", schema=schema)
        assert told in await fails(world, trick), name
    assert writes(world) == []


async def test_an_id_must_not_be_bound_to_a_number(sqlite_url: str, make_trick: MakeTrick) -> None:
    kinds = ("user", "channel", "role")
    tool = ToolSpec("look", "Look", "Looks.", read_only=True)
    options = [{"name": f"a_{kind}", "description": "Which", "type": kind} for kind in kinds]
    command = {"name": "look", "description": "Look", "tool": "look", "options": options}
    trick = await make_trick(id="look", tools=[tool], commands=[command])
    async with open_world(config_for(sqlite_url, trick)) as world:
        trick.clock = world.clock
        await world.register(trick)
        for number in ({"type": "integer"}, {"type": "number"}, {"type": ["integer", "null"]}):
            trick.change_live("look", schema=object_schema({f"a_{kind}": number for kind in kinds}, ()))
            told = await fails(world, trick)
            assert [f"`a_{kind}`" in told for kind in kinds] == [True] * 3
        string = {"type": ["string", "null"]}
        trick.change_live("look", schema=object_schema({f"a_{kind}": string for kind in kinds}, ()))
        await world.enable(trick)
        assert writes(world) == [["look"]]


async def test_a_tool_list_that_does_not_come_is_told_in_plain_words(
    sqlite_url: str, trick: TrickServer
) -> None:
    async with open_world(config_for(sqlite_url, trick)) as world:
        trick.clock = world.clock
        await world.register(trick)
        for name, (handler, told) in REPLIES.items():
            trick.on("tools/list", handler)
            world.transport.patience = PATIENCE if name in SLOW else None
            assert told in await fails(world, trick), name


async def test_a_list_of_endless_pages_is_read_for_five_pages(world: World, trick: TrickServer) -> None:
    await world.register(trick)
    page: JsonObject = {"tools": [], "ttlMs": 0, "cacheScope": "private"}
    for cursors in (iter(map(str, range(1_000))), iter(["same"] * 1_000)):
        seen = trick.count("tools/list")

        async def endless(_trick: TrickServer, _received: Any, cursors: Any = cursors) -> JsonObject:
            return {**page, "nextCursor": next(cursors)}

        trick.on("tools/list", endless)
        assert "not in the tool list" in await fails(world, trick)
        assert trick.count("tools/list") - seen <= 5


async def test_a_list_over_five_pages_is_whole(sqlite_url: str, make_trick: MakeTrick) -> None:
    tools = [ToolSpec(f"tool_{n}", f"Tool {n}", read_only=True) for n in range(10)]
    trick = await make_trick(tools=tools, commands=[])
    trick.page_size = 2
    async with open_world(config_for(sqlite_url, trick)) as world:
        await world.register(trick)
        assert "passed the test" in said(await tricks(world, "test", trick=trick.id))
        assert trick.count("tools/list") == 5


async def test_a_tool_that_is_listed_twice_cannot_be_used(world: World, trick: TrickServer) -> None:
    await world.register(trick)
    trick.live_tools.append(trick.live_tools[1])
    assert "twice" in await fails(world, trick)


async def test_more_text_than_an_owner_can_read_is_not_enabled(world: World, trick: TrickServer) -> None:
    await world.register(trick)
    for text in ("word " * 10_000, "\u200b" * 39_000):
        trick.change_live("snack_menu", description=text)
        assert "can be shown" in await fails(world, trick)


async def test_texts_of_tools_are_shown_as_they_are_and_do_nothing(world: World, trick: TrickServer) -> None:
    await world.register(trick)
    trick.change_live(
        "snack_menu",
        title="# @everyone\u202e",
        description="[x](https://evil.example) <@1> ||hid||\u200b\n-# small",
    )
    shown = said(await tricks(world, "enable", trick=trick.id))
    for part in ("](", "<@1>", "||", "\u202e", "\u200b"):
        assert part not in shown, part
    for part in ("u{202e}", "u{200b}", "evil.example"):
        assert part in shown.replace("\\", ""), part


async def test_a_hostile_pattern_in_a_schema_does_not_hold_the_bot_up(
    world: World, trick: TrickServer
) -> None:
    await world.register(trick)
    trick.change_live("save_snack", schema=with_snack({"type": "string", "pattern": "^(a+)+$"}))
    await world.enable(trick)
    told = await typed(world, f"^save {'a' * 1_900}!", world.owner)
    assert "Usage:" in told or "snack" in told
    assert not trick.received("tools/call")
