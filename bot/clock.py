"""The one place that time, randomness and ids come from; tests turn it by hand."""

import asyncio
import secrets
import time
import uuid
from datetime import UTC, datetime


class Clock:
    """The real one. A test subclasses it and decides what `now_ms`, `sleep` and the random methods give."""

    def now_ms(self) -> int:
        """Milliseconds since 1970-01-01 UTC: the unit of every stored time."""
        return time.time_ns() // 1_000_000

    def now(self) -> datetime:
        """The same instant as an aware datetime in UTC."""
        return datetime.fromtimestamp(self.now_ms() / 1000, UTC)

    def monotonic(self) -> float:
        """Seconds that never run backwards, for durations within this process."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Let `seconds` pass."""
        await asyncio.sleep(seconds)

    def new_id(self) -> str:
        """32 hexadecimal digits that nobody can guess."""
        return uuid.uuid4().hex

    def new_key(self) -> str:
        """16 characters of `A-Za-z0-9_-` (96 random bits): short enough for a button's custom id."""
        return secrets.token_urlsafe(12)

    def random_bytes(self, count: int) -> bytes:
        """`count` bytes fit for a secret."""
        return secrets.token_bytes(count)

    def jitter(self, spread: float) -> float:
        """A factor between `1 - spread` and `1 + spread`."""
        return 1 + spread * (2 * secrets.randbelow(1_000_001) / 1_000_000 - 1)
