"""What `bot.services` builds once for a process, in groups: the stores, and the services of the owner's room."""

from __future__ import annotations

from dataclasses import dataclass

from bot.clock import Clock
from bot.events.choices import EventChoices
from bot.signing import SecretBox
from bot.tricks.access import AccessService
from bot.tricks.guidance import Guidance
from bot.tricks.installed import InstalledReader
from bot.tricks.lifecycle import Lifecycle
from bot.tricks.log import FailureLog
from bot.tricks.rotation import Rotation
from storage.access import Access
from storage.actions import Actions
from storage.calls import Calls
from storage.commands import Commands
from storage.drafts import Drafts
from storage.engine import Database
from storage.erase import Erase
from storage.event_counts import EventCounts
from storage.guilds import Guilds
from storage.installations import Installations
from storage.looks import Looks
from storage.meta import Meta
from storage.outbox import Outbox
from storage.rotations import Rotations
from storage.subscriptions import Subscriptions


@dataclass(frozen=True, slots=True)
class Stores:
    """The stores that more than one service uses."""

    access: Access
    actions: Actions
    calls: Calls
    commands: Commands
    drafts: Drafts
    erase: Erase
    event_counts: EventCounts
    guilds: Guilds
    installations: Installations
    looks: Looks
    meta: Meta
    outbox: Outbox
    rotations: Rotations
    subscriptions: Subscriptions

    @classmethod
    def of(cls, database: Database) -> Stores:
        """All of them on one database."""
        return cls(
            access=Access(database),
            actions=Actions(database),
            calls=Calls(database),
            commands=Commands(database),
            drafts=Drafts(database),
            erase=Erase(database),
            event_counts=EventCounts(database),
            guilds=Guilds(database),
            installations=Installations(database),
            looks=Looks(database),
            meta=Meta(database),
            outbox=Outbox(database),
            rotations=Rotations(database),
            subscriptions=Subscriptions(database),
        )


@dataclass(frozen=True, slots=True)
class OwnersRoom:
    """What an owner decides about a trick that is installed."""

    access: AccessService
    rotation: Rotation
    event_choices: EventChoices
    log: FailureLog
    guidance: Guidance


def owners_room(
    stores: Stores, lifecycle: Lifecycle, reader: InstalledReader, box: SecretBox, clock: Clock
) -> OwnersRoom:
    """Build it."""
    installations = stores.installations
    return OwnersRoom(
        access=AccessService(stores.access, installations, lifecycle, reader, clock),
        rotation=Rotation(stores.rotations, lifecycle, box, clock),
        event_choices=EventChoices(
            lifecycle, installations, stores.subscriptions, stores.event_counts, clock
        ),
        log=FailureLog(stores.calls, stores.outbox, lifecycle, clock),
        guidance=Guidance(stores.guilds, clock),
    )
