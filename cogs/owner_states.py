"""`/tricks test`, `enable`, `disable` and `remove`: what moves a trick from one state to another.

Each is called for its command and for a press of the panel of `/tricks show` alike.
"""

from typing import Any

import discord
from discord import app_commands

from bot.app import Kennel
from bot.outbound import Reply
from bot.text import escaped_line
from bot.tricks.challenge import TestReport
from bot.tricks.installed import Installed
from bot.tricks.lifecycle import AsksFirst, Enabled, Progress
from cogs.owner_panels import ask_enable_panels, ask_remove_panel, enabled_panel, said
from cogs.owner_room import TRICK, as_owner, follow_changes, tricks_group, tricks_here
from cogs.private_answers import show
from cogs.report_panels import report_panel


@app_commands.describe(trick=TRICK)
@app_commands.autocomplete(trick=tricks_here)
async def test(interaction: discord.Interaction[Kennel], trick: str) -> None:
    """Challenge and tool list, with progress."""
    lifecycle = interaction.client.services.lifecycle

    async def work(guild_id: str, owner_id: str) -> Reply:
        return report_panel(*await lifecycle.test(guild_id, trick, owner_id, progress_in(interaction)))

    await as_owner(interaction, work)


@app_commands.describe(trick=TRICK)
@app_commands.autocomplete(trick=tricks_here)
async def enable(interaction: discord.Interaction[Kennel], trick: str) -> None:
    """The first time the owner sees every tool before anything is turned on."""
    lifecycle = interaction.client.services.lifecycle

    async def work(guild_id: str, owner_id: str) -> Reply | tuple[Reply, ...]:
        outcome = await lifecycle.enable(guild_id, trick, owner_id, progress_in(interaction))
        if isinstance(outcome, AsksFirst):
            return ask_enable_panels(outcome.installed, outcome.report.definitions.values(), outcome.draft_id)
        if isinstance(outcome, Enabled):
            await follow_changes(interaction)
            return enabled_panel(outcome.installed, outcome.held_back)
        return report_panel(outcome.installed, outcome.report, enabling=True)

    await as_owner(interaction, work)


@app_commands.describe(trick=TRICK)
@app_commands.autocomplete(trick=tricks_here)
async def disable(interaction: discord.Interaction[Kennel], trick: str) -> None:
    """The commands go; everything else is kept."""
    services = interaction.client.services

    async def work(guild_id: str, owner_id: str) -> Reply:
        installed, done = await services.lifecycle.disable(guild_id, trick, owner_id)
        await follow_changes(interaction)
        name = escaped_line(installed.name)
        if not done:
            return said("Nothing to do", f"**{name}** was not on.")
        await services.assistant.trick_closed(
            installed.row.id, f"{name} was turned off here, so this has ended."
        )
        return said(
            "Disabled",
            f"**{name}** is off, and its commands go in a moment. Everything else is kept; "
            f"`/tricks enable trick:{installed.row.trick_id}` turns it on again.",
        )

    await as_owner(interaction, work)


@app_commands.describe(trick=TRICK)
@app_commands.autocomplete(trick=tricks_here)
async def remove(interaction: discord.Interaction[Kennel], trick: str) -> None:
    """Asks once."""
    lifecycle = interaction.client.services.lifecycle

    async def work(guild_id: str, owner_id: str) -> Reply:
        return ask_remove_panel(*await lifecycle.ask_remove(guild_id, trick, owner_id))

    await as_owner(interaction, work)


def add_states(bot: Kennel) -> None:
    """Add the commands to `/tricks`."""
    group = tricks_group(bot)
    for name, description, callback in (
        ("test", "Test the connection to a trick", test),
        ("enable", "Test a trick, then turn its commands on", enable),
        ("disable", "Turn a trick's commands off", disable),
        ("remove", "Remove a trick and erase everything stored of it", remove),
    ):
        group.add_command(app_commands.Command(name=name, description=description, callback=callback))


def progress_in(interaction: discord.Interaction[Any]) -> Progress:
    """Shows how far a test has come, in the place of the answer to come."""

    async def progress(installed: Installed, report: TestReport) -> None:
        await show(interaction, report_panel(installed, report, running=True))

    return progress
