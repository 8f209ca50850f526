"""Our MCP client against the scripted trick, over real HTTP."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest_asyncio
from aiohttp import web

from bot.clock import Clock
from bot.mcp import CallReply, InvocationContext, McpClient
from bot.signing import Secret
from bot.strict_json import Json
from bot.transport import AddressPolicy, Endpoint, SignedSender, SystemResolver, Transport
from tests.support.trick import Answer, Handler, TrickServer
from tests.support.trick_requests import Received

SECRET = Secret(b"m" * 32)
DISCOVERY = InvocationContext("inst-1", "1001", settings={"sweet": True})
CALL = InvocationContext("inst-1", "1001", "2002", {"sweet": True}, "call-1")


@dataclass
class Conversation:
    """A client and the trick that it talks to."""

    client: McpClient
    endpoint: Endpoint
    trick: TrickServer
    schema: dict[str, Json] = field(default_factory=dict[str, Json])

    async def call(
        self,
        name: str = "snack_menu",
        arguments: Mapping[str, Json] | None = None,
        timeout: float | None = None,
    ) -> CallReply:
        """Call a tool, by default a read without arguments."""
        return await self.client.call_tool(
            self.endpoint, CALL, name, arguments or {}, self.schema, timeout=timeout
        )


def whole(message: dict[str, Any], status: int = 200, **changes: Any) -> Handler:
    """This JSON-RPC message, with the request's id unless it has one."""

    async def answer(_trick: TrickServer, received: Received) -> Answer:
        return web.json_response({"jsonrpc": "2.0", "id": received.json["id"], **message}, status=status)

    return answer


def open_transport(*development_hosts: str) -> Transport:
    """A transport that may speak plain HTTP to these `host:port` pairs of loopback."""
    return Transport(SystemResolver(), AddressPolicy(), frozenset(development_hosts))


@pytest_asyncio.fixture
async def conversation(trick: TrickServer) -> AsyncIterator[Conversation]:
    """A client whose secret the trick trusts."""
    trick.trust(SECRET.text)
    async with open_transport(trick.host_port) as transport:
        client = McpClient(SignedSender(transport, Clock()), Clock(), "1.2.3")
        yield Conversation(client, Endpoint(trick.url("/mcp"), (SECRET,)), trick)
