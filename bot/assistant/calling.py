"""What happens to one call that the model wrote: it runs, waits for the asker, or is answered at once.

Every call is found again by its id: its row in `calls` says whether it was sent, its row in `approvals` whether
it was asked about. So a process that goes on with a stored conversation runs nothing a second time.
"""

import json
from collections.abc import Mapping

from bot import strict_json
from bot.approvals.auto_review import AutoReview, ReviewedWrite
from bot.approvals.desk import ApprovalDesk, require_unchanged
from bot.assistant.answer import links_in_result
from bot.assistant.conversation import PendingCall
from bot.assistant.prompts import note_content, result_content
from bot.assistant.run import Run, Settled
from bot.assistant.steering import Steering
from bot.assistant.threads import Threads
from bot.assistant.toolset import LOAD, definitions_text, introduction
from bot.errors import (
    BadArguments,
    KennelError,
    OutcomeUnknown,
    SettingsMissing,
    ThreadRefused,
    ToolHeldBack,
    UnknownTool,
    WritesStopped,
)
from bot.mcp import CallToolResult, UserRequest
from bot.mcp.client import read_call_reply
from bot.policy.provenance import Source
from bot.strict_json import Json
from bot.tasks.waiting import Waiting
from bot.text import clamp, escape, one_line
from bot.tricks.checks import Checks, Ready
from bot.tricks.request_calls import RequestCall, RequestCalls
from storage.calls import CallState
from storage.request_records import Approval, ApprovalReason

_GOES_ON = (
    "The work goes on by itself. Say briefly that you are working on it. Kennel tells the asker how it ends, and "
    "passes its questions on."
)
_NOT_SET_UP = (
    "This trick is not set up yet. Kennel tells the asker what is missing; say only that it cannot be used."
)
"""The labels of settings are the trick's words: they go to the asker and not into the conversation."""
_REFUSED: Mapping[str, str] = {
    "declined": "The asker said Don't, so this was not done.",
    "expired": "The asker did not answer in time, so this was not done.",
    "cancelled": "This was called off and not done.",
    "stopped": "This was not done: the asker stopped changes for this request.",
}


