"""The buttons of approval cards. How a card looks, open or closed, is the desk's; here is only who pressed."""

from typing import Any, Literal, cast

import discord

from bot.app import Kennel
from cogs.askers import asker_of, place_of
from cogs.durable import DurableButton
from cogs.private_answers import privately, show_texts

_FILE = "details.txt"


class ApprovalButton(
    DurableButton,
    template=r"a:(?P<verb>do|auto|dont|details):(?P<key>[A-Za-z0-9_-]{16})",
):
    """Any button of any card, in whichever process and after any restart."""

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Decide the card, or show its asker what it is about."""
        if self.parts["verb"] == "details":
            await privately(interaction, lambda bot: self._show_details(bot, interaction), update=False)
        else:
            await privately(interaction, lambda bot: self._decide(bot, interaction))

    async def _decide(self, bot: Kennel, interaction: discord.Interaction[Any]) -> None:
        """The decision is stored when the desk returns; the request then goes on from it."""
        verb = cast("Literal['do', 'auto', 'dont']", self.parts["verb"])
        asker = asker_of(cast("discord.Member", interaction.user))
        place = place_of(cast("int", interaction.channel_id), interaction.channel)
        approval = await bot.services.approvals.press(self.parts["key"], verb, asker, place)
        await bot.services.assistant.advance(approval.request_id)

    async def _show_details(self, bot: Kennel, interaction: discord.Interaction[Any]) -> None:
        texts = await bot.services.approvals.details(self.parts["key"], str(interaction.user.id))
        await show_texts(interaction, texts, _FILE)


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    bot.add_dynamic_items(ApprovalButton)
