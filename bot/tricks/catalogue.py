"""What a member may use here."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.clock import Clock
from bot.manifest import Command
from bot.policy.audiences import Asker, Audience, Place
from bot.tricks.installed import Installed, InstalledReader
from storage.commands import Commands
from storage.installations import Installations
from storage.records import Pin


@dataclass(frozen=True, slots=True)
class Usable:
    """One command that a member may use, with the name of its trick."""

    trick_name: str
    command: Command


@dataclass(frozen=True, slots=True)
class UsableTool:
    """One tool that a member may use here, with the definition that the owner accepted."""

    pin: Pin
    audience: Audience


@dataclass(frozen=True, slots=True)
class UsableTrick:
    """A trick with at least one tool that a member may use here."""

    id: str
    installation_id: str
    name: str
    summary: str
    instructions: str
    tools: tuple[UsableTool, ...]


class Catalogue:
    """Lists what works for somebody."""

    def __init__(
        self, installations: Installations, commands: Commands, reader: InstalledReader, clock: Clock
    ) -> None:
        self._installations = installations
        self._commands = commands
        self._reader = reader
        self._clock = clock

    async def commands(self, asker: Asker, place: Place) -> tuple[Usable, ...]:
        """The commands that work for `asker` in `place`, by trick and in its own order.

        Those of a trick that waits for its settings do not.
        """
        now = self._clock.now_ms()
        installed = {
            row.id: self._reader.read(row, now)
            for row in await self._installations.of_guild(asker.guild_id)
            if row.state == "enabled"
        }
        usable: list[Usable] = []
        for found in await self._commands.of_guild(asker.guild_id):
            trick = installed.get(found.command.installation_id)
            command = trick.command(found.command.name) if trick is not None else None
            if trick is None or command is None or found.pin is None or trick.held_back(found.pin):
                continue
            if trick.missing_settings:
                continue
            audience = trick.access.audience(found.pin.tool, read_only=found.pin.read_only)
            if audience.admits(asker) and (asker.is_owner or trick.access.open_in(place)):
                usable.append(Usable(trick.name, command))
        return tuple(usable)

    async def tricks(self, asker: Asker, place: Place) -> tuple[UsableTrick, ...]:
        """The enabled tricks of which `asker` may use a tool in `place`, with those tools.

        One that waits for its settings is among them: only a call of it can say to the asker what is missing.
        """
        now = self._clock.now_ms()
        pins: dict[str, list[Pin]] = {}
        for pin in await self._installations.pins_of_guild(asker.guild_id):
            pins.setdefault(pin.installation_id, []).append(pin)
        usable: list[UsableTrick] = []
        for row in await self._installations.of_guild(asker.guild_id):
            if row.state != "enabled" or row.id not in pins:
                continue
            trick = self._reader.read(row, now)
            tools = _tools_for(trick, pins[row.id], asker, place)
            if tools:
                about = trick.manifest
                usable.append(
                    UsableTrick(row.trick_id, row.id, row.name, about.summary, about.instructions, tools)
                )
        return tuple(usable)


def _tools_for(trick: Installed, pins: Sequence[Pin], asker: Asker, place: Place) -> tuple[UsableTool, ...]:
    if not (asker.is_owner or trick.access.open_in(place)):
        return ()
    tools = [
        UsableTool(pin, trick.access.audience(pin.tool, read_only=pin.read_only))
        for pin in pins
        if not trick.held_back(pin)
    ]
    return tuple(tool for tool in tools if tool.audience.admits(asker))
