"""The hourly look at each enabled trick's live tool list, at a minute of its own."""

import asyncio
import zlib

from bot.clock import Clock
from bot.errors import LimitReached, TrickFault
from bot.log import logger
from bot.text import escape, one_line
from bot.tricks.challenge import ConnectionTest
from bot.tricks.installed import InstalledReader
from bot.tricks.limits import Limiter, testing_limit
from bot.tricks.notices import OwnerNotices
from bot.tricks.pinning import compare, definitions
from storage.installations import Installations
from storage.looks import Looks as LookStore
from storage.records import Installation

AT_ONCE = 20
_HOUR_MS, _MINUTE_MS = 3_600_000, 60_000
_LEASE_MS = 120_000
_log = logger(__name__)


def next_look(installation_id: str, now_ms: int) -> int:
    """The next time, after `now_ms`, of the minute of the hour that belongs to this installation."""
    minute = zlib.crc32(installation_id.encode()) % 60
    this_hour = now_ms - now_ms % _HOUR_MS + minute * _MINUTE_MS
    return this_hour if this_hour > now_ms else this_hour + _HOUR_MS


class Looks:
    """Holds back what changed and lets go what is as pinned again; a look that fails changes nothing."""

    def __init__(
        self,
        store: LookStore,
        installations: Installations,
        reader: InstalledReader,
        test: ConnectionTest,
        limiter: Limiter,
        clock: Clock,
        notices: OwnerNotices,
    ) -> None:
        self._store = store
        self._installations = installations
        self._reader = reader
        self._test = test
        self._limiter = limiter
        self._clock = clock
        self._notices = notices

    async def look_at_due(self) -> int:
        """Look at every installation whose time has come, at most twenty at once; how many there were."""
        looked = 0
        while True:
            now = self._clock.now_ms()
            due = await self._store.due(now, AT_ONCE, now + _LEASE_MS)
            await asyncio.gather(*(self._look(row) for row in due))
            looked += len(due)
            if len(due) < AT_ONCE:
                return looked

    async def _look(self, row: Installation) -> None:
        try:
            await self._compare(row)
        except (TrickFault, LimitReached) as error:
            _log.info("a look failed", installation_id=row.id, failure=error.kind)
        finally:
            await self._store.schedule(row.id, next_look(row.id, self._clock.now_ms()))

    async def _compare(self, row: Installation) -> None:
        owner_id = await self._notices.owner_of(
            row.guild_id
        )  # whoever registered it may be somebody else by now
        if owner_id is None:
            _log.info("nobody was there to look for", installation_id=row.id)
            return
        self._limiter.take(testing_limit(row.id))
        installed = self._reader.read(row, self._clock.now_ms())
        tools = await self._test.tools(installed, owner_id)
        pins = await self._installations.pins(row.id)
        held_back = compare(pins, definitions(installed.manifest, tools.tools)).held_back
        if held_back == row.held_back:
            return
        stored = await self._installations.set_held_back(row.id, held_back, judged=pins)
        if stored and held_back:
            self._notices.tell(
                row.guild_id,
                f"{escape(one_line(row.name))} changed some of its tools, so they are held back. "
                "`/tricks refresh` shows what changed, and there you accept it or not.",
            )
