"""One call of one tool: check, record, send, record.

Two transactions at most: the first takes the claim and records the call before anything is sent, the second
records what became of it. A process that dies in between leaves a call that is later marked unknown.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tenacity import AsyncRetrying, RetryCallState, stop_after_attempt

from bot.clock import Clock
from bot.errors import (
    AlreadyPressed,
    BadArguments,
    ConnectFailed,
    ConnectionLost,
    Duplicate,
    HttpFailure,
    KennelError,
    NameNotFound,
    NotInCommands,
    OutcomeUnknown,
    RedirectRefused,
    RpcFailure,
    ToolFailed,
    TrickFault,
    UrlRefused,
)
from bot.log import logger
from bot.mcp import CallReply, CallToolResult, InvocationContext, McpClient
from bot.mcp.headers import parameter_headers
from bot.mcp.jsonrpc import HEADER_MISMATCH
from bot.mcp.schemas import ArgumentChecker
from bot.policy.audiences import Asker, Place
from bot.presentation.models import Presentation
from bot.strict_json import Json, dump
from bot.text import escape, one_line, printable
from bot.tricks.answers import read_answer, said_by
from bot.tricks.checks import Ready
from bot.tricks.limits import Limiter, call_limits
from bot.tricks.notices import OwnerNotices
from storage import calls as call_store
from storage.errors import StorageError
from storage.looks import Looks
from storage.records import CallOutcome, Claim, NewAction, NewCall

Origin = Literal["slash", "prefix", "button"]

ANSWER_WITHIN = 9.0
"""Seconds from the command to the end of the last attempt; the answer is shown within ten."""
REPEAT_WITHIN = 2.0
"""Seconds in which an attempt must have failed for the call to be tried once more."""
DOUBLE_PRESS = 3.0
"""Seconds for which a second press by the same person counts as the same press."""
EVENT_CLAIM = 3_600.0
"""Seconds for which an event that is delivered again is recognised."""
PAUSE_AFTER = 5

_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Start:
    """Who started a call, where, and by which event.

    `event_id` is unique for one command (the interaction's or message's id) and the same for one person's
    presses of one button. `message_id` is the message with which inputs and results are erased;
    `answer_id` the message that will show the answer, where it exists already.
    """

    origin: Origin
    event_id: str
    asker: Asker
    place: Place
    started: float
    message_id: str | None = None
    answer_id: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call gave: `keys` maps the id of each of the presentation's actions to its button's key."""

    call_id: str
    presentation: Presentation
    keys: Mapping[str, str]


