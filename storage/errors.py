"""What can go wrong with the database.

    StorageError
    ├── DatabaseUrlInvalid    `storage.url` is not one that Kennel opens
    ├── DriverMissing         the package for PostgreSQL is not installed
    ├── DatabaseBusy          locked or serialisation failed, also after the retries
    ├── DatabaseReadOnly      the file, the disk or the role does not allow writing
    ├── DatabaseFull          no room left on the disk
    ├── DatabaseUnreachable   no file, no server, no permission, connection lost
    ├── DatabaseNewer         written by a newer Kennel than this one
    ├── DatabaseOutdated      migrations are missing
    ├── DatabaseFault         anything else the driver said
    └── Conflict              the rows that are there forbid it
        ├── ParentGone        what the new row belongs to was removed meanwhile
        ├── AlreadyInstalled  the server has this trick
        ├── NameTaken         another trick of the server holds a command's name
        └── NoRoom            more slash commands than the server has room for

`storage.faults` is the one place that turns a driver's or SQLAlchemy's exception into one of these.
"""

from collections.abc import Sequence


class StorageError(Exception):
    """The database did not do what was asked; nothing of the transaction was kept."""

    sentence = "Kennel's database has a problem. Try again in a minute."

    @property
    def advice(self) -> str:
        """What to tell whoever runs Kennel, at the terminal; to members it is `sentence`."""
        return self.sentence


class DatabaseUrlInvalid(StorageError):
    """The URL names no database that Kennel opens; `reason` completes "storage.url …"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.sentence = f"storage.url {reason}. Use sqlite:///kennel.db or postgresql://user@host/database."


class DriverMissing(StorageError):
    """PostgreSQL is configured and its driver is not installed."""

    sentence = (
        "PostgreSQL needs one more package: install the extra from the copy of Kennel, like "
        "`pip install '.[postgres]'`."
    )


class DatabaseBusy(StorageError):
    """Somebody else holds the lock, and waiting did not help."""

    sentence = "Kennel's database is busy. Try again in a few seconds."


class DatabaseReadOnly(StorageError):
    """The database can be read but not written."""

    sentence = "Kennel cannot write to its database. Whoever runs this bot has to look at it."


class DatabaseFull(StorageError):
    """The disk that holds the database is full."""

    sentence = "Kennel's disk is full. Whoever runs this bot has to make room."


class DatabaseUnreachable(StorageError):
    """The database cannot be opened, or the connection was lost.

    `stale` says that a connection from the pool had died before anything was committed. Without it, a
    transaction whose commit got no answer may have happened or not.
    """

    sentence = "Kennel cannot reach its database. Try again in a minute."

    def __init__(self, *, stale: bool = False) -> None:
        super().__init__()
        self.stale = stale

    @property
    def advice(self) -> str:
        """Where to look."""
        return (
            "Kennel cannot reach its database: check `storage.url`. The folder of an SQLite file has to exist and "
            "to belong to Kennel's user; a PostgreSQL server has to run and to let Kennel in."
        )


class DatabaseNewer(StorageError):
    """The schema carries a revision that this program does not know.

    `found` is that revision's identifier.
    """

    sentence = "Kennel's database was written by a newer version of Kennel."

    def __init__(self, found: str) -> None:
        super().__init__(f"unknown database revision {found}")
        self.found = found

    @property
    def advice(self) -> str:
        """The two ways out."""
        return (
            f"{self.sentence} It is at revision {self.found}: install that version again, or bring back a backup "
            "from before it."
        )


class DatabaseOutdated(StorageError):
    """The schema lacks migrations; `found` is its revision, None when it has none."""

    sentence = "Kennel's database has to be upgraded: run `kennel db upgrade`."

    def __init__(self, found: str | None) -> None:
        super().__init__(f"database revision {found} is older than this program")
        self.found = found


class DatabaseFault(StorageError):
    """Any other failure of the database; `kind` is the driver exception's class name, never its text."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind

    @property
    def advice(self) -> str:
        """The usual cause."""
        return (
            f"Kennel's database cannot be used ({self.kind}). If `storage.url` names the right one, it is damaged: "
            "bring back a backup."
        )


class Conflict(StorageError):
    """The rows that are there forbid the change."""


class ParentGone(Conflict):
    """The installation or call that a new row belongs to was removed meanwhile."""

    sentence = "That was removed a moment ago."


class AlreadyInstalled(Conflict):
    """The server has an installation of this trick."""

    sentence = "This trick is registered in this server already."


class NameTaken(Conflict):
    """Other tricks of the server hold some of the command names; `names` are those, sorted."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(", ".join(names))
        self.names = tuple(names)
        self.sentence = f"Another trick of this server uses these command names: {', '.join(names)}."


class NoRoom(Conflict):
    """The server has room for `count` more slash commands and the trick brings more."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count
        self.sentence = f"This server has room for {count} more slash commands, and this trick brings more."
