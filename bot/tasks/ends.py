"""The end of a task: what is stored with its call, and what its asker is told."""

from bot.clock import Clock
from bot.errors import KennelError, OutcomeUnknown, ToolFailed
from bot.log import logger
from bot.mcp import CallToolResult
from bot.metrics import NO_METRICS, Metrics
from bot.strict_json import dump
from bot.tasks.narrator import EndOutcome
from bot.tasks.news import News
from bot.text import printable
from bot.tricks.tool_calls import outcome_of_error
from storage.records import CallOutcome
from storage.request_records import TaskRow, TaskStatus
from storage.tasks import Tasks

LOST = (
    "The trick does not know this work any more, so nothing will come of it. Ask again if you still want it."
)
UNREACHABLE = "The trick could not be reached for too long, so this was given up. Try again later."
EXPIRED = "This took too long, so it was given up. Try again later."
_log = logger(__name__)


class Ends:
    """Ends tasks: the row, its call and its news in one transaction, once.

    Each method gives back how the task ended, None when it had ended already. Without `tell` there is no news.
    """

    def __init__(self, tasks: Tasks, clock: Clock, metrics: Metrics = NO_METRICS) -> None:
        self._tasks = tasks
        self._clock = clock
        self._metrics = metrics

    async def completed(
        self, row: TaskRow, result: CallToolResult, *, tell: bool = True
    ) -> EndOutcome | None:
        """The tool's result came. One with `is_error` is told as a failure with the fixed sentence."""
        if not result.is_error:
            stored = CallOutcome("succeeded", result=dump(result.to_stored()).decode(), fault=False)
            return await self._end(row, "completed", EndOutcome("completed", result), stored, tell)
        stored = outcome_of_error(result)
        outcome = EndOutcome("failed", None, ToolFailed(stored.said or "").sentence)
        return await self._end(row, "failed", outcome, stored, tell)

    async def failed(
        self, row: TaskRow, error: KennelError, *, said: str | None = None, tell: bool = True
    ) -> EndOutcome | None:
        """Kennel cannot go on with it, or the trick ended it; `error` has the sentences."""
        stored = CallOutcome(
            "failed",
            failure=error.detail,
            said=printable(said) if said else None,
            failure_kind=error.kind,
        )
        return await self._end(row, "failed", EndOutcome("failed", None, error.sentence), stored, tell)

    async def unknown(self, row: TaskRow, error: OutcomeUnknown) -> EndOutcome | None:
        """The answer of a write was lost: it may have happened, and is not repeated."""
        stored = CallOutcome("unknown", failure=error.detail, failure_kind=error.kind)
        return await self._end(row, "lost", EndOutcome("lost", None, error.sentence), stored, tell=True)

    async def lost(
        self, row: TaskRow, *, expired: bool = False, sentence: str = LOST, tell: bool = True
    ) -> EndOutcome | None:
        """Nobody knows what became of it."""
        outcome = EndOutcome("expired" if expired else "lost", None, sentence)
        return await self._end(row, "lost", outcome, CallOutcome("unknown", failure=sentence), tell)

    async def _end(
        self, row: TaskRow, status: TaskStatus, outcome: EndOutcome, stored: CallOutcome, tell: bool
    ) -> EndOutcome | None:
        now = self._clock.now_ms()
        news = News(kind=outcome.kind, text=outcome.sentence, since=now).dump() if tell else None
        finished = await self._tasks.end(row.id, status, news, stored, now)
        if not finished.stored:
            return None
        self._metrics.call_ended("paused" if finished.paused else "enabled", stored.status, "assistant")
        _log.info("task ended", call_id=row.id, outcome=status)
        return outcome
