"""One call of one tool from a command or a button: check, record, send, record.

Two transactions at most: the first takes the claim and records the call before anything is sent, the second
records what became of it. A process that dies in between leaves a call that is later marked unknown.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bot.clock import Clock
from bot.errors import AlreadyPressed, Duplicate, NotInCommands, ToolFailed, TrickFault
from bot.log import logger
from bot.mcp import CallReply, CallToolResult, McpClient
from bot.metrics import NO_METRICS, Metrics
from bot.policy.audiences import Asker, Place
from bot.presentation.models import Presentation
from bot.strict_json import Json, dump
from bot.tricks.answers import read_answer
from bot.tricks.checks import Ready
from bot.tricks.limits import Limiter
from bot.tricks.notices import OwnerNotices
from bot.tricks.tool_calls import (
    ANSWER_WITHIN,
    ToolCalls,
    context_of,
    error_of_fault,
    outcome_of_error,
    outcome_of_fault,
)
from storage import calls as call_store
from storage.looks import Looks
from storage.records import CallOutcome, Claim, NewAction, NewCall

Origin = Literal["slash", "prefix", "button"]

DOUBLE_PRESS = 3.0
"""Seconds for which a second press by the same person counts as the same press."""
EVENT_CLAIM = 3_600.0
"""Seconds for which an event that is delivered again is recognised."""

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
        metrics: Metrics = NO_METRICS,
    ) -> None:
        self._calls = ToolCalls(client, store, looks, limiter, clock, notices, metrics)
        self._store = store
        self._clock = clock

    async def run(self, ready: Ready, arguments: dict[str, Json], start: Start) -> Answer:
        """Check the arguments and limits, then call the tool once.

        Raises `BadArguments`, `LimitReached`, `Duplicate` or `AlreadyPressed` before anything is sent;
        afterwards a `TrickFault`, `ToolFailed`, `NotInCommands` or `OutcomeUnknown`; `StorageError` when the
        call could not be recorded, and then it was not sent.
        """
        self._calls.check(ready, arguments)
        self._calls.count(ready, start.asker.member_id)
        call = self._record_of(ready, arguments, start)
        await self._begin(call, start)
        try:
            result = await self._calls.send(
                ready, context_of(ready.installed, call), arguments, start.started
            )
        except TrickFault as fault:
            read_only = ready.pin.read_only
            await self._finish(ready, call, start, outcome_of_fault(fault, read_only))
            await self._calls.look_soon(ready, fault)
            raise error_of_fault(fault, read_only) from fault
        return await self._answer(ready, call, result, start)

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

    async def _answer(self, ready: Ready, call: NewCall, result: CallReply, start: Start) -> Answer:
        if not isinstance(result, CallToolResult):
            failure = "It answered with a task or a question, which commands and buttons cannot wait for."
            await self._finish(
                ready,
                call,
                start,
                CallOutcome("failed", failure=failure, fault=False, failure_kind=NotInCommands.__name__),
            )
            raise NotInCommands
        if result.is_error:
            outcome = outcome_of_error(result)
            await self._finish(ready, call, start, outcome)
            raise ToolFailed(outcome.said or "")
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
        """`ToolCalls.finish`; a button's claim then ends when a second press no longer counts as the same."""
        shorten = None
        if start.origin == "button":
            elapsed = self._clock.monotonic() - start.started
            left = max(0, round((DOUBLE_PRESS - elapsed) * 1000))
            shorten = Claim(start.event_id, self._clock.now_ms() + left)
        return await self._calls.finish(ready, call, outcome, shorten)
