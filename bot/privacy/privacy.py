"""What a member may ask about their own data: how much there is, all of it, and that it goes."""

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

_EXPORTS = 5
_EXPORTS_SECONDS = 600.0
_FOLDS = 50
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

    async def show(self, member_id: str) -> str:
        """What is kept about the member and for how long, in at most 2,000 characters."""
        return words.what_is_kept(await self._data.counts(member_id), self._retention_days)

    def export(self, member_id: str) -> AsyncGenerator[bytes]:
        """Everything that is kept about the member as JSON files, mostly one.

        Five times in ten minutes; then raises `LimitReached`.
        """
        self._limiter.take(Limit(("export", member_id), _EXPORTS, _EXPORTS_SECONDS))
        return json_files(self._data.rows(member_id), member_id, self._clock.now())

    async def erase(self, member_id: str) -> str:
        """Close what waits for the member, then erase every row about them; gives the sentence for them."""
        await self._assistant.member_erased(member_id, self._erase.texts)
        for _ in range(_FOLDS):  # their messages can be found only while the rows are there
            if not await self._questions.fold_due():
                break
        erased = await self._erase.rows(member_id)
        _log.info("a member was erased", count=erased)
        return words.what_was_erased(erased)

    async def erase_left_guilds(self) -> None:
        """Erase the servers that the bot left thirty days ago."""
        await self.servers.erase_due()
