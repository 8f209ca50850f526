"""Calls from conversations: each runs once, and is recorded whatever comes of it."""

import asyncio
import json
from typing import Any

import pytest

from bot.demo.sample_trick import JsonObject
from bot.errors import (
    AlreadyCalled,
    BadArguments,
    KennelError,
    LimitReached,
    OutcomeUnknown,
    RpcFailure,
    TaskFailed,
    ToolFailed,
    TrickFault,
)
from bot.mcp import CallToolResult, UserRequest
from bot.tricks.request_calls import TaskStarted
from storage.calls import Calls
from storage.erase import Erase
from storage.errors import DatabaseBusy, StorageError
from tests.support.records import GUILD, NOW
from tests.support.request_calls import Conversing, conversing
from tests.support.request_records import ASKER, CHANNEL
from tests.support.storing import counts, everything
from tests.support.trick import Answer, TrickServer
from tests.support.trick_answers import asks, drop, rpc_error, status, tool_error
from tests.support.trick_requests import Received
from tests.support.trick_tasks import TaskScript, question, working

__all__ = ["conversing"]

DAY = 86_400_000


@pytest.fixture(autouse=True)
async def installed(conversing: Conversing) -> None:
    await conversing.install()


async def test_a_result_is_given_back_and_stored_as_it_came(conversing: Conversing) -> None:
    result = await conversing.run()
    assert isinstance(result, CallToolResult)
    assert result.structured_content == {"saved": "fruit", "pup": {"text": "Saved: fruit."}}
    row = await conversing.stored()
    assert json.loads(row["result"])["structuredContent"] == result.structured_content
    assert (row["status"], row["origin"], row["arguments"]) == ("succeeded", "assistant", '{"snack":"fruit"}')
    assert (row["asker_id"], row["guild_id"], row["message_id"]) == (ASKER, GUILD, "message-r1")


async def test_the_trick_is_told_who_asks_where_and_which_call_it_is(conversing: Conversing) -> None:
    await conversing.run(user_request=UserRequest("m1", "500", "fruit, <@1>!"))
    await conversing.run("snack_menu", call_id="c2")
    with_request, without = conversing.trick.received("tools/call")
    context: JsonObject = {"installationId": "i1", "askerId": ASKER, "channelId": CHANNEL, "settings": {}}
    words = {"messageId": "m1", "channelId": "500", "content": "fruit, <@1>!"}
    assert with_request.context == {**context, "callId": "c1", "userRequest": words}
    assert without.context == {**context, "callId": "c2"}


async def test_arguments_that_do_not_fit_are_not_sent_and_not_recorded(conversing: Conversing) -> None:
    with pytest.raises(BadArguments):
        await conversing.run(arguments={"snack": "gravel"})
    assert conversing.trick.count("tools/call") == 0
    assert "calls" not in await counts(conversing.database)


async def test_over_a_limit_nothing_is_sent_or_recorded(conversing: Conversing) -> None:
    for number in range(20):
        await conversing.run(call_id=f"c{number}")
    with pytest.raises(LimitReached) as limit:
        await conversing.run(call_id="more")
    assert limit.value.seconds == 60
    assert (await counts(conversing.database))["calls"] == conversing.trick.count("tools/call") == 20
    conversing.clock.advance(60)
    assert await conversing.run(call_id="more")


async def test_a_reserved_call_runs_once_however_many_begin_it(conversing: Conversing) -> None:
    ends = await asyncio.gather(*(conversing.run() for _ in range(5)), return_exceptions=True)
    assert [type(end) for end in ends].count(AlreadyCalled) == 4
    assert conversing.trick.effects == {"c1": 1}
    with pytest.raises(AlreadyCalled):
        await conversing.run()


async def test_what_the_tool_itself_reports_is_for_the_owner_and_no_fault(conversing: Conversing) -> None:
    conversing.trick.on("tools/call", rpc_error(-32603))
    with pytest.raises(RpcFailure):
        await conversing.run(call_id="c0")
    assert await conversing.standing() == ("enabled", 1)
    conversing.trick.on("tools/call", tool_error("the oven is off"))
    with pytest.raises(ToolFailed) as failed:
        await conversing.run()
    assert "oven" not in failed.value.sentence
    row = await conversing.stored()
    assert (row["status"], row["said"], row["result"]) == ("failed", "the oven is off", None)
    assert await conversing.standing() == ("enabled", 0)


@pytest.mark.parametrize(
    ("handler", "error", "end"),
    [
        (rpc_error(-32603, "broken oven"), RpcFailure, "failed"),
        (status(429), TrickFault, "failed"),
        (status(503), OutcomeUnknown, "unknown"),
        (drop(), OutcomeUnknown, "unknown"),
    ],
    ids=["refused", "too many", "maybe", "lost"],
)
async def test_a_write_that_fails_is_sent_once_and_unknown_where_it_may_have_happened(
    conversing: Conversing, handler: Any, error: type[KennelError], end: str
) -> None:
    conversing.trick.on("tools/call", handler)
    with pytest.raises(error):
        await conversing.run()
    assert conversing.trick.count("tools/call") == 1
    assert (await conversing.stored())["status"] == end
    assert await conversing.standing() == ("enabled", 1)


