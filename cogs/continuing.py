"""What goes on by itself: requests after a crash, cards that run out, tasks, questions, events."""

import asyncio
from collections.abc import Awaitable, Callable

from discord.ext import commands, tasks

from bot.app import Kennel
from bot.errors import is_expected
from bot.log import logger
from cogs.speaker import DiscordSpeaker

_log = logger(__name__)

SWEEPS = 4
"""How many sweeps of requests are at work at once: one that waits for a slow model holds up no other request."""

Job = Callable[[], Awaitable[object]]


class Continuing(commands.Cog):
    """Looks every two seconds what is due, in one read, and does each kind of work beside the others.

    A kind that is still at work is left to finish: words of a slow model hold up no poll and no card. Requests
    have several sweeps, since each of them may wait for a model.
    """

    def __init__(self, bot: Kennel) -> None:
        self._bot = bot
        self._services = bot.services
        self._running: dict[str, asyncio.Task[None]] = {}

    async def cog_load(self) -> None:
        """Start to look."""
        self._look.start()

    async def cog_unload(self) -> None:
        """Look no more; what is at work is waited for by the shutdown."""
        self._look.cancel()

    @tasks.loop(seconds=2)
    async def _look(self) -> None:
        if self._bot.draining or not self._bot.is_ready():
            return
        try:
            with self._bot.in_flight():
                await self._services.watch.refresh()
                due = await self._services.pulse.due(self._services.clock.now_ms())
        except Exception:  # noqa: BLE001 - the boundary of a loop: the next round has to come
            _log.exception("looking for work failed")
            return
        services = self._services
        jobs: tuple[tuple[str, bool, Job], ...] = (
            *((f"requests {n}", due.requests, services.assistant.sweep) for n in range(SWEEPS)),
            ("cards", due.cards, services.approvals.expire_due),
            ("card messages", due.card_messages, services.approvals.fold_due),
            ("polls", due.polls, services.poller.poll_due),
            ("news", due.news, services.teller.tell_due),
            ("questions", due.questions, services.questions.post_due),
            ("old questions", due.old_questions, services.questions.expire_due),
            ("question messages", due.question_messages, services.questions.fold_due),
            ("deliveries", due.deliveries, services.deliveries.deliver_due),
            ("posts", due.posts, services.posts.post_due),
        )
        for kind, is_due, job in jobs:
            if is_due and kind not in self._running:
                self._running[kind] = asyncio.create_task(self._do(kind, job))

    async def _do(self, kind: str, job: Job) -> None:
        try:
            with self._bot.in_flight():
                await job()
        except Exception as error:  # noqa: BLE001 - the boundary: the next round has to come
            log = _log.warning if is_expected(error) else _log.exception
            log("work that was due failed", kind=kind, failure=type(error).__name__)
        finally:
            del self._running[kind]


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    bot.services.line.attach(DiscordSpeaker(bot))
    await bot.add_cog(Continuing(bot))
