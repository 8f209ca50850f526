"""A signed tool call with every rule on, against bare httpx and against the official client."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

import httpx
from mcp import Client

from bot.clock import Clock
from bot.mcp import CallToolResult, InvocationContext, McpClient
from bot.signing import make_secret
from bot.transport import AddressPolicy, Endpoint, SignedSender, SystemResolver, Transport
from tests.bench.report import Figure, ratio
from tests.bench.trick_process import trick_process

ROUNDS = 7
CALLS = {1: 300, 16: 800, 64: 1_280}
HTTPX_TARGET = {1: 1.2, 16: 3.5, 64: 3.5}
OFFICIAL_TARGET = {1: 2.0, 16: 3.0, 64: 3.0}
Call = Callable[[], Awaitable[None]]


def run() -> list[Figure]:
    """Calls per second, as ratios, at 1, 16 and 64 at once."""
    with trick_process() as port:
        return asyncio.run(_measure(port))


async def _measure(port: int) -> list[Figure]:
    async with AsyncExitStack() as stack:
        arms = {
            "kennel": await _kennel(stack, port),
            "httpx": await _httpx(stack, port),
            "official": await _official(stack, port),
        }
        figures: list[Figure] = []
        for at_once in CALLS:
            rates: dict[str, list[float]] = {name: [] for name in arms}
            for _ in range(ROUNDS):
                for name, call in arms.items():
                    rates[name].append(await _rate(call, at_once))
            for peer, targets in (("httpx", HTTPX_TARGET), ("official", OFFICIAL_TARGET)):
                value = ratio(rates["kennel"], rates[peer])
                title = f"calls: signed call against {peer}, {at_once} at once"
                figures.append(Figure(title, value, targets[at_once], at_least=True))
        return figures


async def _rate(call: Call, at_once: int) -> float:
    """Calls per second over one round."""
    left = CALLS[at_once]

    async def work() -> None:
        nonlocal left
        while left > 0:
            left -= 1
            await call()

    started = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(at_once)))
    return CALLS[at_once] / (time.perf_counter() - started)


async def _kennel(stack: AsyncExitStack, port: int) -> Call:
    host = f"127.0.0.1:{port}"
    clock = Clock()
    transport = Transport(SystemResolver(), AddressPolicy(), development_hosts=frozenset({host}))
    stack.push_async_callback(transport.aclose)
    client = McpClient(SignedSender(transport, clock), clock, "1.0")
    endpoint = Endpoint(f"http://{host}/mcp", (make_secret(clock),))

    async def call() -> None:
        context = InvocationContext(
            installation_id="i", asker_id="1", channel_id="2", settings={}, call_id=clock.new_id()
        )
        result = await client.call_tool(endpoint, context, "snack_menu", {}, {"type": "object"}, timeout=5.0)
        assert isinstance(result, CallToolResult)

    await call()
    return call


async def _httpx(stack: AsyncExitStack, port: int) -> Call:
    client = await stack.enter_async_context(httpx.AsyncClient())
    body = (
        b'{"jsonrpc":"2.0","id":"0","method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":'
        b'"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},"extensions":'
        b'{"io.modelcontextprotocol/tasks":{}}},"io.modelcontextprotocol/clientInfo":{"name":"Kennel","version":"1.0"},'
        b'"io.puphq/context":{"installationId":"i","askerId":"1","settings":{},"channelId":"2","callId":'
        b'"00000000000000000000000000000000"}},"name":"snack_menu","arguments":{}}}'
    )

    async def call() -> None:
        reply = await client.post(f"http://127.0.0.1:{port}/mcp", content=body)
        assert reply.status_code == 200

    await call()
    return call


async def _official(stack: AsyncExitStack, port: int) -> Call:
    client = await stack.enter_async_context(Client(f"http://127.0.0.1:{port}/mcp", mode="2026-07-28"))

    async def call() -> None:
        result = await client.call_tool("snack_menu", {})
        assert not result.is_error

    await call()
    return call
