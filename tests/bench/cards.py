"""Ten thousand open approval cards: what they keep in memory, and how long it takes to close a hundred of them.

A thousand are posted by the real bot to a simulated Discord, the rest are rows. The sweep is timed without the
edits of messages, on SQLite and, where one answers, on PostgreSQL; every round has a hundred due cards of its own.
"""

import asyncio
import gc
import tempfile
import time
from collections.abc import Iterable
from contextlib import ExitStack
from statistics import median
from typing import Any, cast

import discord
import simcord
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.app import Kennel
from bot.approvals.desk import OPEN_MS
from bot.clock import Clock
from bot.policy.audiences import Asker, Place
from bot.services import Services, open_services
from bot.strict_json import Json
from storage.engine import Database
from storage.request_tables import approval_is_open
from storage.request_tables import approvals as approval_table
from storage.request_tables import requests as request_table
from storage.rows import to_values
from tests.bench.filling import config_of, install, open_filled
from tests.bench.quiet import log_to_nowhere
from tests.bench.report import Figure
from tests.support.databases import new_database
from tests.support.records import GUILD
from tests.support.request_records import approval, request

CARDS, POSTED, DUE, ROUNDS = 10_000, 1_000, 100, 5
POSTGRESQL = "postgresql://postgres@127.0.0.1:5432"


def run() -> list[Figure]:
    """What is left of open cards in memory, and milliseconds of a sweep on each database."""
    log_to_nowhere()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        urls = {"SQLite": f"sqlite:///{folder}/kennel.db"}
        try:
            urls["PostgreSQL"] = stack.enter_context(new_database(POSTGRESQL))
        except OSError:
            print("cards: no PostgreSQL answers")
        sweeps = [asyncio.run(_sweeps(name, url)) for name, url in urls.items()]
        return [*asyncio.run(_kept(f"sqlite:///{folder}/kept.db")), *sweeps]


async def _sweeps(name: str, url: str) -> Figure:
    database = await open_filled(url)
    await install(database, 1, "i0")
    await _fill(database, range(CARDS - DUE), closes_in=OPEN_MS)
    taken: list[float] = []
    async with open_services(config_of(url, 1)) as services:
        for number in range(ROUNDS + 1):
            first = CARDS + number * DUE
            await _fill(database, range(first, first + DUE), closes_in=-1)
            started = time.perf_counter()
            await services.approvals.expire_due()
            taken.append((time.perf_counter() - started) * 1_000)
            assert await _open(database) == CARDS - DUE
    await database.close()
    taken = taken[1:]  # the first one makes the statements
    print(f"cards: {name} {[round(each) for each in taken]} ms")
    return Figure(f"cards: closing 100 of 10,000 on {name}", median(taken), 50, at_least=False, unit="ms")


async def _open(database: Database) -> int:
    row = await database.first(select(func.count()).select_from(approval_table).where(approval_is_open))
    return row[0] if row else 0


async def _fill(database: Database, numbers: Iterable[int], *, closes_in: int) -> None:
    """One open card for each of as many requests, all of which close `closes_in` milliseconds from now."""
    at = Clock().now_ms() + closes_in
    changes: dict[str, Any] = {"installation_id": "i0", "tool": "snack_menu", "closes_at": at}
    requests = [to_values(request(f"r{number}", status="waiting")) for number in numbers]
    cards = [to_values(approval(f"a{number}", f"r{number}", card_id="1", **changes)) for number in numbers]

    async def work(connection: AsyncConnection) -> None:
        await connection.execute(insert(request_table), requests)
        await connection.execute(insert(approval_table), cards)

    await database.write(work)


async def _kept(url: str) -> list[Figure]:
    """The bot with all cards against itself with none: views, timers and tasks."""
    database = await open_filled(url)
    await install(database, 1, "i0")
    async with open_services(config_of(url, 1)) as services:
        env = simcord.Env(Kennel(services, shard_count=1), settle_timeout=120)
        await env.start()
        guild = env.create_guild(owner=env.create_user("olive"))
        channel = guild.create_text_channel("general")
        await env.settle()
        before = _memory()
        await _fill(database, range(CARDS - POSTED), closes_in=OPEN_MS)
        where = {"guild_id": str(guild.id), "channel_id": str(channel.id)}
        for number in range(CARDS, CARDS + POSTED):
            await _post(services, database, f"{number}", where)
        assert len(channel.history()) == POSTED
        assert await _open(database) == CARDS
        await env.settle()
        after = _memory()
        await env.shutdown()
    await database.close()
    return [
        Figure(f"cards: {what} kept for 10,000", now - was, 0, at_least=False, unit="")
        for what, was, now in zip(("views", "timers", "tasks"), before, after, strict=True)
    ]


async def _post(services: Services, database: Database, id: str, where: dict[str, str]) -> None:
    """One card as a turn opens it, posted to the channel."""
    row = request(f"r{id}", status="waiting", message_id=id, asker_id="1", **where)
    tool = await services.checks.tool(
        "i0", "snack_menu", Asker("1", GUILD, True, True, frozenset()), Place("1")
    )
    await database.write(lambda connection: connection.execute(insert(request_table), to_values(row)))
    arguments: dict[str, Json] = {"snack": "popcorn"}
    await services.approvals.open(
        row, tool, f"a{id}", arguments, reason="outside", reviewable=True, outside=()
    )


def _memory() -> tuple[int, int, int]:
    """How many views of discord.py, timers of the loop and tasks there are."""
    gc.collect()
    views = sum(isinstance(each, discord.ui.View) for each in gc.get_objects())
    scheduled = cast("Any", asyncio.get_running_loop())._scheduled
    timers = sum(not handle.cancelled() for handle in scheduled)
    return views, timers, len(asyncio.all_tasks())
