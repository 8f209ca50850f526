"""Keeps Discord's commands as they are wanted: one bulk write for a server, and only when something differs.

What is wrong with one command costs that command alone; what is wrong with a server parks it and tells its
owner, once. The built-in commands are global and are compared by their hash too.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import discord
from discord.ext import commands

from bot.app import Kennel
from bot.invite import invite_url
from bot.log import logger
from bot.tricks.command_set import SyncTurn, Written
from cogs.command_payloads import CommandPayload, payload_hash, payload_problems, slash_payload
from cogs.messenger import NOT_SENT
from cogs.options import effective_options

DEBOUNCE = 2.0
CREATES_A_DAY = 180
"""Discord allows 200 creates a day for each server; some room is left for repairs."""
_NO_ROOM = frozenset({30032, 30034})
_INVALID_FORM = 50035
_log = logger(__name__)


class CommandSync(commands.Cog):
    """Writes guild commands shortly after they change, and the global ones at start."""

    def __init__(self, bot: Kennel) -> None:
        self._bot = bot
        self._set = bot.services.command_set
        self._notices = bot.services.notices
        self._clock = bot.services.clock
        self._waiting: dict[str, asyncio.Task[None]] = {}

    async def cog_unload(self) -> None:
        """Stop waiting; what was not written stays wanted in the database."""
        for task in self._waiting.values():
            task.cancel()

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Compare the built-in commands, and catch up with what changed while this process was away."""
        with self._bot.in_flight():
            await self._write_globals()
            await self.catch_up()

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """A new invitation may have brought the missing scope, and Discord has forgotten the commands."""
        with self._bot.in_flight():
            await self._set.rewrite(str(guild.id))
            await self.on_commands_changed(str(guild.id))

    @commands.Cog.listener()
    async def on_commands_changed(self, guild_id: str) -> None:
        """Write soon: several changes within two seconds make one write."""
        waiting = self._waiting.get(guild_id)
        if waiting is None or waiting.done():
            self._waiting[guild_id] = asyncio.create_task(self._write_later(guild_id))

    async def catch_up(self) -> None:
        """Write what is wanted in the servers that this process serves."""
        for guild_id in await self._set.pending():
            if self._bot.get_guild(int(guild_id)) is not None:
                await self.on_commands_changed(guild_id)

    async def _write_later(self, guild_id: str) -> None:
        await self._clock.sleep(DEBOUNCE)
        self._waiting.pop(guild_id, None)
        if self._bot.draining:
            return
        try:
            with self._bot.in_flight():
                await self.write(guild_id)
        except Exception:  # noqa: BLE001 - the boundary of a task that nobody awaits
            _log.exception("commands could not be written", guild_id=guild_id)

    async def write(self, guild_id: str) -> None:
        """Take this server's turn and bring Discord's commands in line. Raises `StorageError`."""
        turn = await self._set.take_turn(guild_id)
        if turn is None:
            return
        payloads, left_out = _payloads(turn)
        wanted_hash = payload_hash(payloads)
        if wanted_hash == turn.written_hash:
            unchanged = replace(self._unchanged(turn), problem=_left_out_problem(left_out))
            await self._set.finish_turn(turn, unchanged)
            return
        try:
            written = await self._put(turn, payloads, left_out)
        except NOT_SENT as error:
            _log.warning("commands could not be written", guild_id=guild_id, kind=type(error).__name__)
            await self._set.give_back(turn)
            return
        await self._set.finish_turn(turn, written)
        if written.problem and written.problem != turn.problem:
            self._notices.tell(guild_id, written.problem)

    async def _put(self, turn: SyncTurn, payloads: list[CommandPayload], left_out: list[str]) -> Written:
        names = tuple(sorted(payload["name"] for payload in payloads))
        day, used = self._budget(turn)
        new = len(set(names) - turn.written_names)
        if used + new > CREATES_A_DAY:
            return self._parked(
                turn, "Discord allows only so many new commands a day. The rest follow tomorrow."
            )
        try:
            await self._bulk_write(turn.guild_id, payloads)
        except discord.HTTPException as error:
            return await self._recover(turn, payloads, left_out, error)
        _log.info("commands written", guild_id=turn.guild_id, count=len(names))
        return Written(payload_hash(payloads), names, day, used + new, _left_out_problem(left_out))

    async def _recover(
        self,
        turn: SyncTurn,
        payloads: list[CommandPayload],
        left_out: list[str],
        error: discord.HTTPException,
    ) -> Written:
        """Decide by Discord's code; raises `error` again when trying in a moment is all that helps."""
        if error.status >= 500:
            raise error
        if error.code in _NO_ROOM:
            return self._parked(
                turn, "Discord has no room for more new commands today. The rest follow tomorrow."
            )
        if isinstance(error, discord.Forbidden):
            url = invite_url(str(self._bot.application_id), turn.guild_id)
            return self._parked(turn, f"Kennel may not add commands here. Invite it again: {url}")
        refused = _refused_indexes(error) if error.code == _INVALID_FORM else frozenset[int]()
        kept = [payload for index, payload in enumerate(payloads) if index not in refused]
        if len(kept) == len(payloads):
            return self._parked(
                turn, "Discord refused the commands of this server. Kennel tries again tomorrow."
            )
        dropped = [payload["name"] for index, payload in enumerate(payloads) if index in refused]
        return await self._put(turn, kept, left_out + dropped)

    async def _bulk_write(self, guild_id: str, payloads: Sequence[CommandPayload]) -> None:
        application_id = cast("int", self._bot.application_id)
        await self._bot.http.bulk_upsert_guild_commands(application_id, int(guild_id), cast("Any", payloads))

    async def _write_globals(self) -> None:
        application_id = str(self._bot.application_id)
        payloads = [command.to_dict(self._bot.tree) for command in self._bot.tree.get_commands()]
        wanted = payload_hash(payloads)
        try:
            if await self._set.global_hash(application_id) != wanted:
                await self._bot.tree.sync()
                await self._set.global_written(application_id, wanted)
        except NOT_SENT as error:
            _log.warning("the built-in commands could not be written", kind=type(error).__name__)

    def _budget(self, turn: SyncTurn) -> tuple[str, int]:
        today = self._clock.now().date().isoformat()
        return today, turn.creates_used if turn.creates_day == today else 0

    def _unchanged(self, turn: SyncTurn) -> Written:
        names = tuple(sorted(turn.written_names))
        return Written(turn.written_hash, names, turn.creates_day, turn.creates_used)

    def _parked(self, turn: SyncTurn, problem: str) -> Written:
        day, used = self._budget(turn)
        return replace(self._unchanged(turn), creates_day=day, creates_used=used, problem=problem, done=False)


def _payloads(turn: SyncTurn) -> tuple[list[CommandPayload], list[str]]:
    """The payloads that keep to Discord's limits, sorted by name, and the names of those that do not."""
    payloads = sorted(
        (slash_payload(w.command, effective_options(w.command, w.schema)) for w in turn.wanted),
        key=lambda payload: str(payload["name"]),
    )
    bad = {index for index, _ in payload_problems(payloads)}
    left_out = [payload["name"] for index, payload in enumerate(payloads) if index in bad]
    return [payload for index, payload in enumerate(payloads) if index not in bad], left_out


def _left_out_problem(left_out: Sequence[str]) -> str:
    if not left_out:
        return ""
    named = ", ".join(f"`/{name}`" for name in left_out)
    return f"Discord does not take these commands, so they are missing: {named}. Tell whoever runs the trick."


def _refused_indexes(error: discord.HTTPException) -> frozenset[int]:
    """The indexes that Discord's error names, in discord.py's flattened form `In 3.options.0.name: …`."""
    return frozenset(int(index) for index in re.findall(r"^In (\d+)\b", error.text, re.MULTILINE))


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(CommandSync(bot))
