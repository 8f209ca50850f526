"""How often the database is asked."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from storage.engine import Database


@dataclass
class Counted:
    """Write transactions, and reads of one statement each."""

    transactions: int = 0
    reads: int = 0


@contextmanager
def counted() -> Generator[Counted]:
    """Counts what is done in the block, in all databases."""
    counts = Counted()
    write, first, every = Database.write, Database.first, Database.all

    async def writing(database: Database, work: Any) -> Any:
        counts.transactions += 1
        return await write(database, work)

    async def reading_first(database: Database, *args: Any) -> Any:
        counts.reads += 1
        return await first(database, *args)

    async def reading_all(database: Database, *args: Any) -> Any:
        counts.reads += 1
        return await every(database, *args)

    with (
        patch.object(Database, "write", writing),
        patch.object(Database, "first", reading_first),
        patch.object(Database, "all", reading_all),
    ):
        yield counts
