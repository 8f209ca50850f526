"""The whole life of a trick in the hands of the server's owner."""

import pytest

from bot.demo.sample_trick import JsonObject
from tests.support.journeys import answer, labels, let_pass, rows_of, said, tricks, typed, writes
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_answers import status, wrong_challenge
from tests.support.trick_tools import ToolSpec, default_commands
from tests.support.world import World, config_for, open_world, text_of

TOOLS = [
    ToolSpec(
        "peek", "Take a peek", "Looks at the shelf.", read_only=True, result={"pup": {"text": "a shelf"}}
    ),
    ToolSpec("fill", "Fill the shelf", "Puts one more on the shelf.\nSecond line of it.", always_ask=True),
    ToolSpec("note", "Write a note", "Writes a note down.", result={"pup": {"text": "noted"}}),
]
COMMANDS = [
    {"name": "peek", "description": "Look at it", "tool": "peek", "visibility": "public"},
    {"name": "note", "description": "Note it", "tool": "note", "surfaces": ["prefix"]},
]
SETTINGS = [
    {"key": "shelf", "label": "Which shelf", "type": "text", "required": True, "default": "the oak one"}
]


async def shelf(make_trick: MakeTrick) -> TrickServer:
    """A trick with a tool of each kind, commands for both surfaces, a setting and an event."""
    return await make_trick(
        id="shelf", tools=TOOLS, commands=COMMANDS, settings=SETTINGS, events=["member.joined"]
    )


