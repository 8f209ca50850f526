"""`/privacy`: what is kept about the member who asks, all of it as a file, and its end."""

import io
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Kennel
from bot.outbound import Button, Reply
from bot.privacy.words import ASK, KEPT
from cogs.durable import DurableButton
from cogs.errors import lost
from cogs.messenger import NOBODY, NOT_SENT
from cogs.private_answers import privately, show

MAX_FILES = 20
_FILE = "kennel-my-data"
_HERE = "Everything that I keep about you is in this file."
_MORE = "There is more, so it goes on in further files."
_TOO_MUCH = "There is more than I can send in one answer; these files hold the newest of it."
_BUTTONS = (
    Button("v:erase", "Erase everything about me", "danger"),
    Button("v:keep", "Keep it"),
)


class EraseButton(DurableButton, template=r"v:(?P<verb>erase|keep)"):
    """Erases what is kept about whoever presses it, and about nobody else: it names no member."""

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Erase, or say that nothing was, in the place of the question."""

        async def work(bot: Kennel) -> None:
            said = KEPT
            if self.parts["verb"] == "erase":
                said = await bot.services.privacy.erase(str(interaction.user.id))
            await show(interaction, Reply(content=said))

        await privately(interaction, work)


class Privacy(commands.Cog):
    """The commands. Each serves the member who gave it, for all servers."""

    privacy = app_commands.Group(
        name="privacy", description="What I keep about you: see it, get it, erase it", guild_only=True
    )

    @privacy.command(name="show", description="Show what I keep about you and for how long")
    async def show(self, interaction: discord.Interaction[Kennel]) -> None:
        """Count what there is."""

        async def work(bot: Kennel) -> None:
            await show(interaction, Reply(content=await bot.services.privacy.show(str(interaction.user.id))))

        await privately(interaction, work)

    @privacy.command(name="export", description="Get everything that I keep about you as a file")
    async def export(self, interaction: discord.Interaction[Kennel]) -> None:
        """Send the files, which are seldom more than one."""
        await privately(interaction, lambda bot: _export(interaction, bot))

    @privacy.command(name="erase", description="Erase everything that I keep about you, in all servers")
    async def erase(self, interaction: discord.Interaction[Kennel]) -> None:
        """Ask once."""
        await privately(interaction, lambda _: show(interaction, Reply(content=ASK, buttons=_BUTTONS)))


async def _export(interaction: discord.Interaction[Any], bot: Kennel) -> None:
    """The first file takes the place of the private answer, and the others follow it."""
    number = 0
    async for content in bot.services.privacy.export(str(interaction.user.id)):
        number += 1
        name = f"{_FILE}.json" if number == 1 else f"{_FILE}-{number}.json"
        file = discord.File(io.BytesIO(content), name)
        try:
            if number == 1:
                await interaction.edit_original_response(
                    content=_HERE, attachments=[file], allowed_mentions=NOBODY
                )
            else:
                said = _MORE if number < MAX_FILES else _TOO_MUCH
                await interaction.followup.send(said, file=file, ephemeral=True, allowed_mentions=NOBODY)
        except NOT_SENT as failure:
            lost(failure, interaction_id=str(interaction.id))
            return
        if number == MAX_FILES:
            return


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Privacy())
    bot.add_dynamic_items(EraseButton)
