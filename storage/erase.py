"""Erasing what must not be kept any longer, in batches so that nobody waits long for the lock."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Table,
    and_,
    bindparam,
    delete,
    exists,
    func,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.dml import Delete, Update

from storage import actions, tables
from storage.engine import Database
from storage.event_tables import deliveries, delivery_is_pending, posts
from storage.request_tables import (
    approvals,
    questions,
    request_has_text,
    requests,
    task_is_open,
    tasks,
    threads,
)

_BATCH = 500
_calls, _actions, _drafts, _claims = tables.calls, tables.actions, tables.drafts, tables.claims
_before = bindparam("before", type_=BigInteger)


def _without(table: Table, *texts: str) -> tuple[Update, ColumnElement[bool]]:
    """The update that empties these columns, and the condition that one of them is not empty."""
    columns = [table.c[name] for name in texts]
    return update(table).values(dict.fromkeys(texts, null())), or_(*(text.is_not(None) for text in columns))


_CALL, _call_has_text = _without(_calls, "arguments", "result", "said")
_REQUEST, _ = _without(requests, "content", "state")
_APPROVAL, _approval_has_text = _without(approvals, "arguments", "outside")
_TASK, _task_has_text = _without(tasks, "resume", "last_message", "news")
_QUESTION, _question_has_text = _without(questions, "message", "schema", "words", "draft", "answer")
_POST, _post_has_text = _without(posts, "presentation", "keys")


def _old(change: Update | Delete, id: ColumnElement[str], *where: ColumnElement[bool]) -> Update | Delete:
    """The change, of one batch of the rows for which all of `where` holds."""
    return change.where(id.in_(select(id).where(*where).limit(_BATCH)))


def _of_messages(change: Update, table: Table, has_text: ColumnElement[bool]) -> Update:
    """The change, of the rows that belong to the messages."""
    return change.where(table.c.message_id.in_(bindparam("messages", expanding=True)), has_text)


_task_goes_on = exists().where(tasks.c.request_id == requests.c.id, task_is_open)
_ENDED = _old(
    delete(requests),
    requests.c.id,
    requests.c.created_at < _before,
    requests.c.status.not_in(("running", "waiting")),
    ~_task_goes_on,  # it ends soon, and its call with it
)
_sent_no_more = exists().where(
    tables.installations.c.id == deliveries.c.installation_id,
    tables.installations.c.state.in_(("registered", "disabled")),
)
DELIVERED = _old(
    delete(deliveries),
    deliveries.c.id,
    deliveries.c.occurred_at < _before,
    or_(
        and_(~delivery_is_pending, func.coalesce(deliveries.c.ended_at, deliveries.c.occurred_at) < _before),
        and_(delivery_is_pending, _sent_no_more),
    ),
)
_EXPIRED = (
    _old(_CALL, _calls.c.id, _calls.c.started_at < _before, tables.call_has_text),
    _old(delete(_actions), _actions.c.key, _actions.c.created_at < _before),
    _old(delete(_drafts), _drafts.c.id, _drafts.c.created_at < _before),
    _ENDED,
    _old(_REQUEST, requests.c.id, requests.c.created_at < _before, request_has_text),
    _old(_APPROVAL, approvals.c.id, approvals.c.opened_at < _before, _approval_has_text),
    _old(_TASK, tasks.c.id, tasks.c.created_at < _before, _task_has_text),
    _old(_QUESTION, questions.c.id, questions.c.opened_at < _before, _question_has_text),
    _old(
        delete(threads).where(threads.c.created_at < _before),  # a younger row of the thread stays
        threads.c.thread_id,
        threads.c.created_at < _before,
    ),
    DELIVERED,
)
_PAST_CLAIMS = _old(delete(_claims), _claims.c.id, _claims.c.expires_at <= _before)
_MESSAGES_DELETED = (
    _of_messages(_CALL, _calls, tables.call_has_text),
    _of_messages(_REQUEST, requests, request_has_text),
    _of_messages(_CALL, _calls, tables.call_has_text),  # begun before the request was erased just now
    _of_messages(_APPROVAL, approvals, _approval_has_text),
    _of_messages(_TASK, tasks, _task_has_text),
    _of_messages(_QUESTION, questions, _question_has_text),
    _of_messages(_POST, posts, _post_has_text),
)


class Erase:
    """Retention, and deletion together with the message that something came from."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def expired(self, before: int, now: int) -> int:
        """Erase what is from before `before`, and claims past `now`.

        That is the texts of calls and conversations, buttons, drafts, threads, whole requests that have ended,
        with all that they waited for, and events that have been delivered or given up, with their posts. Gives
        back how many rows that touched, not counting what goes with a request or an event.
        """
        erased = 0
        for statement in _EXPIRED:
            erased += await self._in_batches(statement, before)
        erased += await self._in_batches(_PAST_CLAIMS, now)
        if erased:
            await self._database.forget_erased()
        return erased

    async def messages_deleted(self, message_ids: Sequence[str]) -> int:
        """Erase the texts of the calls, conversations and posts kept with these messages, and their buttons.

        What is still open there has to be closed first: a task that goes on would store new texts. Gives back
        how many rows that touched.
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
        while batch >= _BATCH:
            batch = await self._database.write(work)
            erased += batch
        return erased


def _forgetting(message_ids: Sequence[str]) -> Callable[[AsyncConnection], Awaitable[int]]:
    async def work(connection: AsyncConnection) -> int:
        values: dict[str, Any] = {"messages": list(message_ids)}
        texts = [(await connection.execute(each, values)).rowcount for each in _MESSAGES_DELETED]
        return sum(texts) + await actions.forget(connection, message_ids)

    return work
