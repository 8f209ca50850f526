"""The Tasks extension as the client reads it."""

from typing import Any

import pytest

from bot.errors import ProtocolFailure, RpcFailure
from bot.mcp import CreateTaskResult, Elicitation, Task, TaskError, TextContent, UnsupportedInput
from tests.support import trick_answers
from tests.support.mcp import CALL, Conversation

STAMPS = {"createdAt": "2026-08-10T10:30:00Z", "lastUpdatedAt": "2026-08-10T10:30:00Z"}
QUESTION = {
    "method": "elicitation/create",
    "params": {"mode": "form", "message": "Which?", "requestedSchema": {"type": "object"}},
}


async def task_of(conversation: Conversation, **fields: Any) -> Task:
    conversation.trick.on(
        "tasks/get", trick_answers.result({"taskId": "t-1", "ttlMs": None, **STAMPS, **fields})
    )
    return await conversation.client.get_task(conversation.endpoint, CALL, "t-1")


async def test_a_call_may_become_a_task(conversation: Conversation):
    created = {
        "resultType": "task",
        "taskId": "t-1",
        "status": "working",
        "statusMessage": "Started.",
        **STAMPS,
    }
    conversation.trick.on(
        "tools/call", trick_answers.result({**created, "ttlMs": 60_000, "pollIntervalMs": 500})
    )
    answer = await conversation.call()
    assert isinstance(answer, CreateTaskResult)
    task = answer.task
    assert (task.task_id, task.status, task.status_message) == ("t-1", "working", "Started.")
    assert (task.ttl_ms, task.poll_interval_ms) == (60_000, 500)


@pytest.mark.parametrize("status", ["completed", "failed", "input_required", "cancelled"])
async def test_a_created_task_may_be_in_any_state_and_has_no_result_yet(
    conversation: Conversation, status: str
):
    created = {"resultType": "task", "taskId": "t-1", "status": status, "ttlMs": None, **STAMPS}
    conversation.trick.on("tools/call", trick_answers.result(created))
    answer = await conversation.call()
    assert isinstance(answer, CreateTaskResult)
    assert (answer.task.status, answer.task.result, answer.task.error) == (status, None, None)


async def test_a_completed_task_has_the_tools_result(conversation: Conversation):
    for own in ({}, {"resultType": "complete"}):
        result = {"content": [{"type": "text", "text": "done"}], "isError": True, **own}
        task = await task_of(conversation, status="completed", result=result)
        assert task.result is not None
        assert task.result.content == (TextContent("done"),)
        assert task.result.is_error


async def test_a_failed_task_has_its_error(conversation: Conversation):
    task = await task_of(conversation, status="failed", error={"code": -32603, "message": "x" * 9000})
    assert task.error is not None
    assert task.error.code == -32603
    assert len(task.error.said) == 500


async def test_a_failed_task_without_a_proper_error_is_over_all_the_same(conversation: Conversation):
    task = await task_of(conversation, status="failed", error="oh")
    assert (task.status, task.error) == ("failed", TaskError(-32603, ""))


async def test_a_task_tells_every_outstanding_question(conversation: Conversation):
    requests: dict[str, Any] = {"k:1": QUESTION, "k:2": {"method": "sampling/createMessage", "params": {}}}
    task = await task_of(conversation, status="input_required", inputRequests=requests)
    assert task.input_requests == {
        "k:1": Elicitation("Which?", {"type": "object"}),
        "k:2": UnsupportedInput("sampling/createMessage"),
    }


async def test_a_task_may_be_reported_as_result_type_task(conversation: Conversation):
    assert (await task_of(conversation, status="working", resultType="task")).status == "working"


async def test_a_lifetime_may_be_missing_and_is_never_negative(conversation: Conversation):
    task = await task_of(conversation, status="working", ttlMs=-1, pollIntervalMs=None)
    assert (task.ttl_ms, task.poll_interval_ms) == (0, None)


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "working", "taskId": "t-2"},
        {"status": "done"},
        {"status": 7},
        {},
        {"status": "working", "statusMessage": 7},
        {"status": "completed"},
        {"status": "completed", "result": []},
        {"status": "completed", "result": {"content": [], "resultType": "task"}},
        {"status": "input_required", "inputRequests": []},
        {"status": "working", "resultType": "input_required"},
    ],
)
async def test_a_task_that_is_none_is_the_tricks_fault(conversation: Conversation, fields: dict[str, Any]):
    with pytest.raises(ProtocolFailure):
        await task_of(conversation, **fields)


@pytest.mark.parametrize("task_id", ["", "x" * 513, 7, None])
async def test_a_created_task_needs_a_usable_id(conversation: Conversation, task_id: Any):
    created = {"resultType": "task", "taskId": task_id, "status": "working", "ttlMs": None}
    conversation.trick.on("tools/call", trick_answers.result(created))
    with pytest.raises(ProtocolFailure):
        await conversation.call()


async def test_a_lost_task_is_known_by_its_code(conversation: Conversation):
    with pytest.raises(RpcFailure) as caught:
        await conversation.client.get_task(conversation.endpoint, CALL, "gone")
    assert caught.value.code == -32602
    assert "gone" not in caught.value.detail + caught.value.sentence


async def test_an_update_is_acknowledged_without_a_value(conversation: Conversation):
    conversation.trick.on("tasks/update", trick_answers.result({}))
    await conversation.client.update_task(conversation.endpoint, CALL, "t-1", {"k": {"action": "cancel"}})
    conversation.trick.on("tasks/update", trick_answers.result({"resultType": "task"}))
    with pytest.raises(ProtocolFailure):
        await conversation.client.update_task(conversation.endpoint, CALL, "t-1", {})
