"""What a member may ask about their own data: how much there is, all of it, and that it goes."""

import asyncio
from collections.abc import AsyncGenerator

from bot.assistant.assistant import Assistant
from bot.clock import Clock
from bot.log import logger
from bot.privacy import words
from bot.privacy.export import json_files
from bot.privacy.servers import LeftServers
from bot.tasks.question_desk import QuestionDesk
from bot.tricks.limits import Limit, Limiter
from storage.erase_members import EraseMembers
from storage.member_data import MemberData

_LOOKS, _LOOKS_SECONDS = 5, 600.0
_ERASURES, _ERASURES_SECONDS = 3, 3_600.0
"""An erasure takes away what the limits of the assistant count by, so it comes no oftener than they allow."""

_FOLDS = 50
"""In how many batches at most the messages of questions lose their buttons before their rows go."""

_log = logger(__name__)


class Privacy:
    """Serves members, in all servers at once. `servers` follows which servers the bot has left."""

    def __init__(
        self,
        data: MemberData,
        erase: EraseMembers,
        servers: LeftServers,
        assistant: Assistant,
        questions: QuestionDesk,
        limiter: Limiter,
        clock: Clock,
        retention_days: int,
    ) -> None:
        self.servers = servers
        self._data = data
        self._erase = erase
        self._assistant = assistant
        self._questions = questions
        self._limiter = limiter
        self._clock = clock
        self._retention_days = retention_days
        self._counting = asyncio.Lock()

    async def show(self, member_id: str) -> str:
        """What is kept about the member and for how long, in at most 2,000 characters.

        Five times in ten minutes; then raises `LimitReached`. It reads through large tables, so one at a time.
        """
        self._limiter.take(Limit(("privacy", member_id), _LOOKS, _LOOKS_SECONDS))
        async with self._counting:
            counts = await self._data.counts(member_id)
        return words.what_is_kept(counts, self._retention_days)

    def export(self, member_id: str) -> AsyncGenerator[bytes]:
        """Everything that is kept about the member as JSON files, mostly one.

        Five times in ten minutes; then raises `LimitReached`.
        """
        self._limiter.take(Limit(("export", member_id), _LOOKS, _LOOKS_SECONDS))
        return json_files(self._data.rows(member_id), member_id, self._clock.now())

    async def erase(self, member_id: str) -> str:
        """Close what waits for the member, then erase every row about them; gives the sentence for them.

        Three times in an hour; then raises `LimitReached`.
        """
        self._limiter.take(Limit(("erasure", member_id), _ERASURES, _ERASURES_SECONDS))
        await self._assistant.member_erased(member_id, self._erase.texts)
        for _ in range(_FOLDS):  # their messages can be found only while the rows are there
            if not await self._questions.fold_due():
                break
        erased = await self._erase.rows(member_id)
        _log.info("a member was erased", count=erased)
        return words.what_was_erased(erased)
