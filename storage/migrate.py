"""Bringing the schema up to date. Alembic is imported when that happens, and not before."""

import os
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from storage.drivers import Address, make_engine, read_url
from storage.engine import Database
from storage.errors import DatabaseFault, DatabaseNewer, DatabaseOutdated, DatabaseUnreachable
from storage.faults import translated

REVISIONS = ("0001", "0002", "0003")
"""Every revision of this program, oldest first."""
HEAD = REVISIONS[-1]

_SCRIPTS = Path(__file__).parent / "migrations"
_VERSION = text("SELECT version_num FROM alembic_version")
_ADVISORY_LOCK = 0x6B656E6E  # any number that only Kennel uses
_WAIT_MS = 300_000


async def state(target: Database | str) -> str | None:
    """The revision of a database or of the one at a URL, None where no tables are yet.

    Changes nothing: a SQLite file that is not there is not made.
    """
    address = target.address if isinstance(target, Database) else read_url(target)
    if address.file and not _file_is_there(address.file):
        return None
    engine = make_engine(address, "read", 1_000)
    try:
        with translated():
            async with engine.connect() as connection:
                return await connection.run_sync(_revision)
    finally:
        await engine.dispose()


async def require_current(target: Database | str) -> None:
    """Raise `DatabaseNewer` or `DatabaseOutdated` unless the schema is the one of this program."""
    found = await state(target)
    _refuse_newer(found)
    if found != HEAD:
        raise DatabaseOutdated(found)


async def upgrade(url: str) -> str | None:
    """Run the missing migrations and give back the revision that was found before.

    All of them are one transaction, so whatever interrupts it leaves the old state. One process does it, and
    the others wait up to five minutes and then find nothing to do. Raises `DatabaseNewer` and changes nothing
    when the database was written by a newer program.
    """
    address = read_url(url)
    engine = make_engine(address, "migrate", _WAIT_MS)
    try:
        with translated():
            async with engine.connect() as connection:
                await connection.exec_driver_sql(_exclusively(address))
                found = await connection.run_sync(_migrate)
                await connection.commit()
                return found
    finally:
        await engine.dispose()


def _file_is_there(file: str) -> bool:
    if not os.path.isdir(os.path.dirname(file)):
        raise DatabaseUnreachable
    return os.path.exists(file)


def _exclusively(address: Address) -> str:
    if address.dialect == "sqlite":
        return "BEGIN IMMEDIATE"
    return f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"


def _migrate(connection: Connection) -> str | None:
    found = _revision(connection)
    _refuse_newer(found)
    if found != HEAD:
        _run_alembic(connection)
        _check_foreign_keys(connection)
    return found


def _run_alembic(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)


def _check_foreign_keys(connection: Connection) -> None:
    """SQLite does not watch them while tables are made anew."""
    if connection.dialect.name == "sqlite" and connection.execute(text("PRAGMA foreign_key_check")).first():
        raise DatabaseFault("foreign_key_check")


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(_VERSION).scalar()


def _refuse_newer(found: str | None) -> None:
    if found is not None and found not in REVISIONS:
        raise DatabaseNewer(found)
