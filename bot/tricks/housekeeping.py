"""What is kept with a message and for how long, and what a killed process left behind."""

from collections.abc import Sequence

from bot.clock import Clock
from storage.actions import Actions
from storage.calls import Calls
from storage.erase import Erase

ABANDONED_AFTER_MS = 60_000
_DAY_MS = 86_400_000
_LEFT_BEHIND = "Kennel stopped while the call was under way, so it is unknown whether it happened."


class Housekeeping:
    """Erases in time, and ends what nobody else will end."""

    def __init__(
        self, calls: Calls, actions: Actions, erase: Erase, clock: Clock, retention_days: int
    ) -> None:
        self._calls = calls
        self._actions = actions
        self._erase = erase
        self._clock = clock
        self._retention_ms = retention_days * _DAY_MS

    async def bind_buttons(self, keys: Sequence[str], message_id: str) -> None:
        """Tie buttons to the message that shows them."""
        await self._actions.bind(keys, message_id)

    async def messages_deleted(self, message_ids: Sequence[str]) -> None:
        """Erase inputs, results and buttons that were kept with these messages."""
        await self._erase.messages_deleted(message_ids)

    async def erase_expired(self) -> None:
        """Erase what is older than the retention."""
        now = self._clock.now_ms()
        await self._erase.expired(now - self._retention_ms, now)

    async def end_abandoned_calls(self) -> None:
        """Mark calls that nobody waits for any more as unknown; never repeat them."""
        now = self._clock.now_ms()
        await self._calls.abandoned(now - ABANDONED_AFTER_MS, now, _LEFT_BEHIND)
