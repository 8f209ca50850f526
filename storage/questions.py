"""Questions: what tasks ask their askers, each one decided once.

A transaction that changes a question and its task locks the task first.
"""

from collections.abc import Mapping, Sequence

from sqlalchemy import Executable, Select, Text, bindparam, case, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.engine import Database
from storage.request_records import QuestionRow, QuestionStatus
from storage.request_tables import (
    question_is_open,
    question_to_fold,
    question_to_post,
    questions,
    task_is_open,
    tasks,
)
from storage.rows import to_values
from storage.upserts import InsertInto, Upsert

_t = questions.c
_one = _t.id == bindparam("one")
_these = _t.id.in_(bindparam("ids", expanding=True))
_not_erased = _t.message.is_not(None)
_ONE = select(questions).where(_one)
_BY_KEY = select(questions).where(_t.key == bindparam("one"))
_BY_MESSAGE = select(questions).where(_t.question_id == bindparam("one"))
_OF_TASK = select(questions).where(_t.task_id == bindparam("one")).order_by(_t.opened_at, _t.id)
_in_words = (question_is_open, _t.question_id.is_not(None), _t.words_until > bindparam("now"))
_NEWEST = (
    select(questions)
    .where(*_in_words, _t.channel_id == bindparam("channel"), _t.asker_id == bindparam("asker"))
    .order_by(_t.opened_at.desc(), _t.id.desc())
    .limit(1)
)
_PLACES = select(_t.channel_id, _t.asker_id).where(*_in_words).distinct()
# SQLite leaves FOR UPDATE out: its writers stand in line anyway
_LOCK_OPEN_TASK = select(tasks.c.id).where(tasks.c.id == bindparam("task"), task_is_open).with_for_update()
_LOCK_TASK_OF = (
    select(tasks.c.id).join(questions, _t.task_id == tasks.c.id).where(_one).with_for_update(of=tasks)
)
_LOCK_TASKS_DUE = (
    select(_t.id, _t.task_id)
    .join(tasks, _t.task_id == tasks.c.id)
    .where(question_is_open, _t.closes_at <= bindparam("now"))
    .order_by(_t.closes_at)
    .limit(bindparam("most"))
    .with_for_update(of=tasks, skip_locked=True)
)
_to_post = (
    select(_t.id)
    .where(question_to_post, or_(_t.post_until.is_(None), _t.post_until <= bindparam("now")))
    .order_by(_t.opened_at, _t.id)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True)
    .cte("to_post")
)
_CLAIM_TO_POST = (
    update(questions)
    .where(_t.id.in_(select(_to_post.c.id)))
    .values(post_until=bindparam("until"))
    .returning(questions)
)
_POSTED = (
    update(questions)
    .where(_one)
    .values(
        words=case((_not_erased, bindparam("said", type_=Text))),
        question_id=bindparam("posted"),
        post_until=None,
        folded=False,  # who folded it while it was on its way had no message to change
    )
)
_WORDED = update(questions).where(_one, _not_erased).values(words=bindparam("said"))
_SAVE_DRAFT = update(questions).where(_one, question_is_open, _not_erased).values(draft=bindparam("pages"))
_WRONG = update(questions).where(_one, question_is_open).values(wrong=_t.wrong + 1).returning(_t.wrong)
_settle = update(questions).values(
    status=bindparam("to"), answer=case((_not_erased, bindparam("content", type_=Text)))
)
_ANSWER = _settle.where(_one, question_is_open, _t.closes_at > bindparam("now")).returning(questions)
_DECLINE = update(questions).where(_these, question_is_open).values(status="declined").returning(questions)
_POLL_NOW = (
    update(tasks)
    .where(tasks.c.id.in_(bindparam("ids", expanding=True)), task_is_open)
    .values(poll_at=bindparam("now"))
)
_SENT = update(questions).where(_these).values(sent=True)
_TO_FOLD = select(questions).where(question_to_fold).order_by(_t.closes_at, _t.id).limit(bindparam("most"))
_FOLDED = update(questions).where(_these).values(folded=True)


@Upsert
def _ask(insert: InsertInto) -> Executable:
    new = insert(questions)
    return new.on_conflict_do_nothing(index_elements=["task_id", "request_key"]).returning(_t.id)


