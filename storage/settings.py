"""Changing an installation's settings: read, decided on and written in one transaction."""

from collections.abc import Callable

from sqlalchemy import bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import audit, tables
from storage.engine import Database
from storage.records import Installation
from storage.rows import to_installation

_t = tables.installations.c
_ALL = select(tables.installations)
_LOCK = _ALL.where(_t.id == bindparam("id"), _t.guild_id == bindparam("guild_id")).with_for_update(
    key_share=True  # rows that belong to it may be added meanwhile
)
_MENTIONING = _ALL.where(
    _t.guild_id == bindparam("guild_id"), _t.settings.contains(bindparam("digits"))
).order_by(_t.created_at, _t.id)
_SET = update(tables.installations).where(_t.id == bindparam("key")).values(settings=bindparam("values"))


class Settings:
    """The store of settings, which stand in the installation's row as JSON."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def mentioning(self, guild_id: str, id: str) -> tuple[Installation, ...]:
        """The server's installations in whose settings the digits `id` stand, oldest first."""
        rows = await self._database.all(_MENTIONING, {"guild_id": guild_id, "digits": id})
        return tuple(to_installation(row) for row in rows)

    async def set_settings(
        self,
        installation_id: str,
        guild_id: str,
        change: Callable[[Installation], str],
        *,
        now: int,
        actor_id: str | None,
    ) -> Installation | None:
        """Store the settings that `change` makes of the row as it is at this moment; gives the row before that.

        What stays the same writes nothing, else the audit trail names the actor, if a person did it. `change`
        may run more than once, and what it raises leaves everything as it is. None when the server has no such
        installation.
        """

        async def work(connection: AsyncConnection) -> Installation | None:
            row = (await connection.execute(_LOCK, {"id": installation_id, "guild_id": guild_id})).first()
            if row is None:
                return None
            before = to_installation(row)
            settings = change(before)
            if settings != before.settings:
                await connection.execute(_SET, {"key": installation_id, "values": settings})
                if actor_id is not None:
                    await audit.record(
                        connection,
                        at=now,
                        guild_id=guild_id,
                        installation_id=installation_id,
                        actor_id=actor_id,
                        what="settings",
                    )
            return before

        return await self._database.write(work)
