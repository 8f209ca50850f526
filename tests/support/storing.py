"""Short ways to put rows into a database and to see what is in it."""

from collections.abc import Sequence

from sqlalchemy import func, select

from storage import tables
from storage.calls import Calls
from storage.engine import Database
from storage.installations import Installations
from storage.records import CallOutcome, Claim, Command, Installation, NewCall
from tests.support.records import NOW, OWNER, pin

FAR = NOW + 86_400_000


async def enabled(database: Database, new: Installation, commands: Sequence[Command] = ()) -> None:
    """Add an installation and enable it with a definition for each of its commands' tools."""
    store = Installations(database)
    await store.add(new, commands)
    await store.enable_first(new.id, [pin(tool, new.id) for tool in {c.tool for c in commands}], NOW, OWNER)


async def begun(database: Database, new: NewCall, now: int = NOW) -> None:
    """Begin a call under a claim of its own."""
    assert await Calls(database).begin(Claim(f"claim-{new.id}", FAR), new, now)


async def ended(database: Database, new: NewCall, outcome: CallOutcome, now: int = NOW) -> bool:
    """Begin a call and end it; says whether that paused the installation."""
    await begun(database, new, now)
    return (await Calls(database).finish(new.id, outcome, now)).paused


async def counts(database: Database) -> dict[str, int]:
    """How many rows each table has that has any."""
    rows = {
        table.name: (await database.all(select(func.count()).select_from(table)))[0][0]
        for table in tables.metadata.sorted_tables
    }
    return {name: count for name, count in rows.items() if count}


async def everything(database: Database) -> str:
    """All rows of all tables as one text."""
    return str([list(await database.all(select(table))) for table in tables.metadata.sorted_tables])
