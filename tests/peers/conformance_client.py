"""A client program for the official conformance tool: `python -m tests.peers.conformance_client URL`.

The tool starts it with the address of its mock server as the last argument and the scenario in the
environment, watches what arrives, and wants exit status 0.
"""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from bot.clock import Clock
from bot.mcp import InputRequiredResult, InvocationContext, McpClient, Tool
from bot.mcp.schemas import schema_problem
from bot.signing import Secret
from bot.strict_json import Json
from bot.transport import Endpoint, SignedSender
from tests.support.mcp import open_transport

CONTEXT = InvocationContext("installation", "1", "2", {}, "call")
ROUNDS = 10


class Program:
    """One run against one mock server."""

    def __init__(self, client: McpClient, endpoint: Endpoint) -> None:
        self._client = client
        self._endpoint = endpoint

    async def run(self, scenario: str, context: Mapping[str, Any]) -> None:
        """Do what the scenario wants to see."""
        tools = {tool.name: tool for tool in await self.list_tools()}
        match scenario:
            case "tools_call":
                await self.call(tools["add_numbers"], {"a": 5, "b": 3})
            case "request-metadata":
                await self._client.discover(self._endpoint, CONTEXT)
            case "http-custom-headers":
                for call in context["toolCalls"]:
                    await self.call(tools[call["name"]], call["arguments"])
            case "sep-2322-client-request-state":
                await self.call_between(tools["test_mrtr_echo_state"], tools["test_mrtr_unrelated"])
                await self.call(tools["test_mrtr_no_state"], {})
                await self.call(tools["test_mrtr_no_result_type"], {})
            case "json-schema-2020-12-preservation":
                schema: Json = tools["json_schema_2020_12_tool"].input_schema
                await self.call(tools["json_schema_echo"], {"schema": schema})
            case "http-standard-headers" | "http-invalid-tool-headers":
                for tool in tools.values():
                    await self.call(tool, {"region": "eu"})
            case "json-schema-ref-no-deref":
                for tool in tools.values():
                    schema_problem(tool.input_schema)
            case _:
                raise SystemExit(f"unknown scenario {scenario}")

    async def list_tools(self) -> tuple[Tool, ...]:
        """Every tool that can be used."""
        return (await self._client.list_tools(self._endpoint, CONTEXT)).tools

    async def call(self, tool: Tool, arguments: Mapping[str, Json]) -> None:
        """Call a tool, and agree to whatever it asks."""
        reply = await self.send(tool, arguments)
        for _ in range(ROUNDS):
            if not isinstance(reply, InputRequiredResult):
                return
            reply = await self.send(tool, arguments, reply)

    async def call_between(self, tool: Tool, other: Tool) -> None:
        """Call `tool`, and `other` before answering what `tool` asked."""
        asked = await self.send(tool, {})
        await self.send(other, {})
        assert isinstance(asked, InputRequiredResult)
        await self.send(tool, {}, asked)

    async def send(
        self, tool: Tool, arguments: Mapping[str, Json], asked: InputRequiredResult | None = None
    ) -> Any:
        """One request."""
        agreed: Json = {"action": "accept", "content": {"confirmed": True}}
        return await self._client.call_tool(
            self._endpoint,
            CONTEXT,
            tool.name,
            arguments,
            tool.input_schema,
            input_responses=asked and dict.fromkeys(asked.input_requests, agreed),
            request_state=asked and asked.request_state,
        )


async def main(url: str, scenario: str, context: Mapping[str, Any]) -> None:
    """Run one scenario."""
    async with open_transport(urlsplit(url).netloc) as transport:
        client = McpClient(SignedSender(transport, Clock()), Clock(), "1.0")
        await Program(client, Endpoint(url, (Secret(b"c" * 32),))).run(scenario, context)


if __name__ == "__main__":
    asyncio.run(
        main(
            sys.argv[-1],
            os.environ["MCP_CONFORMANCE_SCENARIO"],
            json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}")),
        )
    )
