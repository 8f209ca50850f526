"""Who may use a trick's tools, and in which channels: what the owner sees of it and changes.

A read tool that is opened to everyone has no stored rule, because that is how it begins. So a tool that once
was a read and becomes a write is not open to everyone by a choice that was made for a read.
"""

import dataclasses
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from bot.clock import Clock
from bot.errors import NoSuchTool, NoSuchTrick
from bot.policy.audiences import AccessRules, Audience
from bot.text import legible, one_line
from bot.tricks.installed import Installed, InstalledReader
from bot.tricks.lifecycle import Lifecycle
from storage.access import Access
from storage.installations import Installations
from storage.records import Installation, Pin

Confirmed = Literal["never_asks", "always_asks"]
"""What the owner was told of a write before opening it to everyone."""


@dataclass(frozen=True, slots=True)
class ToolAccess:
    """One tool of a trick, and who may use it. `title` is its name until the owner has accepted a title."""

    name: str
    title: str
    read_only: bool
    always_ask: bool
    audience: Audience


@dataclass(frozen=True, slots=True)
class TrickAccess:
    """All tools of a trick in the manifest's order; `channel_ids` is empty for every channel."""

    installation_id: str
    trick_name: str
    tools: tuple[ToolAccess, ...]
    channel_ids: frozenset[str]

    def tool(self, name: str) -> ToolAccess:
        """The tool of that name. Raises `NoSuchTool`."""
        found = next((tool for tool in self.tools if tool.name == name), None)
        if found is None:
            raise NoSuchTool
        return found

    @property
    def closed_reads(self) -> tuple[str, ...]:
        """The read tools that not everyone may use."""
        return tuple(t.name for t in self.tools if t.read_only and t.audience.kind != "everyone")


@dataclass(frozen=True, slots=True)
class AsksToOpen:
    """Nothing was changed: the tool writes, and opening it to everyone has to be confirmed."""

    access: TrickAccess
    tool: ToolAccess


class AccessService:
    """Reads and changes the access rules of a server's tricks; who calls it has made sure of the owner."""

    def __init__(
        self,
        store: Access,
        installations: Installations,
        lifecycle: Lifecycle,
        reader: InstalledReader,
        clock: Clock,
    ) -> None:
        self._store = store
        self._installations = installations
        self._lifecycle = lifecycle
        self._reader = reader
        self._clock = clock

    async def of_trick(self, guild_id: str, trick: str) -> TrickAccess:
        """The access of the trick with this id. Raises `NoSuchTrick`."""
        return await self._view((await self._lifecycle.installed(guild_id, trick)).row)

    async def of_installation(self, guild_id: str, installation_id: str) -> TrickAccess:
        """The same, by the installation's id. Raises `NoSuchTrick` when the server has it no more."""
        return await self._view((await self._lifecycle.by_id(guild_id, installation_id)).row)

    async def set_audience(
        self,
        guild_id: str,
        owner_id: str,
        installation_id: str,
        tool: str,
        audience: Audience,
        *,
        confirmed: Confirmed | None = None,
    ) -> TrickAccess | AsksToOpen:
        """Say who may use one tool. A write is opened to everyone only when that was `confirmed`.

        Who confirmed one that always asks has not agreed to one that no longer does. Raises `NoSuchTrick` and
        `NoSuchTool`.
        """

        def change(installed: Installed) -> AccessRules:
            flags = installed.tool(tool)
            if flags is None:
                raise NoSuchTool
            if audience.kind == "everyone" and flags.read_only:
                return without(installed.access, [tool])
            agreed = confirmed == "never_asks" or (confirmed == "always_asks" and flags.always_ask)
            if audience.kind == "everyone" and not agreed:
                return installed.access
            return dataclasses.replace(
                installed.access, audiences={**installed.access.audiences, tool: audience}
            )

        await self._change(guild_id, owner_id, installation_id, change, tool)
        access = await self.of_installation(guild_id, installation_id)
        now = access.tool(tool)
        if audience.kind == "everyone" and now.audience.kind != "everyone":
            return AsksToOpen(access, now)
        return access

    async def set_channels(
        self, guild_id: str, owner_id: str, installation_id: str, channel_ids: Collection[str]
    ) -> TrickAccess:
        """Say in which channels the trick may be used; none given: in every one. Raises `NoSuchTrick`."""

        def change(installed: Installed) -> AccessRules:
            return dataclasses.replace(installed.access, channel_ids=frozenset(channel_ids))

        await self._change(guild_id, owner_id, installation_id, change)
        return await self.of_installation(guild_id, installation_id)

    async def open_reads(self, guild_id: str, owner_id: str, installation_id: str) -> TrickAccess:
        """Open every read tool to everyone. Raises `NoSuchTrick`."""

        def change(installed: Installed) -> AccessRules:
            reads = [tool.name for tool in installed.manifest.tools if tool.read_only]
            return without(installed.access, reads)

        await self._change(guild_id, owner_id, installation_id, change)
        return await self.of_installation(guild_id, installation_id)

    async def _view(self, row: Installation) -> TrickAccess:
        pins = {pin.tool: pin for pin in await self._installations.pins(row.id)}
        return _view(self._reader.read(row, self._clock.now_ms()), pins)

    async def _change(
        self,
        guild_id: str,
        owner_id: str,
        installation_id: str,
        change: Callable[[Installed], AccessRules],
        tool: str | None = None,
    ) -> None:
        """Rules of tools that the manifest has no more go with the next change of any."""
        now = self._clock.now_ms()

        def rules(row: Installation) -> str:
            installed = self._reader.read(row, now)
            changed = change(installed)
            if changed == installed.access:
                return row.access
            return dump_access(without(changed, changed.audiences.keys() - installed.tools))

        store = self._store.set_access
        if await store(installation_id, guild_id, rules, now=now, actor_id=owner_id, tool=tool) is None:
            raise NoSuchTrick


def without(rules: AccessRules, tools: Collection[str]) -> AccessRules:
    """The rules with those of `tools` taken out."""
    kept = {tool: audience for tool, audience in rules.audiences.items() if tool not in tools}
    return dataclasses.replace(rules, audiences=kept)


def dump_access(rules: AccessRules) -> str:
    """The JSON that `bot.tricks.installed.read_access` reads; equal rules give the same text."""
    stored: dict[str, object] = {}
    if rules.audiences:
        stored["audiences"] = {tool: _stored(rules.audiences[tool]) for tool in sorted(rules.audiences)}
    if rules.channel_ids:
        stored["channels"] = sorted(rules.channel_ids)
    return json.dumps(stored, separators=(",", ":"))


def _stored(audience: Audience) -> Mapping[str, object]:
    if audience.kind == "roles":
        return {"kind": "roles", "roles": sorted(audience.role_ids)}
    return {"kind": audience.kind}


def _view(installed: Installed, pins: Mapping[str, Pin]) -> TrickAccess:
    tools: list[ToolAccess] = []
    for tool in installed.manifest.tools:
        pin = pins.get(tool.name)
        title = one_line(legible(pin.shown_title)) if pin else ""
        audience = installed.access.audience(tool.name, read_only=tool.read_only)
        tools.append(ToolAccess(tool.name, title or tool.name, tool.read_only, tool.always_ask, audience))
    return TrickAccess(installed.row.id, installed.name, tuple(tools), installed.access.channel_ids)