class Questions:
    """The store of questions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ask(self, rows: Sequence[QuestionRow]) -> int:
        """Add the questions that their tasks have not asked yet; gives back how many.

        What a task asks whose end came first is not added.
        """

        async def work(connection: AsyncConnection) -> int:
            added = 0
            for task_id in sorted({row.task_id for row in rows}):
                if (await connection.execute(_LOCK_OPEN_TASK, {"task": task_id})).first() is None:
                    continue
                for row in rows:
                    if row.task_id == task_id:
                        new = await connection.execute(_ask.on(connection), to_values(row))
                        added += new.first() is not None
            return added

        return await self._database.write(work)

    async def get(self, id: str) -> QuestionRow | None:
        """The question, open or not."""
        return await self._first(_ONE, {"one": id})

    async def by_key(self, key: str) -> QuestionRow | None:
        """The question whose buttons carry `key`."""
        return await self._first(_BY_KEY, {"one": key})

    async def by_message(self, question_id: str) -> QuestionRow | None:
        """The question that this message asks."""
        return await self._first(_BY_MESSAGE, {"one": question_id})

    async def newest_open(self, channel_id: str, asker_id: str, now: int) -> QuestionRow | None:
        """The member's newest question in the channel that any next message may still answer."""
        return await self._first(_NEWEST, {"channel": channel_id, "asker": asker_id, "now": now})

    async def open_places(self, now: int) -> tuple[tuple[str, str], ...]:
        """The channel and member of every question that any next message may still answer."""
        rows = await self._database.all(_PLACES, {"now": now})
        return tuple((row[0], row[1]) for row in rows)

    async def of_task(self, task_id: str) -> tuple[QuestionRow, ...]:
        """The task's questions, oldest first."""
        rows = await self._database.all(_OF_TASK, {"one": task_id})
        return tuple(QuestionRow(*row) for row in rows)

    async def to_post(self, now: int, limit: int, lease_until: int) -> tuple[QuestionRow, ...]:
        """Take up to `limit` open questions that have no message yet, nobody else's until `lease_until`."""
        values = {"now": now, "most": limit, "until": lease_until}

        async def work(connection: AsyncConnection) -> list[QuestionRow]:
            return [QuestionRow(*row) for row in await connection.execute(_CLAIM_TO_POST, values)]

        return tuple(sorted(await self._database.write(work), key=lambda row: (row.opened_at, row.id)))

    async def worded(self, id: str, words: str) -> None:
        """Store the question's words before they are posted, so that who comes after a crash can look for them."""
        await self._execute(_WORDED, {"one": id, "said": words})

    async def posted(self, id: str, words: str, question_id: str) -> None:
        """Store the question's words and its message. One that closed meanwhile is to be folded."""
        await self._execute(_POSTED, {"one": id, "said": words, "posted": question_id})

    async def save_draft(self, id: str, draft: str) -> None:
        """Store the pages of the form so far (JSON), while the question is open."""
        await self._execute(_SAVE_DRAFT, {"one": id, "pages": draft})

    async def wrong(self, id: str) -> int:
        """Count one more reply that did not fit; gives back how many those are, 0 when it is not open."""

        async def work(connection: AsyncConnection) -> int:
            return (await connection.execute(_WRONG, {"one": id})).scalar() or 0

        return await self._database.write(work)

    async def settle(
        self, id: str, status: QuestionStatus, answer: str | None, now: int
    ) -> QuestionRow | None:
        """Decide an open question, with the content (JSON) of an accepted answer; its task is polled now.

        None when it was decided already, or its time is over at `now`.
        """
        values = {"one": id, "to": status, "content": answer, "now": now}

        async def work(connection: AsyncConnection) -> QuestionRow | None:
            await connection.execute(_LOCK_TASK_OF, {"one": id})
            row = (await connection.execute(_ANSWER, values)).first()
            if row is None:
                return None
            settled = QuestionRow(*row)
            await connection.execute(_POLL_NOW, {"ids": [settled.task_id], "now": now})
            return settled

        return await self._database.write(work)

    async def expire_due(self, now: int, limit: int) -> tuple[QuestionRow, ...]:
        """Decline up to `limit` open questions whose time is over at `now`; their tasks are polled now."""

        async def work(connection: AsyncConnection) -> tuple[QuestionRow, ...]:
            due = (await connection.execute(_LOCK_TASKS_DUE, {"now": now, "most": limit})).all()
            if not due:
                return ()
            rows = (await connection.execute(_DECLINE, {"ids": [row.id for row in due]})).all()
            declined = tuple(QuestionRow(*row) for row in rows)
            await connection.execute(_POLL_NOW, {"ids": [row.task_id for row in declined], "now": now})
            return declined

        return await self._database.write(work)

    async def sent(self, ids: Sequence[str]) -> None:
        """Store that the trick has the answers to these questions."""
        await self._execute(_SENT, {"ids": list(ids)})

    async def to_fold(self, limit: int) -> tuple[QuestionRow, ...]:
        """Up to `limit` questions that are decided or closed, and do not look so yet."""
        rows = await self._database.all(_TO_FOLD, {"most": limit})
        return tuple(QuestionRow(*row) for row in rows)

    async def folded(self, ids: Sequence[str]) -> None:
        """Store that these questions look closed."""
        await self._execute(_FOLDED, {"ids": list(ids)})

    async def _first(self, statement: Select[str], values: Mapping[str, str | int]) -> QuestionRow | None:
        row = await self._database.first(statement, values)
        return QuestionRow(*row) if row else None

    async def _execute(self, statement: Executable, values: Mapping[str, str | list[str]]) -> None:
        async def work(connection: AsyncConnection) -> None:
            await connection.execute(statement, values)

        await self._database.write(work)
