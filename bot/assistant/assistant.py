"""The assistant as its callers see it: a message starts a request, and whatever happens later advances it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from bot.approvals.desk import ApprovalDesk
from bot.assistant.answer import with_notes
from bot.assistant.conversation import Conversation
from bot.assistant.delivery import Delivery
from bot.assistant.run import Run
from bot.assistant.toolset import Toolset
from bot.assistant.turn import LEASE_MS, Turn
from bot.clock import Clock
from bot.errors import DiscordUnavailable, Duplicate, TooManyRequests, is_expected, sentence_for
from bot.llm.usage import Usage
from bot.log import logger
from bot.policy.audiences import Asker, Place
from bot.speaker import Line
from bot.tasks.closing import Closing
from bot.tricks.catalogue import Catalogue
from bot.tricks.once import Once
from storage.errors import StorageError
from storage.records import Claim
from storage.request_records import Request
from storage.requests import Requests

_CLAIM_MS = 3_600_000
_SWEPT_AT_ONCE = 8
Erase = Callable[[Sequence[str]], Awaitable[None]]
EraseTexts = Callable[[str], Awaitable[None]]
_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message by which a member addresses the assistant."""

    message_id: str
    asker: Asker
    place: Place
    content: str = field(repr=False)


class Assistant:
    """Answers requests, in this process or after another one that began them.

    `enabled` is False where no model is configured: then nothing can begin.
    """

    def __init__(
        self,
        turn: Turn,
        requests: Requests,
        catalogue: Catalogue,
        desk: ApprovalDesk,
        closing: Closing,
        usage: Usage,
        once: Once,
        delivery: Delivery,
        line: Line,
        clock: Clock,
        *,
        enabled: bool,
    ) -> None:
        self.enabled = enabled
        self._turn = turn
        self._requests = requests
        self._catalogue = catalogue
        self._desk = desk
        self._closing = closing
        self._usage = usage
        self._once = once
        self._delivery = delivery
        self._line = line
        self._clock = clock

    async def start(self, incoming: Incoming) -> None:
        """Answer a message, once, or go as far as its cards and tasks allow.

        Raises `Duplicate` for a message that is answered already, and `TooManyRequests`. Whatever goes wrong
        later is told to the asker from here.
        """
        try:
            await self._usage.check(incoming.asker.member_id, incoming.asker.guild_id)
        except TooManyRequests:
            if not await self._once.first(f"m:{incoming.message_id}"):
                raise Duplicate from None
            raise
        now = self._clock.now_ms()
        request = Request(
            id=self._clock.new_id(),
            guild_id=incoming.asker.guild_id,
            asker_id=incoming.asker.member_id,
            channel_id=incoming.place.channel_id,
            message_id=incoming.message_id,
            thread_id=None,
            content=incoming.content,
            status="running",
            writes_stopped=False,
            state=None,
            wakes=0,
            lease_until=now + LEASE_MS,
            created_at=now,
        )
        if not await self._requests.open(Claim(f"m:{incoming.message_id}", now + _CLAIM_MS), request, now):
            raise Duplicate
        _log.info("request opened", message_id=request.message_id, guild_id=request.guild_id)
        await self._work(request, incoming.asker, incoming.place, resumed=False)

    async def advance(self, request_id: str) -> None:
        """Go on with a request that was woken, unless somebody else does."""
        now = self._clock.now_ms()
        request = await self._requests.take(request_id, now, now + LEASE_MS)
        if request is not None:
            await self._resume(request)

    async def sweep(self) -> None:
        """Go on with requests that nobody runs although they could: woken ones, and those of a dead process."""
        now = self._clock.now_ms()
        lapsed = await self._requests.take_lapsed(now, _SWEPT_AT_ONCE, now + LEASE_MS)
        await asyncio.gather(*map(self._resume, lapsed))

    async def messages_deleted(self, message_ids: Sequence[str], erase: Erase) -> None:
        """Messages were deleted: their tasks end, `erase` takes their texts, and their cards are called off.

        In this order nothing can slip in between: an open task could store new text after the erasure, and a
        card that is opened before it would be overlooked. A task that began just before the erasure is closed
        after it; from then on none begins.
        """
        await self._closing.of_messages(message_ids)
        await erase(message_ids)
        await self._closing.of_messages(message_ids)
        await self._desk.cancel_of_messages(message_ids)

    async def member_erased(self, member_id: str, erase: EraseTexts) -> None:
        """A member has all that is kept about them erased: as `messages_deleted`, for all of their messages.

        Nobody is told: only the member knows of it.
        """
        await self._closing.of_member(member_id)
        await erase(member_id)
        await self._closing.of_member(member_id)
        await self._desk.cancel_of_member(member_id)

    async def trick_closed(self, installation_id: str, sentence: str) -> None:
        """Close the cards, questions and tasks of a trick that was turned off or is about to be removed."""
        await self._desk.cancel_of_installation(installation_id, sentence)
        await self._closing.of_installation(installation_id, sentence)

    def stop(self) -> None:
        """Let what runs pause at its next step; another process, or the next start, goes on with it."""
        self._turn.stopping = True

    async def _resume(self, request: Request) -> None:
        """Go on with a request whose lease is held, as the server and its members are now.

        Where Discord does not say how they are, it is tried again once the lease has lapsed.
        """
        try:
            asker = await self._line.speaker.asker(request.guild_id, request.asker_id)
        except DiscordUnavailable:
            return
        if asker is None or request.content is None:
            why = "the member has left" if asker is None else "the message was deleted"
            await self._desk.cancel_of_request(request.id, f"Called off, because {why}.")
            await self._requests.end(request.id, "stopped")
            return
        place = await self._line.speaker.place(request.guild_id, request.channel_id)
        await self._work(request, asker, place, resumed=True)

    async def _work(self, request: Request, asker: Asker, place: Place, *, resumed: bool) -> None:
        """Run a request to its end or its next wait; an error becomes a sentence for the asker."""
        run = Run(request, asker, place, Toolset(()), Conversation(messages=()), resumed)
        try:
            async with self._line.speaker.typing(request.speaks_in):
                await self._run(run)
        except Exception as error:  # noqa: BLE001 - the boundary of a request: the asker hears of any end
            if not is_expected(error):
                _log.error("a request failed inside Kennel", exc_info=error, message_id=request.message_id)
            _log.info("request failed", kind=type(error).__name__, message_id=request.message_id)
            await self._fail(run, error)

    async def _run(self, run: Run) -> None:
        if run.request.state:
            run.conversation = Conversation.load(run.request.state)
        may_stand_there = run.conversation.answer is not None
        run.toolset = Toolset(await self._catalogue.tricks(run.asker, run.place), run.conversation.loaded)
        if not run.conversation.messages and not may_stand_there:
            await self._turn.begin(run)
        if await self._turn.go_on(run) != "answer":
            return
        request, answer = run.request, run.conversation.answer or ()
        await self._delivery.post(request, answer, again=may_stand_there, notify=run.resumed)
        fresh = await self._requests.get(request.id)
        stopped = fresh is not None and fresh.writes_stopped
        await self._requests.end(request.id, "stopped" if stopped else "answered")

    async def _fail(self, run: Run, error: Exception) -> None:
        """Tell the asker, unless the message was erased or somebody else goes on with the request by now.

        The sentence is stored first, so that a process that goes on from here says nothing else as well. What
        the answer would have had to say besides is said here; what nobody goes on with cannot be agreed to.
        """
        text = with_notes(sentence_for(error) or "", run.conversation.notes)
        run.conversation = run.conversation.with_(answer=(text,))
        try:
            if await self._turn.save(run):
                await self._desk.cancel_of_request(run.request.id, "Called off, because the request failed.")
                await self._delivery.post(run.request, (text,), again=False, what="failure")
                await self._requests.end(run.request.id, "failed")
        except StorageError as failure:
            _log.warning("a failed request could not be ended", kind=type(failure).__name__)
