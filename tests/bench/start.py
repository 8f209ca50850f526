"""Starting with 1,000 servers of ten commands each, of which nothing has changed."""

import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import httpx
import simcord

from bot.app import Kennel
from bot.clock import Clock
from bot.config import Config
from bot.manifest import Manifest, dump_manifest, read_manifest
from bot.run import bring_up_to_date
from bot.services import open_services
from bot.strict_json import dump
from bot.transport import AddressPolicy, SystemResolver, Transport
from bot.tricks.looks import next_look
from bot.tricks.registration import command_rows
from storage.engine import Database
from storage.guilds import Guilds
from storage.installations import Installations
from storage.looks import Looks
from storage.records import Installation, WrittenCommands
from tests.bench.report import Figure
from tests.support.records import installation
from tests.support.trick_tools import ToolSpec, manifest_of

ROUNDS, GUILDS, COMMANDS = 3, 1_000, 10
FIRST_GUILD = 900_000_000_000_000_000
MAX_MIB, MAX_SECONDS = 20.0, 0.5


def run() -> list[Figure]:
    """Memory and CPU over the same bot with no tricks; REST writes and requests to tricks."""
    with tempfile.TemporaryDirectory() as folder:
        for name, tricks in (("full", True), ("empty", False)):
            asyncio.run(_prepare(f"sqlite:///{folder}/{name}.db", tricks=tricks))
        full = [_start(Path(folder) / "full.db") for _ in range(ROUNDS)]
        empty = [_start(Path(folder) / "empty.db") for _ in range(ROUNDS)]
    more = {key: median(one[key] for one in full) - median(one[key] for one in empty) for key in full[0]}
    return [
        Figure("start: memory over the bot with no tricks", more["mib"], MAX_MIB, at_least=False, unit="MiB"),
        Figure(
            "start: CPU over the bot with no tricks", more["seconds"], MAX_SECONDS, at_least=False, unit="s"
        ),
        Figure("start: REST writes", max(one["writes"] for one in full), 0, at_least=False, unit=""),
        Figure("start: requests to tricks", max(one["requests"] for one in full), 0, at_least=False, unit=""),
    ]


def _start(database: Path) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.start", str(database)], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout.splitlines()[-1])


class _CountingTransport(Transport):
    requests = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        return await super().handle_async_request(request)


async def _measure(database: str) -> dict[str, float]:
    """One start, until the bot is ready in every server and has nothing left to do."""
    config = _config(f"sqlite:///{database}")
    started = time.process_time()
    transport = _CountingTransport(SystemResolver(), AddressPolicy())
    async with open_services(config, Clock(), transport) as services:
        bot = Kennel(services, shard_count=1)
        env = simcord.Env(bot, settle_timeout=60)
        for number in range(GUILDS):
            env.create_guild(f"server {number}", id=FIRST_GUILD + number)
        await env.start()
        await env.settle()
        assert len(bot.guilds) == GUILDS
        seconds = time.process_time() - started
        mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        writes = [one for one in env.http_requests if one.method != "GET"]
        await env.shutdown()
    return {"mib": mib, "seconds": seconds, "writes": len(writes), "requests": transport.requests}


async def _prepare(url: str, *, tricks: bool) -> None:
    """A database as an earlier run left it: everything written, the built-in commands too."""
    await bring_up_to_date(url)
    async with open_services(_config(url)) as services, simcord.run(Kennel(services, shard_count=1)) as env:
        await env.settle()
    if not tricks:
        return
    database = await Database.open(url)
    try:
        await _fill(database)
    finally:
        await database.close()


async def _fill(database: Database) -> None:
    guilds, installations, looks = Guilds(database), Installations(database), Looks(database)
    now = Clock().now_ms()
    for number in range(GUILDS):
        guild_id = str(FIRST_GUILD + number)
        row = _installation(guild_id, number, now)
        await installations.add(row, command_rows(row, _MANIFEST))
        await installations.set_state(row.id, {"registered"}, "enabled", now, "1")
        await looks.schedule(row.id, next_look(row.id, now) + 3_600_000)
        turn = await guilds.claim_sync(guild_id, "bench", now, now + 60_000)
        assert turn is not None
        names = tuple(sorted(command.name for command in _MANIFEST.commands))
        written = WrittenCommands(turn.commands_wanted, "0" * 64, names, "2026-01-01", COMMANDS)
        assert await guilds.finish_sync(guild_id, "bench", written)


def _installation(guild_id: str, number: int, now: int) -> Installation:
    return installation(
        f"{number:032x}",
        guild_id=guild_id,
        trick_id=_MANIFEST.id,
        name=_MANIFEST.name,
        manifest=dump_manifest(_MANIFEST),
        pinned=True,
        created_at=now,
    )


def _config(url: str) -> Config:
    return Config.model_validate({"storage": {"url": url}})


def _manifest() -> Manifest:
    commands = [
        {"name": f"command{n}", "description": "One of ten commands", "tool": "menu"} for n in range(COMMANDS)
    ]
    tools = [ToolSpec("menu", read_only=True)]
    written = manifest_of("ten_commands", "https://tricks.example.com", tools, [], commands=commands)
    return read_manifest(dump(written))


_MANIFEST = _manifest()

if __name__ == "__main__":
    print(json.dumps(asyncio.run(_measure(sys.argv[1]))))
