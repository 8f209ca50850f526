"""Opening, reading, writing, and what happens when others hold the lock."""

import asyncio
import os
import sqlite3
import time
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from sqlalchemy import insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import tables
from storage.engine import Database
from storage.errors import (
    DatabaseBusy,
    DatabaseFault,
    DatabaseReadOnly,
    DatabaseUnreachable,
    ParentGone,
)
from storage.meta import Meta

PATIENCE_MS = 500


@contextmanager
def lock_held(url: str) -> Generator[None]:
    """Somebody else is in the middle of a write to the SQLite file."""
    other = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.close()


async def test_what_a_write_returned_comes_back_and_what_it_stored_is_read(database: Database) -> None:
    async def work(connection: AsyncConnection) -> str:
        await connection.execute(insert(tables.meta), {"key": "a", "value": "1"})
        return "done"

    assert await database.write(work) == "done"
    assert await Meta(database).get("a") == "1"


async def test_an_exception_in_a_write_passes_and_nothing_is_kept(database: Database) -> None:
    async def work(connection: AsyncConnection) -> None:
        await connection.execute(insert(tables.meta), {"key": "a", "value": "1"})
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        await database.write(work)
    assert await Meta(database).get("a") is None
    await Meta(database).set("a", "2")  # the connection is usable again


async def test_a_write_that_does_nothing_or_fails_at_once_holds_no_lock(database: Database) -> None:
    async def nothing(_connection: AsyncConnection) -> None:
        return None

    async def failing(_connection: AsyncConnection) -> None:
        raise LookupError("at once")

    await database.write(nothing)
    with pytest.raises(LookupError):
        await database.write(failing)
    other = await Database.open(
        str(database.address.url.set(drivername=database.address.dialect)), patience_ms=200
    )
    await Meta(other).set("a", "1")
    await other.close()


async def test_a_reading_connection_cannot_write(database: Database) -> None:
    with pytest.raises(DatabaseReadOnly):
        async with database.read() as connection:
            await connection.execute(insert(tables.meta), {"key": "a", "value": "1"})


async def test_increments_from_two_sides_lose_nothing_and_none_is_tried_twice(
    database: Database, database_url: str
) -> None:
    other = await Database.open(database_url)
    await Meta(database).set("count", "0")
    mine = tables.meta.c.key == "count"
    runs = 0

    async def work(connection: AsyncConnection) -> None:
        nonlocal runs
        runs += 1
        statement = select(tables.meta.c.value).where(mine).with_for_update()
        count = int((await connection.execute(statement)).scalar_one())
        await connection.execute(update(tables.meta).where(mine).values(value=str(count + 1)))

    await asyncio.gather(*(side.write(work) for side in (database, other) * 10))
    assert await Meta(database).get("count") == "20"
    assert runs == 20
    await other.close()


async def test_a_child_of_a_row_that_is_gone_is_refused_as_such(database: Database) -> None:
    async def work(connection: AsyncConnection) -> None:
        row = {"key": "k", "installation_id": "gone", "guild_id": "1", "call_id": "gone"}
        row |= {"tool": "t", "label": "l", "arguments": "{}", "created_at": 0}
        await connection.execute(insert(tables.actions), row)

    with pytest.raises(ParentGone):
        await database.write(work)


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        ("SELECT nonsense FROM nowhere", {}),
        ("INSERT INTO meta (key, value) VALUES ('twice', '1'), ('twice', '2')", {}),
        ("INSERT INTO counters (name, value) VALUES ('n', :value)", {"value": 2**70}),
        ("INSERT INTO meta (key, value) VALUES ('n', :value)", {"value": "\ud800"}),
    ],
)
async def test_no_exception_of_a_driver_gets_out(
    database: Database, statement: str, values: dict[str, object]
) -> None:
    async def work(connection: AsyncConnection) -> None:
        await connection.execute(text(statement), values)

    with pytest.raises(DatabaseFault) as fault:
        await database.write(work)
    assert fault.value.kind
    assert fault.value.__suppress_context__


