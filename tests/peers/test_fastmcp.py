"""Our client against a FastMCP server with background tasks."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.errors import RpcFailure
from bot.mcp import CallToolResult, CreateTaskResult, Task, TextContent
from tests.peers.meeting import AGREED, CALL, DISCOVERY, Meeting, meeting
from tests.support.peers import PEERS, serving


@pytest.fixture(scope="module")
def port(fastmcp_python: Path) -> Iterator[str]:
    with serving([str(fastmcp_python), str(PEERS / "fastmcp_server.py")], r"^PORT (\d+)") as found:
        yield found[1]


@pytest_asyncio.fixture
async def peer(port: str) -> AsyncIterator[Meeting]:
    async with meeting(port) as opened:
        yield opened


async def started(peer: Meeting, tool: str) -> str:
    created = await peer.call(tool)
    assert isinstance(created, CreateTaskResult)
    assert created.task.poll_interval_ms
    return created.task.task_id


async def until(peer: Meeting, task_id: str, *statuses: str) -> Task:
    """Poll, as quickly as it is answered, until the task has one of `statuses`."""
    async with asyncio.timeout(15):
        while True:
            task = await peer.client.get_task(peer.endpoint, CALL, task_id)
            if task.status in statuses:
                return task


async def test_it_says_that_it_has_tasks(peer: Meeting):
    found = await peer.client.discover(peer.endpoint, DISCOVERY)
    assert "io.modelcontextprotocol/tasks" in found.extensions
    assert {"add", "work", "slow", "ask", "broken"} == (await peer.tools()).keys()


async def test_a_plain_tool_is_called(peer: Meeting):
    result = await peer.call("add", {"a": 2, "b": 3})
    assert isinstance(result, CallToolResult)
    assert result.structured_content == {"result": 5}


async def test_a_task_runs_to_its_result(peer: Meeting):
    task = await until(peer, await started(peer, "work"), "completed", "failed")
    assert task.result is not None
    assert task.result.content == (TextContent("worked"),)


async def test_a_task_asks_and_goes_on_with_the_answer(peer: Meeting):
    task_id = await started(peer, "ask")
    asking = await until(peer, task_id, "input_required")
    (key,) = asking.input_requests
    await peer.client.update_task(peer.endpoint, CALL, task_id, {key: AGREED})
    await peer.client.update_task(peer.endpoint, CALL, task_id, {key: AGREED})
    done = await until(peer, task_id, "completed", "failed")
    assert done.result is not None
    assert done.result.content == (TextContent("answered accept"),)


async def test_a_task_whose_tool_fails_is_completed_with_an_error_result(peer: Meeting):
    task = await until(peer, await started(peer, "broken"), "completed", "failed")
    assert task.result is not None
    assert task.result.is_error


async def test_a_task_that_it_does_not_know_is_an_error_by_its_code(peer: Meeting):
    with pytest.raises(RpcFailure) as caught:
        await peer.client.get_task(peer.endpoint, CALL, "gone")
    assert caught.value.code == -32602
