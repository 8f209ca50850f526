"""What a member may use here."""

from dataclasses import dataclass

from bot.clock import Clock
from bot.manifest import Command
from bot.policy.audiences import Asker, Place
from bot.tricks.installed import InstalledReader
from storage.commands import Commands
from storage.installations import Installations


@dataclass(frozen=True, slots=True)
class Usable:
    """One command that a member may use, with the name of its trick."""

    trick_name: str
    command: Command


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
        """The commands of enabled tricks that `asker` may use in `place`, by trick and in its own order."""
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
            audience = trick.access.audience(found.pin.tool, read_only=found.pin.read_only)
            if audience.admits(asker) and (asker.is_owner or trick.access.open_in(place)):
                usable.append(Usable(trick.name, command))
        return tuple(usable)
