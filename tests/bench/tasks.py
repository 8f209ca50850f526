"""Ten thousand open tasks of a thousand installations, polled by one process, in real time.

Everything but Discord is real: the loop of `cogs.continuing` on a stand-in bot, the services, an SQLite file, and
signed polls to a trick in another process, which says when each came. The tasks were begun one after the other, so
they are due evenly over the minute that each of them waits between two polls.
"""

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import httpx
from sqlalchemy import insert, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.services import Services, open_services
from bot.tricks.task_rows import MAX_LIFE_MS
from cogs.continuing import Continuing
from storage import tables
from storage.engine import Database
from storage.request_tables import requests as request_table
from storage.request_tables import tasks as task_table
from storage.rows import to_values
from tests.bench.counting import counted
from tests.bench.filling import BOX, config_of, install, open_filled
from tests.bench.quiet import log_to_nowhere
from tests.bench.report import Figure
from tests.bench.trick_process import POLL_EVERY_MS, REPORT, trick_process
from tests.support.records import call
from tests.support.request_records import request
from tests.support.speaker import HeardSpeaker
from tests.support.task_records import task

TASKS, INSTALLATIONS = 10_000, 1_000
WARM, SECONDS, IDLE_SECONDS = 10.0, 120.0, 20.0
EVERY = POLL_EVERY_MS / 1_000
LATE = 0.1 * EVERY
_PAGES = os.sysconf("SC_PAGESIZE") / 1024 / 1024


@dataclass(frozen=True)
class Spent:
    """What the process took for a while: per cent of one core, MiB that it grew, write transactions."""

    share: float
    mib: float
    transactions: int


def run() -> list[Figure]:
    """Polls in time, CPU, memory and transactions; and what looking costs when nothing is due."""
    log_to_nowhere()
    with trick_process() as port, tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(f"sqlite:///{folder}/kennel.db", port))


async def _measure(url: str, port: int) -> list[Figure]:
    database = await open_filled(url)
    await _fill(database, port)
    async with _continuing(url, port, database) as started:
        await asyncio.sleep(WARM)
        busy = await _spend(SECONDS)
        ended = time.time()
        polls = await _polls(port)
        await _postpone(database)
        idle = await _spend(IDLE_SECONDS)
    await database.close()
    waits, late = _on_time(polls, started, ended)
    made = sum(map(len, polls.values()))
    marks = [waits[int(part * (len(waits) - 1))] for part in (0.5, 0.95, 1)] if waits else []
    print(
        f"tasks: {made} polls, {busy.transactions} transactions, waits {[round(mark, 1) for mark in marks]} s"
    )
    return [
        Figure("tasks: polled in time, of 10,000", 100 * (1 - late), 95, at_least=True, unit="%"),
        Figure("tasks: CPU of one core", busy.share, 30, at_least=False, unit="%"),
        Figure("tasks: growth of memory in two minutes", busy.mib, 5, at_least=False, unit="MiB"),
        Figure("tasks: polls for each transaction", made / busy.transactions, 10, at_least=True, unit=""),
        Figure("tasks: CPU of looking when nothing is due", idle.share, 1, at_least=False, unit="%"),
        Figure("tasks: transactions when nothing is due", idle.transactions, 0, at_least=False, unit=""),
    ]


async def _spend(seconds: float) -> Spent:
    mib, cpu, wall = _resident(), time.process_time(), time.perf_counter()
    with counted() as counts:
        await asyncio.sleep(seconds)
    share = 100 * (time.process_time() - cpu) / (time.perf_counter() - wall)
    return Spent(share, _resident() - mib, counts.transactions)


def _resident() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGES


def _on_time(polls: Mapping[str, Sequence[float]], started: float, ended: float) -> tuple[list[float], float]:
    """How long tasks waited between two polls, sorted, and the share that came late.

    The first poll is late a tenth of the interval after it was due, the next a tenth after the interval.
    """
    waits: list[float] = []
    late = total = 0
    for number in range(TASKS):
        times = polls.get(f"task-{number}", ())
        due = started + number * EVERY / TASKS
        for at in (*times, None):
            if due + LATE <= ended:
                total += 1
                late += at is None or at > due + LATE
            if at is None:
                break
            if at is not times[0]:
                waits.append(at - due + EVERY)
            due = at + EVERY
    return sorted(waits), late / total


async def _polls(port: int) -> dict[str, list[float]]:
    async with httpx.AsyncClient() as client:
        return (await client.post(f"http://127.0.0.1:{port}/mcp", content=REPORT)).json()


class _Bot:
    """Of the bot what the loop asks for."""

    draining = False

    def __init__(self, services: Services) -> None:
        self.services = services

    def is_ready(self) -> bool:
        return True

    def in_flight(self) -> Any:
        return nullcontext()


@asynccontextmanager
async def _continuing(url: str, port: int, database: Database) -> AsyncGenerator[float]:
    """The loop at work, from the moment given back on, in which all tasks began."""
    async with open_services(config_of(url, port)) as services:
        services.line.attach(HeardSpeaker())
        cog = Continuing(cast("Any", _Bot(services)))
        started = await _begin(database)
        await cog.cog_load()
        try:
            yield started
        finally:
            await cog.cog_unload()


async def _fill(database: Database, port: int) -> None:
    for number in range(INSTALLATIONS):
        await install(database, port, f"i{number}", tools=("snack_menu",), guild_id=f"guild-{number}")
    calls: list[dict[str, Any]] = []
    requests: list[dict[str, Any]] = []
    tasks: list[dict[str, Any]] = []
    for number in range(TASKS):
        id, of, installed = f"c{number}", f"r{number}", f"i{number % INSTALLATIONS}"
        guild = {"guild_id": f"guild-{number % INSTALLATIONS}"}
        begun = call(
            id, installed, tool="snack_menu", origin="assistant", message_id=f"message-{of}", **guild
        )
        calls.append(to_values(begun) | {"status": "working", "started_at": 0})
        requests.append(to_values(request(of, status="answered", **guild)))
        sealed = BOX.seal(id, f"task-{number}")
        due = number * POLL_EVERY_MS // TASKS
        row = task(id, of, installation_id=installed, tool="snack_menu", task_id=sealed, poll_at=due, **guild)
        tasks.append(to_values(row) | {"poll_every": POLL_EVERY_MS})

    async def work(connection: AsyncConnection) -> None:
        await connection.execute(insert(tables.calls), calls)
        await connection.execute(insert(request_table), requests)
        await connection.execute(insert(task_table), tasks)

    await database.write(work)


async def _begin(database: Database) -> float:
    """All tasks begin now; gives when that is."""
    now = time.time()
    ms = round(now * 1_000)
    values: dict[str, Any] = {
        "poll_at": task_table.c.poll_at + ms,
        "created_at": ms,
        "expires_at": ms + MAX_LIFE_MS,
    }

    async def work(connection: AsyncConnection) -> None:
        await connection.execute(update(task_table).values(**values))

    await database.write(work)
    return now


async def _postpone(database: Database) -> None:
    async def work(connection: AsyncConnection) -> None:
        await connection.execute(update(task_table).values(poll_at=task_table.c.expires_at, poll_until=None))

    await database.write(work)
    await asyncio.sleep(3)
