"""A manifest that is no use costs its owner one private sentence, and leaves nothing behind."""

import json
from typing import Any

from tests.support.journeys import answer, labels, rows_of, said, tricks
from tests.support.trick import Handler, MakeTrick, TrickServer
from tests.support.trick_answers import Hang, drip, drop, gzipped, html, oversize, raw, redirect, status
from tests.support.world import World, config_for, open_world, text_of

SLOW = ("silence", "one byte after another")
PATIENCE = 0.3
REPLIES: dict[str, tuple[Handler, str]] = {
    "a web page": (html(), "JSON"),
    "404": (status(404, "secret words"), "HTTP 404"),
    "500": (status(500, "secret words"), "HTTP status 500"),
    "204": (status(204), "HTTP status 204"),
    "2 MiB": (oversize(2 * 1024 * 1024), "larger than 1 MiB"),
    "a redirect": (redirect("https://example.com/manifest.json"), "redirect"),
    "gzip": (gzipped(), "compressed"),
    "silence": (Hang(), "took longer"),
    "one byte after another": (drip(), "took longer"),
    "half a reply": (drop(half=True), "closed before the reply was complete"),
    "no bytes": (raw(b""), "JSON"),
    "a list": (raw(b"[]"), "object"),
    "NaN": (raw(b'{"id": NaN}'), "JSON"),
    "a key twice": (raw(b'{"id": "a", "id": "b"}'), "twice"),
    "deep nesting": (raw(b"[" * 5_000 + b"]" * 5_000), "nest"),
    "other bytes": (raw(b"\xff\xfe\x00"), "UTF"),
}
ADDRESSES = {
    "http://snacks.example.com/manifest.json": "https://",
    "ftp://snacks.example.com/manifest.json": "https://",
    "snacks.example.com/manifest.json": "https://",
    "": "https://",
    "https://": "https://",
    "javascript:alert(1)": "https://",
    "https://127.0.0.1/manifest.json": "public internet",
    "https://[::1]/manifest.json": "public internet",
    "https://[::ffff:10.0.0.1]/manifest.json": "public internet",
    "https://169.254.169.254/latest/meta-data": "public internet",
    "https://localhost/manifest.json": "public internet",
    "https://2130706433/manifest.json": "odd spelling",
    "https://0x7f.1/manifest.json": "odd spelling",
    "https://user:pass@snacks.example.com/manifest.json": "credentials",
    "https://snacks.example.com\\@evil.example/manifest.json": "backslash",
    "https://snacks.example.com/manifest.json#part": "fragment",
    "https://snacks.example.com/a b": "characters",
    "https://snäcks.example.com/manifest.json": "characters",
    "https://snacks.example.com:99999/manifest.json": "port",
    "https://snacks.example.com/" + "a" * 3_000: "longer",
}


async def refused(world: World, url: str) -> str:
    """Register `url`; gives what was said, after looking that this is all that happened."""
    world.clock.advance(360)  # ten an hour are allowed
    result = await tricks(world, "register", manifest_url=url)
    assert result.followups == []
    assert labels(answer(result)) == []
    assert "What you can use here" in said(await world.member.slash(world.channel, "help"))
    return said(result)


async def nothing_stored(url: str) -> bool:
    """Whether the database holds nothing of any trick."""
    rows = await rows_of(url)
    return not any(rows[table] for table in ("installations", "commands", "pins", "drafts", "audit"))


async def test_what_is_no_manifest_is_told_in_one_sentence(sqlite_url: str, trick: TrickServer) -> None:
    async with open_world(config_for(sqlite_url, trick)) as world:
        for reply, (handler, told) in REPLIES.items():
            trick.on("manifest", handler)
            world.transport.patience = PATIENCE if reply in SLOW else None
            sentence = await refused(world, trick.manifest_url)
            assert told in sentence, reply
            assert "secret words" not in sentence
            assert "doctype" not in sentence
            assert len(sentence) < 250
    assert trick.count("manifest") == len(REPLIES)
    assert await nothing_stored(sqlite_url)


async def test_an_address_that_is_not_called_is_told_so(sqlite_url: str) -> None:
    async with open_world(config_for(sqlite_url)) as world:
        for address, told in ADDRESSES.items():
            assert told in await refused(world, address), address
    assert await nothing_stored(sqlite_url)


