"""Which servers the bot is in, as Discord says it: when it joins, when it is removed, and at each beginning.

discord.py keeps a server that was left while the connection was down, so the list that Discord sends at the
beginning of a connection is read as it comes.
"""

from collections.abc import Awaitable, Callable
from typing import Any, cast

import discord
from discord.ext import commands

from bot.app import Kennel
from bot.errors import is_expected
from bot.log import logger

_CONNECTION = "_connection"
"""discord.py's own state, which reads every event of the gateway."""
_log = logger(__name__)


class Guilds(commands.Cog):
    """Tells `services.privacy.servers`, which erases in time what belongs to a server that was left."""

    def __init__(self, bot: Kennel) -> None:
        self._bot = bot
        self._servers = bot.services.privacy.servers
        self._parsers = cast("dict[str, Callable[[Any], None]]", getattr(bot, _CONNECTION).parsers)
        self._ready = self._parsers["READY"]

    async def cog_load(self) -> None:
        """Stand before discord.py's parser of the list."""
        self._parsers["READY"] = self._hear_ready

    async def cog_unload(self) -> None:
        """Give discord.py its parser back."""
        self._parsers["READY"] = self._ready

    def _hear_ready(self, data: Any) -> None:
        """The list goes to the listener below; discord.py itself gives it to nobody."""
        self._bot.dispatch("guild_list", data)
        self._ready(data)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """The bot is in a server from now on, or again."""
        await self._try(lambda: self._servers.joined(str(guild.id)))

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """The bot was removed, or the server deleted. An outage is another event, and changes nothing."""
        await self._try(lambda: self._servers.left(str(guild.id)))

    @commands.Cog.listener()
    async def on_guild_list(self, data: dict[str, Any]) -> None:
        """A connection began: `data` is Discord's READY, which names all servers of its shard."""
        shard_id, shard_count = data.get("shard", (0, 1))
        present = {str(guild["id"]) for guild in data["guilds"]}
        await self._try(
            lambda: self._servers.at_ready(present, lambda id: (int(id) >> 22) % shard_count == shard_id)
        )

    async def _try(self, work: Callable[[], Awaitable[None]]) -> None:
        """A failure is logged; the next beginning of a connection makes good for it."""
        try:
            with self._bot.in_flight():
                await work()
        except Exception as error:  # noqa: BLE001 - the boundary of a listener
            log = _log.warning if is_expected(error) else _log.exception
            log("servers could not be followed", kind=type(error).__name__)


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Guilds(bot))
