"""What happens by itself: following the database, the hourly looks, ending what a crash left, erasing."""

from collections.abc import Awaitable, Callable

import discord
from discord.ext import commands, tasks

from bot.app import Kennel
from bot.log import logger
from cogs.command_sync import CommandSync

_log = logger(__name__)


class Background(commands.Cog):
    """Runs the loops of one process. A failure of one round is logged, and the next round comes.

    A round counts as work in flight: a shutdown waits for it, since the database is closed afterwards.
    """

    def __init__(self, bot: Kennel) -> None:
        self._bot = bot
        self._services = bot.services

    async def cog_load(self) -> None:
        """Start the loops."""
        self._often.start()
        self._each_minute.start()
        self._each_hour.start()

    async def cog_unload(self) -> None:
        """Stop the loops."""
        self._often.cancel()
        self._each_minute.cancel()
        self._each_hour.cancel()

    @tasks.loop(seconds=2)
    async def _often(self) -> None:
        """Follow what another process changed."""
        await self._try("follow", self._services.table.refresh)
        sync = self._bot.get_cog("CommandSync")
        if isinstance(sync, CommandSync) and self._bot.is_ready():
            await self._try("sync", sync.catch_up)

    @tasks.loop(minutes=1)
    async def _each_minute(self) -> None:
        """Look at tricks that are due, end calls whose process died, and keep buttons working."""
        self._bot.keep_dynamic_items()
        await self._try("abandoned", self._services.housekeeping.end_abandoned_calls)
        await self._try("looks", self._services.looks.look_at_due)

    @tasks.loop(hours=1)
    async def _each_hour(self) -> None:
        """Erase what is older than the retention, and secrets that sign no longer."""
        await self._try("erase", self._services.housekeeping.erase_expired)
        await self._try("secrets", self._services.rotation.forget_retired)
        await self._try("left servers", self._services.privacy.servers.erase_due)

    @commands.Cog.listener()
    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """What was kept with a message goes with it."""
        await self._forget({payload.message_id})

    @commands.Cog.listener()
    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """The same for many at once."""
        await self._forget(payload.message_ids)

    async def _forget(self, message_ids: set[int]) -> None:
        ids = tuple(str(message_id) for message_id in message_ids)
        erase = self._services.housekeeping.messages_deleted
        await self._try("forget", lambda: self._services.assistant.messages_deleted(ids, erase))

    async def _try(self, what: str, work: Callable[[], Awaitable[object]]) -> None:
        if self._bot.draining:
            return
        try:
            with self._bot.in_flight():
                await work()
        except Exception:  # noqa: BLE001 - the boundary of a loop: the next round has to come
            _log.exception("background work failed", kind=what)


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Background(bot))
