"""Databases that cannot be opened or written are named as what they are."""

import os
import stat
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import insert, text
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import migrate, tables
from storage.engine import Database
from storage.errors import (
    DatabaseFault,
    DatabaseFull,
    DatabaseReadOnly,
    DatabaseUnreachable,
)
from storage.meta import Meta

PATIENCE_MS = 500


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:////nowhere/at/all/kennel.db",
        "postgresql://postgres@127.0.0.1:9/kennel",
        "postgresql://postgres@127.0.0.1/no_such_database",
    ],
)
async def test_a_database_that_cannot_be_reached_is_named_as_such(url: str, postgresql_server: str) -> None:
    if url.endswith("no_such_database"):
        url = f"{postgresql_server}/no_such_database"
    with pytest.raises(DatabaseUnreachable):
        await Database.open(url)


async def test_a_file_that_is_no_database_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "kennel.db").write_text("not a database, and long enough to look like something else" * 40)
    with pytest.raises(DatabaseFault):
        await Database.open(f"sqlite:///{tmp_path / 'kennel.db'}")


@contextmanager
def as_somebody_else() -> Generator[Path]:
    """A folder of a user to whom file permissions apply, which is this process for a while."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO)
        before = os.geteuid()
        if before == 0:
            os.seteuid(65534)
        try:
            yield Path(folder)
        finally:
            os.seteuid(before)


async def test_a_file_without_write_permission_can_be_read_and_not_written() -> None:
    with as_somebody_else() as folder:
        url = f"sqlite:///{folder / 'kennel.db'}"
        await migrate.upgrade(url)
        (folder / "kennel.db").chmod(0o444)
        database = await Database.open(url)
        assert await Meta(database).get("a") is None
        with pytest.raises(DatabaseReadOnly):
            await Meta(database).set("a", "1")
        await database.close()


async def test_a_full_disk_is_named_as_such(sqlite_url: str) -> None:
    database = await Database.open(sqlite_url)

    async def work(connection: AsyncConnection) -> None:
        pages = (await connection.execute(text("PRAGMA page_count"))).scalar_one()
        await connection.execute(text(f"PRAGMA max_page_count = {pages}"))  # gives the code of a full disk
        await connection.execute(insert(tables.meta), {"key": "a", "value": "x" * 100_000})

    with pytest.raises(DatabaseFull):
        await database.write(work)
    await database.close()
