"""What was erased is in no file of the database any more: not as a deleted row, not in a log, not in an index."""

import asyncio
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import migrate
from storage.drivers import make_engine, read_url
from storage.engine import Database, RowValues
from storage.partial_indexes import metadata
from tests.support.databases import new_database, run_apart
from tests.support.journeys import database_of
from tests.support.privacy_rows import Subject, store, texts_of
from tests.support.privacy_ways import WAYS
from tests.support.records import NOW

GOING, STAYING = Subject("going", NOW - 86_400_000), Subject("staying", NOW + 1)
EACH_WAY = pytest.mark.parametrize("way", WAYS)
OTHER_SNAPSHOTS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)"
)


async def gone_texts(database: Database) -> list[bytes]:
    """Every text of the subject's that stands in no row any more."""
    stored = [row for table in metadata.sorted_tables for row in await database.all(select(table))]
    left = "\n".join(str(value) for row in stored for value in row)  # a row as text is shortened
    wanted = {each for texts in texts_of(GOING).values() for each in texts}
    return [each.encode() for each in sorted(wanted) if each not in left]


def found_in(files: list[Path], wanted: list[bytes]) -> list[tuple[str, bytes]]:
    """Which of the texts can be read in which file; of a long one its beginning and its end are looked for."""
    found: list[tuple[str, bytes]] = []
    for file in files:
        content = file.read_bytes()
        found += [(file.name, each[:60]) for each in wanted if each[:60] in content or each[-60:] in content]
    return found


@EACH_WAY
async def test_sqlite_holds_nothing_erased_in_its_file_or_its_log(sqlite_url: str, way: str) -> None:
    async with database_of(sqlite_url) as database:
        file = Path(database.address.file or "")
        files = [file, file.with_name(f"{file.name}-wal")]
        await store(database, GOING, STAYING)
        await database.forget_erased()
        await WAYS[way](database, GOING)
        wanted = await gone_texts(database)
        assert wanted
        assert found_in(files, wanted) == []


async def test_what_is_looked_for_in_the_files_can_be_seen_there(sqlite_url: str) -> None:
    async with database_of(sqlite_url) as database:
        file = Path(database.address.file or "")
        await store(database, GOING)
        await database.forget_erased()
        wanted = [each.encode() for texts in texts_of(GOING).values() for each in texts]
        assert {each for _, each in found_in([file], wanted)} == {each[:60] for each in wanted}


@pytest.fixture
def server_database(postgresql_server: str) -> Iterator[str]:
    """The URL of a migrated database of PostgreSQL that no other test has written to."""
    with new_database(postgresql_server) as url:
        run_apart(migrate.upgrade(url))
        yield url


@EACH_WAY
async def test_postgresql_holds_nothing_erased_once_its_tables_were_written_anew(
    server_database: str, way: str
) -> None:
    async with database_of(server_database) as database:
        folder = Path((await database.all(text("SHOW data_directory")))[0][0])
        if not os.access(folder, os.R_OK | os.X_OK):
            pytest.skip("the files of this PostgreSQL server cannot be read from here")
        await store(database, GOING, STAYING)
        await WAYS[way](database, GOING)
        wanted = await gone_texts(database)
        files = [folder / row[0] for row in await written_anew(server_database)]
        assert wanted
        assert found_in(files, wanted) == []


async def alone(connection: AsyncConnection) -> None:
    """Wait until nobody else looks at this database: a vacuum keeps what another snapshot still sees.

    The server itself looks from time to time, when it analyses what has changed.
    """
    async with asyncio.timeout(60):
        while (await connection.exec_driver_sql(OTHER_SNAPSHOTS)).scalar_one():
            await connection.exec_driver_sql("SELECT pg_sleep(0.05)")


async def written_anew(url: str) -> Sequence[RowValues]:
    """Vacuum in full, write all to the disk, and name the files of our tables, their indexes and long texts.

    A plain vacuum frees the space of deleted rows, whose bytes stay until something is written over them.
    """
    engine = make_engine(read_url(url), "migrate", 5_000)
    try:
        async with engine.connect() as connection:
            await connection.execution_options(isolation_level="AUTOCOMMIT")
            await alone(connection)
            await connection.exec_driver_sql("VACUUM FULL")
            await connection.exec_driver_sql("CHECKPOINT")
            rows = await connection.exec_driver_sql(
                "SELECT pg_relation_filepath(oid) FROM pg_class "
                "WHERE relkind IN ('r', 'i', 't') AND oid >= 16384"
            )
            return rows.all()
    finally:
        await engine.dispose()
