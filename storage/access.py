"""Changing an installation's access rules: read, decided on and written in one transaction."""

from collections.abc import Callable

from sqlalchemy import bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import audit, tables
from storage.engine import Database
from storage.records import Installation
from storage.rows import to_installation

_t = tables.installations.c
_GET = (
    select(tables.installations)
    .where(_t.id == bindparam("id"), _t.guild_id == bindparam("guild_id"))
    .with_for_update(key_share=True)  # rows that belong to it may be added meanwhile
)
_SET = update(tables.installations).where(_t.id == bindparam("key")).values(access=bindparam("rules"))


class Access:
    """The store of access rules, which stand in the installation's row as JSON."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def set_access(
        self,
        installation_id: str,
        guild_id: str,
        change: Callable[[Installation], str],
        *,
        now: int,
        actor_id: str,
        tool: str | None = None,
    ) -> Installation | None:
        """Store the rules that `change` makes of the row as it is at this moment; gives the row before that.

        Rules that stay the same write nothing, else the audit trail names `tool` (None for the whole trick).
        `change` may run more than once, and what it raises leaves everything as it is. None when the server
        has no such installation.
        """

        async def work(connection: AsyncConnection) -> Installation | None:
            found = await connection.execute(_GET, {"id": installation_id, "guild_id": guild_id})
            row = found.first()
            if row is None:
                return None
            before = to_installation(row)
            rules = change(before)
            if rules != before.access:
                await connection.execute(_SET, {"key": installation_id, "rules": rules})
                await audit.record(
                    connection,
                    at=now,
                    guild_id=guild_id,
                    installation_id=installation_id,
                    actor_id=actor_id,
                    what="access",
                    tool=tool,
                )
            return before

        return await self._database.write(work)
