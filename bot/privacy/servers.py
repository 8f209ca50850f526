"""Servers that the bot has left: everything of them goes after thirty days, unless it comes back."""

from collections.abc import Callable, Collection

from bot.clock import Clock
from bot.log import logger
from storage.erase_guilds import EraseGuilds

KEPT_DAYS = 30
_DAY_MS = 86_400_000
_log = logger(__name__)


class LeftServers:
    """Knows which servers this process has seen the bot out of, and erases those alone.

    A process that has just begun has seen nothing yet: what the database says of a server may be older than the
    bot's return to it.
    """

    def __init__(self, store: EraseGuilds, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._absent: set[str] = set()
        self._present: set[str] = set()

    async def at_ready(self, present: Collection[str], is_ours: Callable[[str], bool]) -> None:
        """Compare what is stored with the servers that Discord names at a connection's begin.

        `present` are all servers of that connection, those with an outage too; `is_ours` says of a server
        whether it belongs to the connection.
        """
        # before anything is waited for: what is told from now on is newer than the list
        self._present = {guild_id for guild_id in self._present if not is_ours(guild_id)} | set(present)
        stored_as_left = frozenset(await self._store.left_before(self._clock.now_ms()))
        for guild_id in await self._store.known():
            if not is_ours(guild_id):
                continue
            if guild_id not in self._present:
                await self.left(guild_id)
            elif guild_id in stored_as_left or guild_id in self._absent:
                await self._back(guild_id)

    async def there(self, guild_id: str) -> None:
        """The bot is in the server, since now or as before; costs nothing where nobody thought otherwise."""
        self._present.add(guild_id)
        if guild_id in self._absent:
            await self._back(guild_id)

    async def left(self, guild_id: str) -> None:
        """The bot was removed from the server, or the server was deleted."""
        self._present.discard(guild_id)
        self._absent.add(guild_id)
        if await self._store.left(guild_id, self._clock.now_ms()):
            _log.info("a server was left", guild_id=guild_id)

    async def erase_due(self) -> None:
        """Erase everything of the servers that the bot left thirty days ago or earlier."""
        before = self._clock.now_ms() - KEPT_DAYS * _DAY_MS
        for guild_id in await self._store.left_before(before):
            if guild_id in self._absent and await self._store.erase(guild_id, before):
                self._absent.discard(guild_id)
                _log.info("a server that was left is erased", guild_id=guild_id)

    async def _back(self, guild_id: str) -> None:
        self._absent.discard(guild_id)
        if await self._store.returned(guild_id):
            _log.info("the bot is back in a server", guild_id=guild_id)
