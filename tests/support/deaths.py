"""Processes that end after any one of their steps, in the middle of a conversation, without a last word.

A step is what others can see of a process: a commit, or a request to the trick, to the model or to Discord. Between
two steps nothing is kept, so that a process killed at any moment has died after one of them. What a dead process
still has under way does nothing any more.
"""

import asyncio
import inspect
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import TypeVar

import httpx
import pytest

from bot.app import Kennel
from bot.config import Config
from bot.llm.model import MAX_SECONDS, AssistantMessage, Completion, Message, ToolCall, ToolSpec
from bot.outbound import Reply
from bot.services import Services, open_services
from bot.speaker import ThreadPlace, Where
from bot.transport import AddressPolicy, SystemResolver
from cogs.speaker import DiscordSpeaker
from storage.engine import Database
from tests.support.clock import ShiftedClock
from tests.support.world import PatientTransport

T = TypeVar("T")


@dataclass
class Life:
    """How long a process lives: until its step number `last` is done, or as long as it likes."""

    last: int | None = None
    steps: list[str] = field(default_factory=list[str])

    @property
    def over(self) -> bool:
        """Whether it is dead."""
        return self.last is not None and len(self.steps) >= self.last

    async def step(self, name: str, do: Callable[[], Awaitable[T]]) -> T:
        """One step. Raises `CancelledError`, which no boundary for errors catches, instead or after it was done."""
        self._live()
        done = await do()
        self._live()  # it may have ended while this was on its way
        self.steps.append(name)
        self._live()
        return done

    def _live(self) -> None:
        if self.over:
            raise asyncio.CancelledError("the process is dead")


class PassingClock(ShiftedClock):
    """Sleeping lets the time pass at once."""

    async def sleep(self, seconds: float) -> None:
        self.advance(seconds)
        await asyncio.sleep(0)


Word = str | Exception | dict[str, dict[str, str]]
"""What the model says, how it fails, or the tools that it calls with their arguments."""


class Script:
    """A model that says the same at the same place of a conversation, however often it is asked."""

    def __init__(self, life: Life, words: Sequence[Word]) -> None:
        self._life = life
        self._words = words

    async def complete(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec] = (),
        *,
        seconds: float = MAX_SECONDS,
        max_output_tokens: int = 4_096,
    ) -> Completion:
        async def do() -> Completion:
            return Completion(self._said(system, messages, tools))

        kind = system.splitlines()[0] if system.startswith("auto-review") else "turn" if tools else "words"
        return await self._life.step(f"model: {kind}", do)

    async def aclose(self) -> None:
        pass

    def _said(self, system: str, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> AssistantMessage:
        if system.startswith("auto-review"):
            return AssistantMessage(text='{"pass": true, "reason": "as asked"}')
        if not tools:
            last = messages[-1]
            happened = json.loads(getattr(last, "text", ""))["event"]
            return AssistantMessage(text=f"In words: {happened['what']}.")
        word = self._words[sum(isinstance(each, AssistantMessage) for each in messages)]
        if isinstance(word, Exception):
            raise word
        if isinstance(word, str):
            return AssistantMessage(text=word)
        calls = [
            ToolCall(id=f"c{len(messages)}-{number}", name=name, arguments=json.dumps(arguments))
            for number, (name, arguments) in enumerate(word.items())
        ]
        return AssistantMessage(calls=tuple(calls))


class _Transport(PatientTransport):
    life: Life

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        handle = super().handle_async_request
        name = json.loads(await request.aread()).get("method", "event")
        return await self.life.step(f"trick: {name}", lambda: handle(request))


class _Speaker(DiscordSpeaker):
    def __init__(self, bot: Kennel, life: Life) -> None:
        super().__init__(bot)
        self._life = life

    async def say(self, where: Where, reply: Reply, nonce: str) -> str | None:
        say = super().say
        return await self._life.step("discord: say", lambda: say(where, reply, nonce))

    async def edit(self, channel_id: str, message_id: str, reply: Reply, ping: str | None = None) -> bool:
        edit = super().edit
        return await self._life.step("discord: edit", lambda: edit(channel_id, message_id, reply, ping))

    async def open_thread(
        self, guild_id: str, channel_id: str, message_id: str, asker_id: str
    ) -> ThreadPlace:
        open_thread = super().open_thread
        return await self._life.step(
            "discord: open_thread", lambda: open_thread(guild_id, channel_id, message_id, asker_id)
        )


def _database_of(life: Life) -> type[Database]:
    class Mortal(Database):
        async def write(self, work: Callable[..., Awaitable[T]]) -> T:
            write = super().write
            return await life.step(_asked_by(inspect.currentframe()), lambda: write(work))

    return Mortal


def _asked_by(frame: FrameType | None) -> str:
    """The public method of a store that a write is part of."""
    frame = frame.f_back if frame else None
    while frame is not None and frame.f_code.co_name.startswith("_"):
        frame = frame.f_back
    return "" if frame is None else frame.f_code.co_qualname


@asynccontextmanager
async def mortal_process(
    config: Config, clock: ShiftedClock, bot: Kennel, life: Life, words: Sequence[Word]
) -> AsyncGenerator[Services]:
    """The services of one process that lives as long as `life`, and speaks through `bot`."""
    hosts = frozenset(config.network.development_hosts)
    transport = _Transport(SystemResolver(), AddressPolicy(), development_hosts=hosts)
    transport.life = life
    opening = open_services(config, clock, transport, Script(life, words))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("storage.engine.Database", _database_of(life))
        services = await opening.__aenter__()
    try:
        services.line.attach(_Speaker(bot, life))
        yield services
    finally:
        await opening.__aexit__(None, None, None)


async def look(services: Services) -> bool:
    """What a process does by itself every few seconds; whether anything was due."""
    await services.housekeeping.end_abandoned_calls()
    await services.watch.refresh()
    due = await services.pulse.due(services.clock.now_ms())
    jobs: tuple[tuple[bool, Callable[[], Awaitable[object]]], ...] = (
        (due.requests, services.assistant.sweep),
        (due.cards, services.approvals.expire_due),
        (due.card_messages, services.approvals.fold_due),
        (due.polls, services.poller.poll_due),
        (due.news, services.teller.tell_due),
        (due.questions, services.questions.post_due),
        (due.old_questions, services.questions.expire_due),
        (due.question_messages, services.questions.fold_due),
    )
    for is_due, job in jobs:
        if is_due:
            await job()
    return any(is_due for is_due, _ in jobs)
