"""One slash command: Kennel's CPU against a hand-written command that defers, posts with bare httpx and edits.

Both run on the same simulated Discord against the same trick in another process; simulating costs both alike.
"""

import asyncio
import gc
import tempfile
import time
from collections.abc import Awaitable, Callable
from typing import Any

import discord
import httpx
import simcord
from discord.ext import commands

from storage.engine import Database
from tests.bench.report import Figure, ratio
from tests.bench.trick_process import trick_process
from tests.support.clock import ShiftedClock
from tests.support.trick import TrickServer
from tests.support.trick_tools import ToolSpec
from tests.support.world import config_for, open_world

ROUNDS, WARM, COMMANDS = 7, 10, 60
PAUSE = 10.0  # seconds of the bot's clock between commands: limits are for people
Use = Callable[[], Awaitable[Any]]


def run() -> list[Figure]:
    """The ratio of CPU, and how many write transactions one command takes."""
    ours: list[float] = []
    theirs: list[float] = []
    writes: list[float] = []
    with trick_process() as port:
        for _ in range(ROUNDS):
            seconds, transactions = asyncio.run(_kennel(port))
            ours.append(seconds)
            writes.append(transactions)
            theirs.append(asyncio.run(_handwritten(port)))
    return [
        Figure("slash: CPU against a hand-written command", ratio(ours, theirs), 4.0, at_least=False),
        Figure("slash: write transactions for one command", max(writes), 2.0, at_least=False, unit=""),
    ]


async def _seconds(use: Use) -> float:
    """CPU seconds of one command, after a few that are not counted.

    A full collection of garbage costs as much as several commands and comes once in hundreds of them: one that falls
    into these sixty by chance would be counted for one side alone.
    """
    for _ in range(WARM):
        await use()
    gc.collect()
    started = time.process_time()
    for _ in range(COMMANDS):
        await use()
    return (time.process_time() - started) / COMMANDS


async def _kennel(port: int) -> tuple[float, float]:
    trick = TrickServer(tools=[ToolSpec("snack_menu", read_only=True)], commands=[_COMMAND], events=[])
    await trick.start()
    mcp = f"http://127.0.0.1:{port}/mcp"
    trick.manifest_changes["endpoints"] = {"challenge": trick.url("/challenge"), "mcp": mcp}
    counted = _CountedWrites()
    try:
        with tempfile.TemporaryDirectory() as folder:
            config = config_for(f"sqlite:///{folder}/kennel.db", trick)
            config.network.development_hosts.append(f"127.0.0.1:{port}")
            clock = trick.clock = ShiftedClock()
            async with open_world(config, clock) as world:
                await world.install(trick)

                async def use() -> None:
                    clock.advance(PAUSE)
                    result = await world.member.slash(world.channel, "snacks")
                    assert result.response is not None
                    assert "Choose one." in (result.response.embeds[0].description or "")

                with counted:
                    seconds = await _seconds(use)
    finally:
        await trick.stop()
    return seconds, counted.count / (WARM + COMMANDS)


class _CountedWrites:
    """Counts write transactions while it is entered."""

    count = 0

    def __enter__(self) -> None:
        self._write = write = Database.write

        async def counting(database: Database, work: Any) -> Any:
            self.count += 1
            return await write(database, work)

        Database.write = counting  # pyright: ignore[reportAttributeAccessIssue]

    def __exit__(self, *_: object) -> None:
        Database.write = self._write


async def _handwritten(port: int) -> float:
    bot = commands.Bot(command_prefix="!", intents=discord.Intents.default())
    async with httpx.AsyncClient() as client:

        @bot.tree.command(name="snacks", description="See the snacks")
        async def snacks(interaction: discord.Interaction[Any]) -> None:
            await interaction.response.defer(ephemeral=True, thinking=True)
            body = b'{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"snack_menu","arguments":{}}}'
            reply = await client.post(f"http://127.0.0.1:{port}/mcp", content=body)
            shown = discord.Embed(description=reply.json()["result"]["structuredContent"]["pup"]["text"])
            await interaction.edit_original_response(embed=shown)

        _ = snacks
        async with simcord.run(bot) as env:
            await bot.tree.sync()
            guild = env.create_guild()
            channel = guild.create_text_channel("general")
            member = guild.add_member(env.create_user("mia"))

            async def use() -> None:
                result = await member.slash(channel, "snacks")
                assert result.response is not None

            return await _seconds(use)


_COMMAND = {"name": "snacks", "description": "See the snacks", "tool": "snack_menu"}
