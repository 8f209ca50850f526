"""Drafts: what an owner was shown and has yet to confirm, taken once."""

from sqlalchemy import bindparam, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import tables
from storage.engine import Database
from storage.records import Draft
from storage.rows import to_values

_t = tables.drafts.c
_ADD = insert(tables.drafts)
_theirs = (
    (_t.id == bindparam("id"))
    & (_t.guild_id == bindparam("guild_id"))
    & (_t.owner_id == bindparam("owner_id"))
    & (_t.created_at >= bindparam("not_before"))
)
_PEEK = select(tables.drafts).where(_theirs)
_TAKE = delete(tables.drafts).where(_theirs).returning(tables.drafts)


class Drafts:
    """The store of drafts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, draft: Draft) -> None:
        """Store one. Raises `ParentGone` when its installation was removed."""

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(_ADD, to_values(draft))

        await self._database.write(work)

    async def peek(self, draft_id: str, guild_id: str, owner_id: str, not_before: int) -> Draft | None:
        """The owner's draft, left where it is; None when it is gone, older than `not_before` or another's."""
        row = await self._database.first(_PEEK, _key(draft_id, guild_id, owner_id, not_before))
        return Draft(*row) if row else None

    async def take(self, draft_id: str, guild_id: str, owner_id: str, not_before: int) -> Draft | None:
        """As `peek`, and the draft is gone with it: of all who take, on whatever process, one gets it."""

        async def work(connection: AsyncConnection) -> Draft | None:
            values = _key(draft_id, guild_id, owner_id, not_before)
            row = (await connection.execute(_TAKE, values)).first()
            return Draft(*row) if row else None

        return await self._database.write(work)


def _key(draft_id: str, guild_id: str, owner_id: str, not_before: int) -> dict[str, str | int]:
    return {"id": draft_id, "guild_id": guild_id, "owner_id": owner_id, "not_before": not_before}
