"""What every call of a tool has in common, whoever starts it: check, count, send, record its end."""

from collections.abc import Mapping
from typing import Literal

from tenacity import AsyncRetrying, RetryCallState, stop_after_attempt

from bot.clock import Clock
from bot.errors import (
    BadArguments,
    ConnectFailed,
    ConnectionLost,
    HttpFailure,
    KennelError,
    NameNotFound,
    OutcomeUnknown,
    RedirectRefused,
    RpcFailure,
    ToolFailed,
    TrickFault,
    UrlRefused,
)
from bot.log import logger
from bot.mcp import CallReply, CallToolResult, InvocationContext, McpClient, UserRequest
from bot.mcp.headers import parameter_headers
from bot.mcp.jsonrpc import HEADER_MISMATCH
from bot.mcp.schemas import ArgumentChecker
from bot.metrics import NO_METRICS, Metrics
from bot.strict_json import Json
from bot.text import printable
from bot.tricks.answers import said_by
from bot.tricks.checks import Ready
from bot.tricks.installed import Installed
from bot.tricks.limits import Limiter, call_limits
from bot.tricks.notices import OwnerNotices
from storage.calls import Calls
from storage.errors import StorageError
from storage.looks import Looks
from storage.records import CallOutcome, Claim, NewCall
from storage.request_records import TaskRow

ANSWER_WITHIN = 9.0
"""Seconds from the start of a call to the end of its last attempt; a command's answer is shown within ten."""
REPEAT_WITHIN = 2.0
"""Seconds in which an attempt must have failed for the call to be tried once more."""

_log = logger(__name__)


class ToolCalls:
    """The steps of one call. The order in which they are taken is the caller's."""

    def __init__(
        self,
        client: McpClient,
        store: Calls,
        looks: Looks,
        limiter: Limiter,
        clock: Clock,
        notices: OwnerNotices,
        metrics: Metrics = NO_METRICS,
    ) -> None:
        self._client = client
        self._store = store
        self._looks = looks
        self._arguments = ArgumentChecker()
        self._limiter = limiter
        self._clock = clock
        self._notices = notices
        self._metrics = metrics

    def check(self, ready: Ready, arguments: dict[str, Json]) -> None:
        """Whether the arguments fit the schema and can be sent. Raises `BadArguments`."""
        key = ready.pin.definition_hash
        problems = self._arguments.argument_problems(ready.schema, arguments, key=key)
        if problems:
            raise BadArguments(problems)
        parameter_headers(ready.schema, arguments)

    def count(self, ready: Ready, member_id: str) -> None:
        """Count the call. Raises `LimitReached`."""
        self._limiter.take(*call_limits(ready.installed.row.id, ready.pin.tool, member_id))

    async def send(
        self,
        ready: Ready,
        context: InvocationContext,
        arguments: Mapping[str, Json],
        started: float,
        *,
        input_responses: Mapping[str, Json] | None = None,
        request_state: str | None = None,
    ) -> CallReply:
        """Send the call, and once more where that is safe. Raises a `TrickFault`."""

        def worth_repeating(state: RetryCallState) -> bool:
            fault = state.outcome.exception() if state.outcome else None
            early = self._clock.monotonic() - started < REPEAT_WITHIN
            return early and _may_repeat(fault, ready.pin.read_only)

        begun = self._clock.monotonic()
        try:
            async for attempt in AsyncRetrying(
                stop=stop_after_attempt(2), retry=worth_repeating, reraise=True, sleep=self._clock.sleep
            ):
                with attempt:
                    left = started + ANSWER_WITHIN - self._clock.monotonic()
                    return await self._client.call_tool(
                        ready.installed.mcp,
                        context,
                        ready.pin.tool,
                        arguments,
                        ready.schema,
                        timeout=min(5.0, left),
                        input_responses=input_responses,
                        request_state=request_state,
                    )
        finally:
            self._metrics.call_took(self._clock.monotonic() - begun)
        raise AssertionError("a retry ends with a result or an error")

    async def look_soon(self, ready: Ready, fault: TrickFault) -> None:
        """Headers are made from the pinned schema: where they are refused, the live one may be another."""
        if isinstance(fault, RpcFailure) and fault.code == HEADER_MISMATCH:
            await self._looks.schedule(ready.installed.row.id, self._clock.now_ms())

    async def finish(
        self, ready: Ready, call: NewCall, outcome: CallOutcome, shorten: Claim | None = None
    ) -> bool:
        """Record what became of the call; False when the database would not, which must not hide it."""
        _log.info("call ended", call_id=call.id, outcome=outcome.status)
        try:
            finished = await self._store.finish(call.id, outcome, self._clock.now_ms(), shorten=shorten)
        except StorageError:
            _log.exception("a call's end could not be recorded", call_id=call.id)
            return False
        state = "paused" if finished.paused else ready.installed.row.state
        self._metrics.call_ended(state, outcome.status, call.origin)
        if finished.paused:
            self._notices.tell_paused(call.guild_id, ready.installed.name)
        return finished.stored


def context_of(
    installed: Installed, call: NewCall | TaskRow, user_request: UserRequest | None = None
) -> InvocationContext:
    """What the trick is told with the call, and with whatever is asked about its task."""
    return InvocationContext(
        installation_id=call.installation_id,
        asker_id=call.asker_id,
        channel_id=call.channel_id,
        settings=installed.settings,
        call_id=call.id,
        user_request=user_request,
    )


def outcome_of_error(result: CallToolResult) -> CallOutcome:
    """How a call ends whose tool reported a problem of its own."""
    failure = "The tool itself reported a problem."
    return CallOutcome(
        "failed", failure=failure, said=said_by(result), fault=False, failure_kind=ToolFailed.__name__
    )


def outcome_of_fault(fault: TrickFault, read_only: bool) -> CallOutcome:
    """How a call ends that the trick did not answer as it should."""
    said = printable(fault.said) if isinstance(fault, RpcFailure) else None
    status: Literal["unknown", "failed"] = "unknown" if _is_unknown(fault, read_only) else "failed"
    return CallOutcome(status, failure=fault.detail, said=said, fault=True, failure_kind=fault.kind)


def error_of_fault(fault: TrickFault, read_only: bool) -> KennelError:
    """What whoever waits for the call is told: the fault, or that nobody knows whether a write happened."""
    return OutcomeUnknown() if _is_unknown(fault, read_only) else fault


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
