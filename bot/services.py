"""Builds the stores and services of one process, once; the only place that opens a database."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from bot.clock import Clock
from bot.config import Config
from bot.errors import StartupError
from bot.log import logger
from bot.mcp import McpClient
from bot.policy.links import LinkRules, read_hosts_file
from bot.signing import SecretBox, load_or_create_key
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

_FINGERPRINT = "encryption_key_fingerprint"
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
        box = await open_box(config, meta.Meta(database))
        links = read_links(config.links.blocklist)
        hosts = frozenset(config.network.development_hosts)
        transport = transport or Transport(SystemResolver(), AddressPolicy(), development_hosts=hosts)
        try:
            yield _build(config, clock, database, box, links, SignedSender(transport, clock))
        finally:
            await transport.aclose()
    finally:
        await database.close()


async def open_box(config: Config, store: meta.Meta) -> SecretBox:
    """The box of sealed values. A database knows the keys it was used with; a wrong one is a `StartupError`."""
    keys = config.storage.keys or (load_or_create_key(key_path(config)),)
    box = SecretBox(keys)
    known = await store.keep(_FINGERPRINT, box.fingerprint())
    if not box.knows(known):
        raise StartupError(
            ["The encryption key is not the one this database was made with. Put the old `kennel.key` back, or "
             "list the old key behind the new one in `storage.encryption_key`."]
        )  # fmt: skip
    if known != box.fingerprint():
        await store.set(_FINGERPRINT, box.fingerprint())
    return box


def key_path(config: Config) -> Path:
    """Where the key file is: beside the SQLite file. With PostgreSQL a key has to be configured."""
    prefix = "sqlite:///"
    if not config.storage.url.startswith(prefix):
        raise StartupError(
            ["With PostgreSQL, `storage.encryption_key` has to be set: a file on one machine would be lost."]
        )
    return Path(config.storage.url.removeprefix(prefix)).parent / "kennel.key"


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
        calls=Calls(client, call_store, limiter, clock, notices),
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
