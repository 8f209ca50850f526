"""The stores, and what all services of tricks share."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version

from bot.clock import Clock
from bot.config import Config
from bot.mcp import McpClient
from bot.metrics import Metrics
from bot.policy.links import LinkRules
from bot.signing import SecretBox
from bot.speaker import Line
from bot.transport import SignedSender
from bot.tricks.catalogue import Catalogue
from bot.tricks.challenge import ConnectionTest
from bot.tricks.checks import Checks
from bot.tricks.installed import InstalledReader
from bot.tricks.lifecycle import Lifecycle
from bot.tricks.limits import Limiter
from bot.tricks.notices import OwnerNotices
from bot.tricks.once import Once
from storage.acceptance import Acceptance
from storage.access import Access
from storage.actions import Actions
from storage.calls import Calls
from storage.commands import Commands
from storage.drafts import Drafts
from storage.engine import Database
from storage.erase import Erase
from storage.event_counts import EventCounts
from storage.event_posts import EventPosts
from storage.guilds import Guilds
from storage.installations import Installations
from storage.looks import Looks
from storage.meta import Meta
from storage.outbox import Outbox
from storage.rotations import Rotations
from storage.settings import Settings
from storage.subscriptions import Subscriptions


@dataclass(frozen=True, slots=True)
class Stores:
    """The stores that more than one service uses."""

    acceptance: Acceptance
    access: Access
    actions: Actions
    calls: Calls
    commands: Commands
    drafts: Drafts
    erase: Erase
    event_counts: EventCounts
    event_posts: EventPosts
    guilds: Guilds
    installations: Installations
    looks: Looks
    meta: Meta
    outbox: Outbox
    rotations: Rotations
    settings: Settings
    subscriptions: Subscriptions

    @classmethod
    def of(cls, database: Database) -> Stores:
        """All of them on one database."""
        return cls(
            acceptance=Acceptance(database),
            access=Access(database),
            actions=Actions(database),
            calls=Calls(database),
            commands=Commands(database),
            drafts=Drafts(database),
            erase=Erase(database),
            event_counts=EventCounts(database),
            event_posts=EventPosts(database),
            guilds=Guilds(database),
            installations=Installations(database),
            looks=Looks(database),
            meta=Meta(database),
            outbox=Outbox(database),
            rotations=Rotations(database),
            settings=Settings(database),
            subscriptions=Subscriptions(database),
        )


@dataclass(frozen=True, slots=True)
class Base:
    """What all services of tricks share. `hosts` are the development hosts."""

    config: Config
    database: Database
    stores: Stores
    reader: InstalledReader
    sender: SignedSender
    client: McpClient
    test: ConnectionTest
    limiter: Limiter
    notices: OwnerNotices
    lifecycle: Lifecycle
    checks: Checks
    catalogue: Catalogue
    once: Once
    line: Line
    links: LinkRules
    box: SecretBox
    metrics: Metrics
    hosts: frozenset[str]
    clock: Clock


def base_of(
    config: Config,
    database: Database,
    box: SecretBox,
    links: LinkRules,
    sender: SignedSender,
    metrics: Metrics,
    clock: Clock,
) -> Base:
    """Build it."""
    stores = Stores.of(database)
    reader, limiter = InstalledReader(box), Limiter(clock)
    client = McpClient(sender, clock, version("kennel-bot"))
    test = ConnectionTest(sender, client, clock)
    return Base(
        config=config,
        database=database,
        stores=stores,
        reader=reader,
        sender=sender,
        client=client,
        test=test,
        limiter=limiter,
        notices=OwnerNotices(),
        lifecycle=Lifecycle(stores.installations, stores.drafts, reader, test, stores.looks, limiter, clock),
        checks=Checks(stores.commands, stores.actions, reader, clock, config.storage.retention_days),
        catalogue=Catalogue(stores.installations, stores.commands, reader, clock),
        once=Once(stores.calls, clock),
        line=Line(),
        links=links,
        box=box,
        metrics=metrics,
        hosts=frozenset(config.network.development_hosts),
        clock=clock,
    )
