"""The services of the owner's room."""

from __future__ import annotations

from dataclasses import dataclass

from bot.events.choices import EventChoices
from bot.tricks.access import AccessService
from bot.tricks.guidance import Guidance
from bot.tricks.log import FailureLog
from bot.tricks.refresh import Refresh
from bot.tricks.rotation import Rotation
from bot.tricks.settings import SettingsService
from bot.wiring.base import Base


@dataclass(frozen=True, slots=True)
class OwnersRoom:
    """What an owner decides about a trick that is installed."""

    settings: SettingsService
    access: AccessService
    rotation: Rotation
    refresh: Refresh
    event_choices: EventChoices
    log: FailureLog
    guidance: Guidance


def owners_room(base: Base) -> OwnersRoom:
    """Build it."""
    stores, lifecycle, reader, clock = base.stores, base.lifecycle, base.reader, base.clock
    installations, drafts = stores.installations, stores.drafts
    return OwnersRoom(
        settings=SettingsService(stores.settings, drafts, lifecycle, reader, base.notices, clock),
        access=AccessService(stores.access, installations, lifecycle, reader, clock),
        rotation=Rotation(stores.rotations, lifecycle, base.box, clock),
        refresh=Refresh(
            base.sender,
            lifecycle,
            installations,
            stores.acceptance,
            drafts,
            base.test,
            base.limiter,
            clock,
            base.hosts,
        ),
        event_choices=EventChoices(lifecycle, stores.subscriptions, stores.event_counts, clock),
        log=FailureLog(stores.calls, stores.outbox, lifecycle, clock),
        guidance=Guidance(stores.guilds, clock),
    )
