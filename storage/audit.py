"""The audit trail: who did what when, in ids only. Written inside the transaction of the deed."""

from collections.abc import Sequence

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import tables

AuditRow = dict[str, str | int | None]
_INSERT = insert(tables.audit)


async def record(
    connection: AsyncConnection,
    *,
    at: int,
    guild_id: str,
    installation_id: str | None,
    actor_id: str,
    what: str,
    call_id: str | None = None,
    tool: str | None = None,
    outcome: str | None = None,
) -> None:
    """Add one row. `what` is a word like `enabled` or `called`; `at` is in milliseconds."""
    row: AuditRow = {
        "at": at,
        "guild_id": guild_id,
        "installation_id": installation_id,
        "call_id": call_id,
        "actor_id": actor_id,
        "what": what,
        "tool": tool,
        "outcome": outcome,
    }
    await record_all(connection, [row])


async def record_all(connection: AsyncConnection, rows: Sequence[AuditRow]) -> None:
    """Add many rows, at least one, in one statement; each has what `record` takes, nothing left out."""
    await connection.execute(_INSERT, rows)
