"""Who has answers waiting until they pass a server's screening, so that other members' updates cost nothing."""

import asyncio
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

from bot.clock import Clock
from bot.errors import is_expected
from bot.log import logger
from storage.event_posts import EventPosts

KNOWN_FOR_MS: Final = 5_000
"""How long what was read about waiting members is believed; other processes add some too."""

MOST: Final = 10_000
"""How many waiting members are read; the posts of any others are looked at again in time."""

Pair = tuple[str, str]
"""Guild id and member id."""
_log = logger(__name__)


class Screening:
    """Makes the posts of members who pass the screening due."""

    def __init__(self, store: EventPosts, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._waiting: set[Pair] = set()
        self._added: set[Pair] = set()
        self._read_at: int | None = None
        self._asked: Counter[Pair] = Counter()
        self._passed: dict[Pair, Callable[[], None]] = {}
        self._unsure: set[Pair] = set()
        self._work: asyncio.Task[None] | None = None

    @contextmanager
    def asking(self, guild_id: str, member_id: str) -> Generator[None]:
        """While Discord is asked about the member, and what it says is stored: who passes just then counts."""
        pair = (guild_id, member_id)
        self._asked[pair] += 1
        try:
            yield
        finally:
            self._asked[pair] -= 1
            if not self._asked[pair]:
                del self._asked[pair]
                then = self._passed.pop(pair, None)
                if then is not None:
                    self.passed(guild_id, member_id, then)

    def waits(self, guild_id: str, member_id: str) -> None:
        """A post of the member was stored to wait."""
        self._waiting.add((guild_id, member_id))
        self._added.add((guild_id, member_id))

    def passed(self, guild_id: str, member_id: str, then: Callable[[], None]) -> None:
        """The member is not in the screening (any more); `then` is called once posts are due because of it."""
        pair = (guild_id, member_id)
        if pair in self._asked:
            self._passed[pair] = then
        elif pair in self._waiting or not self._is_known():
            self._unsure.add(pair)
            if self._work is None:
                self._work = asyncio.create_task(self._release(then))

    async def idle(self) -> None:
        """Wait until everybody who passed so far has been looked after."""
        while self._work is not None:
            await asyncio.shield(self._work)

    def _is_known(self) -> bool:
        return self._read_at is not None and self._clock.now_ms() - self._read_at < KNOWN_FOR_MS

    async def _release(self, then: Callable[[], None]) -> None:
        try:
            while self._unsure:
                pairs, self._unsure = self._unsure, set()
                self._added.clear()
                found = await self._store.screening(MOST)
                # who began to wait meanwhile may not be among the found
                self._waiting = {*found, *self._added}
                self._read_at = self._clock.now_ms()
                for guild_id, member_id in pairs & self._waiting:
                    await self._store.screened(guild_id, member_id, self._clock.now_ms())
                    self._waiting.discard((guild_id, member_id))
                    then()
        except Exception as error:  # noqa: BLE001 - the boundary of a task: they are asked about in an hour
            log = _log.warning if is_expected(error) else _log.exception
            log("posts of screened members stay waiting", failure=type(error).__name__)
        finally:
            self._work = None
