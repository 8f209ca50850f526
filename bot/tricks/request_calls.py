"""One call of one tool from a conversation: recorded under an id that was reserved for it, so it runs once.

The answer may be a task, or a question instead of a result. Then the call stays under way, and a row says how
the work goes on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.clock import Clock
from bot.errors import AlreadyCalled, OutcomeUnknown, TaskFailed, ToolFailed, TrickFault
from bot.log import logger
from bot.mcp import (
    CallToolResult,
    CreateTaskResult,
    InputRequiredResult,
    McpClient,
    Task,
    UserRequest,
)
from bot.metrics import NO_METRICS, Metrics
from bot.policy.audiences import Asker, Place
from bot.signing import SecretBox
from bot.strict_json import Json, dump
from bot.tricks.checks import Ready
from bot.tricks.limits import Limiter
from bot.tricks.notices import OwnerNotices
from bot.tricks.resume import Resume, first_round, open_resume
from bot.tricks.task_rows import asks_first, became_task, row_of
from bot.tricks.tool_calls import (
    ToolCalls,
    context_of,
    error_of_fault,
    outcome_of_error,
    outcome_of_fault,
)
from storage import calls as call_store
from storage.errors import StorageError
from storage.looks import Looks
from storage.records import CallOutcome, CallState, NewCall
from storage.request_records import Request, TaskRow
from storage.tasks import Tasks

MESSAGE_DELETED = "The message that asked for it was deleted."
FIRST_POLL_MS = 6_000
"""Until then the turn that started a task watches it itself."""

_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class RequestCall:
    """For which request a tool is called, as whom and where.

    `call_id` was reserved for this one call. The trick gets `place.channel_id`, and `user_request` if there
    is one.
    """

    call_id: str
    request: Request
    asker: Asker
    place: Place
    user_request: UserRequest | None = None


@dataclass(frozen=True, slots=True)
class TaskStarted:
    """The call goes on as the stored `row`. `task` is what the trick said, None when it asked back instead."""

    row: TaskRow
    task: Task | None


class RequestCalls:
    """Runs tools for conversations."""

    def __init__(
        self,
        client: McpClient,
        store: call_store.Calls,
        looks: Looks,
        limiter: Limiter,
        clock: Clock,
        notices: OwnerNotices,
        box: SecretBox,
        tasks: Tasks,
        metrics: Metrics = NO_METRICS,
    ) -> None:
        self._calls = ToolCalls(client, store, looks, limiter, clock, notices, metrics)
        self._store = store
        self._clock = clock
        self._box = box
        self._tasks = tasks

    def check(self, ready: Ready, arguments: dict[str, Json]) -> None:
        """Whether the arguments fit the schema and can be sent. Raises `BadArguments`."""
        self._calls.check(ready, arguments)

    async def state_of(self, call_id: str) -> CallState | None:
        """How far a call is, None when it was never begun."""
        return await self._store.state_of(call_id)

    async def run(
        self, ready: Ready, arguments: dict[str, Json], call: RequestCall
    ) -> CallToolResult | TaskStarted:
        """Check the arguments and limits, then call the tool once.

        Raises `BadArguments`, `LimitReached` or `AlreadyCalled` before anything is sent, and `StorageError`
        when the call could not be recorded; afterwards a `TrickFault`, `ToolFailed`, `OutcomeUnknown`, or
        `TaskFailed` when what it was for is gone.
        """
        started = self._clock.monotonic()
        self._calls.check(ready, arguments)
        self._calls.count(ready, call.asker.member_id)
        new = _record_of(ready, arguments, call)
        if not await self._store.begin_plain(new, self._clock.now_ms()):
            raise AlreadyCalled
        _log.info("call started", call_id=new.id, installation_id=new.installation_id, tool=new.tool)
        context = context_of(ready.installed, new, call.user_request)
        try:
            reply = await self._calls.send(ready, context, arguments, started)
        except TrickFault as fault:
            await self._calls.finish(ready, new, outcome_of_fault(fault, ready.pin.read_only))
            await self._calls.look_soon(ready, fault)
            raise error_of_fault(fault, ready.pin.read_only) from fault
        if isinstance(reply, CallToolResult):
            return await self._ended(ready, new, reply)
        return await self._goes_on(ready, new, call.request, first_round(arguments), reply)

    async def resend(
        self,
        ready: Ready,
        row: TaskRow,
        responses: Mapping[str, Json],
        user_request: UserRequest | None = None,
    ) -> CallToolResult | TaskStarted:
        """Send a call that asked back once more, with what its questions were answered.

        `responses` have the keys of `Resume.requests`. A result, one with `is_error` too, is given back and
        ends nothing here. Else the row goes on: `TaskStarted` has it as it is stored now, to be polled at
        once. The caller counts this as a poll. Raises a `TrickFault` after which it may be tried again;
        `OutcomeUnknown` for a write whose answer was lost, which is never sent again; `TaskFailed` when it
        asked back too often or cannot go on; `AlreadyCalled` when somebody else sent it or it has ended.
        """
        resume = open_resume(self._box, row)
        if resume.sent and not ready.pin.read_only:
            raise OutcomeUnknown
        marked = replace(row, resume=replace(resume, sent=True).seal(self._box, row.id))
        await self._mark(row, marked)
        try:
            reply = await self._calls.send(
                ready,
                context_of(ready.installed, row, user_request),
                resume.arguments,
                self._clock.monotonic(),
                input_responses=resume.own_keys(responses) or None,
                request_state=resume.state,
            )
        except TrickFault as fault:
            error = error_of_fault(fault, ready.pin.read_only)
            if error is fault:
                await self._mark(marked, row)
                await self._calls.look_soon(ready, fault)
            raise error from fault
        if isinstance(reply, CallToolResult):
            return reply
        now = self._clock.now_ms()
        started = self._started(marked, resume, reply, now, now)
        if not await self._tasks.renew(started.row):
            raise AlreadyCalled
        return started

    async def _ended(self, ready: Ready, new: NewCall, result: CallToolResult) -> CallToolResult:
        if result.is_error:
            outcome = outcome_of_error(result)
            await self._calls.finish(ready, new, outcome)
            raise ToolFailed(outcome.said or "")
        stored = dump(result.to_stored()).decode()
        await self._calls.finish(ready, new, CallOutcome("succeeded", result=stored, fault=False))
        return result

    async def _goes_on(
        self,
        ready: Ready,
        new: NewCall,
        request: Request,
        resume: Resume,
        reply: CreateTaskResult | InputRequiredResult,
    ) -> TaskStarted:
        now = self._clock.now_ms()
        row = row_of(new, request.id, request.message_id, now)
        started = self._started(row, resume, reply, now, now + FIRST_POLL_MS)
        try:
            handed_over = await self._store.hand_over(new.id, started.row)
        except StorageError:
            _log.exception("a task could not be recorded", call_id=new.id)
            if ready.pin.read_only:
                raise
            raise OutcomeUnknown from None
        if not handed_over:
            await self._calls.finish(ready, new, CallOutcome("failed", failure=MESSAGE_DELETED))
            raise TaskFailed
        _log.info("call goes on as a task", call_id=new.id)
        return started

    def _started(
        self,
        row: TaskRow,
        resume: Resume,
        reply: CreateTaskResult | InputRequiredResult,
        now: int,
        poll_at: int,
    ) -> TaskStarted:
        if isinstance(reply, CreateTaskResult):
            return TaskStarted(became_task(row, reply.task, self._box, now, poll_at), reply.task)
        return TaskStarted(asks_first(row, reply, resume, self._box, now, poll_at), None)

    async def _mark(self, row: TaskRow, marked: TaskRow) -> None:
        """Put what `marked` resumes with in the place of what `row` does, unless the row is another by now."""
        if not await self._tasks.mark(row.id, row.resume or "", marked.resume or ""):
            raise AlreadyCalled


def _record_of(ready: Ready, arguments: dict[str, Json], call: RequestCall) -> NewCall:
    return NewCall(
        id=call.call_id,
        installation_id=ready.installed.row.id,
        guild_id=call.asker.guild_id,
        tool=ready.pin.tool,
        origin="assistant",
        asker_id=call.asker.member_id,
        channel_id=call.place.channel_id,
        message_id=call.request.message_id,
        arguments=dump(arguments).decode(),
    )
