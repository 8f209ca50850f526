"""How many events of one installation still wait, and how many were given up."""

from dataclasses import dataclass

from sqlalchemy import String, bindparam, func, select

from storage.engine import Database
from storage.event_tables import deliveries, delivery_is_pending, post_is_open, posts

_KEY = bindparam("key", type_=String)
_COUNT = select(
    select(func.count()).where(deliveries.c.installation_id == _KEY, delivery_is_pending).scalar_subquery(),
    select(func.count())
    .where(deliveries.c.installation_id == _KEY, deliveries.c.status == "failed")
    .scalar_subquery(),
    select(func.count()).where(posts.c.installation_id == _KEY, post_is_open).scalar_subquery(),
)


@dataclass(frozen=True, slots=True)
class Counts:
    """Deliveries that wait for a try, deliveries that were given up, and answers that wait to be posted."""

    waiting: int
    failed: int
    posts: int


class EventCounts:
    """Counts the rows that are stored now; what the retention erased is not counted."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, installation_id: str) -> Counts:
        """The counts of one installation."""
        row = await self._database.first(_COUNT, {"key": installation_id})
        return Counts(*(row or (0, 0, 0)))
