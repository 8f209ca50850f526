"""Erasing one member's rows in all servers: first the texts, so that nothing goes on, then the rows themselves.

What is read first is the keys: a search through a large table must not hold the lock for writing. Then they go in
batches.
"""

from collections.abc import Awaitable, Callable, Sequence

from sqlalchemy import (
    ColumnElement,
    Select,
    String,
    Table,
    and_,
    bindparam,
    delete,
    exists,
    null,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.dml import Delete, Update

from storage.engine import Database
from storage.event_tables import deliveries
from storage.request_tables import consents, requests, threads
from storage.tables import audit, calls, claims, drafts, installations, pins

NOBODY = "0"
"""Stands where an erased member stood and somebody has to: no one has this id at Discord."""

_BATCH = 500
_ROUNDS = 5
_member = bindparam("member", type_=String)


class _Step:
    """A change of all rows of a table for which `where` holds, by the keys of one column of it."""

    def __init__(self, table: Table, key: str, where: ColumnElement[bool], change: Update | Delete) -> None:
        column = table.c[key]
        self.find: Select[tuple[str | int]] = select(column).where(where).order_by(column)
        self.change = change.where(column.in_(bindparam("keys", expanding=True)), where)


def _rows(table: Table, key: str, member: str) -> _Step:
    return _Step(table, key, table.c[member] == _member, delete(table))


_asked, _called = requests.c.asker_id == _member, calls.c.asker_id == _member
_TEXTS = (
    _Step(
        requests,
        "id",
        and_(_asked, requests.c.content.is_not(None)),
        update(requests).values(content=null(), state=null()),
    ),
    _Step(
        calls,
        "id",
        and_(_called, calls.c.arguments.is_not(None)),
        update(calls).values(arguments=null(), result=null(), said=null()),
    ),
)
_of_a_read = and_(
    audit.c.what == "called",
    exists().where(
        pins.c.installation_id == audit.c.installation_id, pins.c.tool == audit.c.tool, pins.c.read_only
    ),
)
_acted = audit.c.actor_id == _member
_ROWS = (
    _rows(requests, "id", "asker_id"),
    _rows(calls, "id", "asker_id"),
    _rows(deliveries, "id", "member_id"),
    _rows(threads, "thread_id", "asker_id"),
    _rows(consents, "installation_id", "member_id"),
    _rows(drafts, "id", "owner_id"),
    _Step(
        claims,
        "id",
        and_(claims.c.id.startswith("p:"), claims.c.id.endswith(":" + _member)),
        delete(claims),
    ),
    _Step(audit, "id", and_(_acted, _of_a_read), delete(audit)),
    _Step(audit, "id", _acted, update(audit).values(actor_id=NOBODY, call_id=null())),
    _Step(
        installations,
        "id",
        installations.c.created_by == _member,
        update(installations).values(created_by=NOBODY),
    ),
)


class EraseMembers:
    """Takes a member out of the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def texts(self, member_id: str) -> None:
        """Erase the words of the member's requests and the texts of their calls.

        From then on no request of theirs goes on, and no call that is under way keeps its answer.
        """
        for step in _TEXTS:
            await self._take(step, member_id)

    async def rows(self, member_id: str) -> int:
        """Erase every row about the member, in all servers; gives back how many that touched.

        With a request go its cards, tasks and questions, with a call its buttons, with an event its post. What
        stays is the audit trail of writes and of what an owner did, without the member's and the call's id, and
        tricks that the member has registered, without saying so. What is still open has to be closed first.
        """
        erased = found = await self._round(member_id)
        for _ in range(_ROUNDS):  # what was stored meanwhile by a call that had just begun
            if not found:
                break
            found = await self._round(member_id)
            erased += found
        if erased:
            await self._database.forget_erased()
        return erased

    async def _round(self, member_id: str) -> int:
        return sum([await self._take(step, member_id) for step in _ROWS])

    async def _take(self, step: _Step, member_id: str) -> int:
        keys = [row[0] for row in await self._database.all(step.find, {"member": member_id})]
        for start in range(0, len(keys), _BATCH):
            await self._database.write(_changing(step.change, keys[start : start + _BATCH], member_id))
        return len(keys)


def _changing(
    change: Update | Delete, keys: Sequence[str | int], member_id: str
) -> Callable[[AsyncConnection], Awaitable[None]]:
    async def work(connection: AsyncConnection) -> None:
        await connection.execute(change, {"keys": list(keys), "member": member_id})

    return work
