"""Our client against a server on the official Python SDK."""

import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest
import pytest_asyncio

from bot.errors import HttpFailure, RedirectRefused, RpcFailure
from bot.mcp import CallToolResult, CreateTaskResult, Elicitation, InputRequiredResult, TextContent
from bot.mcp.schemas import schema_problem
from bot.signing import Secret
from tests.peers.meeting import AGREED, CALL, DISCOVERY, Meeting, meeting
from tests.support.peers import serving


@pytest.fixture(scope="module")
def port() -> Iterator[str]:
    with serving([sys.executable, "-m", "tests.peers.sdk_server"], r"^PORT (\d+)") as found:
        yield found[1]


@pytest_asyncio.fixture
async def peer(port: str) -> AsyncIterator[Meeting]:
    async with meeting(port) as opened:
        yield opened


async def test_it_describes_itself_and_its_tools(peer: Meeting):
    found = await peer.client.discover(peer.endpoint, DISCOVERY)
    assert "2026-07-28" in found.supported_versions
    assert "io.modelcontextprotocol/tasks" in found.extensions
    tools = await peer.tools()
    assert {"echo", "menu", "long_work"} <= tools.keys()
    assert tools["echo"].title == "Echo"
    assert tools["echo"].description == "Says it again."
    assert all(schema_problem(tool.input_schema) is None for tool in tools.values())


async def test_an_annotated_argument_arrives_in_header_and_body(peer: Meeting):
    result = await peer.call("echo", {"text": "hé", "region": "Köln \n"})
    assert isinstance(result, CallToolResult)
    assert result.content == (TextContent("hé from Köln \n"),)


async def test_a_mirror_that_is_missing_is_refused_and_mended_by_listing_again(peer: Meeting):
    arguments = {"text": "x", "region": "us"}
    with pytest.raises(RpcFailure) as caught:
        await peer.client.call_tool(peer.endpoint, CALL, "echo", arguments, {})
    assert caught.value.code == -32020

    async def relist():
        return (await peer.tools())["echo"].input_schema

    result = await peer.client.call_tool(peer.endpoint, CALL, "echo", arguments, {}, relist=relist)
    assert isinstance(result, CallToolResult)
    assert not result.is_error


async def test_structured_results_come_whole(peer: Meeting):
    menu = await peer.call("menu")
    assert isinstance(menu, CallToolResult)
    assert menu.structured_content == {"choices": ["popcorn", "fruit"], "id": 1915883588174806058}
    only = await peer.call("only_structured")
    assert isinstance(only, CallToolResult)
    assert (only.content, only.structured_content) == ((), {"answer": 42})


async def test_a_tool_that_fails_is_a_result(peer: Meeting):
    result = await peer.call("broken")
    assert isinstance(result, CallToolResult)
    assert result.is_error


async def test_a_question_straight_from_the_call_is_answered_with_its_state(peer: Meeting):
    asked = await peer.call("ask")
    assert isinstance(asked, InputRequiredResult)
    (question,) = asked.input_requests.values()
    assert isinstance(question, Elicitation)
    assert question.message == "Really?"
    result = await peer.call("ask", asked=asked)
    assert isinstance(result, CallToolResult)
    assert result.content == (TextContent("accept st ä te"),)


async def test_a_task_goes_from_working_through_a_question_to_its_result(peer: Meeting):
    created = await peer.call("long_work")
    assert isinstance(created, CreateTaskResult)
    task_id = created.task.task_id
    assert (created.task.status, created.task.status_message) == ("working", "Started.")
    working = await peer.client.get_task(peer.endpoint, CALL, task_id)
    assert (working.status, working.status_message) == ("working", "Half way.")
    asking = await peer.client.get_task(peer.endpoint, CALL, task_id)
    assert asking.input_requests.keys() == {"really"}
    await peer.client.update_task(peer.endpoint, CALL, task_id, {"really": AGREED})
    done = await peer.client.get_task(peer.endpoint, CALL, task_id)
    assert done.status == "completed"
    assert done.result is not None
    assert done.result.structured_content == AGREED


async def test_a_task_that_it_does_not_know_is_an_error_by_its_code(peer: Meeting):
    with pytest.raises(RpcFailure) as caught:
        await peer.client.get_task(peer.endpoint, CALL, "gone")
    assert caught.value.code == -32602


async def test_a_wrong_secret_is_refused(port: str):
    async with meeting(port, Secret(b"x" * 32)) as stranger:
        with pytest.raises(HttpFailure) as caught:
            await stranger.tools()
    assert caught.value.status == 401


async def test_a_slash_too_many_is_a_redirect_and_refused(peer: Meeting):
    with pytest.raises(RedirectRefused):
        await peer.client.list_tools(replace(peer.endpoint, url=peer.endpoint.url + "/"), DISCOVERY)
