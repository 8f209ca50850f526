"""Following tasks in the background, across restarts: each is polled by one process at a time."""

import asyncio

from bot.clock import Clock
from bot.errors import is_expected
from bot.log import logger
from bot.tasks.polls import Polls, Rest
from bot.tasks.rounds import Rounds
from storage.request_records import TaskRow
from storage.tasks import Tasks

BATCH = 100
AT_ONCE = 20
LEASE_MS = 90_000
"""How long a batch may take: five at a time, each with an update and a look of five seconds, and some room."""

_log = logger(__name__)


class Poller:
    """Polls every task whose time has come."""

    def __init__(self, tasks: Tasks, polls: Polls, rounds: Rounds, clock: Clock) -> None:
        self._tasks = tasks
        self._polls = polls
        self._rounds = rounds
        self._clock = clock

    async def poll_due(self) -> int:
        """Poll up to a batch of the tasks that are due, and give back how many those were.

        Those in which nothing changed are rested in one transaction. A poll that breaks leaves its task to
        whoever finds its lease lapsed.
        """
        now = self._clock.now_ms()
        rows = await self._tasks.due(now, BATCH, now + LEASE_MS)
        if not rows:
            return 0
        counts = await self._tasks.open_counts(sorted({row.installation_id for row in rows}))
        gate = asyncio.Semaphore(AT_ONCE)

        async def rested(row: TaskRow) -> tuple[str, int, int] | None:
            async with gate:
                found = await self._poll(row, counts.get(row.installation_id, 1))
            return (row.id, found.poll_at, found.poll_every) if isinstance(found, Rest) else None

        found = await asyncio.gather(*(rested(row) for row in rows))
        await self._tasks.rest([each for each in found if each is not None])
        return len(rows)

    async def _poll(self, row: TaskRow, open_tasks: int) -> object:
        try:
            if row.resume is not None:
                return await self._rounds.go_on(row)
            return await self._polls.poll(row, open_tasks)
        except Exception as error:  # noqa: BLE001 - the boundary: one task must not hold up the others
            log = _log.warning if is_expected(error) else _log.exception
            log("a task could not be polled", call_id=row.id, failure=type(error).__name__)
            return None
