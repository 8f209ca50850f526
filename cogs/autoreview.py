"""`/autoreview`: what a member lets the bot review by itself, and a select to take it back."""

import re
from collections.abc import Sequence
from typing import Any, Self, cast

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Kennel
from bot.approvals.consents import GivenConsent
from bot.outbound import Embed, Reply
from bot.text import clamp, escape, legible, one_line
from cogs.errors import lost
from cogs.messenger import NOT_SENT, EditParts, edit_parts
from cogs.private_answers import privately
from cogs.rendering import pages

_SELECT = "c:revoke"
_MAX_OPTIONS = 25
_OPTION = 100
_DESCRIPTION = 4_000
_INTRODUCTION = (
    "Changes with these tools are reviewed automatically where I would otherwise ask you. Choose below which of "
    "them I should ask you about again."
)
_NONE = "There is nothing here that you let me review. Press **Auto-review** on a card to change that."
_CHANGED = "it has changed since, so I ask you again"


class RevokeSelect(discord.ui.DynamicItem[discord.ui.Select[discord.ui.View]], template=_SELECT):
    """Takes back the consents that its user chose, in whichever process and after any restart.

    What is chosen is looked up under whoever chose, so nobody can take back anything of another member.
    """

    def __init__(self) -> None:
        super().__init__(discord.ui.Select(custom_id=_SELECT))

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Called by discord.py for a choice."""
        return cls()

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Take back what was chosen, then show what is left."""
        chosen = cast("dict[str, Any]", interaction.data).get("values", [])

        async def work(bot: Kennel) -> None:
            for value in chosen:
                installation_id, _, tool = value.partition(":")
                await bot.services.consents.revoke(str(interaction.user.id), installation_id, tool)
            await _show(interaction, bot, "Done: from now on I will ask you again.")

        await privately(interaction, work)


class AutoReview(commands.Cog):
    """The command; what its select does is in `RevokeSelect`."""

    @app_commands.command(
        name="autoreview", description="Show and take back what you let me review by myself"
    )
    @app_commands.guild_only()
    async def autoreview(self, interaction: discord.Interaction[Kennel]) -> None:
        """List the member's consents in this server."""
        await privately(interaction, lambda bot: _show(interaction, bot))


def panel(given: Sequence[GivenConsent], told: str = "") -> EditParts:
    """The member's consents under `told`, with a select for the first 25 of them."""
    heading = f"{told}\n\n" if told else ""
    lines = [_line(consent) for consent in given[:_MAX_OPTIONS]]
    if len(given) > len(lines):
        lines.append(
            f"… and {len(given) - len(lines)} more, which are listed once you take some of these back."
        )
    listed = f"{_INTRODUCTION}\n\n{pages(lines, _DESCRIPTION - 500)[0]}" if given else _NONE
    parts = edit_parts(Reply(embed=Embed(title="Auto-review", description=heading + listed)))
    if given:
        parts["view"] = _select(given[:_MAX_OPTIONS])
    return parts


def _line(consent: GivenConsent) -> str:
    title = escape(clamp(_title(consent), 80))
    name = escape(clamp(one_line(consent.trick_name), 80))
    return f"• **{title}** ({name})" + ("" if consent.holds else f": {_CHANGED}")


def _select(given: Sequence[GivenConsent]) -> discord.ui.View:
    """Stopped before it is sent, as every view (`cogs.messenger`)."""
    options = [
        discord.SelectOption(
            label=clamp(_title(consent), _OPTION),
            value=f"{consent.installation_id}:{consent.tool}",
            description=clamp(one_line(consent.trick_name), _OPTION) or None,
        )
        for consent in given
    ]
    view = discord.ui.View(timeout=None)
    view.add_item(
        discord.ui.Select[discord.ui.View](
            custom_id=_SELECT, placeholder="Ask me again about…", max_values=len(options), options=options
        )
    )
    view.stop()
    return view


def _title(consent: GivenConsent) -> str:
    return one_line(legible(consent.tool_title)) or consent.tool


async def _show(interaction: discord.Interaction[Any], bot: Kennel, told: str = "") -> None:
    """Put the member's list in the place of the private answer, under `told`."""
    member_id, guild_id = str(interaction.user.id), str(interaction.guild_id)
    parts = panel(await bot.services.consents.of_member(member_id, guild_id), told)
    try:
        await interaction.edit_original_response(**parts)
    except NOT_SENT as failure:
        lost(failure, interaction_id=str(interaction.id))


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(AutoReview())
    bot.add_dynamic_items(RevokeSelect)
