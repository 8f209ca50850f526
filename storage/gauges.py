"""How many of what there are just now: for whoever watches over the bot."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func, select

from storage.engine import Database
from storage.event_tables import deliveries, delivery_is_pending
from storage.request_tables import approval_is_open, approvals, task_is_open, tasks
from storage.tables import installations


@dataclass(frozen=True, slots=True)
class Counts:
    """Of the whole database, so every process that shares it sees the same.

    `oldest_pending` is the time in milliseconds at which the event of the oldest waiting delivery happened,
    None when nothing waits.
    """

    pending_deliveries: int
    oldest_pending: int | None
    open_cards: int
    open_tasks: int
    installations: Mapping[str, int]

    def oldest_seconds(self, now: int) -> float | None:
        """For how long the oldest delivery has waited at `now`, None when nothing waits."""
        return None if self.oldest_pending is None else max(0, now - self.oldest_pending) / 1000


_state = installations.c.state
COUNTS = select(
    select(func.count()).select_from(deliveries).where(delivery_is_pending).scalar_subquery(),
    select(func.min(deliveries.c.occurred_at)).where(delivery_is_pending).scalar_subquery(),
    select(func.count()).select_from(approvals).where(approval_is_open).scalar_subquery(),
    select(func.count()).select_from(tasks).where(task_is_open).scalar_subquery(),
)
_INSTALLATIONS = select(_state, func.count()).group_by(_state)


class Gauges:
    """The store of the counts, which only reads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def counts(self) -> Counts:
        """All counts. Raises `StorageError`."""
        row = await self._database.first(COUNTS)
        assert row is not None
        states = await self._database.all(_INSTALLATIONS)
        return Counts(row[0], row[1], row[2], row[3], {row[0]: row[1] for row in states})
