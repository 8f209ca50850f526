"""The small in-memory table that routes a command before the database is asked.

It says which words are commands of which server, and who may see the answer; it follows the database, where
another process may have changed something. What a command does is read from the database at each use.
"""

from dataclasses import dataclass
from sys import intern

from storage.commands import Commands
from storage.guilds import Guilds

_PUBLIC, _SLASH, _PREFIX = 1, 2, 4


@dataclass(frozen=True, slots=True)
class Route:
    """What the table knows of one command."""

    public: bool
    slash: bool
    prefix: bool


_ROUTES = tuple(Route(bool(n & _PUBLIC), bool(n & _SLASH), bool(n & _PREFIX)) for n in range(8))


class CommandTable:
    """Commands and prefixes of every server, as the database had them at the last `refresh`."""

    def __init__(self, guilds: Guilds, commands: Commands, default_prefix: str) -> None:
        self._guilds = guilds
        self._store = commands
        self._default_prefix = default_prefix
        self._commands: dict[str, dict[str, Route]] = {}
        self._prefixes: dict[str, str] = {}
        self._seen = 0

    def find(self, guild_id: str, name: str) -> Route | None:
        """The route of a command, None when the server has none of that name."""
        return self._commands.get(guild_id, {}).get(name)

    def prefix(self, guild_id: str) -> str:
        """The server's prefix, or the configured one."""
        return self._prefixes.get(guild_id, self._default_prefix)

    async def load(self) -> None:
        """Read everything once, at start."""
        self._seen, _ = await self._guilds.changes_after(0)
        self._prefixes = await self._guilds.prefixes()
        commands: dict[str, dict[str, Route]] = {}
        for guild_id, name, visibility, slash, prefix in await self._store.table():
            commands.setdefault(intern(guild_id), {})[intern(name)] = _route(visibility, slash, prefix)
        self._commands = commands

    async def refresh(self) -> None:
        """Read again the servers in which something changed since the last look, by whichever process."""
        seen, changed = await self._guilds.changes_after(self._seen)
        for guild_id in changed:
            await self._read(guild_id)
        self._seen = seen

    async def _read(self, guild_id: str) -> None:
        rows = await self._store.table_of(guild_id)
        self._commands[guild_id] = {row[1]: _route(row[2], row[3], row[4]) for row in rows}
        guild = await self._guilds.get(guild_id)
        if guild is not None and guild.prefix is not None:
            self._prefixes[guild_id] = guild.prefix
        else:
            self._prefixes.pop(guild_id, None)


def _route(visibility: str, slash: bool, prefix: bool) -> Route:
    return _ROUTES[(visibility == "public") * _PUBLIC + bool(slash) * _SLASH + bool(prefix) * _PREFIX]
