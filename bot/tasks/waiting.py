"""The few seconds that a turn waits for a task, so that short ones answer like any tool."""

from bot.clock import Clock
from bot.errors import TaskFailed
from bot.mcp import CallToolResult
from bot.tasks.narrator import EndOutcome
from bot.tasks.polls import Asks, Polls, Reported, Rest
from bot.tasks.rounds import Rounds
from storage.request_records import TaskRow
from storage.tasks import Tasks

WAIT_SECONDS = 4.0
FIRST_PAUSE = 0.3
GRACE_SECONDS = 1.0
"""How much later than `WAIT_SECONDS` the last answer may come."""


class Waiting:
    """Polls one task quickly, for a turn that has just started it and has its lease."""

    def __init__(self, tasks: Tasks, polls: Polls, rounds: Rounds, clock: Clock) -> None:
        self._tasks = tasks
        self._polls = polls
        self._rounds = rounds
        self._clock = clock

    async def wait(self, row: TaskRow) -> CallToolResult | None:
        """The result if it comes within about four seconds; then the task's end is stored and no news.

        None when the work goes on by itself, at once when it asks something. Raises `TaskFailed` when it
        ended without a result.
        """
        if row.resume is not None:
            _, asked = await self._rounds.ask(row, tell=False)
            if not asked:  # the trick wants the same call again, with its state
                await self._tasks.rest([(row.id, self._clock.now_ms(), row.poll_every)])
            return None
        until = self._clock.monotonic() + WAIT_SECONDS
        pause = FIRST_PAUSE
        rest = Rest(self._clock.now_ms() + row.poll_every, row.poll_every)
        while (left := until - self._clock.monotonic()) > 0:
            await self._clock.sleep(min(pause, left))
            seconds = max(0.0, until - self._clock.monotonic()) + GRACE_SECONDS
            read = (await self._tasks.installations([row.installation_id])).get(row.installation_id)
            if read is None:  # removed, with all its rows
                return None
            match await self._polls.poll(row, read[0], in_turn=True, seconds=seconds):
                case EndOutcome() as end:
                    return _result_of(end)
                case Asks() | Reported():
                    return None
                case Rest() as rest if rest.limited:
                    break
                case Rest() as rest:
                    pause = min(pause * 2, rest.poll_every / 1000)
        await self._tasks.rest([(row.id, rest.poll_at, rest.poll_every)])
        return None


def _result_of(end: EndOutcome) -> CallToolResult:
    if end.result is None:
        raise TaskFailed(end.sentence)
    return end.result
