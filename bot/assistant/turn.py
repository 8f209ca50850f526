"""The loop of one request: ask the model, settle its calls, ask again, until there is an answer or a wait.

What is needed to go on is stored after every word of the model and before anything that word asks for is done.
A turn ends as a value; nothing waits in memory.
"""

import asyncio
import dataclasses
from collections.abc import Iterable
from typing import Literal

from bot.assistant.answer import compose, extract_links
from bot.assistant.calling import Calling
from bot.assistant.conversation import Conversation, PendingCall
from bot.assistant.prompts import note_content, opening, system_prompt
from bot.assistant.run import Run, Settled
from bot.assistant.toolset import LOAD, Toolset
from bot.clock import Clock
from bot.errors import KennelError, ModelNonsense
from bot.llm.model import Completion, Model
from bot.policy.links import LinkRules
from bot.policy.provenance import Source, SourceKind
from bot.speaker import Author, Line, Said
from bot.tricks.guidance import Guidance
from storage.requests import Requests

LEASE_MS = 120_000
"""Longer than the longest stretch between two savings: a model's answer and the calls that it wants."""
MAX_STEPS = 12
MAX_CALLS = 40
MAX_TOKENS = 400_000
MAX_RESULTS = 250_000
"""Characters of results in one conversation; a result that does not fit is not shown to the model at all."""

TurnEnd = Literal["answer", "waiting", "stopping", "gone"]
_KINDS: dict[Author, SourceKind] = {
    "asker": "asker",
    "bot": "bot_reply",
    "member": "member",
    "other": "other",
}
_TOO_LARGE = note_content(error="The result is too large to be read.")
_TOO_MANY = note_content(error="There were too many calls for one request, so this one was not made.")


class TooLong(KennelError):
    """A request that takes more steps or tokens than one may."""

    to_member = "This takes more steps than I may take at once. Ask for a smaller part of it."


