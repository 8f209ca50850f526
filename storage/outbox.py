"""The outbox: every event of a member for every installation that hears it, until it is delivered or given up.

Each delivery is tried by one process at a time: claimed for a while, ended only by who still holds the claim.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from storage import outbox_statements as statements
from storage.engine import Database
from storage.event_records import Delivery, DeliveryEnd, NewEvent
from storage.rows import to_values

SAME_LEAVE_MS = 600_000
"""A leave that is told again within this is the same: Discord gives leaves nothing that tells them apart."""

ALWAYS_MS = 2**62
Freeze = Callable[[Delivery], str]


class Outbox:
    """The store of deliveries."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, events: Sequence[NewEvent]) -> int:
        """Store the events for every enabled or paused installation of their servers, in one transaction.

        An event that is there already is left out: a join with the same occurrence, and a leave of a member
        whose newest event is a leave of the last ten minutes. Of newer joins only those count that the teller
        knew of: another process may have told this leave and a join after it long before. A type that a trick
        does not hear is kept as `unheard`. Gives back how many rows that made.
        """

        async def work(connection: AsyncConnection) -> int:
            stored = 0
            for event in events:
                joined = event.type == "member.joined"
                statement = (statements.JOINED if joined else statements.LEFT).on(connection)
                stored += (await connection.execute(statement, _told(event))).rowcount
            return stored

        return await self._database.write(work)

    async def ready(self, now: int, limit: int) -> tuple[str, ...]:
        """Up to `limit` installations for which something can be claimed now, the longest waiting first."""
        rows = await self._database.all(statements.READY, {"now": now, "most": limit})
        return tuple(row[0] for row in rows)

    async def claim(
        self, installation_id: str, most: int, now: int, lease_until: int, freeze: Freeze
    ) -> tuple[Delivery, ...]:
        """Take up to `most` due deliveries of one installation, nobody else's until `lease_until`.

        A delivery waits for the earlier ones of its member, so two of one member are never out at once. Each
        counts as an attempt, and carries its number. What was never tried gets its body from `freeze` in the
        same transaction, and keeps it. Gives them back oldest first; none unless events are on and the
        installation is enabled or paused.
        """
        values = {"key": installation_id, "most": most, "now": now, "until": lease_until}

        async def work(connection: AsyncConnection) -> tuple[Delivery, ...]:
            claimed = [Delivery(*row) for row in await connection.execute(statements.CLAIM, values)]
            bodies = {row.seq: freeze(row) for row in claimed if row.body is None}
            if bodies:
                frozen = [{"number": seq, "bytes": body} for seq, body in bodies.items()]
                await connection.execute(statements.FREEZE, frozen)
            whole = (replace(row, body=bodies.get(row.seq, row.body)) for row in claimed)
            return tuple(sorted(whole, key=lambda row: row.seq))

        return await self._database.write(work)

    async def finish(self, ends: Sequence[DeliveryEnd], now: int) -> None:
        """Store how attempts ended, in one transaction.

        An end counts only for the attempt that it names: whoever came too late, and what was turned off
        meanwhile, changes nothing. Without `next_at` it is over, and the body is forgotten. What is `untried`
        is as if it had never been claimed.
        """
        if not ends:
            return

        tried = [end for end in ends if not end.untried]
        over = [_values(end) | {"now": now} for end in tried if end.next_at is None]
        again = [_values(end) | {"next_try": end.next_at} for end in tried if end.next_at is not None]
        back = [{"key": end.delivery_id, "number": end.attempts} for end in ends if end.untried]
        shown = [_shown(end) | {"now": now} for end in ends if end.delivered and end.presentation is not None]

        async def work(connection: AsyncConnection) -> None:
            kinds = ((statements.END, over), (statements.AGAIN, again), (statements.UNTRIED, back))
            for statement, rows in kinds:
                if rows:
                    await connection.execute(statement, rows)
            if shown:
                await connection.execute(statements.ADD_POST.on(connection), shown)

        await self._database.write(work)

    async def failures(self, installation_id: str, limit: int) -> tuple[Delivery, ...]:
        """The newest deliveries that failed, or are still tried after a failure."""
        values = {"key": installation_id, "most": limit}
        return tuple(Delivery(*row) for row in await self._database.all(statements.FAILURES, values))


def _told(event: NewEvent) -> dict[str, Any]:
    heard_since = ALWAYS_MS if event.heard_since is None else event.heard_since
    since = event.occurred_at - SAME_LEAVE_MS
    return to_values(event) | {"since": since, "heard_since": heard_since}


def _values(end: DeliveryEnd) -> dict[str, Any]:
    return {
        "key": end.delivery_id,
        "number": end.attempts,
        "to": "delivered" if end.delivered else "failed",
        "why": end.failure,
        "kind": end.failure_kind,
    }


def _shown(end: DeliveryEnd) -> dict[str, Any]:
    return {"key": end.delivery_id, "number": end.attempts, "shown": end.presentation}
