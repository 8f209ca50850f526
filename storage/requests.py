"""Requests: opened once for each message, run by whoever has the lease, woken by what happens outside."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Executable, Text, bindparam, case, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.dml import Update

from storage import claims
from storage.engine import Database
from storage.records import Claim
from storage.request_records import Request, RequestStatus
from storage.request_tables import request_is_running, requests
from storage.rows import to_values
from storage.upserts import InsertInto, Upsert

_t = requests.c
_one = update(requests).where(_t.id == bindparam("key"))
_some = update(requests).where(_t.id.in_(bindparam("keys", expanding=True)))
_waits = _t.status == "waiting"
_kept = _t.content.is_not(None)  # erased with its message while it ran: keep no conversation
_free = or_(_t.lease_until.is_(None), _t.lease_until <= bindparam("now"))
_GET = select(requests).where(_t.id == bindparam("key"))
_TAKE = _one.where(request_is_running, _free).values(lease_until=bindparam("until")).returning(requests)
# SQLite leaves FOR UPDATE out: its writers stand in line anyway
_lapsed = (
    select(_t.id)
    .where(request_is_running, _free)
    .order_by(_t.lease_until.nulls_first(), _t.id)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True)
    .cte("lapsed")
)
_TAKE_LAPSED = (
    update(requests)
    .where(_t.id.in_(select(_lapsed.c.id)))
    .values(lease_until=bindparam("until"))
    .returning(requests)
)
_held = _t.lease_until == bindparam("held")  # who lost the lease to another may not write over its work
_SAVE = _one.where(_kept, _held).values(state=bindparam("conversation"), lease_until=bindparam("until"))
_RELEASE = _one.where(_t.wakes == bindparam("seen"), _held).values(
    status=bindparam("to"),
    lease_until=None,
    state=case((_kept, func.coalesce(bindparam("conversation", type_=Text), _t.state))),
)
_END = _one.values(status=bindparam("to"), lease_until=None)
_SET_THREAD = _one.values(thread_id=bindparam("thread"))
_WAKE = _some.values(
    wakes=_t.wakes + 1,
    status=case((_waits, "running"), else_=_t.status),
    lease_until=case((_waits, None), else_=_t.lease_until),
)
_WAKE_STOPPED = _WAKE.values(writes_stopped=True)
_since = select(func.count(), func.min(_t.created_at)).where(_t.created_at > bindparam("since"))
_OF_MEMBER_SINCE = _since.where(_t.asker_id == bindparam("of"))
_OF_GUILD_SINCE = _since.where(_t.guild_id == bindparam("of"))


@Upsert
def _open(insert: InsertInto) -> Executable:
    return insert(requests).on_conflict_do_nothing().returning(_t.id)


class Requests:
    """The store of requests."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def open(self, claim: Claim, request: Request, now: int) -> bool:
        """Take the claim of its message and store the request, both or neither.

        False when somebody has the claim, or the message has its request from before the claim ran out.
        """

        async def work(connection: AsyncConnection) -> bool:
            if not await claims.take(connection, claim, now):
                return False
            return (await connection.execute(_open.on(connection), to_values(request))).first() is not None

        return await self._database.write(work)

    async def get(self, request_id: str) -> Request | None:
        """The request, None when there is none."""
        row = await self._database.first(_GET, {"key": request_id})
        return Request(*row) if row else None

    async def take(self, request_id: str, now: int, lease_until: int) -> Request | None:
        """The running request, nobody else's until `lease_until`.

        None when it does not run, or somebody has it: a lease that ends at `now` is over.
        """
        values = {"key": request_id, "now": now, "until": lease_until}

        async def work(connection: AsyncConnection) -> Request | None:
            row = (await connection.execute(_TAKE, values)).first()
            return Request(*row) if row else None

        return await self._database.write(work)

    async def take_lapsed(self, now: int, limit: int, lease_until: int) -> tuple[Request, ...]:
        """Take up to `limit` running requests that nobody has, longest forgotten first; in no order."""
        values = {"now": now, "most": limit, "until": lease_until}

        async def work(connection: AsyncConnection) -> tuple[Request, ...]:
            return tuple(Request(*row) for row in await connection.execute(_TAKE_LAPSED, values))

        return await self._database.write(work)

    async def save(self, request_id: str, state: str, lease_until: int, *, held: int) -> bool:
        """Store the conversation and prolong the lease, which has to be the one that ends at `held`.

        False, and nothing is stored, when the row is gone, its texts were erased or somebody else has it.
        """
        values = {"key": request_id, "conversation": state, "until": lease_until, "held": held}
        return await self._update(_SAVE, values)

    async def release(
        self,
        request_id: str,
        status: RequestStatus,
        seen_wakes: int,
        state: str | None = None,
        *,
        held: int,
    ) -> bool:
        """Give the lease that ends at `held` back with a new status, and a new conversation if there is one.

        False when the request was woken since `wakes` was `seen_wakes`: nothing is stored and the lease is
        kept, to go on with. False too when the row is gone or somebody else has it. Of an erased request no
        conversation is kept.
        """
        values = {"key": request_id, "to": status, "seen": seen_wakes, "conversation": state, "held": held}
        return await self._update(_RELEASE, values)

    async def end(self, request_id: str, status: RequestStatus) -> None:
        """Set the status whatever happened meanwhile, and end the lease."""
        await self._update(_END, {"key": request_id, "to": status})

    async def set_thread(self, request_id: str, thread_id: str) -> None:
        """From now on the request is answered in this thread."""
        await self._update(_SET_THREAD, {"key": request_id, "thread": thread_id})

    async def count_since(self, member_id: str, since: int) -> tuple[int, int | None]:
        """How many requests the member made after `since`, in all servers, and when the oldest of them."""
        return await self._count(_OF_MEMBER_SINCE, member_id, since)

    async def guild_count_since(self, guild_id: str, since: int) -> tuple[int, int | None]:
        """How many requests were made in the server after `since`, and when the oldest of them."""
        return await self._count(_OF_GUILD_SINCE, guild_id, since)

    async def _count(self, statement: Executable, of: str, since: int) -> tuple[int, int | None]:
        row = await self._database.first(statement, {"of": of, "since": since})
        return (row[0], row[1]) if row else (0, None)

    async def _update(self, statement: Update, values: Mapping[str, Any]) -> bool:
        async def work(connection: AsyncConnection) -> bool:
            return (await connection.execute(statement, values)).rowcount == 1

        return await self._database.write(work)


async def wake(connection: AsyncConnection, *request_ids: str, stop_writes: bool = False) -> None:
    """Tell requests, within the transaction of what happened to them, that something did.

    One that waits runs again, and nobody has it yet; whoever runs one finds out when it wants to rest. With
    `stop_writes` all further writes of theirs are refused.
    """
    await connection.execute(_WAKE_STOPPED if stop_writes else _WAKE, {"keys": list(request_ids)})
