"""What the end of a call does, within the transaction of whoever ends it: its row, its buttons, the count.

A call that was answered with a task stays under way as `working`, and ends together with its task.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import RowMapping, Text, bindparam, case, func, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import actions, audit, changes, tables
from storage.records import CallOutcome, Finished

PAUSE_AFTER = 5
"""How many faults in a row pause an installation."""

_t = tables.calls.c
_installations = tables.installations.c
_asked = _t.arguments.is_not(None)  # erased with its message while the call was under way: keep no answer
ENDED_CALL = (_t.id, _t.installation_id, _t.guild_id, _t.tool, _t.asker_id)
_FINISH = (
    update(tables.calls)
    .where(_t.id == bindparam("key"), _t.status.in_(("sent", "working")))
    .values(
        status=bindparam("end"),
        finished_at=bindparam("now"),
        result=case((_asked, bindparam("answer", type_=Text))),
        failure=bindparam("why"),
        said=case((_asked, bindparam("words", type_=Text))),
        failure_kind=bindparam("kind"),
    )
    .returning(*ENDED_CALL, func.length(_t.arguments).label("asked"))
)  # SQLite 3.40 returns 1 for any IS NOT NULL here
_FAIL_WORKING = (
    update(tables.calls)
    .where(_t.id.in_(bindparam("keys", expanding=True)), _t.status == "working")
    .values(status="failed", finished_at=bindparam("now"), failure=bindparam("why"))
    .returning(*ENDED_CALL)
)
_one = update(tables.installations).where(_installations.id == bindparam("key"))
_COUNT_FAULT = _one.values(failures=_installations.failures + 1).returning(
    _installations.failures, _installations.state
)
_END_ROW = _one.where(_installations.failures != 0).values(failures=0)
_PAUSE = _one.values(state="paused", notice=bindparam("why"))


class Blame(NamedTuple):
    """Whose fault it was, and in whose call; a poll has no call."""

    installation_id: str
    guild_id: str
    actor_id: str
    call_id: str | None = None


async def finish(connection: AsyncConnection, call_id: str, outcome: CallOutcome, now: int) -> Finished:
    """End a call that is under way, once; see `storage.calls.Calls.finish`."""
    values = {
        "key": call_id,
        "end": outcome.status,
        "now": now,
        "answer": outcome.result,
        "why": outcome.failure,
        "words": outcome.said,
        "kind": outcome.failure_kind,
    }
    call = (await connection.execute(_FINISH, values)).mappings().first()
    if call is None:
        return Finished(stored=False, paused=False)
    if call["asked"] is not None and outcome.actions:
        await actions.add(connection, call, outcome.actions, now, outcome.answer_id)
    await record(connection, call, now, outcome.status)
    return Finished(stored=True, paused=await _count(connection, call, outcome, now))


async def fail_working(connection: AsyncConnection, call_ids: Sequence[str], why: str, now: int) -> None:
    """End those of the calls that wait for their task as failed, counting nothing."""
    values = {"keys": list(call_ids), "why": why, "now": now}
    for call in (await connection.execute(_FAIL_WORKING, values)).mappings().all():
        await record(connection, call, now, "failed")


async def record(connection: AsyncConnection, call: RowMapping, now: int, outcome: str) -> None:
    """Add a call's end to the audit trail."""
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


async def count_success(connection: AsyncConnection, installation_id: str) -> None:
    """End the installation's row of faults."""
    await connection.execute(_END_ROW, {"key": installation_id})


async def count_fault(connection: AsyncConnection, blame: Blame, why: str | None, now: int) -> bool:
    """Count a fault; True when it was the one that paused the enabled installation, with `why` as its notice."""
    counted = (await connection.execute(_COUNT_FAULT, {"key": blame.installation_id})).first()
    if counted is None or counted.state != "enabled" or counted.failures < PAUSE_AFTER:
        return False
    await connection.execute(_PAUSE, {"key": blame.installation_id, "why": why})
    await changes.touch(connection, blame.guild_id)
    await audit.record(
        connection,
        at=now,
        guild_id=blame.guild_id,
        installation_id=blame.installation_id,
        actor_id=blame.actor_id,
        what="paused",
        call_id=blame.call_id,
    )
    return True


async def _count(connection: AsyncConnection, call: RowMapping, outcome: CallOutcome, now: int) -> bool:
    if outcome.fault is None:
        return False
    if outcome.fault:
        blame = Blame(call["installation_id"], call["guild_id"], call["asker_id"], call["id"])
        return await count_fault(connection, blame, outcome.failure, now)
    await count_success(connection, call["installation_id"])
    return False
