"""Calls that asked back, sent again with the answers: exactly as before, and a write never twice in doubt."""

import asyncio
from dataclasses import replace

import pytest

from bot.errors import AlreadyCalled, OutcomeUnknown, TaskFailed, TrickFault
from bot.mcp import CallToolResult
from bot.strict_json import Json
from bot.tricks.request_calls import TaskStarted
from bot.tricks.resume import MAX_ROUNDS, open_resume
from storage.erase import Erase
from storage.records import CallOutcome
from tests.support.records import NOW
from tests.support.request_calls import Conversing, conversing
from tests.support.trick import Answer, Handler, TrickServer
from tests.support.trick_answers import asks, data, drop, status
from tests.support.trick_requests import Received
from tests.support.trick_tasks import TaskScript, question, working

__all__ = ["conversing"]

STATE = ' "opaque"\\ \0 \u2028 ☕ {"a":1} '
ASKED = {"k": question("Which?", {"n": {"type": "integer"}})}
ACCEPT: dict[str, Json] = {"action": "accept", "content": {"n": 12345678901234567890}}


@pytest.fixture(autouse=True)
async def installed(conversing: Conversing) -> None:
    await conversing.install()


def once_asking(state: str | None, then: Handler) -> Handler:
    """Ask back the first time, then answer by `then`."""

    async def answer(trick: TrickServer, received: Received) -> Answer:
        ask = asks(ASKED, state)
        return await (ask if trick.count("tools/call") == 1 else then)(trick, received)

    return answer


@pytest.mark.parametrize("state", [STATE, "", None])
async def test_the_same_call_is_sent_with_the_answers_and_the_state_as_it_was(
    conversing: Conversing, state: str | None
) -> None:
    conversing.trick.on("tools/call", once_asking(state, data({"baked": True})))
    row = await conversing.started()
    result = await conversing.resend(row, k=ACCEPT)
    assert isinstance(result, CallToolResult)
    assert result.structured_content == {"baked": True}
    first, again = conversing.trick.received("tools/call")
    assert again.context == first.context
    assert again.json["id"] != first.json["id"]
    added = {"inputResponses": {"k": ACCEPT}, **({} if state is None else {"requestState": state})}
    assert again.params == {**first.params, **added}
    assert (await conversing.stored())["status"] == "working"


async def test_answers_of_other_rounds_do_not_ride_along(conversing: Conversing) -> None:
    conversing.trick.on("tools/call", once_asking(None, data({})))
    row = await conversing.started()
    ready = await conversing.ready()
    await conversing.calls.resend(ready, row, {"1:k": ACCEPT, "0:k": {}, "11:k": {}, "k": {}})
    assert conversing.trick.received("tools/call")[1].params["inputResponses"] == {"k": ACCEPT}


async def test_a_state_without_a_question_goes_back_alone(conversing: Conversing) -> None:
    async def answer(trick: TrickServer, received: Received) -> Answer:
        return await (asks({}, "s") if trick.count("tools/call") == 1 else data({}))(trick, received)

    conversing.trick.on("tools/call", answer)
    await conversing.resend(await conversing.started())
    params = conversing.trick.received("tools/call")[1].params
    assert params["requestState"] == "s"
    assert "inputResponses" not in params


async def test_every_round_has_its_own_keys_and_the_tenth_is_the_last(conversing: Conversing) -> None:
    conversing.trick.on("tools/call", asks(ASKED, "s"))
    row = await conversing.started()
    keys = set(open_resume(conversing.box, row).requests)
    for _ in range(MAX_ROUNDS - 1):
        started = await conversing.resend(row, k=ACCEPT)
        assert isinstance(started, TaskStarted)
        row = started.row
        assert row == await conversing.row()
        assert (row.status, row.poll_at, row.poll_until) == ("waiting", NOW, None)
        keys |= set(open_resume(conversing.box, row).requests)
    assert len(keys) == MAX_ROUNDS
    with pytest.raises(TaskFailed):
        await conversing.resend(row, k=ACCEPT)
    assert conversing.trick.count("tools/call") == MAX_ROUNDS + 1


