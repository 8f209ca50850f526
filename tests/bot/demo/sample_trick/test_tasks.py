"""Tasks: progress, a question, its answer, and who may ask."""

import asyncio
from typing import Any

import pytest

from bot.demo.sample_trick import MCP, JsonObject
from tests.support.sample_trick import serving
from tests.support.signed_client import CONTEXT, SECRET, SignedClient


async def _state(client: SignedClient, task_id: str, status: str) -> JsonObject:
    """The task's state once it has come to `status`."""
    async with asyncio.timeout(5):
        while (state := await client.result("tasks/get", taskId=task_id))["status"] != status:
            assert state["resultType"] == "complete"
    return state


async def _question(client: SignedClient) -> tuple[str, str]:
    """A new task that asks, and the key of its question."""
    task_id = (await client.call("choose_snack"))["taskId"]
    state = await _state(client, task_id, "input_required")
    (key,) = state["inputRequests"]
    return task_id, key


async def _answer(client: SignedClient, task_id: str, key: str, response: JsonObject) -> JsonObject:
    return await client.result("tasks/update", taskId=task_id, inputResponses={key: response})


async def test_the_call_is_answered_with_a_task_at_once(snack_club: SignedClient) -> None:
    created = await snack_club.call("choose_snack")
    assert (created["resultType"], created["status"]) == ("task", "working")
    assert (created["ttlMs"], created["pollIntervalMs"]) == (3_600_000, 500)
    assert {"result", "error", "inputRequests"}.isdisjoint(created)
    assert (await snack_club.result("tasks/get", taskId=created["taskId"]))["taskId"] == created["taskId"]


async def test_it_tells_progress_while_it_works() -> None:
    async with serving(pace=30) as base, SignedClient(base, SECRET) as client:
        task_id = (await client.call("choose_snack"))["taskId"]
        state = await _state(client, task_id, "working")
        assert state["statusMessage"] == "Looking into the cupboard."


@pytest.mark.parametrize(("taste", "snack"), [("sweet", "fruit"), ("salty", "popcorn")])
async def test_an_answer_leads_to_the_result(snack_club: SignedClient, taste: str, snack: str) -> None:
    task_id, key = await _question(snack_club)
    response = {"action": "accept", "content": {"taste": taste}}
    assert await _answer(snack_club, task_id, key, response) == {"resultType": "complete"}
    state = await _state(snack_club, task_id, "completed")
    assert state["result"]["structuredContent"] == {"snack": snack, "because": taste}
    assert "inputRequests" not in state


async def test_the_question_is_a_flat_form(snack_club: SignedClient) -> None:
    task_id, key = await _question(snack_club)
    asked = (await _state(snack_club, task_id, "input_required"))["inputRequests"][key]
    assert asked["method"] == "elicitation/create"
    assert asked["params"]["mode"] == "form"
    assert asked["params"]["requestedSchema"]["properties"]["taste"]["enum"] == ["sweet", "salty"]


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_skipped_question_still_has_an_end(snack_club: SignedClient, action: str) -> None:
    task_id, key = await _question(snack_club)
    await _answer(snack_club, task_id, key, {"action": action})
    state = await _state(snack_club, task_id, "completed")
    assert state["result"]["structuredContent"]["because"] == "nobody chose"


@pytest.mark.parametrize(
    "response", [{"action": "accept", "content": {"taste": "bitter"}}, {"action": "accept"}, None]
)
async def test_an_answer_that_does_not_fit_leaves_the_question_open(
    snack_club: SignedClient, response: Any
) -> None:
    task_id, key = await _question(snack_club)
    refused = await snack_club.rpc("tasks/update", taskId=task_id, inputResponses={key: response})
    assert refused.json()["error"]["code"] == -32602
    assert (await _state(snack_club, task_id, "input_required"))["inputRequests"].keys() == {key}


async def test_answers_to_unknown_and_answered_questions_are_ignored(snack_club: SignedClient) -> None:
    task_id, key = await _question(snack_club)
    sweet = {"action": "accept", "content": {"taste": "sweet"}}
    assert await _answer(snack_club, task_id, "nobody asked", sweet) == {"resultType": "complete"}
    await _answer(snack_club, task_id, key, sweet)
    salty = {"action": "accept", "content": {"taste": "salty"}}
    assert await _answer(snack_club, task_id, key, salty) == {"resultType": "complete"}
    state = await _state(snack_club, task_id, "completed")
    assert state["result"]["structuredContent"]["snack"] == "fruit"


@pytest.mark.parametrize("change", [{"askerId": "1002"}, {"installationId": "inst-2"}])
async def test_a_task_is_unknown_to_everybody_else(snack_club: SignedClient, change: JsonObject) -> None:
    task_id, _ = await _question(snack_club)
    meta = {"io.puphq/context": CONTEXT | change}
    calls: list[tuple[str, JsonObject]] = [
        ("tasks/get", {}),
        ("tasks/update", {"inputResponses": {}}),
        ("tasks/cancel", {}),
    ]
    for method, more in calls:
        refused = await snack_club.rpc(method, taskId=task_id, _meta=meta, **more)
        assert refused.json()["error"]["code"] == -32602


async def test_a_cancelled_task_says_so_and_takes_no_answer(snack_club: SignedClient) -> None:
    task_id, key = await _question(snack_club)
    assert await snack_club.result("tasks/cancel", taskId=task_id) == {"resultType": "complete"}
    assert "inputRequests" not in await _state(snack_club, task_id, "cancelled")
    sweet = {"action": "accept", "content": {"taste": "sweet"}}
    assert await _answer(snack_club, task_id, key, sweet) == {"resultType": "complete"}


async def test_a_client_that_knows_no_tasks_is_told_what_it_needs(snack_club: SignedClient) -> None:
    meta: JsonObject = {MCP + "clientCapabilities": {"elicitation": {"form": {}}}}
    calls: list[tuple[str, JsonObject]] = [
        ("tools/call", {"name": "choose_snack", "arguments": {}}),
        ("tasks/get", {"taskId": "any"}),
    ]
    for method, params in calls:
        error = (await snack_club.rpc(method, _meta=meta, **params)).json()["error"]
        assert error["code"] == -32021
        assert "io.modelcontextprotocol/tasks" in error["data"]["requiredCapabilities"]["extensions"]


async def test_a_task_whose_client_takes_no_questions_fails(snack_club: SignedClient) -> None:
    meta: JsonObject = {MCP + "clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}}
    created = await snack_club.result("tools/call", name="choose_snack", arguments={}, _meta=meta)
    state = await _state(snack_club, created["taskId"], "failed")
    assert state["error"]["data"] == {"requiredCapabilities": {"elicitation": {"form": {}}}}
