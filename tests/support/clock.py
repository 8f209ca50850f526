"""A clock that a test turns by hand."""

import asyncio
import itertools

from bot.clock import Clock


class TurnedClock(Clock):
    """Stands still until `advance`; ids are numbered, jitter is 1, sleeping lets the time pass at once."""

    def __init__(self, now_ms: int = 1_767_225_600_000) -> None:
        self._now_ms = now_ms
        self._ids = itertools.count(1)

    def advance(self, seconds: float) -> None:
        """Let `seconds` pass."""
        self._now_ms += round(seconds * 1000)

    def now_ms(self) -> int:
        return self._now_ms

    def monotonic(self) -> float:
        return self._now_ms / 1000

    async def sleep(self, seconds: float) -> None:
        self.advance(seconds)
        await asyncio.sleep(0)

    def new_id(self) -> str:
        return f"{next(self._ids):032x}"

    def new_key(self) -> str:
        return f"{next(self._ids):016x}"

    def jitter(self, spread: float) -> float:
        return 1.0


class ShiftedClock(Clock):
    """The real clock, which a test can put forward; whoever sleeps by it wakes at once."""

    def __init__(self) -> None:
        self._shift = 0.0

    def advance(self, seconds: float) -> None:
        """Put the clock forward."""
        self._shift += seconds

    def now_ms(self) -> int:
        return super().now_ms() + round(self._shift * 1000)

    def monotonic(self) -> float:
        return super().monotonic() + self._shift

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)
