"""How often the assistant may be asked: by one member in an hour, in one server in a day."""

from bot.clock import Clock
from bot.errors import TooManyRequests
from storage.requests import Requests

_HOUR_MS = 3_600_000
_DAY_MS = 86_400_000


class Usage:
    """Counts requests by their stored rows, so all processes count together and a restart forgets nothing."""

    def __init__(self, requests: Requests, clock: Clock, member_hour: int, guild_day: int) -> None:
        self._requests = requests
        self._clock = clock
        self._member_hour = member_hour
        self._guild_day = guild_day

    async def check(self, member_id: str, guild_id: str) -> None:
        """Raises `TooManyRequests` with the time from which there is room again."""
        now = self._clock.now_ms()
        count, oldest = await self._requests.count_since(member_id, now - _HOUR_MS)
        if count >= self._member_hour and oldest is not None:
            raise TooManyRequests((oldest + _HOUR_MS) // 1000 + 1)
        count, oldest = await self._requests.guild_count_since(guild_id, now - _DAY_MS)
        if count >= self._guild_day and oldest is not None:
            raise TooManyRequests((oldest + _DAY_MS) // 1000 + 1)
