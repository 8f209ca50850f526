"""Looking up commands and tools: the reads in the path of every command, one statement each."""

from sqlalchemy import and_, bindparam, select

from storage import tables
from storage.engine import Database
from storage.records import Command, CommandRow, CommandView, PinnedCommand, ToolView
from storage.rows import COMMAND_WIDTH, INSTALLATION_WIDTH, to_command, to_installation, to_pin

_installations, _commands, _pins = tables.installations, tables.commands, tables.pins
_commands_of = _commands.c.installation_id == _installations.c.id
_pin_of_command = and_(
    _pins.c.installation_id == _commands.c.installation_id, _pins.c.tool == _commands.c.tool
)
_FIND_COMMAND = (
    select(_installations, _commands, _pins)
    .select_from(_commands.join(_installations, _commands_of).outerjoin(_pins, _pin_of_command))
    .where(_commands.c.guild_id == bindparam("guild_id"), _commands.c.name == bindparam("name"))
)
_FIND_TOOL = (
    select(_installations, _pins)
    .select_from(
        _installations.outerjoin(
            _pins, and_(_pins.c.installation_id == _installations.c.id, _pins.c.tool == bindparam("tool"))
        )
    )
    .where(_installations.c.id == bindparam("installation_id"))
)
_shown = _installations.c.state.in_(("enabled", "paused"))
_OF_INSTALLATION = (
    select(_commands)
    .where(_commands.c.installation_id == bindparam("installation_id"))
    .order_by(_commands.c.position)
)
_OF_GUILD = (
    select(_commands, _pins)
    .select_from(_commands.join(_installations, _commands_of).outerjoin(_pins, _pin_of_command))
    .where(_commands.c.guild_id == bindparam("guild_id"), _shown)
    .order_by(_installations.c.created_at, _installations.c.id, _commands.c.position)
)
_TABLE = (
    select(
        _commands.c.guild_id, _commands.c.name, _commands.c.visibility, _commands.c.slash, _commands.c.prefix
    )
    .select_from(_commands.join(_installations, _commands_of))
    .where(_shown)
)
_TABLE_OF_GUILD = _TABLE.where(_commands.c.guild_id == bindparam("guild_id"))


class Commands:
    """The store of commands. `Installations` writes them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_command(self, guild_id: str, name: str) -> CommandView | None:
        """The server's command of that name, whatever state its trick is in; None when there is none."""
        row = await self._database.first(_FIND_COMMAND, {"guild_id": guild_id, "name": name})
        if row is None:
            return None
        rest = row[INSTALLATION_WIDTH:]
        return CommandView(to_installation(row), to_command(rest), to_pin(rest[COMMAND_WIDTH:]))

    async def find_tool(self, installation_id: str, tool: str) -> ToolView | None:
        """The installation with the accepted definition of `tool`; None when it is not installed."""
        row = await self._database.first(_FIND_TOOL, {"installation_id": installation_id, "tool": tool})
        return ToolView(to_installation(row), to_pin(row[INSTALLATION_WIDTH:])) if row else None

    async def title_of(self, installation_id: str, tool: str) -> str:
        """What people are told that `tool` is called; its name where it has no accepted title."""
        view = await self.find_tool(installation_id, tool)
        return view.pin.shown_title if view and view.pin else tool

    async def of_installation(self, installation_id: str) -> tuple[Command, ...]:
        """The installation's commands in the manifest's order."""
        rows = await self._database.all(_OF_INSTALLATION, {"installation_id": installation_id})
        return tuple(to_command(row) for row in rows)

    async def of_guild(self, guild_id: str) -> tuple[PinnedCommand, ...]:
        """What Discord has to know: the commands of enabled and paused tricks, in a fixed order."""
        rows = await self._database.all(_OF_GUILD, {"guild_id": guild_id})
        return tuple(PinnedCommand(to_command(row), to_pin(row[COMMAND_WIDTH:])) for row in rows)

    async def table(self) -> list[CommandRow]:
        """The commands of all enabled and paused tricks of all servers, as plain tuples."""
        return [(*row,) for row in await self._database.all(_TABLE)]

    async def table_of(self, guild_id: str) -> list[CommandRow]:
        """`table` of one server."""
        return [(*row,) for row in await self._database.all(_TABLE_OF_GUILD, {"guild_id": guild_id})]