async def test_a_development_host_is_that_very_port_and_no_other(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    allowed, other = await make_trick(), await make_trick(id="other")
    async with open_world(config_for(sqlite_url, allowed)) as world:
        assert "https://" in await refused(world, other.manifest_url)
        assert "https://" in await refused(world, f"http://localhost:{allowed.port}/manifest.json")
    assert not other.requests
    assert await nothing_stored(sqlite_url)


PROBLEMS: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown field": ({"colour": "red"}, "`colour`"),
    "an unknown field in a tool": ({"tools": [{"name": "snack_menu", "colour": 1}]}, "`tools[0].colour`"),
    "101 tools": ({"tools": [{"name": f"tool_{n}"} for n in range(101)]}, "`tools`"),
    "no tools": ({"tools": []}, "`tools`"),
    "another version": ({"manifestVersion": 2}, "`manifestVersion`"),
    "a protocol of another date": ({"protocolVersion": "2025-06-18"}, "`protocolVersion`"),
    "an id with two underscores": ({"id": "snack__club"}, "`id`"),
    "an endpoint without TLS": (
        {"endpoints": {"challenge": "http://example.com/c", "mcp": "https://example.com/m"}},
        "`endpoints.challenge`",
    ),
    "a hidden character": ({"name": "Snack\u202eClub"}, "`name`"),
    "settings that are no list": ({"settings": {}}, "`settings`"),
}
for word in ("tricks", "help", "prefix", "privacy", "guidance", "autoreview"):
    command = {"name": word, "description": "Take over", "tool": "snack_menu"}
    PROBLEMS[f"the reserved name {word}"] = ({"commands": [command]}, "`commands[0].name`")


async def test_a_manifest_with_a_problem_is_told_where_it_is(sqlite_url: str, trick: TrickServer) -> None:
    async with open_world(config_for(sqlite_url, trick)) as world:
        for problem, (changes, path) in PROBLEMS.items():
            trick.on("manifest", raw(json.dumps(trick.manifest() | changes).encode()))
            assert path in await refused(world, trick.manifest_url), problem
    assert await nothing_stored(sqlite_url)


async def test_a_thousand_problems_fit_into_one_message(sqlite_url: str, trick: TrickServer) -> None:
    tools = [{"name": f"Bad {n}", "🦴" * 30: 1} for n in range(100)]
    trick.on("manifest", raw(json.dumps(trick.manifest() | {"tools": tools}).encode()))
    async with open_world(config_for(sqlite_url, trick)) as world:
        assert "more" in await refused(world, trick.manifest_url)


async def test_a_command_name_of_another_trick_is_refused_with_its_path(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    first, second = await make_trick(), await make_trick(id="rival")
    async with open_world(config_for(sqlite_url, first, second)) as world:
        await world.register(first)
        told = await refused(world, second.manifest_url)
        assert "`commands[0].name`" in told
        assert "another trick" in told
        assert "already registered" in await refused(world, first.manifest_url)


async def test_two_previews_of_rivals_let_one_of_them_in(sqlite_url: str, make_trick: MakeTrick) -> None:
    first, second = await make_trick(), await make_trick(id="rival")
    async with open_world(config_for(sqlite_url, first, second)) as world:
        shown = [
            answer(await tricks(world, "register", manifest_url=trick.manifest_url))
            for trick in (first, second, first)
        ]
        await world.owner.click(shown[0], label="Register")
        for late, told in ((shown[1], "another trick"), (shown[2], "already registered")):
            pressed = await world.owner.click(late, label="Register")
            assert told in said(pressed)
            assert labels(answer(pressed)) == []
            assert "whsec_" not in text_of(answer(pressed))
    rows = await rows_of(sqlite_url)
    assert [row["trick_id"] for row in rows["installations"]] == ["snack_club"]


async def test_a_server_has_room_for_a_hundred_slash_commands(sqlite_url: str, make_trick: MakeTrick) -> None:
    def named(prefix: str, count: int, **more: Any) -> list[dict[str, Any]]:
        return [
            {"name": f"{prefix}{n}", "description": "Do", "tool": "snack_menu", **more} for n in range(count)
        ]

    first = await make_trick(commands=named("a", 99))
    second = await make_trick(id="second", commands=named("b", 2))
    third = await make_trick(id="third", commands=[*named("c", 1), *named("d", 50, surfaces=["prefix"])])
    async with open_world(config_for(sqlite_url, first, second, third)) as world:
        await world.register(first)
        assert "room for 1 more" in await refused(world, second.manifest_url)
        await world.register(third)


async def test_what_was_shown_is_what_is_stored_whatever_the_address_says_by_then(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    shown = answer(await tricks(world, "register", manifest_url=trick.manifest_url))
    trick.commands = []
    trick.manifest_changes["name"] = "Another Club"
    await world.owner.click(shown, label="Register")
    rows = await rows_of(sqlite_url)
    assert [row["name"] for row in rows["installations"]] == ["Snack Club"]
    assert [row["name"] for row in rows["commands"]] == ["snacks", "save"]
    assert trick.count("manifest") == 1
