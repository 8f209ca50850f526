"""A trick that answers wrongly: one sentence of Kennel's own, nothing repeated, nothing of its words shown."""

from typing import Any

import pytest

from tests.support.journeys import answer, deliver_again, replies, rows_of, said, typed
from tests.support.trick import Handler, MakeTrick, TrickServer
from tests.support.trick_answers import (
    Hang,
    accepted,
    asks,
    drip,
    drop,
    duplicate_keys,
    gzipped,
    html,
    not_a_number,
    oversize,
    raw,
    redirect,
    result,
    rpc_error,
    status,
    tool_error,
    wrong_id,
)
from tests.support.trick_tasks import TaskScript, question, working
from tests.support.trick_tools import default_commands
from tests.support.world import World, config_for, open_world, text_of

SLOW = ("silence", "one byte after another")
PATIENCE = 0.3
WORDS = "THE TRICK'S OWN WORDS"
LOST: dict[str, Handler] = {
    "a web page": html(),
    "202": accepted(),
    "500": status(500, WORDS),
    "503": status(503, WORDS),
    "a broken connection": drop(),
    "half a reply": drop(half=True),
    "too much": oversize(),
    "gzip": gzipped(),
    "somebody else's id": wrong_id(),
    "the id as a number": wrong_id(1),
    "NaN": not_a_number(),
    "a key twice": duplicate_keys(),
    "silence": Hang(),
    "one byte after another": drip(),
    "no bytes": raw(b""),
    "a list": raw(b"[]"),
    "an empty object": raw(b"{}"),
    "deep nesting": raw(b"[" * 5_000 + b"]" * 5_000),
    "an unknown kind of result": result({"resultType": "surprise", "content": []}),
    "content that is none": result({"content": WORDS}),
    "a result without content": result({}),
}
DEFINITE: dict[str, Handler] = {
    "a redirect": redirect("https://example.com/mcp"),
    "401": status(401, WORDS),
    "404": status(404, WORDS),
    "429": status(429, WORDS, {"Retry-After": "1"}),
    "an error inside": rpc_error(-32603, WORDS),
    "an unknown method": rpc_error(-32601, WORDS, 404),
    "parameters refused": rpc_error(-32602, WORDS),
    "headers refused": rpc_error(-32020, WORDS, 400),
    "an old version": rpc_error(-32022, WORDS, 400, supported=["2025-06-18"]),
    "an error of its own": rpc_error(4242, WORDS, lots="x" * 100_000),
}
MISHAPS: dict[str, tuple[Handler, str]] = {
    "isError": (tool_error(WORDS), "the trick reported a problem"),
    "a presentation in an isError": (
        result(
            {
                "content": [{"type": "text", "text": WORDS}],
                "structuredContent": {"pup": {"text": WORDS}},
                "isError": True,
            }
        ),
        "the trick reported a problem",
    ),
    "a question": (asks({"q": question(WORDS, {"size": {"type": "string"}})}, "state"), "in a conversation"),
}


