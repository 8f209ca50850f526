"""Which servers the bot is in, read from Discord's raw events before discord.py has them.

discord.py keeps a server that was left while the connection was down, and gives the list of servers with which a
connection begins to nobody. So the gateway's own payloads are noted and then passed on.
"""

from collections.abc import Awaitable, Mapping
from functools import partial
from typing import Any

from discord.ext import commands

from bot.app import Kennel
from bot.errors import is_expected
from bot.log import logger
from cogs.raw_events import RawEvents

Payload = Mapping[str, Any]
_EVENT = "servers_told"
_log = logger(__name__)


class Guilds(commands.Cog):
    """Tells `services.privacy.servers`, which erases in time what belongs to a server that was left."""

    def __init__(self, bot: Kennel) -> None:
        self._bot = bot
        self._servers = bot.services.privacy.servers
        self._raw = RawEvents(bot)

    async def cog_load(self) -> None:
        """Begin to listen."""
        for event in ("READY", "GUILD_CREATE", "GUILD_DELETE"):
            self._raw.hear(event, partial(self._begin, event))

    async def cog_unload(self) -> None:
        """Listen no more."""
        self._raw.end()

    def _begin(self, event: str, payload: Any) -> None:
        """The work begins in the order of the events, each in a task of its own."""
        self._bot.dispatch(_EVENT, event, payload)

    @commands.Cog.listener()
    async def on_servers_told(self, event: str, payload: Payload) -> None:
        """Note what Discord told. A failure is logged; the next beginning of a connection makes good for it."""
        try:
            with self._bot.in_flight():
                await self._work_of(event, payload)
        except Exception as error:  # noqa: BLE001 - the boundary of a listener
            log = _log.warning if is_expected(error) else _log.exception
            log("servers could not be followed", kind=type(error).__name__)

    def _work_of(self, event: str, payload: Payload) -> Awaitable[None]:
        """An outage is told of like a removal, with a word that it is one: then the bot is still there."""
        if event == "READY":
            shard_id, shard_count = payload.get("shard", (0, 1))
            present = {str(guild["id"]) for guild in payload["guilds"]}
            return self._servers.at_ready(present, lambda id: (int(id) >> 22) % shard_count == shard_id)
        if event == "GUILD_CREATE" or payload.get("unavailable"):
            return self._servers.there(str(payload["id"]))
        return self._servers.left(str(payload["id"]))


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Guilds(bot))