class Calls:
    """Runs tools for commands and buttons."""

    def __init__(
        self,
        client: McpClient,
        store: call_store.Calls,
        looks: Looks,
        limiter: Limiter,
        clock: Clock,
        notices: OwnerNotices,
    ) -> None:
        self._client = client
        self._store = store
        self._looks = looks
        self._arguments = ArgumentChecker()
        self._limiter = limiter
        self._clock = clock
        self._notices = notices

    async def run(self, ready: Ready, arguments: dict[str, Json], start: Start) -> Answer:
        """Check the arguments and limits, then call the tool once.

        Raises `BadArguments`, `LimitReached`, `Duplicate` or `AlreadyPressed` before anything is sent;
        afterwards a `TrickFault`, `ToolFailed`, `NotInCommands` or `OutcomeUnknown`; `StorageError` when the
        call could not be recorded, and then it was not sent.
        """
        self._check(ready, arguments)
        installation_id, tool = ready.installed.row.id, ready.pin.tool
        self._limiter.take(*call_limits(installation_id, tool, start.asker.member_id))
        call = self._record_of(ready, arguments, start)
        await self._begin(call, start)
        try:
            result = await self._send(ready, arguments, call, start)
        except TrickFault as fault:
            await self._finish(ready, call, start, _outcome_of_fault(fault, ready.pin.read_only))
            await self._look_soon(ready, fault)
            raise _error_of_fault(fault, ready.pin.read_only) from fault
        return await self._answer(ready, call, result, start)

    def _check(self, ready: Ready, arguments: dict[str, Json]) -> None:
        """Whether the arguments fit the schema and can be sent. Raises `BadArguments`."""
        key = ready.pin.definition_hash
        problems = self._arguments.argument_problems(ready.schema, arguments, key=key)
        if problems:
            raise BadArguments(problems)
        parameter_headers(ready.schema, arguments)

    async def _look_soon(self, ready: Ready, fault: TrickFault) -> None:
        """Headers are made from the pinned schema: where they are refused, the live one may be another."""
        if isinstance(fault, RpcFailure) and fault.code == HEADER_MISMATCH:
            await self._looks.schedule(ready.installed.row.id, self._clock.now_ms())

    def _record_of(self, ready: Ready, arguments: dict[str, Json], start: Start) -> NewCall:
        return NewCall(
            id=self._clock.new_id(),
            installation_id=ready.installed.row.id,
            guild_id=start.asker.guild_id,
            tool=ready.pin.tool,
            origin=start.origin,
            asker_id=start.asker.member_id,
            channel_id=start.place.channel_id,
            message_id=start.message_id,
            arguments=dump(arguments).decode(),
        )

    async def _begin(self, call: NewCall, start: Start) -> None:
        now = self._clock.now_ms()
        kept = ANSWER_WITHIN + 1 if start.origin == "button" else EVENT_CLAIM
        claim = Claim(start.event_id, now + round(kept * 1000))
        if not await self._store.begin(claim, call, now):
            raise AlreadyPressed if start.origin == "button" else Duplicate
        _log.info("call started", call_id=call.id, installation_id=call.installation_id, tool=call.tool)

    async def _send(self, ready: Ready, arguments: dict[str, Json], call: NewCall, start: Start) -> CallReply:
        context = InvocationContext(
            installation_id=call.installation_id,
            asker_id=call.asker_id,
            channel_id=call.channel_id,
            settings=ready.installed.settings,
            call_id=call.id,
        )

        def worth_repeating(state: RetryCallState) -> bool:
            fault = state.outcome.exception() if state.outcome else None
            early = self._clock.monotonic() - start.started < REPEAT_WITHIN
            return early and _may_repeat(fault, ready.pin.read_only)

        async for attempt in AsyncRetrying(
            stop=stop_after_attempt(2), retry=worth_repeating, reraise=True, sleep=self._clock.sleep
        ):
            with attempt:
                left = start.started + ANSWER_WITHIN - self._clock.monotonic()
                return await self._client.call_tool(
                    ready.installed.mcp,
                    context,
                    ready.pin.tool,
                    arguments,
                    ready.schema,
                    timeout=min(5.0, left),
                )
        raise AssertionError("a retry ends with a result or an error")

    async def _answer(self, ready: Ready, call: NewCall, result: CallReply, start: Start) -> Answer:
        if not isinstance(result, CallToolResult):
            failure = "It answered with a task or a question, which commands and buttons cannot wait for."
            await self._finish(ready, call, start, CallOutcome("failed", failure=failure, fault=False))
            raise NotInCommands
        if result.is_error:
            said = said_by(result)
            failure = "The tool itself reported a problem."
            outcome = CallOutcome("failed", failure=failure, said=said, fault=False)
            await self._finish(ready, call, start, outcome)
            raise ToolFailed(said)
        presentation, dropped = read_answer(result, ready.installed.tools)
        if dropped:
            _log.info("parts of a presentation were dropped", call_id=call.id, names=dropped)
        keys = {action.id: self._clock.new_key() for action in presentation.actions}
        outcome = CallOutcome(
            "succeeded",
            result=dump(result.to_stored()).decode(),
            fault=False,
            actions=tuple(
                NewAction(keys[action.id], action.tool, action.label, dump(dict(action.arguments)).decode())
                for action in presentation.actions
            ),
            answer_id=start.answer_id,
        )
        recorded = await self._finish(ready, call, start, outcome)
        return Answer(call.id, presentation, keys if recorded else {})

    async def _finish(self, ready: Ready, call: NewCall, start: Start, outcome: CallOutcome) -> bool:
        """Record what became of the call; False when the database would not, which must not hide it."""
        now = self._clock.now_ms()
        shorten = None
        if start.origin == "button":
            elapsed = self._clock.monotonic() - start.started
            shorten = Claim(start.event_id, now + max(0, round((DOUBLE_PRESS - elapsed) * 1000)))
        _log.info("call ended", call_id=call.id, outcome=outcome.status)
        try:
            finished = await self._store.finish(
                call.id, outcome, now, pause_after=PAUSE_AFTER, shorten=shorten
            )
        except StorageError:
            _log.exception("a call's end could not be recorded", call_id=call.id)
            return False
        if finished.paused:
            self._notices.tell(
                call.guild_id,
                f"{escape(one_line(ready.installed.name))} failed {PAUSE_AFTER} times in a row, so Kennel has "
                "paused it. `/tricks test` says what is wrong; `/tricks enable` turns it on again.",
            )
        return finished.stored


def _may_repeat(fault: BaseException | None, read_only: bool) -> bool:
    """A call that was never sent may be tried again; a read also when its answer was lost early."""
    if isinstance(fault, (NameNotFound, ConnectFailed)):
        return True
    lost = isinstance(fault, ConnectionLost) or (
        isinstance(fault, HttpFailure) and fault.status in (502, 503, 504)
    )
    return read_only and lost


def _is_unknown(fault: TrickFault, read_only: bool) -> bool:
    """Whether a write may have happened: something was sent, and no definite refusal came back."""
    if read_only or not fault.sent:
        return False
    if isinstance(fault, (RpcFailure, RedirectRefused, UrlRefused)):
        return False
    return not (isinstance(fault, HttpFailure) and 400 <= fault.status < 500)


def _outcome_of_fault(fault: TrickFault, read_only: bool) -> CallOutcome:
    said = printable(fault.said) if isinstance(fault, RpcFailure) else None
    status: Literal["unknown", "failed"] = "unknown" if _is_unknown(fault, read_only) else "failed"
    return CallOutcome(status, failure=fault.detail, said=said, fault=True)


def _error_of_fault(fault: TrickFault, read_only: bool) -> KennelError:
    return OutcomeUnknown() if _is_unknown(fault, read_only) else fault