def public(commands: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The commands, with answers for everybody to see."""
    return [{**command, "visibility": "public"} for command in commands]


async def open_trick(make_trick: MakeTrick) -> TrickServer:
    """The example trick with public commands."""
    return await make_trick(commands=public(default_commands()))


async def calls_of(url: str) -> list[dict[str, Any]]:
    """The recorded calls, oldest first."""
    return sorted((await rows_of(url))["calls"], key=lambda row: row["started_at"])


async def recover(world: World, trick: TrickServer) -> None:
    """A good answer, so that the next mishap is the first in a row again, a minute later."""
    world.clock.advance(61)
    world.transport.patience = None
    trick.behave()
    assert "popcorn" in await typed(world, "^snacks")


async def test_a_read_that_fails_is_told_privately_for_a_public_slash_command_and_as_a_reply_for_a_typed_one(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    trick = await open_trick(make_trick)
    async with open_world(config_for(sqlite_url, trick)) as world:
        trick.clock = world.clock
        await world.install(trick)
        for name, handler in {**LOST, **DEFINITE}.items():
            trick.on("tools/call", handler)
            world.transport.patience = PATIENCE if name in SLOW else None
            seen, shown = trick.count("tools/call"), len(replies(world))
            failed = await world.member.slash(world.channel, "snacks")
            assert failed.response is None, name
            assert answer(failed).ephemeral, name
            assert len(replies(world)) == shown, name
            told = "took too long" if name in SLOW else "did not answer as it should"
            assert told in said(failed), name
            attempts = trick.received("tools/call")[seen:]
            repeated = name in ("503", "a broken connection", "half a reply")
            assert len(attempts) == (2 if repeated else 1), name
            assert len({received.call_id for received in attempts}) == 1, name
            assert len({received.headers["webhook-id"] for received in attempts}) == len(attempts), name
            if repeated or name in SLOW:
                assert told in await typed(world, "^snacks"), name
            await recover(world, trick)
        assert WORDS not in str(world.env.http_requests)
        assert {row["status"] for row in await calls_of(sqlite_url)} == {"succeeded", "failed"}


async def test_a_write_whose_answer_was_lost_is_unknown_and_never_repeated(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    trick = await open_trick(make_trick)
    async with open_world(config_for(sqlite_url, trick)) as world:
        trick.clock = world.clock
        await world.install(trick)
        for name, handler in LOST.items():
            trick.on("tools/call", handler)
            world.transport.patience = PATIENCE if name in SLOW else None
            seen, shown = trick.count("tools/call"), len(replies(world))
            failed = await world.owner.slash(world.channel, "save", snack="fruit")
            assert failed.response is None, name
            assert answer(failed).ephemeral, name
            assert len(replies(world)) == shown, name
            assert "unknown whether this happened" in said(failed), name
            await deliver_again(world, "INTERACTION_CREATE")
            assert trick.count("tools/call") == seen + 1, name
            assert (await calls_of(sqlite_url))[-1]["status"] == "unknown", name
            await recover(world, trick)
        assert set(trick.effects.values()) == {1}
        assert WORDS not in str(world.env.http_requests)


async def test_a_typed_write_whose_answer_was_lost_is_told_as_its_reply(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    trick.on("tools/call", drop())
    assert "unknown whether this happened" in await typed(world, "^save popcorn", world.owner)
    await deliver_again(world, "MESSAGE_CREATE")
    assert set(trick.effects.values()) == {1}
    assert len(replies(world)) == 1


async def test_a_write_that_was_refused_is_failed_and_not_unknown(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    trick = await open_trick(make_trick)
    async with open_world(config_for(sqlite_url, trick)) as world:
        trick.clock = world.clock
        await world.install(trick)
        for name, handler in DEFINITE.items():
            trick.on("tools/call", handler)
            seen = trick.count("tools/call")
            assert "did not answer as it should" in await typed(world, "^save fruit", world.owner), name
            assert trick.count("tools/call") == seen + 1, name
            assert (await calls_of(sqlite_url))[-1]["status"] == "failed", name
            await recover(world, trick)


async def test_a_write_to_a_trick_that_is_not_there_is_tried_twice_and_failed(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    trick = await open_trick(make_trick)
    async with open_world(config_for(sqlite_url, trick)) as world:
        await world.install(trick)
        await trick.stop()
        assert "did not answer" in await typed(world, "^save fruit", world.owner)
        assert (await calls_of(sqlite_url))[-1]["status"] == "failed"


@pytest.mark.parametrize("command", ["snacks", "save fruit"])
async def test_a_refused_version_that_is_ours_after_all_is_sent_once_more(
    world: World, trick: TrickServer, command: str
) -> None:
    await world.install(trick)
    trick.on("tools/call", rpc_error(-32022, WORDS, 400, supported=["2026-07-28"], requested="2026-07-28"))
    seen = trick.count("tools/call")
    assert "did not answer as it should" in await typed(world, f"^{command}", world.owner)
    first, second = trick.received("tools/call")[seen:]
    assert first.call_id == second.call_id
    assert first.json["id"] != second.json["id"]
    assert first.headers["webhook-id"] != second.headers["webhook-id"]


async def test_what_a_tool_reports_itself_is_told_in_a_sentence_and_counts_as_no_fault(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    for name, (handler, told) in MISHAPS.items():
        trick.on("tools/call", handler)
        for _ in range(3):
            assert told in said(await world.member.slash(world.channel, "snacks")), name
            assert told in await typed(world, "^save fruit", world.owner), name
        world.clock.advance(61)
    assert WORDS not in str(world.env.http_requests)
    trick.behave()
    assert "popcorn" in await typed(world, "^snacks")


async def test_a_task_as_the_answer_to_a_command_is_told_and_not_polled(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    TaskScript(trick, "snack_menu", working(WORDS))
    failed = await world.member.slash(world.channel, "snacks")
    assert "in a conversation" in said(failed)
    assert failed.ephemeral
    assert "in a conversation" in await typed(world, "^snacks")
    assert not trick.received("tasks/get")


async def test_a_button_whose_tool_fails_answers_privately(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await world.owner.send(world.channel, "^snacks")
    reply = world.channel.last_message
    assert reply is not None
    trick.on("tools/call", drop())
    pressed = await world.owner.click(reply, label="Save fruit")
    assert pressed.ephemeral
    assert "unknown whether this happened" in said(pressed)
    assert text_of(reply) == text_of(world.channel.last_message)
    assert set(trick.effects.values()) == {1}


async def test_what_the_trick_said_is_kept_for_the_owner_in_five_hundred_characters(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    await world.install(trick)
    for handler in (tool_error("x" * 10_000), rpc_error(-32000, "y" * 10_000)):
        trick.on("tools/call", handler)
        await typed(world, "^snacks")
    assert sorted(len(row["said"]) for row in await calls_of(sqlite_url)) == [500, 500]
