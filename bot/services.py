"""Builds the stores and services of one process, once; the only place that opens a database."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from bot.clock import Clock
from bot.errors import StartupError
from bot.keys import open_box
from bot.log import logger
from bot.mcp import McpClient
from bot.policy.links import LinkRules, read_hosts_file
from bot.signing import SecretBox
from bot.transport import AddressPolicy, SignedSender, SystemResolver, Transport
from bot.tricks.calls import Calls
from bot.tricks.catalogue import Catalogue
from bot.tricks.challenge import ConnectionTest
from bot.tricks.checks import Checks
from bot.tricks.command_set import CommandSet
from bot.tricks.command_table import CommandTable
from bot.tricks.housekeeping import Housekeeping
from bot.tricks.installed import InstalledReader
from bot.tricks.lifecycle import Lifecycle
from bot.tricks.limits import Limiter
from bot.tricks.looks import Looks
from bot.tricks.notices import OwnerNotices
from bot.tricks.once import Once
from bot.tricks.prefixes import Prefixes
from bot.tricks.registration import Registration
from storage import actions, calls, commands, drafts, erase, guilds, installations, looks, meta
from storage.engine import Database
from storage.migrate import require_current

if TYPE_CHECKING:  # reading settings is the program's business, and its library is slow to import
    from bot.config import Config

_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Services:
    """Everything that the cogs may call."""

    clock: Clock
    links: LinkRules
    table: CommandTable
    checks: Checks
    calls: Calls
    catalogue: Catalogue
    command_set: CommandSet
    registration: Registration
    lifecycle: Lifecycle
    looks: Looks
    prefixes: Prefixes
    housekeeping: Housekeeping
    once: Once
    notices: OwnerNotices


@asynccontextmanager
async def open_services(
    config: Config, clock: Clock | None = None, transport: Transport | None = None
) -> AsyncGenerator[Services]:
    """Open the database and the connection pool, build everything, and close both at the end.

    `transport` replaces the way to tricks with one that has another resolver or address policy. The database
    has to be up to date. Raises `StorageError` when it is not or cannot be opened, and
    `StartupError` for a bad key or blocklist.
    """
    clock = clock or Clock()
    database = await Database.open(config.storage.url)
    try:
        await require_current(database)
        box = await open_box(config, meta.Meta(database), installations.Installations(database))
        links = read_links(config.links.blocklist)
        hosts = frozenset(config.network.development_hosts)
        transport = transport or Transport(SystemResolver(), AddressPolicy(), development_hosts=hosts)
        try:
            yield _build(config, clock, database, box, links, SignedSender(transport, clock))
        finally:
            await transport.aclose()
    finally:
        await database.close()


def read_links(blocklist: Path | None) -> LinkRules:
    """The link rules with the operator's blocklist. Raises `StartupError` when it cannot be read."""
    if blocklist is None:
        return LinkRules()
    try:
        return LinkRules(read_hosts_file(blocklist.read_text("utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        why = type(error).__name__
        raise StartupError(
            [f"The blocklist {blocklist} (`links.blocklist`) cannot be read ({why})."]
        ) from None


def _build(
    config: Config, clock: Clock, database: Database, box: SecretBox, links: LinkRules, sender: SignedSender
) -> Services:
    guild_store, installation_store = guilds.Guilds(database), installations.Installations(database)
    command_store, call_store = commands.Commands(database), calls.Calls(database)
    draft_store, look_store = drafts.Drafts(database), looks.Looks(database)
    action_store = actions.Actions(database)
    reader, limiter, notices = InstalledReader(box), Limiter(clock), OwnerNotices()
    client = McpClient(sender, clock, version("kennel-bot"))
    test = ConnectionTest(sender, client, clock)
    table = CommandTable(guild_store, command_store, config.discord.prefix)
    hosts = frozenset(config.network.development_hosts)
    return Services(
        clock=clock,
        links=links,
        table=table,
        checks=Checks(command_store, action_store, reader, clock, config.storage.retention_days),
        calls=Calls(client, call_store, look_store, limiter, clock, notices),
        catalogue=Catalogue(installation_store, command_store, reader, clock),
        command_set=CommandSet(
            guild_store, installation_store, command_store, meta.Meta(database), reader, clock
        ),
        registration=Registration(sender, installation_store, draft_store, box, limiter, clock, hosts),
        lifecycle=Lifecycle(installation_store, draft_store, reader, test, look_store, limiter, clock),
        looks=Looks(look_store, installation_store, reader, test, limiter, clock, notices),
        prefixes=Prefixes(guild_store, table),
        housekeeping=Housekeeping(
            call_store, action_store, erase.Erase(database), clock, config.storage.retention_days
        ),
        once=Once(call_store, clock),
        notices=notices,
    )