async def test_a_trick_is_registered_tested_enabled_used_disabled_and_removed_without_a_trace(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    trick = await shelf(make_trick)
    async with open_world(config_for(sqlite_url, trick)) as world:
        await world.register(trick)
        assert "registered, not enabled yet" in said(await tricks(world, "list"))
        assert "not enabled yet" in said(await tricks(world, "show", trick="shelf"))
        assert "passed the test" in said(await tricks(world, "test", trick="shelf"))
        assert writes(world) == []

        await world.enable(trick)
        assert writes(world) == [["peek"]]
        assert "a shelf" in said(await world.member.slash(world.channel, "peek"))
        assert "a shelf" in await typed(world, "^peek")
        assert "noted" in await typed(world, "^note", world.owner)

        assert "off" in said(await tricks(world, "disable", trick="shelf"))
        assert writes(world)[-1] == []
        assert await typed(world, "^peek") == ""
        assert "disabled" in said(await tricks(world, "list"))

        again = await tricks(world, "enable", trick="shelf")
        assert "is enabled" in said(again)
        assert labels(answer(again)) == []
        assert writes(world)[-1] == ["peek"]

        asked = answer(await tricks(world, "remove", trick="shelf"))
        assert (await rows_of(sqlite_url))["installations"] != []
        await world.owner.click(asked, label="Remove")
        assert writes(world)[-1] == []
        assert "No tricks here yet" in said(await tricks(world, "list"))

    rows = await rows_of(sqlite_url)
    kept = {table: found for table, found in rows.items() if found}
    assert kept.keys() <= {"meta", "counters", "guilds", "claims", "audit"}
    assert [row["what"] for row in kept["audit"]] == ["removed"]
    assert "shelf" not in str(kept)
    assert trick.secrets[0] not in str(kept)


async def test_the_preview_says_what_the_trick_would_add(sqlite_url: str, make_trick: MakeTrick) -> None:
    trick = await shelf(make_trick)
    async with open_world(config_for(sqlite_url, trick)) as world:
        shown = answer(await tricks(world, "register", manifest_url=trick.manifest_url))
        told = text_of(shown)
        for line in (
            "by Example author",
            "Read the available snacks, save one.",
            "`peek` · read",
            "`fill` · write, always asks first",
            "`note` · write",
            "`peek` (/ and ^) Look at it",
            "`note` (^) Note it",
            "Which shelf (text, required)",
            "Is told when somebody joins",
        ):
            assert line in told, line
        assert labels(shown) == ["Register", "Cancel"]


async def test_cancel_leaves_nothing_behind(sqlite_url: str, trick: TrickServer) -> None:
    async with open_world(config_for(sqlite_url, trick)) as world:
        shown = answer(await tricks(world, "register", manifest_url=trick.manifest_url))
        pressed = await world.owner.click(shown, label="Cancel")
        assert "Nothing was changed" in said(pressed)
        assert labels(answer(pressed)) == []
        rows = await rows_of(sqlite_url)
        assert rows["installations"] == rows["drafts"] == rows["audit"] == []


async def test_problems_of_a_manifest_come_with_their_paths_and_without_a_register_button(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    commands = [{"name": "Peek", "description": "Look", "tool": "peek"}, {**COMMANDS[1], "tool": "gone"}]
    trick = await make_trick(tools=TOOLS, commands=commands, author="")
    async with open_world(config_for(sqlite_url, trick)) as world:
        shown = answer(await tricks(world, "register", manifest_url=trick.manifest_url))
        for path in ("author", "commands[0].name", "commands[1].tool"):
            assert f"`{path}`" in text_of(shown)
        assert labels(shown) == []


async def test_endpoints_of_another_origin_are_named_and_have_to_be_confirmed(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    elsewhere = await make_trick(id="elsewhere")
    trick = await make_trick(
        events=[], endpoints={"challenge": elsewhere.url("/challenge"), "mcp": elsewhere.url("/mcp")}
    )
    async with open_world(config_for(sqlite_url, trick, elsewhere)) as world:
        shown = answer(await tricks(world, "register", manifest_url=trick.manifest_url))
        assert f"`http://{elsewhere.host_port}`" in text_of(shown)
        assert labels(shown) == ["Register with these addresses", "Cancel"]


async def test_a_test_names_its_steps_with_their_times(world: World, trick: TrickServer) -> None:
    await world.register(trick)
    told = said(await tricks(world, "test", trick=trick.id))
    assert "✅ Signed challenge (0." in told
    assert "✅ Tool list (0." in told
    assert [received.name for received in trick.requests[1:]] == ["challenge", "tools/list"]


async def test_a_tool_of_the_manifest_that_is_missing_fails_the_test_and_the_enabling(
    world: World, trick: TrickServer
) -> None:
    await world.register(trick)
    trick.live_tools = trick.live_tools[:1]
    for verb in ("test", "enable"):
        result = await tricks(world, verb, trick=trick.id)
        assert "failed the test" in said(result)
        assert "`save_snack`" in said(result)
        assert labels(answer(result)) == []


async def test_a_tool_too_many_is_noted_and_never_callable(sqlite_url: str, make_trick: MakeTrick) -> None:
    extra = ToolSpec("extra", "Extra", "Does more.", read_only=True)
    button: JsonObject = {"id": "more", "label": "More", "tool": "extra", "arguments": {}}
    menu = ToolSpec(
        "snack_menu", "Menu", "Lists.", read_only=True, result={"pup": {"text": "m", "actions": [button]}}
    )
    trick = await make_trick(tools=[menu], commands=default_commands()[:1])
    trick.live_tools.append(extra)
    async with open_world(config_for(sqlite_url, trick)) as world:
        await world.register(trick)
        told = said(await tricks(world, "test", trick=trick.id))
        assert "passed the test" in told
        assert "`extra`" in told
        await world.enable(trick)
        shown = await world.member.slash(world.channel, "snacks")
        assert labels(answer(shown)) == []


@pytest.mark.parametrize("verb", ["test", "enable"])
async def test_a_wrong_answer_to_the_challenge_fails_the_test(
    world: World, trick: TrickServer, verb: str
) -> None:
    await world.register(trick)
    trick.on("challenge", wrong_challenge())
    result = await tricks(world, verb, trick=trick.id)
    assert "❌ Signed challenge" in said(result)
    assert "did not send the challenge back" in said(result)
    assert "Tell whoever runs the trick. If they lack the signing secret" in said(result)
    assert ("It was not turned on" in said(result)) == (verb == "enable")
    assert labels(answer(result)) == []
    assert not trick.received("tools/list")


async def test_a_trick_that_does_not_know_the_secret_is_told_apart(world: World, trick: TrickServer) -> None:
    await world.register(trick)
    trick.trust()
    assert "refused the signature" in said(await tricks(world, "test", trick=trick.id))
    trick.on("challenge", status(401))
    assert "HTTP 401" in said(await tricks(world, "test", trick=trick.id))


async def test_enabling_shows_every_tool_in_full_and_asks_once(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    long = ToolSpec(
        "long", "Long one", "\n".join(f"Line {n} of <@1> [it](https://x.example)" for n in range(400))
    )
    trick = await make_trick(id="shelf", tools=[*TOOLS, long], commands=COMMANDS)
    async with open_world(config_for(sqlite_url, trick)) as world:
        await world.register(trick)
        result = await tricks(world, "enable", trick="shelf")
        assert result.response is not None
        messages = [result.response, *result.followups]
        told = "\n".join(text_of(message) for message in messages)
        for tool in TOOLS:
            assert tool.title in told
            assert all(line in told for line in tool.description.splitlines())
        assert all(f"Line {n} of " in told for n in range(400))
        assert "[it](" not in told
        assert all(message.ephemeral for message in messages)
        assert [labels(message) for message in messages[:-1]] == [[]] * (len(messages) - 1)
        assert labels(messages[-1]) == ["Enable", "Cancel"]
        assert not trick.effects
        await world.owner.click(messages[-1], label="Enable")
        assert labels(answer(await tricks(world, "enable", trick="shelf"))) == []


async def test_registrations_and_tests_are_ten_an_hour(world: World, trick: TrickServer) -> None:
    await world.register(trick)
    for _ in range(9):
        await tricks(world, "test", trick=trick.id)
        world.clock.advance(61)
    seen = len(trick.requests)
    assert "(51 minutes)" in said(await tricks(world, "test", trick=trick.id))
    assert "Try again in" in said(await tricks(world, "register", manifest_url=trick.manifest_url))
    assert len(trick.requests) == seen
    world.clock.advance(3_600)
    assert "passed the test" in said(await tricks(world, "test", trick=trick.id))


async def test_the_largest_manifest_is_shown_within_discords_limits(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    tools = [ToolSpec(f"{'t' * 40}_{n}", "🦴" * 40, "🦴" * 300, read_only=True) for n in range(60)]
    commands = [
        {"name": f"{'c' * 25}{n}", "description": "🦴" * 50, "tool": tools[n].name} for n in range(60)
    ]
    settings = [{"key": f"k{n}", "label": "🦴" * 20, "type": "text"} for n in range(25)]
    trick = await make_trick(
        id="large",
        tools=tools,
        commands=commands,
        settings=settings,
        name="🦴" * 40,
        author="🦴" * 50,
        summary="🦴" * 75,
        description="🦴" * 500,
    )
    elsewhere = await make_trick(id="elsewhere")
    trick.manifest_changes["endpoints"] = {
        "challenge": elsewhere.url("/challenge"),
        "mcp": elsewhere.url("/mcp"),
        "events": elsewhere.url("/events"),
    }
    async with open_world(config_for(sqlite_url, trick, elsewhere)) as world:
        shown = answer(await tricks(world, "register", manifest_url=trick.manifest_url))
        assert "more" in text_of(shown)
        await world.owner.click(shown, label="Register with these addresses")
        for verb in ("show", "test", "enable", "remove"):
            await tricks(world, verb, trick="large")
        await tricks(world, "list")
        await let_pass(world, 2)
