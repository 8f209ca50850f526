"""Meeting one peer: our client, its endpoint, and the calls that the tests make."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.clock import Clock
from bot.mcp import CallReply, InputRequiredResult, InvocationContext, McpClient, Tool
from bot.signing import Secret
from bot.strict_json import Json
from bot.transport import Endpoint, SignedSender
from tests.support.mcp import open_transport

DISCOVERY = InvocationContext("installation", "1001", settings={"sweet": True})
CALL = InvocationContext("installation", "1001", "2002", {"sweet": True}, "call-1")
SECRET = Secret(b"m" * 32)
AGREED: Json = {"action": "accept", "content": {"sure": True}}


@dataclass
class Meeting:
    """A client that talks to one peer."""

    client: McpClient
    endpoint: Endpoint

    async def tools(self) -> dict[str, Tool]:
        """The live tools by name."""
        found = await self.client.list_tools(self.endpoint, DISCOVERY)
        assert not found.dropped
        return {tool.name: tool for tool in found.tools}

    async def call(
        self, name: str, arguments: Mapping[str, Json] | None = None, asked: InputRequiredResult | None = None
    ) -> CallReply:
        """Call a tool as the live list describes it; with `asked`, agree to what was asked."""
        return await self.client.call_tool(
            self.endpoint,
            CALL,
            name,
            arguments or {},
            (await self.tools())[name].input_schema,
            input_responses=asked and dict.fromkeys(asked.input_requests, AGREED),
            request_state=asked and asked.request_state,
        )


@asynccontextmanager
async def meeting(port: str, secret: Secret = SECRET) -> AsyncGenerator[Meeting]:
    """Talk to the peer on `port` of loopback."""
    host_port = f"127.0.0.1:{port}"
    async with open_transport(host_port) as transport:
        client = McpClient(SignedSender(transport, Clock()), Clock(), "1.0")
        yield Meeting(client, Endpoint(f"http://{host_port}/mcp", (secret,)))
