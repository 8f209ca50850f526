"""Opening the database, reading from it, and transactions that are tried again as a whole."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Self, TypeVar

from sqlalchemy import Executable
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from tenacity import AsyncRetrying, retry_if_exception, stop_before_delay, wait_random_exponential

from storage.drivers import Address, make_engine, read_url
from storage.errors import DatabaseBusy, DatabaseUnreachable
from storage.faults import translated

T = TypeVar("T")
Values = Mapping[str, Any]
RowValues = Sequence[Any]


class Database:
    """One open database. Stores share it; every error it raises is one of `storage.errors`."""

    def __init__(self, address: Address, writer: AsyncEngine, reader: AsyncEngine, patience_ms: int) -> None:
        self.address = address
        self._writer = writer
        self._reader = reader
        self._retry_seconds = patience_ms * 0.8 / 1000
        self._immediate = address.dialect == "sqlite"

    @classmethod
    async def open(cls, url: str, *, patience_ms: int = 5_000) -> Self:
        """Connect to `url` (see `storage.drivers.read_url`), a missing SQLite file being made.

        `patience_ms` bounds how long a read or a write waits for others, all retries included: each try waits
        a tenth for a connection and a tenth for a lock, and none begins in the last fifth.
        """
        address = read_url(url)
        lock_ms = max(1, patience_ms // 10)
        writer, reader = make_engine(address, "write", lock_ms), make_engine(address, "read", lock_ms)
        database = cls(address, writer, reader, patience_ms)
        try:
            with translated():
                for engine in (writer, reader):
                    async with engine.connect():
                        pass
        except BaseException:
            await database.close()
            raise
        return database

    async def close(self) -> None:
        """Give all connections back. SQLite's log is then merged into its file."""
        await self._reader.dispose()
        await self._writer.dispose()

    @asynccontextmanager
    async def read(self) -> AsyncGenerator[AsyncConnection]:
        """A connection that cannot write, outside a transaction: each statement sees the newest commit.

        What belongs together is read in one statement.
        """
        with translated():
            async with self._reader.connect() as connection:
                yield connection

    async def first(self, statement: Executable, values: Values | None = None) -> RowValues | None:
        """The first row of one reading statement, or None."""

        async def attempt() -> RowValues | None:
            async with self.read() as connection:
                return (await connection.execute(statement, values)).first()

        return await self._patiently(attempt)

    async def all(self, statement: Executable, values: Values | None = None) -> Sequence[RowValues]:
        """All rows of one reading statement."""

        async def attempt() -> Sequence[RowValues]:
            async with self.read() as connection:
                return (await connection.execute(statement, values)).all()

        return await self._patiently(attempt)

    async def write(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        """Run `work(connection)` in one write transaction, commit, and give back what it returned.

        The whole transaction is tried again while it fails for a lock, a serialisation or a dead connection
        of the pool, so `work` may run more than once and must change nothing but rows. An exception from it
        rolls everything back. Raises `DatabaseBusy` when the patience ends.
        """

        async def attempt() -> T:
            with translated():
                async with self._writer.connect() as connection:
                    await connection.begin()
                    if self._immediate:
                        await _begin_immediate(connection)
                    result = await work(connection)
                    await _commit(connection)
                    return result

        return await self._patiently(attempt)

    async def forget_erased(self) -> None:
        """Take what was deleted out of SQLite's write-ahead log too, where old pages would stay readable.

        Does nothing on PostgreSQL, whose vacuum does it. While others are busy it does nothing either: the
        deletion itself is done, and the next one or `close` empties the log.
        """
        if not self._immediate:
            return
        with suppress(DatabaseBusy), translated():
            async with self._writer.connect() as connection:
                await connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    async def _patiently(self, attempt: Callable[[], Awaitable[T]]) -> T:
        retrying = AsyncRetrying(
            retry=retry_if_exception(_passes),
            stop=stop_before_delay(self._retry_seconds),
            wait=wait_random_exponential(multiplier=0.01, max=0.1),
            reraise=True,
        )
        return await retrying(attempt)


def _passes(error: BaseException) -> bool:
    return isinstance(error, DatabaseBusy) or (isinstance(error, DatabaseUnreachable) and error.stale)


async def _begin_immediate(connection: AsyncConnection) -> None:
    """Straight on the driver's connection, which costs a third of a statement through SQLAlchemy."""
    driver: Any = (await connection.get_raw_connection()).driver_connection
    await driver.execute("BEGIN IMMEDIATE")


async def _commit(connection: AsyncConnection) -> None:
    """Commit; when the connection is lost here nobody knows whether it happened, so it is not repeated."""
    try:
        await connection.commit()
    except DBAPIError as error:
        if error.connection_invalidated:
            raise DatabaseUnreachable from None
        raise
