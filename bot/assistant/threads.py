"""The thread that a request goes on in, opened once."""

import dataclasses

from bot.assistant.run import Run
from bot.clock import Clock
from bot.speaker import Line
from storage.requests import Requests
from storage.threads import Threads as ThreadStore

STAYS = "No thread could be opened here, so this goes on in the channel."


class Threads:
    """Opens threads, and remembers whose they are."""

    def __init__(self, store: ThreadStore, requests: Requests, line: Line, clock: Clock) -> None:
        self._store = store
        self._requests = requests
        self._line = line
        self._clock = clock

    async def is_askers(self, thread_id: str, member_id: str) -> bool:
        """Whether this is a thread in which the member need not mention the bot."""
        return await self._store.is_askers(thread_id, member_id)

    async def ensure(self, run: Run) -> tuple[str, ...]:
        """Open or reuse the thread of a request, unless it has one; sentences that the asker has to read.

        It is stored before anything is said in it. Raises `ThreadRefused` where a permission is missing.
        """
        async with run.opening_thread:
            request = run.request
            if request.thread_id is not None:
                return ()
            place = await self._line.speaker.open_thread(
                request.guild_id, request.channel_id, request.message_id, request.asker_id
            )
            if not place.stays:
                await self._store.add(
                    place.channel_id, request.asker_id, request.guild_id, self._clock.now_ms()
                )
            await self._requests.set_thread(request.id, place.channel_id)
            run.request = dataclasses.replace(request, thread_id=place.channel_id)
            return (STAYS,) if place.stays else ()
