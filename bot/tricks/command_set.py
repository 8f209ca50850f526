"""Which commands a server is to have in Discord, and which it was last given.

`commands_wanted` is a number that grows with every change; what was written carries the number that it was
made for. Equal numbers mean that nothing is to be done, so a start works nothing out.
"""

import json
from dataclasses import dataclass

from bot.clock import Clock
from bot.manifest import Command
from bot.strict_json import Json
from bot.tricks.installed import InstalledReader
from storage.commands import Commands
from storage.guilds import Guilds
from storage.installations import Installations
from storage.meta import Meta
from storage.records import WrittenCommands

SYNC_LEASE_MS = 60_000


@dataclass(frozen=True, slots=True)
class WantedCommand:
    """One command that Discord is to have, with the schema that narrows its options."""

    trick_name: str
    command: Command
    schema: dict[str, Json]


@dataclass(frozen=True, slots=True)
class SyncTurn:
    """This process's turn to write one server's commands: what is wanted, and what Discord has."""

    guild_id: str
    revision: int
    written_revision: int
    written_hash: str
    written_names: frozenset[str]
    creates_day: str
    creates_used: int
    problem: str
    wanted: tuple[WantedCommand, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """What a turn came to. A turn that is not `done` is parked with its `problem` until another day."""

    hash: str
    names: tuple[str, ...]
    creates_day: str
    creates_used: int
    problem: str = ""
    done: bool = True


class CommandSet:
    """Hands out turns, so that of several processes one writes a server's commands."""

    def __init__(
        self,
        guilds: Guilds,
        installations: Installations,
        commands: Commands,
        meta: Meta,
        reader: InstalledReader,
        clock: Clock,
    ) -> None:
        self._guilds = guilds
        self._installations = installations
        self._commands = commands
        self._meta = meta
        self._reader = reader
        self._clock = clock
        self._holder = clock.new_id()

    async def pending(self) -> tuple[str, ...]:
        """The servers whose commands have changed since they were written."""
        return await self._guilds.to_sync(self._clock.now().date().isoformat())

    async def take_turn(self, guild_id: str) -> SyncTurn | None:
        """This process's turn, None when there is nothing to do or another process is at it."""
        now = self._clock.now_ms()
        guild = await self._guilds.claim_sync(guild_id, self._holder, now, now + SYNC_LEASE_MS)
        if guild is None:
            return None
        return SyncTurn(
            guild_id=guild_id,
            revision=guild.commands_wanted,
            written_revision=guild.commands_written,
            written_hash=guild.commands_hash or "",
            written_names=frozenset(guild.command_names),
            creates_day=guild.creates_day or "",
            creates_used=guild.creates_used,
            problem=guild.commands_problem or "",
            wanted=await self._wanted(guild_id),
        )

    async def finish_turn(self, turn: SyncTurn, written: Written) -> None:
        """Store what was written, or why it could not be."""
        row = WrittenCommands(
            revision=turn.revision if written.done else turn.written_revision,
            hash=written.hash or None,
            names=written.names,
            creates_day=written.creates_day,
            creates_used=written.creates_used,
            problem=written.problem or None,
        )
        await self._guilds.finish_sync(turn.guild_id, self._holder, row)

    async def give_back(self, turn: SyncTurn) -> None:
        """End the turn without a result; it comes again."""
        await self._guilds.release_sync(turn.guild_id, self._holder)

    async def rewrite(self, guild_id: str) -> None:
        """Ask for the commands to be written anew, because the bot was invited anew."""
        await self._guilds.want_sync(guild_id)

    async def problem(self, guild_id: str) -> str:
        """Why not all commands could be written, in a sentence for the owner; empty when all is well."""
        guild = await self._guilds.get(guild_id)
        return (guild.commands_problem if guild is not None else None) or ""

    async def global_hash(self, application_id: str) -> str:
        """The hash of the built-in commands as last written for this application."""
        return await self._meta.get(f"global_commands:{application_id}") or ""

    async def global_written(self, application_id: str, commands_hash: str) -> None:
        """Remember that the built-in commands were written."""
        await self._meta.set(f"global_commands:{application_id}", commands_hash)

    async def _wanted(self, guild_id: str) -> tuple[WantedCommand, ...]:
        now = self._clock.now_ms()
        rows = await self._installations.of_guild(guild_id)
        installed = {row.id: self._reader.read(row, now) for row in rows}
        wanted: list[WantedCommand] = []
        for found in await self._commands.of_guild(guild_id):
            trick = installed.get(found.command.installation_id)
            command = trick.command(found.command.name) if trick is not None else None
            if trick is not None and command is not None and "slash" in command.surfaces:
                schema: dict[str, Json] = {}
                if found.pin is not None:
                    schema = json.loads(found.pin.input_schema)
                wanted.append(WantedCommand(trick.name, command, schema))
        return tuple(wanted)