class Turn:
    """Runs requests whose lease is held."""

    def __init__(
        self,
        model: Model,
        requests: Requests,
        guidance: Guidance,
        calling: Calling,
        line: Line,
        links: LinkRules,
        clock: Clock,
    ) -> None:
        self._model = model
        self._requests = requests
        self._guidance = guidance
        self._calling = calling
        self._line = line
        self._links = links
        self._clock = clock
        self.stopping = False

    async def begin(self, run: Run) -> None:
        """The conversation of a request that has none yet: guidance, history, then the asker's message."""
        request = run.request
        guidance = await self._guidance.get(request.guild_id)
        history = await self._line.speaker.history(
            request.guild_id, request.channel_id, request.message_id, request.asker_id
        )
        content = request.content or ""
        own = Source(kind="asker", author_id=request.asker_id, id=request.message_id, text=content)
        asked = [*(said.text for said in history if said.author == "asker"), content]
        run.conversation = Conversation(
            messages=opening(history, content, guidance),
            sources=(*_guiding(guidance, request.guild_id), *map(_source, history), own),
            links=_distinct(link for text in asked for link in extract_links(text)),
        )

    async def go_on(self, run: Run) -> TurnEnd:
        """Go as far as possible. Raises a `KennelError` where the request cannot be answered."""
        while run.conversation.answer is None:
            if self.stopping:
                await self._release(run, "running")
                return "stopping"
            if run.conversation.pending:
                await self._settle(run)
                if any(call.content is None for call in run.conversation.pending):
                    if await self._release(run, "waiting"):
                        return "waiting"
                    if not await self._woken(run):
                        return "gone"
                    continue
                run.conversation = run.conversation.with_results()
            await self._ask(run)
            if not await self.save(run):
                return "gone"
        return "answer"

    async def _ask(self, run: Run) -> None:
        """One word of the model: more calls, or the answer."""
        conversation = run.conversation
        if conversation.steps >= MAX_STEPS or conversation.tokens >= MAX_TOKENS:
            raise TooLong
        tools = run.toolset
        completion = await self._model.complete(
            system_prompt(tools.summaries, guided=conversation.guided), conversation.messages, tools.specs()
        )
        message = completion.message
        conversation = conversation.with_(
            messages=(*conversation.messages, message),
            steps=conversation.steps + 1,
            tokens=conversation.tokens + completion.input_tokens + completion.output_tokens,
        )
        if message.calls:
            run.conversation = conversation.with_(pending=self._pending(conversation, completion))
            return
        parts = compose(
            message.text,
            allowed=conversation.links,
            links=self._links,
            notes=conversation.notes,
        )
        if not message.text.strip() or not parts:
            raise ModelNonsense
        run.conversation = conversation.with_(answer=parts)

    def _pending(self, conversation: Conversation, completion: Completion) -> tuple[PendingCall, ...]:
        room = MAX_CALLS - conversation.calls
        return tuple(
            PendingCall(
                id=call.id,
                name=call.name,
                arguments=call.arguments,
                call_id=self._clock.new_id(),
                sources=len(conversation.sources),
                content=None if number < room else _TOO_MANY,
            )
            for number, call in enumerate(completion.message.calls)
        )

    async def _settle(self, run: Run) -> None:
        """Settle every call that is still open, all at once; what they add comes in the order of the calls.

        An error is raised once all of them have ended: none may go on after the request has failed.
        """
        conversation = run.conversation
        left = [call for call in conversation.pending if call.content is None]
        settling = (self._calling.settle(run, call) for call in left)
        by_id: dict[str, Settled] = {}
        failures: list[BaseException] = []
        for call, end in zip(left, await asyncio.gather(*settling, return_exceptions=True), strict=True):
            if isinstance(end, BaseException):
                failures.append(end)
            else:
                by_id[call.call_id] = end
        run.conversation = _with_ends(conversation, by_id)
        if failures:
            raise failures[0]
        if run.conversation.loaded != run.toolset.loaded:
            run.toolset = Toolset(run.toolset.tricks, run.conversation.loaded)

    async def save(self, run: Run) -> bool:
        """Store the conversation and keep the lease; False when it is erased, or somebody else's by now."""
        until = self._clock.now_ms() + LEASE_MS
        saved = await self._requests.save(
            run.request.id, run.conversation.dump(), until, held=run.request.lease_until or 0
        )
        run.request = dataclasses.replace(run.request, lease_until=until)
        return saved

    async def _release(self, run: Run, status: Literal["waiting", "running"]) -> bool:
        request, state = run.request, run.conversation.dump()
        held = request.lease_until or 0
        return await self._requests.release(request.id, status, request.wakes, state, held=held)

    async def _woken(self, run: Run) -> bool:
        """Something was decided while this run went on: look again at what is open."""
        request = await self._requests.get(run.request.id)
        if request is None or request.status != "running" or request.lease_until != run.request.lease_until:
            return False
        run.request, run.resumed = request, True
        return True


def _with_ends(conversation: Conversation, ended: dict[str, Settled]) -> Conversation:
    pending: list[PendingCall] = []
    sources, links = [*conversation.sources], [*conversation.links]
    notes, loaded = [*conversation.notes], [*conversation.loaded]
    room = MAX_RESULTS - sum(len(each.content or "") for each in conversation.pending)
    room -= sum(len(source.text) for source in conversation.sources if source.kind != "definitions")
    for call in conversation.pending:
        end = ended.get(call.call_id)
        if end is None or end.content is None:
            pending.append(call)
            continue
        room -= len(end.content)
        if room < 0:
            pending.append(call.model_copy(update={"content": _TOO_LARGE}))
            continue
        pending.append(call.model_copy(update={"content": end.content}))
        sources += (source for source in end.sources if source not in sources)  # a trick loaded twice
        links += end.links
        loaded += end.loaded
        notes += end.notes
    counted = sum(call.name != LOAD for call in conversation.pending if call.call_id in ended)
    return conversation.with_(
        pending=tuple(pending),
        sources=tuple(sources),
        links=_distinct(links),
        notes=_distinct(notes),
        loaded=_distinct(loaded),
        calls=conversation.calls + counted,
    )


def _guiding(guidance: str, guild_id: str) -> tuple[Source, ...]:
    return (Source(kind="guidance", author_id=guild_id, text=guidance),) if guidance else ()


def _source(said: Said) -> Source:
    return Source(kind=_KINDS[said.author], author_id=said.author_id, id=said.message_id, text=said.text)


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
