"""Doing once what an event delivered twice, or to two processes, must not do twice."""

from bot.clock import Clock
from bot.log import logger
from storage.calls import Calls
from storage.errors import StorageError
from storage.records import Claim

_KEPT_MS = 3_600_000
_log = logger(__name__)


class Once:
    """Remembers events for an hour."""

    def __init__(self, store: Calls, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def first(self, event_id: str) -> bool:
        """Whether this is the first time that `event_id` is handled, by whichever process.

        Also true when the database cannot say: a person who waits is answered twice rather than not at all.
        """
        now = self._clock.now_ms()
        try:
            return await self._store.claim(Claim(event_id, now + _KEPT_MS), now)
        except StorageError as error:
            _log.warning("an event could not be claimed", kind=type(error).__name__)
            return True
