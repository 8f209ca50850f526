"""`/tricks access`: who may use each tool of a trick, and in which channels."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Self, cast

import discord
from discord import app_commands

from bot.app import Kennel
from bot.errors import NoSuchTrick
from bot.policy.audiences import EVERYONE, Audience
from bot.text import clamp
from bot.tricks.access import AccessService, AsksToOpen, Confirmed, TrickAccess
from cogs.access_panels import Present, glance_panel, open_panel, tool_panel
from cogs.errors import lost
from cogs.messenger import NOT_SENT, EditParts
from cogs.owner_room import TRICK, is_owner, require_owner, tricks_group, tricks_here
from cogs.private_answers import privately

_SAVED = "✅ Saved."
_GONE = "⚠️ What you chose was deleted meanwhile, so nothing was changed."

Work = Callable[[str, str], Awaitable[EditParts]]


async def tools_here(
    interaction: discord.Interaction[Kennel], current: str
) -> list[app_commands.Choice[str]]:
    """Autocompletes `tool` by name and title once `trick` is given; for anybody but the owner with nothing."""
    if not is_owner(interaction) or interaction.client.draining:
        return []
    trick = str(interaction.namespace.trick or "")
    with interaction.client.in_flight():
        try:
            access = await interaction.client.services.access.of_trick(str(interaction.guild_id), trick)
        except NoSuchTrick:
            return []
    wanted = current.strip().casefold()
    return [
        app_commands.Choice(name=clamp(f"{tool.name} ({tool.title})", 100), value=tool.name)
        for tool in access.tools
        if wanted in tool.name or wanted in tool.title.casefold()
    ][:25]


@app_commands.describe(trick=TRICK, tool="One tool; without it, all of them at a glance")
@app_commands.autocomplete(trick=tricks_here, tool=tools_here)
async def access(interaction: discord.Interaction[Kennel], trick: str, tool: str | None = None) -> None:
    """Show the panel of a trick, or of one of its tools. Also called for a press of another panel."""

    async def work(guild_id: str, _: str) -> EditParts:
        found = await interaction.client.services.access.of_trick(guild_id, trick)
        if tool is None:
            return glance_panel(found, _present(interaction))
        return tool_panel(found, found.tool(tool.strip().lower()), _present(interaction))

    await _as_owner(interaction, work, update=False)


@dataclass(frozen=True, slots=True)
class Press:
    """What an owner pressed or chose in one of the panels."""

    access: AccessService
    guild_id: str
    owner_id: str
    present: Present
    installation_id: str
    page: int
    tool: str
    chosen: frozenset[str]

    async def answer(self, verb: str) -> EditParts:
        """Do what was asked for; gives the panel that follows."""
        match verb:
            case "who":
                return await self._who()
            case "roles":
                return await self._roles()
            case "open":
                return await self._set_audience(EVERYONE, confirmed="never_asks")
            case "openasking":
                return await self._set_audience(EVERYONE, confirmed="always_asks")
            case "channels":
                return await self._channels()
            case "all":
                return self._glance(await self.access.set_channels(*self._key, ()), _SAVED)
            case "reads":
                return self._glance(await self.access.open_reads(*self._key), _SAVED)
            case "tool" | "keep":
                found = await self._found()
                tool = self.tool or next(iter(self.chosen), "")
                return tool_panel(found, found.tool(tool), self.present)
            case _:
                return self._glance(await self._found())

    @property
    def _key(self) -> tuple[str, str, str]:
        return self.guild_id, self.owner_id, self.installation_id

    async def _who(self) -> EditParts:
        """Roles are stored once they are chosen: until then the rule stays what it is."""
        for kind in ("everyone", "manage_server", "owner"):
            if kind in self.chosen:
                return await self._set_audience(Audience(kind))
        return await self._choosing()

    async def _roles(self) -> EditParts:
        """The role that everyone has is everyone."""
        if self.guild_id in self.chosen:
            return await self._set_audience(EVERYONE)
        roles = self.chosen & self.present.roles
        return await self._set_audience(Audience("roles", roles)) if roles else await self._choosing(_GONE)

    async def _channels(self) -> EditParts:
        """Choosing none must not mean all."""
        channels = self.chosen & self.present.channels
        if not channels:
            return self._glance(await self._found(), _GONE)
        return self._glance(await self.access.set_channels(*self._key, channels), _SAVED)

    async def _set_audience(self, audience: Audience, *, confirmed: Confirmed | None = None) -> EditParts:
        done = await self.access.set_audience(*self._key, self.tool, audience, confirmed=confirmed)
        if isinstance(done, AsksToOpen):
            return open_panel(done.access, done.tool)
        return tool_panel(done, done.tool(self.tool), self.present, told=_SAVED)

    async def _choosing(self, told: str = "") -> EditParts:
        found = await self._found()
        tool = found.tool(self.tool)
        return tool_panel(found, tool, self.present, choosing=tool.audience.kind != "roles", told=told)

    async def _found(self) -> TrickAccess:
        return await self.access.of_installation(self.guild_id, self.installation_id)

    def _glance(self, found: TrickAccess, told: str = "") -> EditParts:
        return glance_panel(found, self.present, self.page, told)


class AccessControl(
    discord.ui.DynamicItem[discord.ui.Item[discord.ui.View]],
    template=(
        r"x:(?P<verb>page|tool|channels|all|reads|who|roles|open|openasking|keep):(?P<installation>[0-9a-f]{32})"
        r":(?:(?P<page>\d{1,2})|(?P<tool>[a-z][a-z0-9_]{0,47}))"
    ),
):
    """One select or button of the panels, in whichever process and after any restart."""

    def __init__(self, item: discord.ui.Item[Any], match: re.Match[str]) -> None:
        super().__init__(item)
        self._match = match

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Called by discord.py for a choice or a press."""
        return cls(item, match)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Acknowledge, check the owner once more, and do it."""
        chosen = cast("dict[str, Any]", interaction.data or {}).get("values", [])

        async def work(guild_id: str, owner_id: str) -> EditParts:
            press = Press(
                access=cast("Kennel", interaction.client).services.access,
                guild_id=guild_id,
                owner_id=owner_id,
                present=_present(interaction),
                installation_id=self._match["installation"],
                page=int(self._match["page"] or 0),
                tool=self._match["tool"] or "",
                chosen=frozenset(str(value) for value in chosen),
            )
            return await press.answer(self._match["verb"])

        await _as_owner(interaction, work, update=True)


def _present(interaction: discord.Interaction[Any]) -> Present:
    """`require_owner` has made sure that there is a server."""
    return Present.of(cast("discord.Guild", interaction.guild))


async def _as_owner(interaction: discord.Interaction[Any], work: Work, *, update: bool) -> None:
    """As `cogs.owner_room.as_owner`, for answers with selects."""

    async def answer(_: Kennel) -> None:
        require_owner(interaction)
        parts = await work(str(interaction.guild_id), str(interaction.user.id))
        try:
            await interaction.edit_original_response(**parts)
        except NOT_SENT as failure:
            lost(failure, interaction_id=str(interaction.id))

    await privately(interaction, answer, update=update)


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    tricks_group(bot).add_command(
        app_commands.Command(
            name="access",
            description="Choose who may use a trick's tools, and in which channels",
            callback=access,
        )
    )
    bot.add_dynamic_items(AccessControl)
