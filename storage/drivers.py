"""From `storage.url` to SQLAlchemy's engines, with what each database needs to behave the same.

SQLite in its default mode loses updates and fails at once where a reader turns writer, so writers begin with
BEGIN IMMEDIATE (`storage.engine`) and readers have connections of their own.
"""

import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import NullPool, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry
from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_random

from storage.errors import DatabaseUrlInvalid, DriverMissing
from storage.faults import translated

Role = Literal["write", "read", "migrate"]
"""What an engine is for: a migrating one has a single connection and checks foreign keys only at its end."""

_SWITCH_SECONDS = 0.1
_READERS = 4
_POSTGRESQL_WRITERS = 4
_WAL_LIMIT = 64 * 1024 * 1024
_COMMAND_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Address:
    """A database that can be opened: SQLAlchemy's `url`, the dialect, SQLite's file, PostgreSQL's sslmode."""

    url: URL
    dialect: Literal["sqlite", "postgresql"]
    file: str | None = None
    ssl: str | None = None


def read_url(url: str) -> Address:
    """Read `sqlite:///relative.db`, `sqlite:////absolute.db` or `postgresql://…`.

    A relative path is relative to the working directory of now. Of PostgreSQL's parameters `sslmode` and
    `host` (the directory of a Unix socket) are known. Raises `DatabaseUrlInvalid`.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise DatabaseUrlInvalid("is not a database URL") from None
    if parsed.drivername == "sqlite":
        if not parsed.database or parsed.database == ":memory:" or parsed.host or parsed.query:
            raise DatabaseUrlInvalid("has to name one file")
        file = os.path.abspath(parsed.database)
        return Address(URL.create("sqlite+aiosqlite", database=file), "sqlite", file)
    if parsed.drivername in ("postgresql", "postgres"):
        ssl = parsed.query.get("sslmode")
        if parsed.query.keys() - {"sslmode", "host"} or isinstance(ssl, tuple):
            raise DatabaseUrlInvalid("has parameters that Kennel does not know (only sslmode and host)")
        url_for_asyncpg = parsed.difference_update_query(["sslmode"]).set(drivername="postgresql+asyncpg")
        return Address(url_for_asyncpg, "postgresql", ssl=ssl)
    raise DatabaseUrlInvalid("names a database that Kennel does not know")


def make_engine(address: Address, role: Role, lock_ms: int) -> AsyncEngine:
    """An engine that connects on first use and waits `lock_ms` for a lock or a free connection.

    Raises `DriverMissing`, and `DatabaseUnreachable` for a SQLite file that cannot be opened or made.
    """
    if address.dialect == "sqlite":
        return _sqlite(address, role, lock_ms)
    try:
        return _postgresql(address, role, lock_ms)
    except ModuleNotFoundError:
        raise DriverMissing from None


def _pool(role: Role, size: int, lock_ms: int) -> dict[str, Any]:
    if role == "migrate":
        return {"poolclass": NullPool}
    sizes = {"pool_size": size, "max_overflow": 0, "pool_timeout": lock_ms / 1000}
    return sizes | {"pool_reset_on_return": None}  # a connection comes back committed or rolled back already


def _reading(role: Role) -> dict[str, Any]:
    """Reads are single statements: no BEGIN before and no ROLLBACK after them."""
    return {"isolation_level": "AUTOCOMMIT", "skip_autocommit_rollback": True} if role == "read" else {}


def _sqlite(address: Address, role: Role, lock_ms: int) -> AsyncEngine:
    with translated():  # where it would fail later, aiosqlite leaves a thread behind
        _prepare(address.file or "", role, lock_ms)
    engine = create_async_engine(
        address.url,
        hide_parameters=True,
        connect_args={"isolation_level": None},  # sqlite3 itself begins no transaction
        **_pool(role, _READERS if role == "read" else 1, lock_ms),
        **_reading(role),
    )
    pragmas = [f"busy_timeout={lock_ms}", "synchronous=NORMAL"]
    if role == "read":
        pragmas.append("query_only=ON")
    else:
        pragmas += [f"journal_size_limit={_WAL_LIMIT}", "secure_delete=ON"]
        pragmas.append(f"foreign_keys={'OFF' if role == 'migrate' else 'ON'}")

    def set_up(connection: Any, _record: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    event.listen(engine.sync_engine, "connect", set_up)
    return engine


def _prepare(file: str, role: Role, lock_ms: int) -> None:
    """Make sure that the file can be opened, and for writing that it has a write-ahead log.

    Two that switch a new file at the same moment would wait for each other for ever, so each waits shortly
    and gives way. A new file is its owner's alone, since it holds conversations.
    """
    if role != "read":
        with suppress(FileExistsError):
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with closing(sqlite3.connect(file, timeout=_SWITCH_SECONDS, isolation_level=None)) as connection:
        if role == "read" or connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
            return
        for attempt in Retrying(
            retry=retry_if_exception(_is_busy),
            stop=stop_after_delay(lock_ms / 1000),
            wait=wait_random(0, _SWITCH_SECONDS),
            reraise=True,
        ):
            with attempt:
                connection.execute("PRAGMA journal_mode=WAL")


def _is_busy(error: BaseException) -> bool:
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode == sqlite3.SQLITE_BUSY


def _postgresql(address: Address, role: Role, lock_ms: int) -> AsyncEngine:
    settings = {"application_name": "kennel", "lock_timeout": str(lock_ms)}
    if role == "read":
        settings["default_transaction_read_only"] = "on"
    if role == "write":
        settings["idle_in_transaction_session_timeout"] = "60000"  # a frozen process holds no lock for ever
    connect: dict[str, Any] = {"timeout": 5, "server_settings": settings}
    if role != "migrate":
        connect["command_timeout"] = _COMMAND_SECONDS
    if address.ssl is not None:
        connect["ssl"] = address.ssl
    return create_async_engine(
        address.url,
        hide_parameters=True,
        connect_args=connect,
        **_pool(role, _READERS if role == "read" else _POSTGRESQL_WRITERS, lock_ms),
        **_reading(role),
    )
