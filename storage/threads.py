"""Threads: those that the bot opened, and for whom, who need not mention it there."""

from sqlalchemy import Executable, bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.engine import Database
from storage.request_tables import threads
from storage.upserts import InsertInto, Upsert

_t = threads.c
_FIND = select(_t.thread_id).where(_t.thread_id == bindparam("thread"), _t.asker_id == bindparam("asker"))


@Upsert
def _add(insert: InsertInto) -> Executable:
    return insert(threads).on_conflict_do_nothing()


class Threads:
    """The store of threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, thread_id: str, asker_id: str, guild_id: str, now: int) -> None:
        """Store that the asker need not mention the bot in this thread; a second time changes nothing."""
        row = {"thread_id": thread_id, "asker_id": asker_id, "guild_id": guild_id, "created_at": now}

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(_add.on(connection), row)

        await self._database.write(work)

    async def is_askers(self, thread_id: str, asker_id: str) -> bool:
        """Whether the thread was opened, or is used, for a request of this member."""
        return await self._database.first(_FIND, {"thread": thread_id, "asker": asker_id}) is not None