async def test_a_cancelled_write_keeps_nothing_and_holds_no_lock(database: Database) -> None:
    written = asyncio.Event()

    async def work(connection: AsyncConnection) -> None:
        await connection.execute(insert(tables.meta), {"key": "a", "value": "1"})
        written.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(database.write(work))
    await asyncio.wait_for(written.wait(), 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await Meta(database).get("a") is None
    await asyncio.wait_for(Meta(database).set("b", "1"), 10)


async def test_cancelling_a_write_that_waits_for_the_lock_leaves_the_database_usable(sqlite_url: str) -> None:
    database = await Database.open(sqlite_url)
    with lock_held(sqlite_url):
        waiting = [asyncio.create_task(Meta(database).set("a", str(n))) for n in range(3)]
        await asyncio.sleep(0)
        for task in waiting:
            task.cancel()
        assert all(
            isinstance(end, asyncio.CancelledError)
            for end in await asyncio.gather(*waiting, return_exceptions=True)
        )
    await Meta(database).set("a", "after")
    assert await Meta(database).get("a") == "after"
    await database.close()


async def test_a_locked_file_is_busy_within_the_bound_for_everybody_who_waits(sqlite_url: str) -> None:
    database = await Database.open(sqlite_url, patience_ms=PATIENCE_MS)
    with lock_held(sqlite_url):
        begun = time.monotonic()
        ends = await asyncio.gather(
            *(Meta(database).set("a", str(n)) for n in range(5)), return_exceptions=True
        )
        took = time.monotonic() - begun
        assert [type(end) for end in ends] == [DatabaseBusy] * 5
        assert 0.5 * PATIENCE_MS / 1000 < took < 2 * PATIENCE_MS / 1000
        assert await Meta(database).get("a") is None  # reading goes on
    await Meta(database).set("a", "1")
    await database.close()


async def test_a_lock_that_is_given_back_in_time_is_waited_for(sqlite_url: str) -> None:
    database = await Database.open(sqlite_url)
    loop = asyncio.get_running_loop()
    other = sqlite3.connect(
        sqlite_url.removeprefix("sqlite:///"), isolation_level=None, check_same_thread=False
    )
    other.execute("BEGIN IMMEDIATE")
    loop.call_later(0.7, other.close)  # longer than one try waits
    await Meta(database).set("a", "1")
    assert await Meta(database).get("a") == "1"
    await database.close()


async def test_a_locked_row_of_postgresql_is_busy_within_the_bound(postgresql_url: str) -> None:
    patient = await Database.open(postgresql_url)
    hasty = await Database.open(postgresql_url, patience_ms=PATIENCE_MS)
    await Meta(patient).set("a", "0")

    async def holding(connection: AsyncConnection) -> float:
        await connection.execute(update(tables.meta).values(value="1"))
        begun = time.monotonic()
        with pytest.raises(DatabaseBusy):
            await Meta(hasty).set("a", "2")
        return time.monotonic() - begun

    assert await patient.write(holding) < 2 * PATIENCE_MS / 1000
    assert await Meta(hasty).get("a") == "1"
    await patient.close()
    await hasty.close()


async def test_a_restarted_server_costs_no_read_and_no_write(postgresql_url: str) -> None:
    database = await Database.open(postgresql_url)
    await Meta(database).set("a", "1")
    await Meta(database).get("a")

    async def cut_all(connection: AsyncConnection) -> None:
        others = "pid <> pg_backend_pid() AND datname = current_database()"
        await connection.execute(
            text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")
        )

    other = await Database.open(postgresql_url)
    await other.write(cut_all)
    await other.close()
    assert await Meta(database).get("a") == "1"
    await Meta(database).set("a", "2")
    assert await Meta(database).get("a") == "2"
    await database.close()


async def test_a_connection_lost_in_the_commit_is_not_tried_again(postgresql_url: str) -> None:
    database = await Database.open(postgresql_url)
    runs = 0

    async def work(connection: AsyncConnection) -> None:
        nonlocal runs
        runs += 1
        await connection.execute(text("INSERT INTO meta (key, value) VALUES ('lost', '1')"))
        own = (await connection.execute(text("SELECT pg_backend_pid()"))).scalar_one()
        async with database.read() as other:
            await other.execute(text(f"SELECT pg_terminate_backend({own}, 5000)"))

    with pytest.raises(DatabaseUnreachable):
        await database.write(work)
    assert runs == 1
    await database.close()


async def test_emptying_the_log_gives_way_to_whoever_writes(sqlite_url: str) -> None:
    database = await Database.open(sqlite_url, patience_ms=PATIENCE_MS)
    log = f"{sqlite_url.removeprefix('sqlite:///')}-wal"
    await Meta(database).set("a", "1")

    async def writing(_connection: AsyncConnection) -> None:
        await database.forget_erased()

    await database.write(writing)
    with lock_held(sqlite_url):
        await database.forget_erased()
        assert os.stat(log).st_size > 0
    await database.forget_erased()
    assert os.stat(log).st_size == 0
    await database.close()
