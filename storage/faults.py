"""The one seam where exceptions of SQLAlchemy and the drivers become `storage.errors`.

Only codes decide, never texts. What the driver said is dropped: it may quote a row.
"""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy import exc

from storage.errors import (
    DatabaseBusy,
    DatabaseFault,
    DatabaseFull,
    DatabaseReadOnly,
    DatabaseUnreachable,
    ParentGone,
    StorageError,
)

# https://www.sqlite.org/rescode.html, the primary result codes
_SQLITE: dict[int, type[StorageError]] = {
    sqlite3.SQLITE_BUSY: DatabaseBusy,
    sqlite3.SQLITE_LOCKED: DatabaseBusy,
    sqlite3.SQLITE_READONLY: DatabaseReadOnly,
    sqlite3.SQLITE_FULL: DatabaseFull,
    sqlite3.SQLITE_CANTOPEN: DatabaseUnreachable,
    sqlite3.SQLITE_PERM: DatabaseUnreachable,
    sqlite3.SQLITE_AUTH: DatabaseUnreachable,
}
# https://www.postgresql.org/docs/current/errcodes-appendix.html, whole codes before classes
_POSTGRESQL: dict[str, type[StorageError]] = {
    "40001": DatabaseBusy,  # serialization_failure
    "40P01": DatabaseBusy,  # deadlock_detected
    "55P03": DatabaseBusy,  # lock_not_available
    "57014": DatabaseBusy,  # query_canceled
    "53300": DatabaseBusy,  # too_many_connections
    "53100": DatabaseFull,  # disk_full
    "25006": DatabaseReadOnly,  # read_only_sql_transaction
    "42501": DatabaseReadOnly,  # insufficient_privilege
    "23503": ParentGone,  # foreign_key_violation
    "08": DatabaseUnreachable,  # connection exception
    "28": DatabaseUnreachable,  # invalid authorization
    "3D": DatabaseUnreachable,  # invalid catalog name
    "57": DatabaseUnreachable,  # operator intervention
}


@contextmanager
def translated() -> Generator[None]:
    """Inside, no exception of a driver or of SQLAlchemy escapes untranslated; all others pass as they are."""
    try:
        yield
    except StorageError:
        raise
    except Exception as error:
        translation = _translate(error)
        if translation is None:
            raise
        raise translation from None


def _translate(error: Exception) -> StorageError | None:
    if isinstance(error, exc.TimeoutError):  # no connection of the pool became free
        return DatabaseBusy()
    if isinstance(error, exc.DBAPIError):
        if error.connection_invalidated:
            return DatabaseUnreachable(stale=True)
        return _of_driver(error.orig) or DatabaseFault(type(error.orig).__name__)
    if isinstance(error, exc.SQLAlchemyError):
        return DatabaseFault(type(error).__name__)
    return _of_driver(error)  # from connecting: SQLAlchemy wraps not all of these


def _of_driver(error: BaseException | None) -> StorageError | None:
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", 0)
        if code == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
            return ParentGone()
        return _made(_SQLITE.get(code & 0xFF), error)
    state = getattr(error, "sqlstate", None)
    if isinstance(state, str):
        return _made(_POSTGRESQL.get(state) or _POSTGRESQL.get(state[:2]), error)
    if isinstance(error, OSError) or type(error).__module__.startswith("asyncpg."):
        return DatabaseUnreachable()
    if isinstance(error, UnicodeError | OverflowError):  # a value that no database takes
        return DatabaseFault(type(error).__name__)
    return None


def _made(kind: type[StorageError] | None, error: BaseException | None) -> StorageError:
    return kind() if kind else DatabaseFault(type(error).__name__)
