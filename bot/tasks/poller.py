"""Following tasks in the background, across restarts: each is polled by one process at a time."""

import asyncio
from collections.abc import Sequence

from bot.clock import Clock
from bot.errors import is_expected
from bot.log import logger
from bot.tasks.polls import Found, Polls, Rest
from bot.tasks.rounds import Rounds
from storage.records import Installation
from storage.request_records import TaskRow
from storage.tasks import Tasks

BATCH = 100
BATCHES = 10
"""How many a round takes at most: a shutdown waits for a round."""

AT_ONCE = 20
LEASE_MS = 90_000
"""How long a batch may take: five at a time, each with an update and a look of five seconds, and some room."""

Polled = tuple[TaskRow, Found | None]
_log = logger(__name__)


class Poller:
    """Polls every task whose time has come."""

    def __init__(self, tasks: Tasks, polls: Polls, rounds: Rounds, clock: Clock) -> None:
        self._tasks = tasks
        self._polls = polls
        self._rounds = rounds
        self._clock = clock
        self._gate = asyncio.Semaphore(AT_ONCE)

    async def poll_due(self) -> int:
        """Poll the tasks that are due, batch after batch, and give back how many those were.

        A batch is taken once every poll of the one before has begun, so a slow trick holds up no other. The
        tasks of a batch in which nothing changed are rested in one transaction. A poll that breaks leaves its
        task to whoever finds its lease lapsed.
        """
        taken = 0
        rests: list[asyncio.Task[None]] = []
        try:
            for _ in range(BATCHES):
                now = self._clock.now_ms()
                rows = await self._tasks.due(now, BATCH, now + LEASE_MS)
                if rows:
                    rests.append(asyncio.create_task(self._rest(await self._begin(rows))))
                taken += len(rows)
                if len(rows) < BATCH:
                    break
        finally:
            ended = await asyncio.gather(*rests, return_exceptions=True)
        for failure in ended:
            if failure is not None:
                raise failure
        return taken

    async def _begin(self, rows: Sequence[TaskRow]) -> list[asyncio.Task[Polled]]:
        read = await self._tasks.installations(sorted({row.installation_id for row in rows}))
        polls: list[asyncio.Task[Polled]] = []
        for row in rows:
            if row.installation_id not in read:  # removed, with all its rows
                continue
            await self._gate.acquire()
            polls.append(asyncio.create_task(self._poll(row, *read[row.installation_id])))
        return polls

    async def _rest(self, polls: Sequence[asyncio.Task[Polled]]) -> None:
        rests = [
            (row.id, found.poll_at, found.poll_every)
            for row, found in await asyncio.gather(*polls)
            if isinstance(found, Rest)
        ]
        await self._tasks.rest(rests)

    async def _poll(self, row: TaskRow, installation: Installation, open_tasks: int) -> Polled:
        try:
            if row.resume is not None:
                return row, await self._rounds.go_on(row)
            return row, await self._polls.poll(row, installation, open_tasks)
        except Exception as error:  # noqa: BLE001 - the boundary: one task must not hold up the others
            log = _log.warning if is_expected(error) else _log.exception
            log("a task could not be polled", call_id=row.id, failure=type(error).__name__)
            return row, None
        finally:
            self._gate.release()