class Calling:
    """Settles calls, one by one."""

    def __init__(
        self,
        checks: Checks,
        calls: RequestCalls,
        desk: ApprovalDesk,
        steering: Steering,
        review: AutoReview,
        waiting: Waiting,
        threads: Threads,
    ) -> None:
        self._checks = checks
        self._calls = calls
        self._desk = desk
        self._steering = steering
        self._review = review
        self._waiting = waiting
        self._threads = threads

    async def settle(self, run: Run, call: PendingCall) -> Settled:
        """Go as far as possible with one call. What fails is told to the model as a fixed sentence."""
        try:
            if call.name == LOAD:
                return self._load(run, call)
            if run.resumed:
                begun = await self._begun(run, call)
                if begun is not None:
                    return begun
            return await self._decide(run, call)
        except OutcomeUnknown as unknown:
            return Settled(note_content(error=unknown.sentence), notes=(unknown.sentence,))
        except ThreadRefused as refused:
            return Settled(note_content(error=refused.sentence), notes=(refused.sentence,))
        except SettingsMissing as missing:
            return Settled(note_content(error=_NOT_SET_UP), notes=(missing.sentence,))
        except KennelError as error:
            return Settled(note_content(error=error.sentence))

    def _load(self, run: Run, call: PendingCall) -> Settled:
        trick_id = _arguments(call).get("trick")
        trick = run.toolset.load(trick_id if isinstance(trick_id, str) else "")
        source = Source(
            kind="definitions", author_id=trick.installation_id, id=trick.id, text=definitions_text(trick)
        )
        return Settled(strict_json.dump(introduction(trick)).decode(), sources=(source,), loaded=(trick.id,))

    async def _begun(self, run: Run, call: PendingCall) -> Settled | None:
        """What is stored about a call that an earlier run began; None when it began nothing."""
        state = await self._calls.state_of(call.call_id)
        approval = await self._desk.of_call(call.call_id)
        if state is not None:
            settled = self._from_state(run, call, state)
            passed = approval is not None and approval.status == "auto_approved" and state.status != "failed"
            return _noting_review(settled, _title(run, call)) if passed else settled
        if approval is None:
            return None
        match approval.status:
            case "open":
                if approval.card_id is None:
                    await self._desk.post(approval)
                return Settled(None)
            case "approved" | "auto_approved":
                return await self._approved(run, call, approval)
            case closed:
                return Settled(note_content(not_done=_REFUSED[closed]))

    def _from_state(self, run: Run, call: PendingCall, state: CallState) -> Settled:
        """The call was sent already: its stored end is its end."""
        trick, tool = run.toolset.find(call.name)
        match state.status:
            case "succeeded":
                result = read_call_reply(json.loads(state.result or "{}"))
                if isinstance(result, CallToolResult):
                    return self._result(trick.installation_id, call, result)
                return Settled(note_content(error=KennelError().sentence))
            case "working":
                return Settled(note_content(working=_GOES_ON))
            case "failed":
                return Settled(note_content(error="That did not work."))
            case _ if tool.pin.read_only:
                return Settled(note_content(error="The answer was lost. It can be asked for again."))
            case _:
                raise OutcomeUnknown

    async def _decide(self, run: Run, call: PendingCall) -> Settled:
        """A call of which nothing is stored: check it, then run it, review it or ask."""
        trick, tool = run.toolset.find(call.name)
        arguments = _arguments(call)
        ready = await self._checks.tool(trick.installation_id, tool.pin.tool, run.asker, run.place)
        if ready.pin.definition_hash != tool.pin.definition_hash:
            raise ToolHeldBack(escape(one_line(ready.installed.name)))
        self._calls.check(ready, arguments)
        if ready.pin.read_only:
            return await self._run(run, call, ready, arguments)
        outside = await self._steering.outside(run, call, ready)
        match await self._steering.verdict(run, ready, outside):
            case "run":
                return await self._run(run, call, ready, arguments)
            case "review":
                return await self._review_or_ask(run, call, ready, arguments, outside)
            case "card":
                return await self._ask(run, call, ready, arguments, outside, "outside")
            case "card_only":
                return await self._ask(run, call, ready, arguments, outside, "always_ask")
            case "refuse":
                raise WritesStopped
            case "no_tools":
                raise UnknownTool

    async def _ask(
        self,
        run: Run,
        call: PendingCall,
        ready: Ready,
        arguments: dict[str, Json],
        outside: tuple[Source, ...],
        reason: ApprovalReason,
    ) -> Settled:
        await self._desk.open(
            run.request,
            ready,
            call.call_id,
            arguments,
            reason=reason,
            reviewable=reason == "outside",
            outside=outside,
        )
        return Settled(None)

    async def _review_or_ask(
        self,
        run: Run,
        call: PendingCall,
        ready: Ready,
        arguments: dict[str, Json],
        outside: tuple[Source, ...],
    ) -> Settled:
        asked = [source.text for source in run.conversation.sources[: call.sources] if source.kind == "asker"]
        write = ReviewedWrite(
            trick=ready.installed.name,
            tool=call.name,
            title=ready.pin.title,
            description=ready.pin.description,
            arguments=arguments,
        )
        if not await self._review.passes(asked, write, outside):
            return await self._ask(run, call, ready, arguments, outside, "outside")
        if not await self._desk.auto_approved(run.request, ready, call.call_id):
            raise WritesStopped
        return _noting_review(await self._run(run, call, ready, arguments), ready.title)

    async def _approved(self, run: Run, call: PendingCall, approval: Approval) -> Settled:
        """The asker agreed to exactly what the card showed, and that is what runs."""
        ready = await self._checks.tool(approval.installation_id, approval.tool, run.asker, run.place)
        require_unchanged(approval, ready)
        shown = approval.arguments
        settled = await self._run(run, call, ready, json.loads(shown) if shown else _arguments(call))
        return _noting_review(settled, ready.title) if approval.status == "auto_approved" else settled

    async def _run(self, run: Run, call: PendingCall, ready: Ready, arguments: dict[str, Json]) -> Settled:
        notes = await self._threads.ensure(run) if ready.pin.thread else ()
        request = run.request
        user_request = None
        if ready.pin.user_request:
            user_request = UserRequest(request.message_id, request.channel_id, request.content or "")
        started = await self._calls.run(
            ready, arguments, RequestCall(call.call_id, request, run.asker, run.speaks_at, user_request)
        )
        if not isinstance(started, CallToolResult):
            result = await self._waiting.wait(started.row)
            if result is None:
                return Settled(note_content(working=_GOES_ON), notes=notes)
            started = result
        settled = self._result(ready.installed.row.id, call, started)
        return Settled(settled.content, settled.sources, settled.links, notes)

    def _result(self, installation_id: str, call: PendingCall, result: CallToolResult) -> Settled:
        content = result_content(result)
        source = Source(kind="tool_output", author_id=installation_id, id=call.call_id, text=content)
        return Settled(content, sources=(source,), links=links_in_result(result.to_stored()))


def _noting_review(settled: Settled, title: str) -> Settled:
    """The answer has to say that the write was auto-reviewed."""
    note = f"Auto-reviewed: {clamp(escape(one_line(title)), 100)}"
    return Settled(settled.content, settled.sources, settled.links, (note, *settled.notes))


def _title(run: Run, call: PendingCall) -> str:
    _, tool = run.toolset.find(call.name)
    return tool.pin.shown_title


def _arguments(call: PendingCall) -> dict[str, Json]:
    """What the model wrote, as JSON. Raises `BadArguments`."""
    try:
        arguments: Json = strict_json.parse(call.arguments.strip().encode(errors="replace") or b"{}")
    except strict_json.NotJson as error:
        raise BadArguments((f"The arguments cannot be read: the text {error}.",)) from None
    if not isinstance(arguments, dict):
        raise BadArguments(("The arguments have to be a JSON object.",))
    return arguments
