"""Calls: recorded before they are sent, ended once, and what their end does to the installation."""

from sqlalchemy import Executable, bindparam, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import call_ends, claims, tables
from storage.engine import Database
from storage.records import CallOutcome, CallState, Claim, FailedCall, Finished, NewCall
from storage.request_records import TaskRow
from storage.request_tables import requests as request_table
from storage.request_tables import tasks as task_table
from storage.rows import to_values
from storage.upserts import InsertInto, Upsert

_t = tables.calls.c
_BEGIN = insert(tables.calls)
_IS_ASKED = (
    select(request_table.c.id)
    .where(request_table.c.message_id == bindparam("message"), request_table.c.content.is_not(None))
    .with_for_update(read=True)  # whoever erases the request waits, and finds the call
)
_ADD_TASK = insert(task_table)
_HAND_OVER = (
    update(tables.calls)
    .where(_t.id == bindparam("key"), tables.call_under_way, _t.arguments.is_not(None))
    .values(status="working")
    .returning(_t.installation_id)
)
_ABANDON = (
    update(tables.calls)
    .where(tables.call_under_way, _t.started_at < bindparam("before"))
    .values(status="unknown", finished_at=bindparam("now"), failure=bindparam("why"))
    .returning(*call_ends.ENDED_CALL)
)
_BIND = (
    update(tables.calls)
    .where(_t.id == bindparam("key"), _t.message_id.is_(None))
    .values(message_id=bindparam("message"))
)
_STATE = select(_t.status, _t.result, _t.failure).where(_t.id == bindparam("key"))
_FAILURES = (
    select(
        _t.id,
        _t.tool,
        _t.origin,
        _t.status,
        _t.started_at,
        _t.finished_at,
        _t.failure,
        _t.failure_kind,
        _t.said,
    )
    .where(_t.installation_id == bindparam("installation_id"), _t.status.in_(("failed", "unknown")))
    .order_by(_t.started_at.desc(), _t.id)
    .limit(bindparam("most"))
)
_PAUSED_AT = select(func.max(tables.audit.c.at)).where(
    tables.audit.c.installation_id == bindparam("installation_id"), tables.audit.c.what == "paused"
)


@Upsert
def _begin_plain(insert_into: InsertInto) -> Executable:
    return insert_into(tables.calls).on_conflict_do_nothing(index_elements=["id"]).returning(_t.id)


class Calls:
    """The store of calls."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, claim: Claim, call: NewCall, now: int) -> bool:
        """Take the claim and record the call as sent, both or neither; False when somebody has the claim.

        Raises `ParentGone` when the installation was removed.
        """

        async def work(connection: AsyncConnection) -> bool:
            if not await claims.take(connection, claim, now):
                return False
            row = to_values(call) | {"status": "sent", "started_at": now}
            await connection.execute(_BEGIN, row)
            return True

        return await self._database.write(work)

    async def begin_plain(self, call: NewCall, now: int) -> bool:
        """Record a conversation's call as sent; False when its id is taken, for then it was begun before.

        False too when the message that it comes from was erased meanwhile: nothing of it may be kept again.
        Raises `ParentGone` when the installation was removed.
        """

        async def work(connection: AsyncConnection) -> bool:
            if (await connection.execute(_IS_ASKED, {"message": call.message_id})).first() is None:
                return False
            row = to_values(call) | {"status": "sent", "started_at": now}
            return (await connection.execute(_begin_plain.on(connection), row)).first() is not None

        return await self._database.write(work)

    async def claim(self, claim: Claim, now: int) -> bool:
        """Take a claim alone, for an event that leads to no call; False when somebody has it."""

        async def work(connection: AsyncConnection) -> bool:
            return await claims.take(connection, claim, now)

        return await self._database.write(work)

    async def finish(
        self,
        call_id: str,
        outcome: CallOutcome,
        now: int,
        *,
        shorten: Claim | None = None,
    ) -> Finished:
        """End a call: its row, its buttons, the audit trail and the installation's row of failures, at once.

        The fifth fault in a row pauses an enabled installation, with the failure as its notice.
        `shorten` lets a claim end earlier. Where the asker's message was erased meanwhile, neither the result
        nor its buttons are kept.
        """

        async def work(connection: AsyncConnection) -> Finished:
            finished = await call_ends.finish(connection, call_id, outcome, now)
            if finished.stored and shorten:
                await claims.shorten(connection, shorten)
            return finished

        return await self._database.write(work)

    async def hand_over(self, call_id: str, task: TaskRow) -> bool:
        """Keep the call under way until its task ends: the call and the task, both or neither.

        The trick answered as it should, which ends its row of faults. False, and nothing is stored, when the
        call ended or its message was erased meanwhile. Raises `ParentGone` when the request is gone.
        """

        async def work(connection: AsyncConnection) -> bool:
            call = (await connection.execute(_HAND_OVER, {"key": call_id})).first()
            if call is None:
                return False
            await call_ends.count_success(connection, call.installation_id)
            await connection.execute(_ADD_TASK, to_values(task))
            return True

        return await self._database.write(work)

    async def state_of(self, call_id: str) -> CallState | None:
        """How far a call is, None when it never began or its installation was removed."""
        row = await self._database.first(_STATE, {"key": call_id})
        return CallState(*row) if row else None

    async def count_fault(
        self,
        installation_id: str,
        guild_id: str,
        actor_id: str,
        why: str,
        now: int,
    ) -> bool:
        """Count a fault of a poll; True when it was the one that paused the installation, as in `finish`."""
        blame = call_ends.Blame(installation_id, guild_id, actor_id)

        async def work(connection: AsyncConnection) -> bool:
            return await call_ends.count_fault(connection, blame, why, now)

        return await self._database.write(work)

    async def count_success(self, installation_id: str) -> None:
        """End the installation's row of faults, for a poll that was answered as it should be."""

        async def work(connection: AsyncConnection) -> None:
            await call_ends.count_success(connection, installation_id)

        await self._database.write(work)

    async def abandoned(self, before: int, now: int, failure: str) -> int:
        """Mark calls that were sent before `before` and never ended as unknown; gives back how many.

        They are what a killed process left behind. `failure` is the sentence for the owner's log.
        """

        async def work(connection: AsyncConnection) -> int:
            values = {"before": before, "now": now, "why": failure}
            rows = (await connection.execute(_ABANDON, values)).mappings().all()
            for row in rows:
                await call_ends.record(connection, row, now, "unknown")
            return len(rows)

        return await self._database.write(work)

    async def bind(self, call_id: str, message_id: str) -> None:
        """Keep the call with the bot's public answer, unless it is kept with a message already."""

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(_BIND, {"key": call_id, "message": message_id})

        await self._database.write(work)

    async def failures(self, installation_id: str, limit: int) -> tuple[FailedCall, ...]:
        """The installation's failed and unknown calls, newest first."""
        rows = await self._database.all(_FAILURES, {"installation_id": installation_id, "most": limit})
        return tuple(FailedCall(*row) for row in rows)

    async def paused_at(self, installation_id: str) -> int | None:
        """When failures last paused the installation; None when they never did."""
        row = await self._database.first(_PAUSED_AT, {"installation_id": installation_id})
        return row[0] if row else None
