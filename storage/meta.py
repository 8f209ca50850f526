"""Small facts about the whole database: the encryption key's fingerprint, the hash of the global commands."""

from sqlalchemy import Executable, bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import tables
from storage.drivers import make_engine, read_url
from storage.engine import Database
from storage.faults import translated
from storage.upserts import InsertInto, Upsert

_t = tables.meta.c
_GET = select(_t.value).where(_t.key == bindparam("key"))
_KEEP = Upsert(lambda insert: insert(tables.meta).on_conflict_do_nothing(index_elements=["key"]))


@Upsert
def _set(insert: InsertInto) -> Executable:
    new = insert(tables.meta)
    return new.on_conflict_do_update(index_elements=["key"], set_={"value": new.excluded.value})


async def look_up(url: str, key: str) -> str | None:
    """The value in the database at `url`, which has to have its tables; changes nothing and opens nothing else."""
    engine = make_engine(read_url(url), "read", 1_000)
    try:
        with translated():
            async with engine.connect() as connection:
                return (await connection.execute(_GET, {"key": key})).scalar()
    finally:
        await engine.dispose()


class Meta:
    """The store of single values by key."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, key: str) -> str | None:
        """The value, None when there is none."""
        row = await self._database.first(_GET, {"key": key})
        return row[0] if row else None

    async def set(self, key: str, value: str) -> None:
        """Store the value, over an older one."""

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(_set.on(connection), {"key": key, "value": value})

        await self._database.write(work)

    async def keep(self, key: str, value: str) -> str:
        """Store the value unless there is one, and give back the one that is stored: the first stays."""

        async def work(connection: AsyncConnection) -> str:
            await connection.execute(_KEEP.on(connection), {"key": key, "value": value})
            return (await connection.execute(_GET, {"key": key})).scalar_one()

        return await self._database.write(work)
