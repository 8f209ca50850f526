"""`/tricks log`: what went wrong, in words, with what to do, and nothing of what anybody asked for."""

import re
from typing import Any

import pytest

from bot.app import Kennel
from bot.tricks.failures import advice
from tests.support.joining import join, later
from tests.support.journeys import answer, labels, let_pass, said, tricks, typed
from tests.support.model import ModelServer, say
from tests.support.talks import ask
from tests.support.trick import Handler, TrickServer
from tests.support.trick_answers import result, rpc_error, status, tool_error
from tests.support.turns import load, use
from tests.support.world import World


async def log(world: World, trick: TrickServer) -> Any:
    """The first page of the log."""
    return answer(await tricks(world, "log", trick=trick.id))


def entries(shown: Any) -> list[tuple[str, str]]:
    """Its lines, newest first."""
    return [(each.name, each.value) for each in shown.embeds[0].fields]


async def test_where_nothing_failed_it_says_so(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await typed(world, "^snacks")
    assert "Nothing is known to have failed" in said(await tricks(world, "log", trick=trick.id))


async def test_a_failure_says_when_what_which_call_how_long_why_and_what_to_do(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    trick.on("tools/call", status(503))
    await world.member.slash(world.channel, "snacks")
    ((name, value),) = entries(await log(world, trick))
    assert name == "Slash command: snack\\_menu"
    first, why, what_to_do = value.split("\n")
    assert first.startswith("<t:")
    assert re.search(r"after [\d.]+ m?s, call `", first)
    assert first.endswith(f"`{trick.received('tools/call')[-1].call_id}`")
    assert why == "**Failed.** The trick answered with HTTP status 503."
    assert what_to_do == advice("HttpFailure")


async def test_each_way_of_calling_is_told_apart_newest_first(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    await talk.owner.send(talk.channel, "^snacks")
    reply = talk.channel.last_message
    assert reply is not None
    trick.on("tools/call", tool_error())
    await talk.member.slash(talk.channel, "snacks")
    await typed(talk, "^snacks")
    await talk.owner.click(reply, label="Save fruit")
    model.script(load(trick), use(trick, "snack_menu"), say("It did not work."))
    await ask(talk, "what is there?")
    names = [name for name, _ in entries(await log(talk, trick))]
    assert names == [
        "Conversation: snack\\_menu",
        "Button: save\\_snack",
        "Typed command: snack\\_menu",
        "Slash command: snack\\_menu",
    ]


@pytest.mark.parametrize(
    ("handler", "failure", "kind"),
    [
        (tool_error("no snacks `left`"), "The tool itself reported a problem.", "ToolFailed"),
        (rpc_error(-32603, "no snacks `left`"), "error -32603: something broke inside it.", "RpcFailure"),
    ],
)
async def test_what_the_trick_said_stands_there_and_nowhere_else(
    world: World, trick: TrickServer, handler: Handler, failure: str, kind: str
) -> None:
    await world.install(trick)
    trick.on("tools/call", handler)
    told = said(await world.owner.slash(world.channel, "save", snack="fruit"))
    assert "no snacks" not in told
    ((_, value),) = entries(await log(world, trick))
    assert failure in value
    assert advice(kind) in value
    assert "It said:\n```\nno snacks `left`\n```" in value
    assert "fruit" not in value


async def test_a_write_whose_answer_was_lost_is_unknown_and_says_to_look_first(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    trick.on("tools/call", status(502))
    await world.owner.slash(world.channel, "save", snack="fruit")
    ((name, value),) = entries(await log(world, trick))
    assert name == "Slash command: save\\_snack"
    assert "**Unknown whether it happened.** The trick answered with HTTP status 502." in value
    assert advice("OutcomeUnknown") in value


async def test_what_was_said_goes_with_the_message_it_was_kept_with(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    trick.on("tools/call", tool_error("no snacks left"))
    message = await world.member.send(world.channel, "^snacks")
    assert "no snacks left" in said(await tricks(world, "log", trick=trick.id))
    await world.member.delete(message)
    await let_pass(world, 3)
    told = said(await tricks(world, "log", trick=trick.id))
    assert "The tool itself reported a problem." in told
    assert "no snacks left" not in told


async def test_an_event_that_does_not_get_through_stands_there_until_it_does(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    trick.on("events", status(500, "inside"))
    await join(world)
    ((name, value),) = entries(await log(world, trick))
    assert name == "Event: somebody joined"
    assert f"delivery `{trick.received('events')[-1].json['id']}`" in value
    assert "**Not delivered yet:** 1 try so far, the next <t:" in value
    assert "The trick answered with HTTP status 500." in value
    assert "inside" not in value
    trick.on("events", result({}))
    await later(world, 10)
    assert "Nothing is known to have failed" in said(await tricks(world, "log", trick=trick.id))


async def test_an_event_that_never_gets_through_is_given_up_and_stays_in_the_log(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    trick.on("events", status(500))
    await join(world)
    for seconds in (7, 40, 150, 800, 5_000, 14_000, 30_000, 60_000):
        await later(world, seconds)
    ((_, value),) = entries(await log(world, trick))
    assert f"**Given up** after {trick.count('events')} tries." in value
    assert advice("HttpFailure") in value


async def test_it_has_pages_that_turn_also_after_a_restart(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    trick.on("tools/call", tool_error())
    for number in range(17):
        await typed(world, "^snacks")
        world.clock.advance(10 + number)
    shown = await log(world, trick)
    newest = [str(each.call_id) for each in reversed(trick.received("tools/call"))]
    assert [newest[n] in value for n, (_, value) in enumerate(entries(shown))] == [True] * 5
    assert labels(shown) == ["Older"]
    await world.env.restart_bot(Kennel(world.services, shard_count=1))
    await world.owner.click(shown, label="Older")
    await world.owner.click(shown, label="Older")
    assert [newest[10 + n] in value for n, (_, value) in enumerate(entries(shown))] == [True] * 5
    assert labels(shown) == ["Newer"]
    await world.owner.click(shown, label="Newer")
    assert labels(shown) == ["Newer", "Older"]
    world.env.backend.edit_guild(world.guild.id, {"owner_id": world.member.id})
    assert "Only the server's owner" in said(await world.owner.click(shown, label="Older"))
    assert labels(shown) == ["Newer", "Older"]
