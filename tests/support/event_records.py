"""Rows of events for tests, with every field filled in that the test does not care about."""

import dataclasses
import json
from collections.abc import Collection
from typing import Any

from storage.engine import Database
from storage.event_records import Delivery, DeliveryEnd, NewEvent
from storage.installations import Installations
from storage.outbox import Outbox
from tests.support.records import GUILD, NOW, OWNER, installation

MEMBER = "53908099506183680"
BOTH_EVENTS = ("member.joined", "member.left")


def joined(event_id: str = "e1", **changes: Any) -> NewEvent:
    """A member joins; another `event_id` is another joining."""
    row = NewEvent(event_id, GUILD, MEMBER, "member.joined", f"j:{event_id}", NOW, screening=False)
    return dataclasses.replace(row, **changes)


def left(event_id: str = "e2", **changes: Any) -> NewEvent:
    """A member leaves."""
    row = NewEvent(event_id, GUILD, MEMBER, "member.left", f"l:{event_id}", NOW, screening=False)
    return dataclasses.replace(row, **changes)


async def hearing(
    database: Database, id: str = "i1", events: Collection[str] = BOTH_EVENTS, **changes: Any
) -> None:
    """Add an enabled installation that hears these events."""
    store = Installations(database)
    await store.add(installation(id, **changes), (), events=events)
    await store.enable_first(id, (), NOW, OWNER)


def freeze(delivery: Delivery) -> str:
    """A body that names its delivery and the attempt that froze it."""
    return json.dumps([delivery.id, delivery.attempts])


async def claimed(
    database: Database, id: str = "i1", most: int = 10, now: int = NOW, lease_until: int = NOW + 30_000
) -> tuple[Delivery, ...]:
    """What can be claimed of one installation."""
    return await Outbox(database).claim(id, most, now, lease_until, freeze)


def delivered(row: Delivery, presentation: str | None = None) -> DeliveryEnd:
    """The end of an attempt that the trick took."""
    return DeliveryEnd(row.id, row.attempts, delivered=True, presentation=presentation)


def again(row: Delivery, next_at: int) -> DeliveryEnd:
    """The end of an attempt that is to be repeated."""
    return DeliveryEnd(
        row.id,
        row.attempts,
        delivered=False,
        next_at=next_at,
        failure="Nobody is there.",
        failure_kind="ConnectFailed",
    )


def failed(row: Delivery) -> DeliveryEnd:
    """The end of the last attempt."""
    return dataclasses.replace(again(row, 0), next_at=None)
