"""Our client against a server of an older revision, which wants a session."""

import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.errors import OtherMcpVersion
from tests.peers.meeting import CALL, DISCOVERY, Meeting, meeting
from tests.support.peers import node, serving


@pytest.fixture(scope="module")
def port(npm_peers: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    program = npm_peers / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"
    with serving([node(npm_peers), str(program), "streamableHttp"], r"listening on port", {"PORT": port}):
        yield port


@pytest_asyncio.fixture
async def peer(port: str) -> AsyncIterator[Meeting]:
    async with meeting(port) as opened:
        yield opened


async def test_whatever_is_asked_one_sentence_says_that_it_is_too_old(peer: Meeting):
    sentences: set[str] = set()
    for ask in (
        peer.client.list_tools(peer.endpoint, DISCOVERY),
        peer.client.discover(peer.endpoint, DISCOVERY),
        peer.client.call_tool(peer.endpoint, CALL, "echo", {"message": "x"}, {}),
    ):
        with pytest.raises(OtherMcpVersion) as caught:
            await ask
        sentences.add(caught.value.detail)
    assert sentences == {"The trick speaks an older MCP version, or another one; it has to speak 2026-07-28."}
