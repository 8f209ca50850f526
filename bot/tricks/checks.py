"""The checks before a command or a click, in their fixed order, each with its own sentence.

trick enabled → its required settings filled in → command exists → tool as pinned → member may use the tool here →
arguments → limits. The first five are here; the last two belong to the call itself (`bot.tricks.calls`).
"""

import json
from dataclasses import dataclass
from typing import Literal

from bot.clock import Clock
from bot.errors import (
    ButtonExpired,
    ChannelNotAllowed,
    NoSuchCommand,
    NoSuchTrick,
    NotAllowed,
    SettingsMissing,
    ToolHeldBack,
    TrickNotEnabled,
)
from bot.manifest import Command
from bot.policy.audiences import Asker, Place
from bot.strict_json import Json
from bot.text import escape, one_line
from bot.tricks.installed import Installed, InstalledReader
from bot.tricks.setting_words import labels_in_words
from storage.actions import Actions
from storage.commands import Commands
from storage.records import Installation, Pin

Surface = Literal["slash", "prefix"]


@dataclass(frozen=True, slots=True)
class Ready:
    """A tool that this member may use here and now."""

    installed: Installed
    pin: Pin
    schema: dict[str, Json]

    @property
    def title(self) -> str:
        """The tool's title, its name where it has none."""
        return self.pin.shown_title


@dataclass(frozen=True, slots=True)
class ReadyCommand(Ready):
    """A command whose checks passed so far; its arguments are still to be read."""

    command: Command


@dataclass(frozen=True, slots=True)
class ReadyAction(Ready):
    """A button whose checks passed so far, with the arguments that it was made with."""

    arguments: dict[str, Json]


class Checks:
    """Looks a command or a button up, in one read, and says whether the member may use it."""

    def __init__(
        self,
        commands: Commands,
        actions: Actions,
        reader: InstalledReader,
        clock: Clock,
        retention_days: int,
    ) -> None:
        self._commands = commands
        self._actions = actions
        self._reader = reader
        self._clock = clock
        self._buttons_last_ms = retention_days * 86_400_000

    async def command(self, name: str, surface: Surface, asker: Asker, place: Place) -> ReadyCommand:
        """The command `name` of the asker's server. Raises a `Refused` of the order above."""
        view = await self._commands.find_command(asker.guild_id, name)
        if view is None:
            raise NoSuchCommand
        installed = self._enabled(view.installation)
        command = installed.command(name)
        if command is None or surface not in command.surfaces:
            raise NoSuchCommand
        pin = self._admitted(installed, view.pin, asker, place)
        return ReadyCommand(installed, pin, json.loads(pin.input_schema), command)

    async def tool(self, installation_id: str, tool: str, asker: Asker, place: Place) -> Ready:
        """A tool that the assistant wants to use for the asker. Raises a `Refused` of the order above."""
        view = await self._commands.find_tool(installation_id, tool)
        if view is None or view.installation.guild_id != asker.guild_id:
            raise NoSuchTrick
        installed = self._enabled(view.installation)
        pin = self._admitted(installed, view.pin, asker, place)
        return Ready(installed, pin, json.loads(pin.input_schema))

    async def action(self, key: str, message_id: str, asker: Asker, place: Place) -> ReadyAction:
        """The button `key`, pressed in the message `message_id`. Raises a `Refused`."""
        view = await self._actions.find(key)
        if view is None or view.action.guild_id != asker.guild_id:
            raise ButtonExpired
        if view.action.message_id not in (None, message_id):
            raise ButtonExpired
        if view.action.created_at + self._buttons_last_ms <= self._clock.now_ms():
            raise ButtonExpired
        installed = self._enabled(view.installation)
        pin = self._admitted(installed, view.pin, asker, place)
        arguments = json.loads(view.action.arguments)
        return ReadyAction(installed, pin, json.loads(pin.input_schema), arguments)

    def _enabled(self, row: Installation) -> Installed:
        if row.state != "enabled":
            raise TrickNotEnabled(escape(one_line(row.name)), row.state)
        installed = self._reader.read(row, self._clock.now_ms())
        missing = installed.missing_settings
        if missing:
            raise SettingsMissing(escape(one_line(row.name)), labels_in_words(missing))
        return installed

    def _admitted(self, installed: Installed, pin: Pin | None, asker: Asker, place: Place) -> Pin:
        if pin is None or installed.held_back(pin):
            raise ToolHeldBack(escape(one_line(installed.name)))
        audience = installed.access.audience(pin.tool, read_only=pin.read_only)
        if not audience.admits(asker):
            raise NotAllowed(audience.in_words())
        if not installed.access.open_in(place) and not asker.is_owner:
            channels = ", ".join(f"<#{channel}>" for channel in sorted(installed.access.channel_ids))
            raise ChannelNotAllowed(channels)
        return pin
