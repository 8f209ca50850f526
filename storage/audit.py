"""The audit trail: who did what when, in ids only. Written inside the transaction of the deed."""

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import tables

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
    await connection.execute(
        _INSERT,
        {
            "at": at,
            "guild_id": guild_id,
            "installation_id": installation_id,
            "call_id": call_id,
            "actor_id": actor_id,
            "what": what,
            "tool": tool,
            "outcome": outcome,
        },
    )
