"""What can go wrong with the database.

    StorageError
    ├── DatabaseBusy          locked or serialisation failed, also after the retries
    ├── DatabaseReadOnly      the file, the disk or the role does not allow writing
    ├── DatabaseFull          no room left on the disk
    ├── DatabaseUnreachable   no file, no server, no permission, connection lost
    ├── DatabaseNewer         written by a newer Kennel than this one
    ├── DatabaseOutdated      migrations are missing
    └── DatabaseFault         anything else the driver said

`storage.engine` is the one place that turns a driver's or SQLAlchemy's exception into one of these.
"""


class StorageError(Exception):
    """The database did not do what was asked; nothing of the transaction was kept."""

    sentence = "Kennel's database has a problem. Try again in a minute."


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
    """The database cannot be opened, or the connection was lost."""

    sentence = "Kennel cannot reach its database. Try again in a minute."


class DatabaseNewer(StorageError):
    """The schema carries a revision that this program does not know.

    `found` is that revision's identifier.
    """

    sentence = "Kennel's database was written by a newer version of Kennel."

    def __init__(self, found: str) -> None:
        super().__init__(f"unknown database revision {found}")
        self.found = found


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
