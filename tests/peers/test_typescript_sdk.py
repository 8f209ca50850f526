"""Our client against a server on the official TypeScript SDK that answers by event streams only."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.errors import RpcFailure
from bot.mcp import CallToolResult, TextContent
from bot.mcp.schemas import schema_problem
from tests.peers.meeting import CALL, DISCOVERY, Meeting, meeting
from tests.support.peers import PEERS, node, serving


@pytest.fixture(scope="module")
def port(npm_peers: Path) -> Iterator[str]:
    program = str(
        shutil.copy(PEERS / "typescript_server.mjs", npm_peers)
    )  # it finds its packages beside itself
    with serving([node(npm_peers), program], r"^PORT (\d+)") as found:
        yield found[1]


@pytest_asyncio.fixture
async def peer(port: str) -> AsyncIterator[Meeting]:
    async with meeting(port) as opened:
        yield opened


async def test_it_describes_itself_and_its_tools(peer: Meeting):
    found = await peer.client.discover(peer.endpoint, DISCOVERY)
    assert "2026-07-28" in found.supported_versions
    tools = await peer.tools()
    assert tools.keys() == {"echo", "broken"}
    assert tools["echo"].title == "Echo"
    assert all(schema_problem(tool.input_schema) is None for tool in tools.values())


async def test_a_result_is_read_from_the_stream(peer: Meeting):
    result = await peer.call("echo", {"text": "line\nline\r\n\u2028é"})
    assert isinstance(result, CallToolResult)
    assert result.content == (TextContent("line\nline\r\n\u2028é"),)
    assert result.structured_content == {"text": "line\nline\r\n\u2028é"}


async def test_a_tool_that_fails_is_a_result(peer: Meeting):
    result = await peer.call("broken")
    assert isinstance(result, CallToolResult)
    assert result.is_error


async def test_an_unknown_tool_is_an_error_by_its_code(peer: Meeting):
    with pytest.raises(RpcFailure) as caught:
        await peer.client.call_tool(peer.endpoint, CALL, "gone", {}, {})
    assert caught.value.code == -32602


async def test_tasks_that_it_does_not_have_are_an_error_by_their_code(peer: Meeting):
    with pytest.raises(RpcFailure) as caught:
        await peer.client.get_task(peer.endpoint, CALL, "gone")
    assert caught.value.code == -32601
