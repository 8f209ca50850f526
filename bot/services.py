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
from bot.log import logger
from bot.policy.links import LinkRules, read_hosts_file

if TYPE_CHECKING:  # slow to import, and needed only once services are opened
    from bot.approvals.consents import ConsentService
    from bot.approvals.desk import ApprovalDesk
    from bot.assistant.assistant import Assistant
    from bot.assistant.threads import Threads
    from bot.assistant.wiring import Ground, Parts
    from bot.config import Config
    from bot.events.choices import EventChoices
    from bot.events.outbox import EventOutbox
    from bot.events.poster import PostLine
    from bot.events.posts import PostWorker
    from bot.events.worker import DeliveryWorker
    from bot.llm.model import Model
    from bot.metrics import Metrics
    from bot.privacy.privacy import Privacy
    from bot.speaker import Line
    from bot.tasks.poller import Poller
    from bot.tasks.question_desk import QuestionDesk
    from bot.tasks.question_watch import QuestionWatch
    from bot.tasks.telling import Teller
    from bot.transport import Transport
    from bot.tricks.access import AccessService
    from bot.tricks.calls import Calls
    from bot.tricks.catalogue import Catalogue
    from bot.tricks.checks import Checks
    from bot.tricks.command_set import CommandSet
    from bot.tricks.command_table import CommandTable
    from bot.tricks.guidance import Guidance
    from bot.tricks.housekeeping import Housekeeping
    from bot.tricks.lifecycle import Lifecycle
    from bot.tricks.log import FailureLog
    from bot.tricks.looks import Looks
    from bot.tricks.notices import OwnerNotices
    from bot.tricks.once import Once
    from bot.tricks.prefixes import Prefixes
    from bot.tricks.refresh import Refresh
    from bot.tricks.registration import Registration
    from bot.tricks.rotation import Rotation
    from bot.tricks.settings import SettingsService
    from bot.wiring.base import Base
    from storage.gauges import Gauges
    from storage.pulse import Pulse

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
    line: Line
    assistant: Assistant
    approvals: ApprovalDesk
    consents: ConsentService
    questions: QuestionDesk
    watch: QuestionWatch
    threads: Threads
    poller: Poller
    teller: Teller
    pulse: Pulse
    settings: SettingsService
    access: AccessService
    rotation: Rotation
    refresh: Refresh
    event_choices: EventChoices
    log: FailureLog
    guidance: Guidance
    outbox: EventOutbox
    deliveries: DeliveryWorker
    posts: PostWorker
    post_line: PostLine
    privacy: Privacy
    metrics: Metrics
    gauges: Gauges


@asynccontextmanager
async def open_services(
    config: Config,
    clock: Clock | None = None,
    transport: Transport | None = None,
    model: Model | None = None,
) -> AsyncGenerator[Services]:
    """Open the database and the connection pool, build everything, and close both at the end.

    `transport` replaces the way to tricks with one that has another resolver or address policy, and `model`
    the one that is configured. The database has to be up to date. Raises `StorageError` when it is not or
    cannot be opened, and `StartupError` for a bad key, blocklist or model.
    """
    from bot.keys import open_box
    from bot.llm.providers import open_model
    from bot.observability.opening import open_metrics
    from bot.transport import AddressPolicy, SignedSender, SystemResolver, Transport
    from bot.wiring.base import base_of
    from storage import installations, meta
    from storage.engine import Database
    from storage.migrate import require_current

    clock = clock or Clock()
    database = await Database.open(config.storage.url)
    try:
        await require_current(database)
        box = await open_box(config, meta.Meta(database), installations.Installations(database))
        links = read_links(config.links.blocklist)
        hosts = frozenset(config.network.development_hosts)
        model = model or open_model(config.assistant, clock)
        transport = transport or Transport(SystemResolver(), AddressPolicy(), development_hosts=hosts)
        try:
            metrics = open_metrics(config.observability.listen, clock, version("kennel-bot"))
            sender = SignedSender(transport, clock)
            base = base_of(config, database, box, links, sender, metrics, clock)
            yield _build(base, model)
        finally:
            await transport.aclose()
            if model is not None:
                await model.aclose()
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


def _build(base: Base, model: Model | None) -> Services:
    from bot.assistant.wiring import build
    from bot.wiring.commands import command_path
    from bot.wiring.events import events
    from bot.wiring.owners_room import owners_room
    from storage.gauges import Gauges
    from storage.pulse import Pulse

    asked = base.config.assistant
    parts = build(_ground(base), model, asked.requests_per_member_hour, asked.requests_per_guild_day)
    path, room, heard = command_path(base), owners_room(base), events(base)
    return Services(
        clock=base.clock,
        links=base.links,
        table=path.table,
        checks=base.checks,
        calls=path.calls,
        catalogue=base.catalogue,
        command_set=path.command_set,
        registration=path.registration,
        lifecycle=base.lifecycle,
        looks=path.looks,
        prefixes=path.prefixes,
        housekeeping=path.housekeeping,
        once=base.once,
        notices=base.notices,
        line=base.line,
        assistant=parts.assistant,
        approvals=parts.approvals,
        consents=parts.consents,
        questions=parts.questions,
        watch=parts.watch,
        threads=parts.threads,
        poller=parts.poller,
        teller=parts.teller,
        pulse=Pulse(base.database),
        settings=room.settings,
        access=room.access,
        rotation=room.rotation,
        refresh=room.refresh,
        event_choices=room.event_choices,
        log=room.log,
        guidance=room.guidance,
        outbox=heard.outbox,
        deliveries=heard.deliveries,
        posts=heard.posts,
        post_line=heard.post_line,
        privacy=_privacy(base, parts),
        metrics=base.metrics,
        gauges=Gauges(base.database),
    )


def _privacy(base: Base, parts: Parts) -> Privacy:
    from bot.privacy.privacy import Privacy
    from bot.privacy.servers import LeftServers
    from storage.erase_guilds import EraseGuilds
    from storage.erase_members import EraseMembers
    from storage.member_data import MemberData

    database, clock = base.database, base.clock
    return Privacy(
        MemberData(database),
        EraseMembers(database),
        LeftServers(EraseGuilds(database), clock),
        parts.assistant,
        parts.questions,
        base.limiter,
        clock,
        base.config.storage.retention_days,
    )


def _ground(base: Base) -> Ground:
    from bot.assistant.wiring import Ground

    return Ground(
        database=base.database,
        client=base.client,
        reader=base.reader,
        box=base.box,
        checks=base.checks,
        catalogue=base.catalogue,
        limiter=base.limiter,
        notices=base.notices,
        once=base.once,
        links=base.links,
        line=base.line,
        metrics=base.metrics,
        clock=base.clock,
    )
