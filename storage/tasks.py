"""Tasks: work that goes on at a trick, polled and told by one process each.

A transaction that touches a task's call locks that first, then the task, then its questions.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from sqlalchemy import Executable, Select
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import call_ends
from storage import task_statements as statements
from storage.engine import Database
from storage.records import CallOutcome, Finished, Installation
from storage.request_records import TaskRow, TaskStatus
from storage.rows import INSTALLATION_WIDTH, to_installation

_BATCH = 500


class Tasks:
    """The store of tasks. `Calls.hand_over` adds them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, id: str) -> TaskRow | None:
        """The task, whether it goes on or has ended."""
        row = await self._database.first(statements.ONE, {"key": id})
        return TaskRow(*row) if row else None

    async def of_request(self, request_id: str) -> tuple[TaskRow, ...]:
        """The request's tasks, oldest first."""
        rows = await self._database.all(statements.OF_REQUEST, {"request_id": request_id})
        return tuple(TaskRow(*row) for row in rows)

    async def installations(self, ids: Sequence[str]) -> Mapping[str, tuple[Installation, int]]:
        """These installations by their ids, each with how many tasks it has under way; removed ones are left out."""
        rows = await self._database.all(statements.INSTALLATIONS, {"keys": list(ids)})
        return {row[0]: (to_installation(row), row[INSTALLATION_WIDTH]) for row in rows}

    async def due(self, now: int, limit: int, lease_until: int) -> tuple[TaskRow, ...]:
        """Take up to `limit` tasks that are to be polled now, nobody else's until `lease_until`.

        The longest overdue of enabled installations come first. Who dies before `rest`, `report` or `end`
        leaves them due again at `lease_until`, which the rows carry as `poll_at` too.
        """
        return await self._claim(statements.CLAIM_DUE, now, limit, lease_until)

    async def rest(self, rows: Sequence[tuple[str, int, int]]) -> None:
        """Give tasks back in which nothing changed: each one's id, next `poll_at` and `poll_every`.

        An answer that came meanwhile keeps its earlier time.
        """
        values = [{"key": id, "next_poll": poll_at, "every": every} for id, poll_at, every in sorted(rows)]
        if not values:
            return

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(statements.REST, values)

        await self._database.write(work)

    async def report(
        self,
        id: str,
        *,
        status: TaskStatus,
        last_status: str | None,
        last_message: str | None,
        news: str | None,
        poll_at: int | None,
        poll_every: int,
        expires_at: int | None = None,
    ) -> bool:
        """Store what a poll found, with the news (JSON) that it makes, and give the lease back.

        News that nobody told yet gives way to newer. None leaves `news` or `expires_at` as it was; `poll_at`
        None stops the polling. An answer that came meanwhile keeps its earlier time. False when the task has
        ended.
        """
        values = {
            "key": id,
            "to": status,
            "said_status": last_status,
            "said": last_message,
            "told": news,
            "step": int(news is not None),
            "next_poll": poll_at,
            "every": poll_every,
            "expires": expires_at,
        }
        return await self._changed(statements.REPORT, values)

    async def mark(self, id: str, was: str, resume: str) -> bool:
        """Put `resume` in the place of `was`; False when another is there, or the task has ended."""
        return await self._changed(statements.MARK, {"key": id, "was": was, "marked": resume})

    async def renew(self, row: TaskRow) -> bool:
        """Store how a task goes on after its call was sent again, and give the lease back.

        That is its sealed id, how to resume it, both status texts, and its times. False when it has ended.
        """
        values = {
            "key": row.id,
            "sealed": row.task_id,
            "again": row.resume,
            "to": row.status,
            "said_status": row.last_status,
            "said": row.last_message,
            "next_poll": row.poll_at,
            "every": row.poll_every,
            "expires": row.expires_at,
        }
        return await self._changed(statements.RENEW, values)

    async def end(
        self,
        id: str,
        status: TaskStatus,
        news: str | None,
        outcome: CallOutcome,
        now: int,
    ) -> Finished:
        """End a task and its call, close its questions, and store the news (JSON) of it, at once.

        The call ends as by `Calls.finish`. News None leaves what is yet to be told. The trick's id for the
        task is forgotten. Nothing happens when it has ended already, and `stored` is False.
        """
        values = {"key": id, "to": status, "told": news, "step": int(news is not None)}

        async def work(connection: AsyncConnection) -> Finished:
            finished = await call_ends.finish(connection, id, outcome, now)
            ended = (await connection.execute(statements.END, values)).first() is not None
            if ended:
                await connection.execute(statements.CLOSE_QUESTIONS, {"keys": [id]})
            return Finished(stored=ended, paused=finished.paused)

        return await self._database.write(work)

    async def untold(self, now: int, limit: int, lease_until: int) -> tuple[TaskRow, ...]:
        """Take up to `limit` tasks with news, nobody else's until `lease_until`.

        Who dies before `told` leaves the news to be told again from `lease_until` on.
        """
        return await self._claim(statements.CLAIM_UNTOLD, now, limit, lease_until)

    async def worded(self, id: str, news_number: int, news: str) -> bool:
        """Put the news with its words (JSON) in the place of the news; False when there is newer news by now.

        Words are stored before they are posted, so that who comes after a crash can look for them.
        """
        return await self._changed(statements.WORDED, {"key": id, "number": news_number, "words": news})

    async def told(
        self, id: str, news_number: int, progress_id: str | None = None, progress_at: int | None = None
    ) -> None:
        """Forget the news if it is still number `news_number`, and give it back; newer can be told at once.

        `progress_id` and `progress_at` are kept where they are given.
        """
        values = {"key": id, "number": news_number, "message": progress_id, "at": progress_at}

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(statements.TOLD, values)

        await self._database.write(work)

    async def close_of_messages(self, message_ids: Sequence[str], why: str, now: int) -> tuple[TaskRow, ...]:
        """Close the open tasks of these askers' messages, with their calls and questions; gives them back.

        A closed task is lost and has no news: whoever closes it says so. `why` is the sentence for the owner's
        log, in which the calls stand as failed.
        """
        return await self._close(statements.OPEN_OF_MESSAGES, message_ids, why, now)

    async def close_of_installation(self, installation_id: str, why: str, now: int) -> tuple[TaskRow, ...]:
        """`close_of_messages` for a trick that is turned off or removed."""
        return await self._close(statements.OPEN_OF_INSTALLATIONS, [installation_id], why, now)

    async def close_of_member(self, member_id: str, why: str, now: int) -> tuple[TaskRow, ...]:
        """`close_of_messages` for all tasks of a member, in every server."""
        return await self._close(statements.OPEN_OF_MEMBERS, [member_id], why, now)

    async def _close(
        self, select_open: Select[str], keys: Sequence[str], why: str, now: int
    ) -> tuple[TaskRow, ...]:
        closed: list[TaskRow] = []
        for start in range(0, len(keys), _BATCH):
            closed += await self._database.write(
                _closing(select_open, keys[start : start + _BATCH], why, now)
            )
        return tuple(closed)

    async def _claim(
        self, statement: Executable, now: int, limit: int, lease_until: int
    ) -> tuple[TaskRow, ...]:
        values = {"now": now, "most": limit, "until": lease_until}

        async def work(connection: AsyncConnection) -> list[TaskRow]:
            return [TaskRow(*row) for row in await connection.execute(statement, values)]

        return tuple(sorted(await self._database.write(work), key=lambda row: (row.created_at, row.id)))

    async def _changed(self, statement: Executable, values: Mapping[str, str | int | None]) -> bool:
        async def work(connection: AsyncConnection) -> bool:
            return (await connection.execute(statement, values)).first() is not None

        return await self._database.write(work)


def _closing(
    select_open: Select[str], keys: Sequence[str], why: str, now: int
) -> Callable[[AsyncConnection], Awaitable[list[TaskRow]]]:
    async def work(connection: AsyncConnection) -> list[TaskRow]:
        ids = (await connection.execute(select_open, {"keys": list(keys)})).scalars().all()
        if not ids:
            return []
        await call_ends.fail_working(connection, ids, why, now)
        rows = await connection.execute(statements.CLOSE, {"keys": list(ids)})
        closed = [TaskRow(*row) for row in rows]
        await connection.execute(statements.CLOSE_QUESTIONS, {"keys": [row.id for row in closed]})
        return closed

    return work
