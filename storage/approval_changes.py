"""What happens to approval cards within a transaction: locking what they belong to, closing, the audit trail.

Every way in which a card closes is `close`: one conditional update decides, and in the same transaction the
request wakes, its writes stop where that follows, and the audit trail is written.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Executable, bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import audit, requests
from storage.engine import RowValues
from storage.errors import ParentGone
from storage.request_records import Approval, ApprovalStatus
from storage.request_tables import approval_is_open, approvals
from storage.request_tables import requests as _requests
from storage.tables import installations

_STOPS_WRITES = ("declined", "expired")
_t = approvals.c
# PostgreSQL alone locks rows; in the order of their ids, so that two who want the same ones stand in line
_HOLD_INSTALLATIONS = (
    select(installations.c.id)
    .where(installations.c.id.in_(bindparam("keys", expanding=True)))
    .order_by(installations.c.id)
    .with_for_update(read=True, key_share=True)
)
_HOLD_REQUESTS = (
    select(_requests.c.writes_stopped, _requests.c.content)
    .where(_requests.c.id.in_(bindparam("keys", expanding=True)))
    .order_by(_requests.c.id)
    .with_for_update(key_share=True)
)
_closing = (
    update(approvals).where(approval_is_open).values(status=bindparam("to"), decided_at=bindparam("now"))
)
_CLOSE = _closing.where(_t.id.in_(bindparam("keys", expanding=True))).returning(approvals)
_CLOSE_OTHERS = _closing.where(_t.request_id.in_(bindparam("keys", expanding=True))).returning(approvals)


async def close(
    connection: AsyncConnection, found: Sequence[RowValues], status: ApprovalStatus, now: int
) -> tuple[Approval, ...]:
    """Close those of the found cards (id, installation, request) that are still open; gives them back."""
    ids = [row[0] for row in found]
    installation_ids, request_ids = (sorted({row[at] for row in found}) for at in (1, 2))
    await connection.execute(_HOLD_INSTALLATIONS, {"keys": installation_ids})
    await connection.execute(_HOLD_REQUESTS, {"keys": request_ids})
    closed = await _update(connection, _CLOSE, {"keys": ids, "to": status, "now": now})
    if not closed:
        return ()
    woken = sorted({approval.request_id for approval in closed})
    stops = status in _STOPS_WRITES
    others: tuple[Approval, ...] = ()
    if stops:
        others = await _update(connection, _CLOSE_OTHERS, {"keys": woken, "to": "stopped", "now": now})
    await requests.wake(connection, *woken, stop_writes=stops)
    await record(connection, now, *closed, *others)
    return closed


async def hold(connection: AsyncConnection, approval: Approval) -> tuple[bool, bool]:
    """Lock what a new card belongs to; whether the request's writes are stopped, and its texts erased."""
    await connection.execute(_HOLD_INSTALLATIONS, {"keys": [approval.installation_id]})
    row = (await connection.execute(_HOLD_REQUESTS, {"keys": [approval.request_id]})).first()
    if row is None:
        raise ParentGone
    return row.writes_stopped, row.content is None


async def record(connection: AsyncConnection, now: int, *decided: Approval) -> None:
    """Write the present status of these cards into the audit trail."""
    rows: list[audit.AuditRow] = [
        {
            "at": now,
            "guild_id": approval.guild_id,
            "installation_id": approval.installation_id,
            "call_id": approval.id,
            "actor_id": approval.asker_id,
            "what": "approval",
            "tool": approval.tool,
            "outcome": approval.status,
        }
        for approval in decided
    ]
    await audit.record_all(connection, rows)


async def _update(
    connection: AsyncConnection, statement: Executable, values: Mapping[str, Any]
) -> tuple[Approval, ...]:
    return tuple(Approval(*row) for row in await connection.execute(statement, values))