async def test_a_read_whose_answer_is_lost_early_is_sent_once_more(conversing: Conversing) -> None:
    async def first_lost(trick: TrickServer, received: Received) -> Answer:
        if trick.count("tools/call") == 1:
            return await drop()(trick, received)
        return trick.good_answer(received)

    conversing.trick.on("tools/call", first_lost)
    assert isinstance(await conversing.run("snack_menu"), CallToolResult)
    sent = conversing.trick.received("tools/call")
    assert [each.call_id for each in sent] == ["c1", "c1"]
    assert len({each.headers["webhook-id"] for each in sent}) == 2


async def test_the_fifth_fault_in_a_row_pauses_the_trick_and_tells_the_owner(conversing: Conversing) -> None:
    conversing.trick.on("tools/call", drop())
    for number in range(5):
        assert conversing.notices.told == []
        with pytest.raises(OutcomeUnknown):
            await conversing.run(call_id=f"c{number}")
    assert await conversing.standing() == ("paused", 5)
    (told,) = conversing.notices.told
    assert "paused it" in told


async def test_a_call_that_becomes_a_task_stays_under_way_and_is_followed_from_now_on(
    conversing: Conversing,
) -> None:
    TaskScript(conversing.trick, "save_snack", working(), task_id="MARK", statusMessage=" kneading\0 ")
    started = await conversing.run()
    assert isinstance(started, TaskStarted)
    assert started.task is not None
    assert started.row == await conversing.row()
    row = started.row
    assert (row.id, row.request_id, row.message_id, row.channel_id) == ("c1", "r1", "message-r1", CHANNEL)
    assert (row.status, row.last_status, row.last_message) == ("working", "working", "kneading")
    assert (row.poll_at, row.poll_until, row.poll_every) == (NOW + 6_000, None, 500)
    assert (row.expires_at, row.created_at) == (NOW + 3_600_000, NOW)
    assert (await conversing.stored())["status"] == "working"
    assert "MARK" not in await everything(conversing.database)
    assert conversing.box.open("c1", row.task_id or "") == "MARK"


@pytest.mark.parametrize(
    ("about", "every", "life"),
    [
        ({"pollIntervalMs": None, "ttlMs": None}, 2_000, DAY),
        ({"pollIntervalMs": 1, "ttlMs": 2 * DAY}, 250, DAY),
        ({"pollIntervalMs": 3_600_000, "ttlMs": 5_000}, 60_000, 5_000),
    ],
)
async def test_the_tricks_wishes_for_a_task_are_kept_within_bounds(
    conversing: Conversing, about: dict[str, Any], every: int, life: int
) -> None:
    TaskScript(conversing.trick, "save_snack", working(), **about)
    row = await conversing.started()
    assert (row.poll_every, row.expires_at) == (every, NOW + life)


async def test_a_task_of_a_message_that_was_deleted_meanwhile_is_not_followed(conversing: Conversing) -> None:
    async def deleted_meanwhile(trick: TrickServer, received: Received) -> Answer:
        await Erase(conversing.database).messages_deleted(["message-r1"])
        return {"resultType": "task", "status": "working", "taskId": "task-1", "ttlMs": 1}

    conversing.trick.on("tools/call", deleted_meanwhile)
    with pytest.raises(TaskFailed):
        await conversing.run()
    assert "tasks" not in await counts(conversing.database)
    row = await conversing.stored()
    assert (row["status"], row["failure"]) == ("failed", "The message that asked for it was deleted.")


@pytest.mark.parametrize(("tool", "error"), [("save_snack", OutcomeUnknown), ("snack_menu", StorageError)])
async def test_a_write_whose_task_cannot_be_stored_is_unknown(
    conversing: Conversing, tool: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def busy(*_: object) -> bool:
        raise DatabaseBusy

    monkeypatch.setattr(Calls, "hand_over", busy)
    TaskScript(conversing.trick, tool, working())
    with pytest.raises(error):
        await conversing.run(tool)


async def test_a_call_that_asks_back_waits_with_all_it_needs_sealed(conversing: Conversing) -> None:
    conversing.trick.on("tools/call", asks({"MARK": question("MARK?", {"n": {"type": "integer"}})}, "MARK"))
    started = await conversing.run()
    assert isinstance(started, TaskStarted)
    assert started.task is None
    assert started.row == await conversing.row()
    row = started.row
    assert (row.status, row.last_status, row.task_id) == ("waiting", "input_required", None)
    assert (row.poll_at, row.expires_at) == (NOW + 6_000, NOW + DAY)
    assert (await conversing.stored())["status"] == "working"
    assert "MARK" not in await everything(conversing.database)
