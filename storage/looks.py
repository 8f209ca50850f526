"""Looks: when each installation's live tool list is to be read again, and by whom."""

from sqlalchemy import bindparam, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import tables
from storage.engine import Database
from storage.records import Installation
from storage.rows import to_installation

_t = tables.installations.c
# SQLite leaves FOR UPDATE out: its writers stand in line anyway
_due = (
    select(_t.id)
    .where(
        _t.state == "enabled",
        _t.next_look_at <= bindparam("now"),
        or_(_t.look_until.is_(None), _t.look_until <= bindparam("now")),
    )
    .order_by(_t.next_look_at)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True)
    .cte("due")
)
_CLAIM = (
    update(tables.installations)
    .where(_t.id.in_(select(_due.c.id)))
    .values(look_until=bindparam("until"))
    .returning(tables.installations)
)
_SCHEDULE = (
    update(tables.installations)
    .where(_t.id == bindparam("key"))
    .values(next_look_at=bindparam("next_look"), look_until=None)
)


class Looks:
    """The store of looks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def due(self, now: int, limit: int, lease_until: int) -> tuple[Installation, ...]:
        """Take up to `limit` enabled installations whose time has come, nobody else's until `lease_until`.

        Who dies before `schedule` leaves them due again at `lease_until`.
        """

        async def work(connection: AsyncConnection) -> tuple[Installation, ...]:
            values = {"now": now, "most": limit, "until": lease_until}
            return tuple(to_installation(row) for row in await connection.execute(_CLAIM, values))

        return await self._database.write(work)

    async def schedule(self, installation_id: str, next_look_at: int | None) -> None:
        """Set when the next look is due, None for never, and end the lease."""

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(_SCHEDULE, {"key": installation_id, "next_look": next_look_at})

        await self._database.write(work)
