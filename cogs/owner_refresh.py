"""`/tricks refresh`: what a trick has become is shown, and the owner accepts it or keeps the old one."""

from typing import Any, cast

import discord
from discord import app_commands

from bot.app import Kennel
from bot.errors import ManifestInvalid, TrickFault
from bot.outbound import Reply
from bot.tricks.lifecycle import TestFailed
from bot.tricks.refresh import Unchanged
from cogs.durable import DurableButton
from cogs.owner_panels import said
from cogs.owner_room import TRICK, as_owner, follow_changes, tricks_group, tricks_here
from cogs.owner_states import progress_in
from cogs.refresh_panels import accepted_panel, differs_panels, kept_panel, unchanged_panel, unusable_panels
from cogs.report_panels import report_panel


@app_commands.describe(trick=TRICK)
@app_commands.autocomplete(trick=tricks_here)
async def refresh(interaction: discord.Interaction[Kennel], trick: str) -> None:
    """Read manifest and tools anew, with progress, and show the difference or what is wrong."""
    services = interaction.client.services

    async def work(guild_id: str, owner_id: str) -> Reply | tuple[Reply, ...]:
        try:
            outcome = await services.refresh.look(guild_id, trick, owner_id, progress_in(interaction))
        except ManifestInvalid as error:
            return unusable_panels(await services.lifecycle.installed(guild_id, trick), error)
        except TrickFault as fault:
            told = f"{fault.detail}\nTell whoever runs the trick. Nothing was changed."
            return said("The manifest could not be read", told)
        if isinstance(outcome, TestFailed):
            return report_panel(outcome.installed, outcome.report)
        if isinstance(outcome, Unchanged):
            return unchanged_panel(outcome.installed)
        return differs_panels(outcome)

    await as_owner(interaction, work)


class RefreshButton(
    DurableButton,
    template=r"f:(?P<verb>accept|keep):(?P<draft>[A-Za-z0-9_-]{16})",
):
    """Accepts, once, what an owner was shown, or leaves everything as it is."""

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Acknowledge, check the owner once more, and do it."""
        services = cast("Kennel", interaction.client).services

        async def work(guild_id: str, owner_id: str) -> Reply:
            draft = (self.parts["draft"], guild_id, owner_id)
            if self.parts["verb"] == "keep":
                return kept_panel(await services.refresh.keep(*draft))
            try:
                installed = await services.refresh.accept(*draft)
            except ManifestInvalid as error:
                return said("It cannot be accepted any more", error.sentence)
            await follow_changes(interaction)
            return accepted_panel(installed)

        await as_owner(interaction, work)


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    tricks_group(bot).add_command(
        app_commands.Command(
            name="refresh",
            description="Read a trick anew, and accept what changed or keep the old one",
            callback=refresh,
        )
    )
    bot.add_dynamic_items(RefreshButton)
