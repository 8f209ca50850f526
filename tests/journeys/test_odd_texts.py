"""Texts of tricks and members that some part on the way cannot carry, on both databases."""

from collections.abc import AsyncGenerator

import pytest

from bot.signing import new_key
from tests.support.journeys import answer, labels, rows_of, said, typed
from tests.support.trick import TrickServer
from tests.support.trick_answers import data, raw, rpc_error, tool_error
from tests.support.world import World, config_for, open_world, text_of

NUL = "a\0b"


@pytest.fixture
async def anywhere(database_url: str, trick: TrickServer) -> AsyncGenerator[World]:
    """A world on either database."""
    storage = {"url": database_url, "encryption_key": new_key()}
    async with open_world(config_for(database_url, trick, storage=storage)) as world:
        trick.clock = world.clock
        yield world


async def test_a_nul_in_what_a_trick_says_is_kept_out_and_the_call_ends(
    anywhere: World, trick: TrickServer, database_url: str
) -> None:
    await anywhere.install(trick)
    for handler in (tool_error(NUL), rpc_error(-32603, NUL)):
        trick.on("tools/call", handler)
        assert await typed(anywhere, "^snacks") != ""
    calls = (await rows_of(database_url))["calls"]
    assert [row["status"] for row in calls] == ["failed", "failed"]
    assert all(row["said"] is not None and "\0" not in row["said"] for row in calls)


async def test_a_nul_in_a_presentation_costs_nothing_else(
    anywhere: World, trick: TrickServer, database_url: str
) -> None:
    await anywhere.install(trick)
    action = {"id": NUL, "label": f"Save {NUL}", "tool": "save_snack", "arguments": {"snack": "fruit"}}
    pup = {"text": NUL, "fields": [{"label": NUL, "value": NUL}], "actions": [action]}
    trick.on("tools/call snack_menu", data({"pup": pup}))
    shown = answer(await anywhere.owner.slash(anywhere.channel, "snacks"))
    assert "\0" not in text_of(shown)
    assert [row["status"] for row in (await rows_of(database_url))["calls"]] == ["succeeded"]
    (label,) = labels(shown)
    assert "Saved: fruit." in said(await anywhere.owner.click(shown, label=label))


async def test_a_nul_in_a_tools_definition_is_no_obstacle(anywhere: World, trick: TrickServer) -> None:
    schema = {"type": "object", "description": NUL}
    trick.change_live("snack_menu", title=NUL, description=NUL, schema=schema)
    await anywhere.install(trick)
    assert "popcorn" in await typed(anywhere, "^snacks")


async def test_lone_surrogates_are_no_reply(anywhere: World, trick: TrickServer) -> None:
    await anywhere.install(trick)
    body = b'{"jsonrpc":"2.0","id":"%s","result":{"content":[{"type":"text","text":"\\ud800"}]}}'
    trick.on("tools/call", raw(body))
    assert "did not answer as it should" in await typed(anywhere, "^snacks")


async def test_a_nul_that_a_member_sends_is_an_argument_like_any_other(
    anywhere: World, trick: TrickServer
) -> None:
    await anywhere.install(trick)
    assert "Usage:" in await typed(anywhere, f"^save {NUL}", anywhere.owner)
    assert await typed(anywhere, f"^{NUL}") == ""
    told = said(await anywhere.owner.slash(anywhere.channel, "tricks show", trick=NUL))
    assert "no such trick" in told
    refused = said(
        await anywhere.owner.slash(anywhere.channel, "tricks register", manifest_url=f"https://{NUL}")
    )
    assert "characters" in refused


async def test_a_prefix_can_be_seen(world: World) -> None:
    for value in (NUL, "\u200b", "!\u202e", "\u3164", "\ufe0f", "\u2060\u2060"):
        refused = said(await world.owner.slash(world.channel, "prefix", value=value))
        assert "1 to 5 characters that can be seen" in refused, value
    for value in ("🐶", "⚙️", "ö", "->"):
        assert "from now on" in said(await world.owner.slash(world.channel, "prefix", value=value))
        assert "What you can use here" in await typed(world, f"{value}help")