async def test_a_call_that_was_answered_may_go_on_as_a_task(conversing: Conversing) -> None:
    conversing.trick.on("tools/call", asks(ASKED, "s"))
    row = await conversing.started()
    TaskScript(conversing.trick, "save_snack", working(), pollIntervalMs=700, ttlMs=9_000)
    conversing.clock.advance(60)
    started = await conversing.resend(row, k=ACCEPT)
    assert isinstance(started, TaskStarted)
    assert started.row == await conversing.row()
    assert started.task is not None
    assert conversing.box.open("c1", started.row.task_id or "") == "task-1"
    assert (started.row.status, started.row.resume, started.row.poll_every) == ("working", None, 700)
    assert (started.row.poll_at, started.row.expires_at) == (NOW + 60_000, NOW + 69_000)


@pytest.mark.parametrize("handler", [drop(), status(503)], ids=["lost", "maybe"])
async def test_a_write_whose_answer_is_lost_is_unknown_and_never_sent_again(
    conversing: Conversing, handler: Handler
) -> None:
    conversing.trick.on("tools/call", once_asking("s", handler))
    row = await conversing.started()
    for stored in (row, None, None):
        with pytest.raises(OutcomeUnknown):
            await conversing.resend(stored or await conversing.row(), k=ACCEPT)
    assert conversing.trick.count("tools/call") == 2


async def test_a_write_that_was_on_its_way_when_the_process_died_is_unknown(conversing: Conversing) -> None:
    conversing.trick.on("tools/call", once_asking("s", data({})))
    row = await conversing.started()
    sent = replace(open_resume(conversing.box, row), sent=True).seal(conversing.box, "c1")
    assert await conversing.tasks.mark("c1", row.resume or "", sent)
    with pytest.raises(OutcomeUnknown):
        await conversing.resend(await conversing.row(), k=ACCEPT)
    assert conversing.trick.count("tools/call") == 1


async def test_what_was_definitely_not_done_may_be_sent_again(conversing: Conversing) -> None:
    conversing.trick.on("tools/call", once_asking("s", status(429)))
    row = await conversing.started()
    with pytest.raises(TrickFault):
        await conversing.resend(row, k=ACCEPT)
    assert await conversing.row() == row
    conversing.trick.on("tools/call", data({}))
    assert isinstance(await conversing.resend(row, k=ACCEPT), CallToolResult)


async def test_a_read_may_be_sent_again_though_its_answer_was_lost(conversing: Conversing) -> None:
    conversing.trick.on("tools/call", once_asking("s", drop()))
    row = await conversing.started("snack_menu")
    with pytest.raises(TrickFault):
        await conversing.resend(row, k=ACCEPT)
    assert conversing.trick.count("tools/call") == 3
    conversing.trick.on("tools/call", data({}))
    assert isinstance(await conversing.resend(await conversing.row(), k=ACCEPT), CallToolResult)


@pytest.mark.parametrize("tool", ["save_snack", "snack_menu"])
async def test_of_many_that_send_it_again_at_once_one_does(conversing: Conversing, tool: str) -> None:
    conversing.trick.on("tools/call", once_asking("s", data({})))
    row = await conversing.started(tool)
    ends = await asyncio.gather(*(conversing.resend(row, k=ACCEPT) for _ in range(5)), return_exceptions=True)
    assert [type(end) for end in ends].count(AlreadyCalled) == 4
    assert conversing.trick.count("tools/call") == 2


async def test_a_call_that_has_ended_or_was_erased_is_not_sent_again(conversing: Conversing) -> None:
    conversing.trick.on("tools/call", asks(ASKED, "s"))
    row = await conversing.started()
    await conversing.tasks.end("c1", "lost", None, CallOutcome("unknown", failure="Lost."), NOW)
    with pytest.raises(AlreadyCalled):
        await conversing.resend(row, k=ACCEPT)
    await Erase(conversing.database).messages_deleted(["message-r1"])
    with pytest.raises(TaskFailed):
        await conversing.resend(await conversing.row(), k=ACCEPT)
    assert conversing.trick.count("tools/call") == 1


async def test_what_was_sealed_for_one_call_does_not_resume_another(conversing: Conversing) -> None:
    conversing.trick.on("tools/call", asks(ASKED, "s"))
    row = await conversing.started()
    with pytest.raises(TaskFailed):
        open_resume(conversing.box, replace(row, id="c2"))
