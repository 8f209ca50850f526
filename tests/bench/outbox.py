"""The outbox: writing an event down, sending what waits, and commands meanwhile.

Everything runs on SQLite and, where one answers, on PostgreSQL. Commands are timed on the simulated Discord with
ten thousand deliveries behind them, which go out at their allowed pace.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from itertools import count
from statistics import median
from typing import Any
from unittest.mock import patch

from discord.webhook.async_ import AsyncWebhookAdapter
from sqlalchemy import insert

from bot.clock import Clock
from bot.events.attempts import Attempts
from bot.events.worker import DeliveryWorker
from bot.mcp import InvocationContext, McpClient
from bot.signing import make_secret
from bot.transport import AddressPolicy, Endpoint, SignedSender, SystemResolver, Transport
from bot.tricks.installed import InstalledReader
from bot.tricks.limits import Limiter
from bot.tricks.notices import OwnerNotices
from storage.drivers import make_engine
from storage.engine import Database
from storage.event_records import NewEvent
from storage.event_tables import deliveries
from storage.gauges import Gauges
from storage.installations import Installations
from storage.outbox import Outbox
from storage.rows import to_values
from storage.subscriptions import Subscriptions
from tests.bench.filling import BOX, install, open_filled
from tests.bench.quiet import log_to_nowhere
from tests.bench.report import Figure, ratio
from tests.bench.trick_process import trick_process
from tests.support.clock import ShiftedClock
from tests.support.databases import new_database
from tests.support.records import GUILD
from tests.support.trick import TrickServer
from tests.support.trick_tools import ToolSpec
from tests.support.world import World, config_for, open_world

POSTGRESQL = "postgresql://postgres@127.0.0.1:5432"
ROUNDS, EVENTS = 7, 300
DELIVERIES, AT_ONCE = 2_000, 16
WAITING, COMMANDS, TOOLS = 10_000, 50, 10
_numbers = count()


def run() -> list[Figure]:
    """Enqueueing, draining, and the latency of a command."""
    log_to_nowhere()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        urls = {"SQLite": f"sqlite:///{folder}/kennel.db"}
        try:
            urls["PostgreSQL"] = stack.enter_context(new_database(POSTGRESQL))
        except OSError:
            print("outbox: no PostgreSQL answers")
        port = stack.enter_context(trick_process())
        rate = asyncio.run(_signed_calls(port))
        for name, url in urls.items():
            figures += asyncio.run(_on(name, url, port, rate))
        figures.append(asyncio.run(_latency(folder)))
    return figures


async def _on(name: str, url: str, port: int, rate: float) -> list[Figure]:
    database = await open_filled(url)
    try:
        await install(database, port, "i0", events=("member.joined", "member.left"))
        enqueue = await _enqueue(database)
        drained = await _drain(database, port)
    finally:
        await database.close()
    target = min(500.0, 0.4 * rate)
    return [
        Figure(f"outbox: an event against one bare INSERT, {name}", enqueue, 1.5, at_least=False),
        Figure(f"outbox: deliveries a second, {name}", drained, round(target), at_least=True, unit="/s"),
    ]


def _event() -> NewEvent:
    number = next(_numbers)
    member, now = str(10**17 + number), Clock().now_ms()
    return NewEvent(f"{number:032x}", GUILD, member, "member.joined", f"j:{member}", now, screening=False)


async def _enqueue(database: Database) -> float:
    store, bare = Outbox(database), make_engine(database.address, "write", 500)

    async def ours() -> None:
        await store.add([_event()])

    async def theirs() -> None:
        row = to_values(_event()) | {
            "id": f"bare-{next(_numbers)}",
            "installation_id": "i0",
            "status": "delivered",
            "attempts": 0,
        }
        async with bare.begin() as connection:
            await connection.execute(insert(deliveries), row)

    try:
        for each in (ours, theirs):
            await _seconds(each, 30)
        mine: list[float] = []
        other: list[float] = []
        for _ in range(ROUNDS):
            mine.append(await _seconds(ours, EVENTS))
            other.append(await _seconds(theirs, EVENTS))
    finally:
        await bare.dispose()
    return ratio(mine, other)


async def _seconds(work: Callable[[], Awaitable[None]], times: int) -> float:
    started = time.perf_counter()
    for _ in range(times):
        await work()
    return time.perf_counter() - started


async def _drain(database: Database, port: int) -> float:
    """Deliveries a second, with the limits of one installation lifted."""
    async with _sender(port) as (sender, clock):
        installations, line = Installations(database), OwnerNotices()
        attempts = Attempts(installations, Subscriptions(database), InstalledReader(BOX), sender, line, clock)
        worker = DeliveryWorker(
            Outbox(database), attempts, Limiter(clock), clock, lambda: None, limit=None, at_once=AT_ONCE
        )
        await worker.deliver_due()  # those of the enqueueing, which warm it up
        assert (await Gauges(database).counts()).pending_deliveries == 0
        await Outbox(database).add([_event() for _ in range(DELIVERIES)])
        started = time.perf_counter()
        await worker.deliver_due()
        taken = time.perf_counter() - started
        assert (await Gauges(database).counts()).pending_deliveries == 0
    return DELIVERIES / taken


@asynccontextmanager
async def _sender(port: int) -> AsyncGenerator[tuple[SignedSender, Clock]]:
    clock, hosts = Clock(), frozenset({f"127.0.0.1:{port}"})
    transport = Transport(SystemResolver(), AddressPolicy(), development_hosts=hosts)
    try:
        yield SignedSender(transport, clock), clock
    finally:
        await transport.aclose()


async def _signed_calls(port: int) -> float:
    """Signed calls a second, sixteen at once."""
    async with _sender(port) as (sender, clock):
        client = McpClient(sender, clock, "1.0")
        endpoint = Endpoint(f"http://127.0.0.1:{port}/mcp", (make_secret(clock),))
        left = 800

        async def work() -> None:
            nonlocal left
            while left > 0:
                left -= 1
                context = InvocationContext(
                    installation_id="i", asker_id="1", channel_id="2", settings={}, call_id=clock.new_id()
                )
                await client.call_tool(endpoint, context, "snack_menu", {}, {"type": "object"}, timeout=5.0)

        started = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(AT_ONCE)))
        return 800 / (time.perf_counter() - started)


async def _latency(folder: str) -> Figure:
    """A command while deliveries go out, against the same bot before they came."""
    tools = [f"menu_{number}" for number in range(TOOLS)]
    trick = TrickServer(
        tools=[ToolSpec(tool, read_only=True) for tool in tools],
        commands=[{"name": tool, "description": "See the snacks", "tool": tool} for tool in tools],
    )
    clock = trick.clock = ShiftedClock()
    await trick.start()
    try:
        async with open_world(config_for(f"sqlite:///{folder}/world.db", trick), clock) as world:
            await world.install(trick)
            await _commands(world)
            idle = await _commands(world)
            await _let_wait(world)
            sent = _sent(trick)
            busy = await _commands(world)
            assert _sent(trick) > sent
            print(f"outbox: {_sent(trick) - sent} deliveries went out beside {COMMANDS} commands")
            world.services.deliveries.stop()
    finally:
        await trick.stop()
    return Figure(
        "outbox: a command beside 10,000 deliveries", median(busy) / median(idle), 1.3, at_least=False
    )


def _sent(trick: TrickServer) -> int:
    return sum(each.path == "/events" for each in trick.requests)


async def _let_wait(world: World) -> None:
    now = world.clock.now_ms()
    await world.services.outbox.idle()
    for number in range(WAITING):
        member = str(10**17 + number)
        world.services.outbox.record(
            NewEvent(
                f"{number:032x}",
                str(world.guild.id),
                member,
                "member.joined",
                f"j:{member}",
                now,
                screening=False,
            )
        )
    await world.services.outbox.idle()


async def _commands(world: World) -> list[float]:
    """Seconds of each command, from the event until its answer is edited in.

    The simulator comes back only when nothing at all is under way, which would count the sending too.
    """
    world.clock.advance(120.0)  # what was asked before counts towards no limit
    edited: list[float] = []
    edit = AsyncWebhookAdapter.edit_original_interaction_response

    def timed(*args: Any, **options: Any) -> Any:
        async def work() -> Any:
            answer = await edit(*args, **options)
            edited.append(time.perf_counter())
            return answer

        return work()

    taken: list[float] = []
    with patch.object(AsyncWebhookAdapter, "edit_original_interaction_response", timed):
        for number in range(COMMANDS):
            asker = (world.member, world.owner)[number % 2]
            started = time.perf_counter()
            result = await asker.slash(world.channel, f"menu_{number // 2 % TOOLS}")
            taken.append(edited[-1] - started)
            assert result.response is not None
    assert len(edited) == COMMANDS
    return taken
