"""Erasing what must not be kept any longer, in batches so that nobody waits long for the lock."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from sqlalchemy import BigInteger, bindparam, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.dml import Delete, Update

from storage import actions, tables
from storage.engine import Database

_BATCH = 500
_calls, _actions, _drafts, _claims = tables.calls, tables.actions, tables.drafts, tables.claims
_before = bindparam("before", type_=BigInteger)
_without_text = update(_calls).values(arguments=None, result=None, said=None)
_OLD_CALLS = _without_text.where(
    _calls.c.id.in_(
        select(_calls.c.id).where(_calls.c.started_at < _before, tables.call_has_text).limit(_BATCH)
    )
)
_OLD_ACTIONS = delete(_actions).where(
    _actions.c.key.in_(select(_actions.c.key).where(_actions.c.created_at < _before).limit(_BATCH))
)
_OLD_DRAFTS = delete(_drafts).where(
    _drafts.c.id.in_(select(_drafts.c.id).where(_drafts.c.created_at < _before).limit(_BATCH))
)
_PAST_CLAIMS = delete(_claims).where(
    _claims.c.id.in_(select(_claims.c.id).where(_claims.c.expires_at <= _before).limit(_BATCH))
)
_CALLS_OF_MESSAGES = _without_text.where(
    _calls.c.message_id.in_(bindparam("messages", expanding=True)), tables.call_has_text
)


class Erase:
    """Retention, and deletion together with the message that something came from."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def expired(self, before: int, now: int) -> int:
        """Erase texts of calls, buttons and drafts from before `before`, and claims past `now`.

        Gives back how many rows that touched.
        """
        erased = 0
        for statement in (_OLD_CALLS, _OLD_ACTIONS, _OLD_DRAFTS):
            erased += await self._in_batches(statement, before)
        erased += await self._in_batches(_PAST_CLAIMS, now)
        if erased:
            await self._database.forget_erased()
        return erased

    async def messages_deleted(self, message_ids: Sequence[str]) -> int:
        """Erase the texts of the calls kept with these messages, and the messages' buttons.

        Gives back how many rows that touched.
        """
        erased = 0
        for start in range(0, len(message_ids), _BATCH):
            erased += await self._database.write(_forgetting(message_ids[start : start + _BATCH]))
        if erased:
            await self._database.forget_erased()
        return erased

    async def _in_batches(self, statement: Update | Delete, before: int) -> int:
        async def work(connection: AsyncConnection) -> int:
            return (await connection.execute(statement, {"before": before})).rowcount

        erased = batch = await self._database.write(work)
        while batch == _BATCH:
            batch = await self._database.write(work)
            erased += batch
        return erased


def _forgetting(message_ids: Sequence[str]) -> Callable[[AsyncConnection], Awaitable[int]]:
    async def work(connection: AsyncConnection) -> int:
        values: dict[str, Any] = {"messages": list(message_ids)}
        texts = (await connection.execute(_CALLS_OF_MESSAGES, values)).rowcount
        return texts + await actions.forget(connection, message_ids)

    return work
