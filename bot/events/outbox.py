"""From the gateway into the outbox: events are noted in their order at once, and written behind them."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from bot.clock import Clock
from bot.events.hearing import Hearing
from bot.log import logger
from storage.errors import DatabaseFault, StorageError
from storage.event_records import EventType, NewEvent
from storage.outbox import Outbox

__all__ = ["EventOutbox", "EventType", "NewEvent"]

MOST_WAITING: Final = 100_000
"""How many events wait in memory for a database that does not answer; then the oldest are lost."""

BATCH: Final = 100
"""How many are written at once: a command that wants to write meanwhile waits for no more than these."""

_FIRST_WAIT, _LONGEST_WAIT = 0.1, 5.0
_log = logger(__name__)


class EventOutbox:
    """Writes events to the outbox in the order in which they were recorded.

    All that waits is written together. As long as the process lives, a busy or unreachable database loses none.
    """

    def __init__(self, store: Outbox, clock: Clock, on_stored: Callable[[], object]) -> None:
        self._store = store
        self._clock = clock
        self._on_stored = on_stored
        self._hearing = Hearing(clock)
        self._waiting: deque[NewEvent] = deque()
        self._writing: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Discord tells everything from now on: the connection is a new one, and what was before may be missed."""
        self._hearing.begin()

    def record(self, event: NewEvent) -> None:
        """Note an event that happened just now; to be called in the order of events, inside the event loop."""
        if len(self._waiting) >= MOST_WAITING:
            lost = self._waiting.popleft()
            _log.error("an event was lost: too many wait for the database", guild_id=lost.guild_id)
        self._waiting.append(self._hearing.heard(event))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())

    async def idle(self) -> None:
        """Wait until everything recorded so far, and whatever comes meanwhile, is in the database."""
        while self._writing is not None:
            await asyncio.shield(self._writing)

    async def _write(self) -> None:
        wait = _FIRST_WAIT
        try:
            while self._waiting:
                batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
                if await self._stored(batch):
                    wait = _FIRST_WAIT
                    continue
                self._waiting.extendleft(reversed(batch))
                await self._clock.sleep(wait)
                wait = min(wait * 2, _LONGEST_WAIT)
        finally:
            self._writing = None

    async def _stored(self, batch: Sequence[NewEvent]) -> bool:
        """Whether there is nothing left to do for these; False when they are to be tried again."""
        try:
            if await self._store.add(batch):
                self._on_stored()
        except DatabaseFault:
            return await self._stored_apart(batch)
        except StorageError as failure:
            _log.warning("events could not be stored yet", count=len(batch), failure=type(failure).__name__)
            return False
        return True

    async def _stored_apart(self, batch: Sequence[NewEvent]) -> bool:
        """One of them cannot be stored ever: the others must not wait for it."""
        if len(batch) == 1:
            _log.exception("an event was lost: it cannot be stored", guild_id=batch[0].guild_id)
            return True
        for place, event in enumerate(batch):
            if not await self._stored([event]):
                self._waiting.extendleft(reversed(batch[place + 1 :]))
                self._waiting.appendleft(event)
                return True
        return True
