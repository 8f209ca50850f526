"""Calls that asked back before they began: ask, and once all is answered send the call again.

MCP 2026-07-28, multi round trip requests. What is asked, and how the call is sent again, is sealed in its row.
"""

import json

from bot.clock import Clock
from bot.errors import (
    AlreadyCalled,
    LimitReached,
    OutcomeUnknown,
    RpcFailure,
    TaskFailed,
    ToolHeldBack,
    TrickFault,
)
from bot.mcp import UserRequest
from bot.signing import SecretBox
from bot.tasks import poll_times
from bot.tasks.ends import EXPIRED, UNREACHABLE, Ends
from bot.tasks.faults import Faults
from bot.tasks.polls import Found, Reported, Rest
from bot.tasks.question_rows import ask, responses
from bot.text import escape, one_line
from bot.tricks.checks import Ready
from bot.tricks.installed import InstalledReader
from bot.tricks.limits import Limiter, poll_limits
from bot.tricks.request_calls import RequestCalls, TaskStarted
from bot.tricks.resume import Resume, open_resume
from storage.commands import Commands
from storage.questions import Questions
from storage.records import ToolView
from storage.request_records import QuestionRow, TaskRow
from storage.requests import Requests


class Rounds:
    """Takes such calls on. Whoever calls has the task's lease, and gives it back for `Rest` alone."""

    def __init__(
        self,
        calls: RequestCalls,
        commands: Commands,
        reader: InstalledReader,
        box: SecretBox,
        questions: Questions,
        requests: Requests,
        ends: Ends,
        faults: Faults,
        limiter: Limiter,
        clock: Clock,
    ) -> None:
        self._calls = calls
        self._commands = commands
        self._reader = reader
        self._box = box
        self._questions = questions
        self._requests = requests
        self._ends = ends
        self._faults = faults
        self._limiter = limiter
        self._clock = clock

    async def ask(self, row: TaskRow, *, tell: bool = True) -> tuple[Resume, tuple[QuestionRow, ...]]:
        """Store the questions of this round, once; gives the round with all questions of the call so far.

        Raises `TaskFailed`, after it ended the task, when one cannot be asked; with `tell` that is news.
        """
        asked = await self._questions.of_task(row.id)
        try:
            resume = open_resume(self._box, row)
            new = ask(row, resume.requests, asked, self._clock)
        except TaskFailed as failure:
            await self._ends.failed(row, failure, tell=tell)
            raise
        if new:
            await self._questions.ask(new)
        return resume, (*asked, *new)

    async def go_on(self, row: TaskRow) -> Found:
        """One step: ask, wait for the last answer, or send the call again."""
        try:
            resume, asked = await self.ask(row)
        except TaskFailed:
            return Reported()
        if any(question.status == "open" for question in asked):
            if self._clock.now_ms() >= row.expires_at:
                return await self._ends.lost(row, expired=True, sentence=EXPIRED) or Reported()
            return Rest(row.expires_at, row.poll_every)  # the last answer brings it forward
        view = await self._commands.find_tool(row.installation_id, row.tool)
        if view is None:  # removed, with all its rows
            return Reported()
        of_round = [question for question in asked if question.request_key in resume.requests]
        return await self._send(row, view, of_round)

    async def _send(self, row: TaskRow, view: ToolView, answered: list[QuestionRow]) -> Found:
        installed = self._reader.read(view.installation, self._clock.now_ms())
        if view.pin is None or installed.held_back(view.pin):
            held_back = ToolHeldBack(escape(one_line(installed.name)))
            return await self._ends.failed(row, held_back) or Reported()
        ready = Ready(installed, view.pin, json.loads(view.pin.input_schema))
        try:
            self._limiter.take(*poll_limits(row.installation_id))
            user_request = await self._user_request(row) if view.pin.user_request else None
            reply = await self._calls.resend(ready, row, responses(answered), user_request)
        except LimitReached as limit:
            return Rest(self._clock.now_ms() + limit.seconds * 1000, row.poll_every, limited=True)
        except AlreadyCalled:
            return Reported()
        except TaskFailed as failure:
            return await self._ends.failed(row, failure) or Reported()
        except OutcomeUnknown as unknown:
            await self._faults.count(row, installed, unknown)
            return await self._ends.unknown(row, unknown) or Reported()
        except TrickFault as fault:
            await self._faults.count(row, installed, fault)
            return await self._after_fault(row, fault)
        await self._faults.forget(installed)
        await self._questions.sent([question.id for question in answered])
        if isinstance(reply, TaskStarted):
            return Reported()
        return await self._ends.completed(row, reply) or Reported()

    async def _after_fault(self, row: TaskRow, fault: TrickFault) -> Found:
        """What the trick definitely refused is over; anything else is tried again until its time is over."""
        if isinstance(fault, RpcFailure):
            return await self._ends.failed(row, fault, said=fault.said) or Reported()
        now = self._clock.now_ms()
        if now >= row.expires_at:
            return await self._ends.lost(row, sentence=UNREACHABLE) or Reported()
        every = poll_times.after_fault(row.poll_every)
        return Rest(min(now + every, row.expires_at), every)

    async def _user_request(self, row: TaskRow) -> UserRequest | None:
        """The asker's message, as the trick was given it with the first sending."""
        request = await self._requests.get(row.request_id)
        if request is None or request.content is None:
            return None
        return UserRequest(request.message_id, request.channel_id, request.content)
