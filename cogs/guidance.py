"""`/guidance`: the owner's one long text that every conversation with the assistant in this server reads."""

import re
from typing import Any, cast

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Kennel
from bot.outbound import Embed, FormField, FormPage, Reply
from bot.text import length
from bot.tricks.guidance import MAX_GUIDANCE, GuidanceOwnerOnly
from cogs.forms import modal, numbered_values, open_form
from cogs.owner_room import is_owner
from cogs.private_answers import privately, show

_FORM = "g:text"
_SAVED = (
    "The assistant reads it from the next message on, in every conversation here. It counts as text that the asker "
    "did not write, so before a change with a tool that is not open to everyone the asker now gets a card to agree "
    "to. It opens no tool to anybody, and its links are not passed on."
)
_CLEARED = "There is no guidance any more; from the next message on the assistant knows of none."
_OFF = "\nThe assistant is off here until whoever runs Kennel configures a model."


class Guidance(commands.Cog):
    """The command and its form."""

    @app_commands.command(name="guidance", description="Write what the assistant should know and heed here")
    @app_commands.guild_only()
    async def guidance(self, interaction: discord.Interaction[Kennel]) -> None:
        """Open the form with the present text, for the owner alone."""

        async def work(bot: Kennel) -> discord.ui.Modal:
            _require_owner(interaction)
            return _form(await bot.services.guidance.get(str(interaction.guild_id)))

        await open_form(interaction, work)


async def _submit(interaction: discord.Interaction[Any], _: re.Match[str]) -> None:
    text = str(numbered_values(cast("dict[str, Any]", interaction.data)).get("0", ""))

    async def work(bot: Kennel) -> None:
        _require_owner(interaction)
        services = bot.services
        kept = await services.guidance.set(str(interaction.guild_id), text, str(interaction.user.id))
        told = _SAVED if kept else _CLEARED
        title = "Guidance saved" if kept else "Guidance removed"
        embed = Embed(title=title, description=told if services.assistant.enabled else told + _OFF)
        await show(interaction, Reply(embed=embed))

    await privately(interaction, work)


def _require_owner(interaction: discord.Interaction[Any]) -> None:
    if not is_owner(interaction):
        raise GuidanceOwnerOnly


def _form(text: str) -> discord.ui.Modal:
    field = FormField(
        name="text",
        label="What should the assistant know here?",
        description="Everybody's conversations with it here include this. Leave it empty to remove it.",
        control="paragraph",
        required=False,
        least=0,
        most=MAX_GUIDANCE,
        value=text if length(text) <= MAX_GUIDANCE else "",
        placeholder="Who you are, how it should speak, what to know about this server",
    )
    return modal(FormPage("Guidance for the assistant", 0, 1, (field,)), _FORM)


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Guidance())
    bot.add_form(re.compile(_FORM), _submit)
