"""Calls: recorded before they are sent, ended once, and what their end does to the installation."""

from sqlalchemy import RowMapping, Text, bindparam, case, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import actions, audit, changes, claims, tables
from storage.engine import Database
from storage.records import CallOutcome, Claim, FailedCall, Finished, NewCall
from storage.rows import to_values

_t = tables.calls.c
_installations = tables.installations.c
_BEGIN = insert(tables.calls)
_call = update(tables.calls).where(_t.id == bindparam("key"), tables.call_under_way)
_asked = _t.arguments.is_not(None)  # erased with its message while the call was under way: keep no answer
_ids = (_t.id, _t.installation_id, _t.guild_id, _t.tool, _t.asker_id)
_FINISH = _call.values(
    status=bindparam("end"),
    finished_at=bindparam("now"),
    result=case((_asked, bindparam("answer", type_=Text))),
    failure=bindparam("why"),
    said=case((_asked, bindparam("words", type_=Text))),
).returning(*_ids, func.length(_t.arguments).label("asked"))  # SQLite 3.40 returns 1 for any IS NOT NULL here
_ABANDON = (
    update(tables.calls)
    .where(tables.call_under_way, _t.started_at < bindparam("before"))
    .values(status="unknown", finished_at=bindparam("now"), failure=bindparam("why"))
    .returning(*_ids)
)
_BIND = (
    update(tables.calls)
    .where(_t.id == bindparam("key"), _t.message_id.is_(None))
    .values(message_id=bindparam("message"))
)
_FAILURES = (
    select(_t.id, _t.tool, _t.status, _t.started_at, _t.failure, _t.said)
    .where(_t.installation_id == bindparam("installation_id"), _t.status.in_(("failed", "unknown")))
    .order_by(_t.started_at.desc(), _t.id)
    .limit(bindparam("most"))
)
_one = update(tables.installations).where(_installations.id == bindparam("key"))
_COUNT_FAULT = _one.values(failures=_installations.failures + 1).returning(
    _installations.failures, _installations.state
)
_END_ROW = _one.where(_installations.failures != 0).values(failures=0)
_PAUSE = _one.values(state="paused", notice=bindparam("why"))


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
        pause_after: int = 5,
        shorten: Claim | None = None,
    ) -> Finished:
        """End a call: its row, its buttons, the audit trail and the installation's row of failures, at once.

        The `pause_after`th fault in a row pauses an enabled installation, with the failure as its notice.
        `shorten` lets a claim end earlier. Where the asker's message was erased meanwhile, neither the result
        nor its buttons are kept.
        """

        async def work(connection: AsyncConnection) -> Finished:
            call = await _end(connection, call_id, outcome, now)
            if call is None:
                return Finished(stored=False, paused=False)
            if call["asked"] is not None and outcome.actions:
                await actions.add(connection, call, outcome.actions, now, outcome.answer_id)
            await _record(connection, call, now, outcome.status)
            if shorten:
                await claims.shorten(connection, shorten)
            return Finished(stored=True, paused=await _count(connection, call, outcome, now, pause_after))

        return await self._database.write(work)

    async def abandoned(self, before: int, now: int, failure: str) -> int:
        """Mark calls that were sent before `before` and never ended as unknown; gives back how many.

        They are what a killed process left behind. `failure` is the sentence for the owner's log.
        """

        async def work(connection: AsyncConnection) -> int:
            values = {"before": before, "now": now, "why": failure}
            rows = (await connection.execute(_ABANDON, values)).mappings().all()
            for row in rows:
                await _record(connection, row, now, "unknown")
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


async def _end(
    connection: AsyncConnection, call_id: str, outcome: CallOutcome, now: int
) -> RowMapping | None:
    values = {
        "key": call_id,
        "end": outcome.status,
        "now": now,
        "answer": outcome.result,
        "why": outcome.failure,
        "words": outcome.said,
    }
    return (await connection.execute(_FINISH, values)).mappings().first()


async def _record(connection: AsyncConnection, call: RowMapping, now: int, outcome: str) -> None:
    await audit.record(
        connection,
        at=now,
        guild_id=call["guild_id"],
        installation_id=call["installation_id"],
        actor_id=call["asker_id"],
        what="called",
        call_id=call["id"],
        tool=call["tool"],
        outcome=outcome,
    )


async def _count(
    connection: AsyncConnection, call: RowMapping, outcome: CallOutcome, now: int, pause_after: int
) -> bool:
    """Count towards the pause; True when this was the fault that paused it."""
    installation_id, guild_id = call["installation_id"], call["guild_id"]
    if outcome.fault is None:
        return False
    if not outcome.fault:
        await connection.execute(_END_ROW, {"key": installation_id})
        return False
    failures, state = (await connection.execute(_COUNT_FAULT, {"key": installation_id})).one()
    if state != "enabled" or failures < pause_after:
        return False
    await connection.execute(_PAUSE, {"key": installation_id, "why": outcome.failure})
    await changes.touch(connection, guild_id)
    await audit.record(
        connection,
        at=now,
        guild_id=guild_id,
        installation_id=installation_id,
        actor_id=call["asker_id"],
        what="paused",
        call_id=call["id"],
    )
    return True
