"""`/tricks …`: how a server's owner registers and lists tricks, and what confirming a panel does.

Every answer is private. Who may is checked at every command and every press: Discord's own setting hides the
commands from others, but does not decide. The other commands add themselves to the group that is made here.
"""

from collections.abc import Mapping
from typing import Any, cast

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Kennel
from bot.errors import ManifestInvalid, TrickFault
from bot.outbound import Reply
from bot.text import escaped_line
from bot.tricks.installed import Installed
from cogs.durable import DurableButton
from cogs.owner_panels import (
    STATES,
    enabled_panel,
    preview_panel,
    problems_panels,
    registered_panel,
    said,
)
from cogs.owner_room import as_owner, follow_changes
from cogs.owner_states import add_states
from cogs.rendering import pages
from cogs.show_panel import todo

_PAGE = 4_000
_NEXT: Mapping[str, str] = {
    "registered": "`/tricks enable` tests it and turns it on.",
    "paused": "`/tricks log` says what failed, `/tricks enable` tests it and turns it on again.",
}


class Owner(commands.Cog):
    """The first two commands; what their buttons do is in `OwnerButton`."""

    tricks = app_commands.Group(
        name="tricks",
        description="Manage the tricks of this server",
        default_permissions=discord.Permissions.none(),
        guild_only=True,
    )

    def __init__(self, bot: Kennel) -> None:
        self._services = bot.services

    @tricks.command(name="register", description="Register a trick by the address of its manifest")
    @app_commands.describe(manifest_url="The https:// address of the trick's manifest")
    async def register(self, interaction: discord.Interaction[Kennel], manifest_url: str) -> None:
        """Fetch and show the manifest, or all of its problems."""

        async def work(guild_id: str, owner_id: str) -> Reply | tuple[Reply, ...]:
            try:
                return preview_panel(
                    await self._services.registration.preview(guild_id, owner_id, manifest_url)
                )
            except ManifestInvalid as error:
                return problems_panels(error)
            except TrickFault as fault:
                return said(
                    "The manifest could not be read",
                    f"{fault.detail}\nCheck the address, or ask whoever runs the trick. Nothing was stored.",
                )

        await as_owner(interaction, work)

    @tricks.command(name="list", description="Show the tricks of this server and their state")
    async def list_tricks(self, interaction: discord.Interaction[Kennel]) -> None:
        """Each installation with its state, and what the owner should know."""

        async def work(guild_id: str, _: str) -> tuple[Reply, ...]:
            rows = await self._services.lifecycle.of_guild(guild_id)
            lines: list[str] = []
            for row in rows:
                lines += [await self._line(self._services.lifecycle.read(row)), ""]
            problem = await self._services.command_set.problem(guild_id)
            if problem:
                lines += [f"⚠️ {problem}", ""]
            if lines:
                lines.append("`/tricks show` opens the panel of one of them.")
            nothing = "No tricks here yet. `/tricks register` adds one by the address of its manifest."
            return tuple(said("Tricks", text) for text in pages(lines or [nothing], _PAGE))

        await as_owner(interaction, work)

    async def _line(self, installed: Installed) -> str:
        """One trick: its state, and what its owner should see to."""
        row = installed.row
        events = await self._services.event_choices.of(row)
        why = (row.notice,) if row.state == "paused" and row.notice else ()
        name = f"**{escaped_line(row.name)}** (`{row.trick_id}`)"
        state = f"{name}: {STATES[row.state]}. {_NEXT.get(row.state, '')}".rstrip()
        return "\n⚠️ ".join((state, *why, *todo(installed, events)))


class OwnerButton(
    DurableButton,
    template=r"o:(?P<verb>register|enable|remove|cancel):(?P<draft>[A-Za-z0-9_-]{16})",
):
    """Confirms, once, what an owner was shown."""

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Acknowledge, check the owner once more, and do it."""
        services = cast("Kennel", interaction.client).services

        async def work(guild_id: str, owner_id: str) -> Reply | tuple[Reply, ...]:
            draft = (self.parts["draft"], guild_id, owner_id)

            async def close(installation_id: str, name: str) -> None:
                sentence = f"{escaped_line(name)} was removed here, so this has ended."
                await services.assistant.trick_closed(installation_id, sentence)

            match self.parts["verb"]:
                case "register":
                    try:
                        return registered_panel(await services.registration.confirm(*draft))
                    except ManifestInvalid as error:
                        return problems_panels(error)
                case "enable":
                    installed = await services.lifecycle.confirm_enable(*draft)
                    await follow_changes(interaction)
                    return enabled_panel(installed)
                case "remove":
                    row = await services.lifecycle.confirm_remove(*draft, closing=close)
                    await follow_changes(interaction)
                    return said(
                        "Removed", f"**{escaped_line(row.name)}** is gone, with everything stored of it."
                    )
                case _:
                    await services.registration.cancel(*draft)
                    return said("Cancelled", "Nothing was changed.")

        await as_owner(interaction, work)


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Owner(bot))
    add_states(bot)
    bot.add_dynamic_items(OwnerButton)
