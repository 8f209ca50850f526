"""Deadlines that cut calls short under load must cost no connection slot."""

import asyncio
import random

from bot.clock import Clock
from bot.errors import TrickFault
from bot.mcp import CallToolResult, InvocationContext, McpClient
from bot.signing import make_secret
from bot.transport import AddressPolicy, Endpoint, SignedSender, SystemResolver, Transport
from tests.bench.report import Figure
from tests.bench.trick_process import trick_process

CALLS, AT_ONCE, SLOTS = 2_000, 100, 64


def run() -> list[Figure]:
    """How many of as many plain calls as there are slots work afterwards, all at once."""
    with trick_process() as port:
        return asyncio.run(_measure(port))


async def _measure(port: int) -> list[Figure]:
    host = f"127.0.0.1:{port}"
    clock = Clock()
    transport = Transport(SystemResolver(), AddressPolicy(), development_hosts=frozenset({host}))
    client = McpClient(SignedSender(transport, clock), clock, "1.0")
    endpoint = Endpoint(f"http://{host}/mcp", (make_secret(clock),))
    context = InvocationContext(installation_id="i", asker_id="1")
    dice = random.Random(7)

    async def call(seconds: float) -> bool:
        try:
            reply = await client.call_tool(
                endpoint, context, "snack_menu", {}, {"type": "object"}, timeout=seconds
            )
        except TrickFault:
            return False
        return isinstance(reply, CallToolResult)

    async def work() -> None:
        for _ in range(CALLS // AT_ONCE):
            await call(dice.uniform(0.001, 0.030))

    try:
        await asyncio.gather(*(work() for _ in range(AT_ONCE)))
        plain = await asyncio.gather(*(call(5.0) for _ in range(SLOTS)))
    finally:
        await transport.aclose()
    title = f"cancelled: plain calls that work after {CALLS} cut short"
    return [Figure(title, sum(plain), SLOTS, at_least=True, unit="")]
