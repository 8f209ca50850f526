"""One poll of one task: send what was answered, ask how it stands, store what changed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.clock import Clock
from bot.errors import LimitReached, RpcFailure, SecretUnreadable, TaskFailed, TrickFault
from bot.mcp import InvocationContext, McpClient, Task
from bot.mcp.jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND
from bot.signing import SecretBox
from bot.tasks import poll_times
from bot.tasks.ends import EXPIRED, UNREACHABLE, Ends
from bot.tasks.faults import Faults
from bot.tasks.narrator import EndOutcome
from bot.tasks.news import News
from bot.tasks.question_rows import ask, responses, unsent, with_id, without_id
from bot.tricks.installed import Installed, InstalledReader
from bot.tricks.limits import Limiter, poll_limits
from bot.tricks.task_rows import end_of_life, poll_interval, status_text
from bot.tricks.tool_calls import context_of
from storage.questions import Questions
from storage.records import Installation
from storage.request_records import QuestionRow, TaskRow, TaskStatus
from storage.tasks import Tasks

POLL_SECONDS = 5.0
_GONE = (INVALID_PARAMS, METHOD_NOT_FOUND)


@dataclass(frozen=True, slots=True)
class Rest:
    """Nothing changed: the task is to be given back, and polled again at `poll_at`.

    `limited` says that a limit was reached, and nothing was asked.
    """

    poll_at: int
    poll_every: int
    limited: bool = False


@dataclass(frozen=True, slots=True)
class Asks:
    """The task waits for answers of its asker."""


@dataclass(frozen=True, slots=True)
class Reported:
    """What changed is stored, and the task was given back, or somebody else ended it meanwhile."""


Found = Rest | Reported | Asks | EndOutcome


class Polls:
    """Polls single tasks. Whoever calls has the task's lease, and gives it back for `Rest` alone."""

    def __init__(
        self,
        client: McpClient,
        reader: InstalledReader,
        box: SecretBox,
        tasks: Tasks,
        questions: Questions,
        ends: Ends,
        faults: Faults,
        limiter: Limiter,
        clock: Clock,
    ) -> None:
        self._client = client
        self._reader = reader
        self._box = box
        self._tasks = tasks
        self._questions = questions
        self._ends = ends
        self._faults = faults
        self._limiter = limiter
        self._clock = clock

    async def poll(
        self,
        row: TaskRow,
        installation: Installation,
        open_tasks: int = 1,
        *,
        in_turn: bool = False,
        seconds: float = POLL_SECONDS,
    ) -> Found:
        """One poll, with `open_tasks` in its installation, that takes at most `seconds` for each request.

        `in_turn`: somebody waits for the task within a turn. Then progress and faults are left to later polls,
        and an end is no news.
        """
        installed = self._reader.read(installation, self._clock.now_ms())
        try:
            asked = await self._questions.of_task(row.id) if row.status == "waiting" else ()
            task = await self._exchange(row, installed, asked, seconds)
        except LimitReached as limit:
            return Rest(self._clock.now_ms() + limit.seconds * 1000, row.poll_every, limited=True)
        except SecretUnreadable:  # another key seals now, and nothing else knows the task
            return await self._ends.lost(row, tell=not in_turn) or Reported()
        except TrickFault as fault:
            return await self._after_fault(row, installed, fault, open_tasks, in_turn=in_turn)
        await self._faults.forget(installed)
        return await self._judge(row, task, asked, open_tasks, in_turn=in_turn)

    async def _exchange(
        self, row: TaskRow, installed: Installed, asked: Sequence[QuestionRow], seconds: float
    ) -> Task:
        """Send the answers that the trick does not have, then ask how the task stands."""
        context = context_of(installed, row)
        task_id = self._box.open(row.id, row.task_id or "")
        answers = unsent(asked)
        if answers:
            self._limiter.take(*poll_limits(row.installation_id))
            await self._send(installed, context, task_id, answers, seconds)
        self._limiter.take(*poll_limits(row.installation_id))
        task = await self._client.get_task(installed.mcp, context, task_id, timeout=seconds)
        return replace(task, input_requests=without_id(task.input_requests, task_id))

    async def _send(
        self,
        installed: Installed,
        context: InvocationContext,
        task_id: str,
        answers: Sequence[QuestionRow],
        seconds: float,
    ) -> None:
        """Safe to repeat: the trick ignores keys that it has. What it definitely refuses is not repeated."""
        try:
            given = with_id(responses(answers), task_id)
            await self._client.update_task(installed.mcp, context, task_id, given, timeout=seconds)
        except RpcFailure as failure:
            if failure.code not in _GONE:
                raise
        await self._questions.sent([answer.id for answer in answers])

    async def _judge(
        self,
        row: TaskRow,
        task: Task,
        asked: Sequence[QuestionRow],
        open_tasks: int,
        *,
        in_turn: bool,
    ) -> Found:
        match task.status:
            case "completed" if task.result is not None:
                return await self._ends.completed(row, task.result, tell=not in_turn) or Reported()
            case "completed" | "failed" | "cancelled":
                said = task.error.said if task.error else None
                return await self._ends.failed(row, TaskFailed(), said=said, tell=not in_turn) or Reported()
            case "input_required":
                return await self._ask(row, task, asked, open_tasks, in_turn=in_turn)
            case "working":
                return await self._go_on(row, task, open_tasks, in_turn=in_turn)

    async def _ask(
        self, row: TaskRow, task: Task, asked: Sequence[QuestionRow], open_tasks: int, *, in_turn: bool
    ) -> Found:
        """Store what was not asked before; a question that cannot be asked ends the task."""
        if row.status != "waiting":
            asked = await self._questions.of_task(row.id)
        try:
            new = ask(row, task.input_requests, asked, self._clock)
        except TaskFailed as failure:
            return await self._ends.failed(row, failure, tell=not in_turn) or Reported()
        if new:
            await self._questions.ask(new)
        is_open = any(question.status == "open" for question in (*asked, *new))
        return await self._go_on(row, task, open_tasks, asks=bool(new), asked=is_open)

    async def _go_on(
        self,
        row: TaskRow,
        task: Task,
        open_tasks: int,
        *,
        asks: bool = False,
        asked: bool = False,
        in_turn: bool = False,
    ) -> Found:
        now = self._clock.now_ms()
        expires_at = end_of_life(row.created_at, task.ttl_ms)
        if now >= expires_at and not in_turn:
            return await self._ends.lost(row, expired=True, sentence=EXPIRED) or Reported()
        every = poll_interval(task.poll_interval_ms)
        poll_at = self._next(now, every, open_tasks, expires_at, asked=asked)
        status: TaskStatus = "waiting" if task.status == "input_required" else "working"
        progress = poll_times.is_progress(row, task)
        same = (status, expires_at) == (row.status, row.expires_at)
        if in_turn or (same and not progress and not asks):
            return Rest(poll_at, every)
        text = status_text(task) if progress else None
        await self._tasks.report(
            row.id,
            status=status,
            last_status=task.status,
            last_message=poll_times.last_message(row, task),
            news=News(kind="progress", text=text, since=now).dump() if text else None,
            poll_at=poll_at,
            poll_every=every,
            expires_at=expires_at,
        )
        return Asks() if status == "waiting" else Reported()

    async def _after_fault(
        self, row: TaskRow, installed: Installed, fault: TrickFault, open_tasks: int, *, in_turn: bool
    ) -> Found:
        """An unknown task is lost for good; anything else may pass, until the task's life ends."""
        if isinstance(fault, RpcFailure) and fault.code in _GONE:
            return await self._ends.lost(row, tell=not in_turn) or Reported()
        now = self._clock.now_ms()
        if in_turn:
            return Rest(self._next(now, row.poll_every, open_tasks, row.expires_at), row.poll_every)
        await self._faults.count(row, installed, fault)
        if now >= row.expires_at:
            return await self._ends.lost(row, sentence=UNREACHABLE) or Reported()
        every = poll_times.after_fault(row.poll_every)
        return Rest(self._next(now, every, open_tasks, row.expires_at), every)

    def _next(self, now: int, every: int, open_tasks: int, expires_at: int, *, asked: bool = False) -> int:
        return poll_times.next_poll(
            now,
            every,
            open_tasks=open_tasks,
            jitter=self._clock.jitter(poll_times.SPREAD),
            expires_at=expires_at,
            asked=asked,
        )
