"""Posting what tricks answer to events: once, for members who are there, where the owner wants it."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.clock import Clock
from bot.errors import is_expected
from bot.events.posting import Posting
from bot.events.screening import Screening
from bot.log import logger
from storage.event_posts import EventPosts
from storage.event_records import Post

BATCH: Final = 20
LEASE_MS: Final = 120_000
"""How long posting one message may take, waiting for Discord's limits included."""

_log = logger(__name__)


class PostWorker:
    """Posts what is due, one after the other for each installation."""

    def __init__(self, store: EventPosts, posting: Posting, screening: Screening, clock: Clock) -> None:
        self._store = store
        self._posting = posting
        self._screening = screening
        self._clock = clock
        self._round: asyncio.Task[None] | None = None
        self._news = False
        self._stopped = False

    def nudge(self) -> None:
        """Something is due: post it at once, without anybody waiting for it."""
        self._news = True
        if self._round is None and not self._stopped:
            self._round = asyncio.create_task(self._go_round())

    async def post_due(self) -> None:
        """Post what is due. A failure is logged and never raised."""
        self.nudge()
        await self.idle()

    def screened(self, guild_id: str, member_id: str) -> None:
        """The member is past the server's screening: post what waits for that, if anything does.

        Costs nothing for other members but a look at memory, and one read in some seconds.
        """
        if not self._stopped:
            self._screening.passed(guild_id, member_id, self.nudge)

    def stop(self) -> None:
        """Begin no new post; the one under way is finished, and the rest is left to the next start."""
        self._stopped = True

    async def idle(self) -> None:
        """Wait until nothing is under way."""
        await self._screening.idle()
        while self._round is not None:
            await asyncio.shield(self._round)

    async def _go_round(self) -> None:
        try:
            while self._news and not self._stopped:
                self._news = False
                if await self._post_batch():
                    self._news = True  # a batch has but a few of each installation
        except Exception as error:  # noqa: BLE001 - the boundary of a task: the next look begins anew
            log = _log.warning if is_expected(error) else _log.exception
            log("posts of events failed", failure=type(error).__name__)
        finally:
            self._round = None

    async def _post_batch(self) -> int:
        if not self._posting.can_speak:
            return 0
        now = self._clock.now_ms()
        rows = await self._store.claim(now, BATCH, now + LEASE_MS)
        lines: defaultdict[str, list[Post]] = defaultdict(list)
        for row in rows:
            lines[row.installation_id].append(row)
        await asyncio.gather(*map(self._post_in_turn, lines.values()))
        return len(rows)

    async def _post_in_turn(self, rows: Sequence[Post]) -> None:
        for row in rows:
            try:
                await self._post(row)
            except Exception as error:  # noqa: BLE001 - the boundary: one post must not hold up the others
                log = _log.warning if is_expected(error) else _log.exception
                log(
                    "a post could not be worked on",
                    delivery_id=row.delivery_id,
                    failure=type(error).__name__,
                )

    async def _post(self, row: Post) -> None:
        if self._stopped:
            await self._posting.leave(row)
            return
        now = self._clock.now_ms()
        held_for = (row.lease_until or now) - now
        if held_for < LEASE_MS // 2:  # those before it took long
            if not await self._store.keep(row, now + LEASE_MS):
                return
            row = replace(row, lease_until=now + LEASE_MS)
        await self._posting.post(row)
