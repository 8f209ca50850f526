"""Tasks that end because their ground is gone: a deleted message, or a trick that was turned off or removed."""

from collections.abc import Sequence

from bot.clock import Clock
from bot.outbound import Reply
from bot.speaker import Line, addressed, nonce, where_of
from bot.tricks.request_calls import MESSAGE_DELETED
from storage.request_records import TaskRow
from storage.requests import Requests
from storage.tasks import Tasks

MEMBER_ERASED = "The member had everything that was kept about them erased."


class Closing:
    """Ends tasks with their questions, and says so where somebody still waits."""

    def __init__(self, tasks: Tasks, requests: Requests, line: Line, clock: Clock) -> None:
        self._tasks = tasks
        self._requests = requests
        self._line = line
        self._clock = clock

    async def of_messages(self, message_ids: Sequence[str]) -> None:
        """Ends the tasks of deleted messages. Nobody is told: who deleted the message knows."""
        await self._tasks.close_of_messages(message_ids, MESSAGE_DELETED, self._clock.now_ms())

    async def of_member(self, member_id: str) -> None:
        """Ends the tasks of a member who has their data erased. Nobody is told: the member knows."""
        await self._tasks.close_of_member(member_id, MEMBER_ERASED, self._clock.now_ms())

    async def of_installation(self, installation_id: str, sentence: str) -> None:
        """Ends the tasks of a trick, each with `sentence` where its asker was told of it last."""
        now = self._clock.now_ms()
        for row in await self._tasks.close_of_installation(installation_id, sentence, now):
            await self._say(row, sentence)

    async def _say(self, row: TaskRow, sentence: str) -> None:
        request = await self._requests.get(row.request_id)
        if request is None or request.content is None:
            return
        where = where_of(request, row.channel_id, notify=True)
        reply = Reply(content=addressed(sentence, where))
        await self._line.speaker.say(where, reply, nonce(row.id, "closed"))
