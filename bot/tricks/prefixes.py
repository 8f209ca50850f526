"""The prefix of typed commands."""

from bot.tricks.command_table import CommandTable
from storage.guilds import Guilds


class Prefixes:
    """Sets a server's own prefix."""

    def __init__(self, guilds: Guilds, table: CommandTable) -> None:
        self._guilds = guilds
        self._table = table

    async def set(self, guild_id: str, prefix: str) -> None:
        """Store the prefix and use it at once in this process; others follow within seconds."""
        await self._guilds.set_prefix(guild_id, prefix)
        await self._table.refresh()
