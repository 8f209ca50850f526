"""The path of a command, and how tricks come and go."""

from __future__ import annotations

from dataclasses import dataclass

from bot.tricks.calls import Calls
from bot.tricks.command_set import CommandSet
from bot.tricks.command_table import CommandTable
from bot.tricks.housekeeping import Housekeeping
from bot.tricks.looks import Looks
from bot.tricks.prefixes import Prefixes
from bot.tricks.registration import Registration
from bot.wiring.base import Base


@dataclass(frozen=True, slots=True)
class CommandPath:
    """What a command takes from its event to its answer."""

    table: CommandTable
    calls: Calls
    command_set: CommandSet
    registration: Registration
    looks: Looks
    prefixes: Prefixes
    housekeeping: Housekeeping


def command_path(base: Base) -> CommandPath:
    """Build it."""
    stores, clock = base.stores, base.clock
    table = CommandTable(stores.guilds, stores.commands, base.config.discord.prefix)
    return CommandPath(
        table=table,
        calls=Calls(base.client, stores.calls, stores.looks, base.limiter, clock, base.notices, base.metrics),
        command_set=CommandSet(
            stores.guilds, stores.installations, stores.commands, stores.meta, base.reader, clock
        ),
        registration=Registration(
            base.sender, stores.installations, stores.drafts, base.box, base.limiter, clock, base.hosts
        ),
        looks=Looks(
            stores.looks, stores.installations, base.reader, base.test, base.limiter, clock, base.notices
        ),
        prefixes=Prefixes(stores.guilds, table),
        housekeeping=Housekeeping(
            stores.calls, stores.actions, stores.erase, clock, base.config.storage.retention_days
        ),
    )
