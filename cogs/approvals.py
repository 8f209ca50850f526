"""The buttons of approval cards. How a card looks, open or closed, is the desk's; here is only who pressed."""

import re
from typing import Any, Literal, Self, cast

import discord

from bot.app import Kennel
from cogs.askers import asker_of, place_of
from cogs.private_answers import privately, show_texts

_FILE = "details.txt"


class ApprovalButton(
    discord.ui.DynamicItem[discord.ui.Button[discord.ui.View]],
    template=r"a:(?P<verb>do|auto|dont|details):(?P<key>[A-Za-z0-9_-]{16})",
):
    """Any button of any card, in whichever process and after any restart."""

    def __init__(self, verb: str, key: str) -> None:
        super().__init__(discord.ui.Button(custom_id=f"a:{verb}:{key}"))
        self._verb = verb
        self._key = key

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Called by discord.py for a press."""
        return cls(match["verb"], match["key"])

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Decide the card, or show its asker what it is about."""
        if self._verb == "details":
            await privately(interaction, lambda bot: self._show_details(bot, interaction), update=False)
        else:
            await privately(interaction, lambda bot: self._decide(bot, interaction))

    async def _decide(self, bot: Kennel, interaction: discord.Interaction[Any]) -> None:
        """The decision is stored when the desk returns; the request then goes on from it."""
        verb = cast("Literal['do', 'auto', 'dont']", self._verb)
        asker = asker_of(cast("discord.Member", interaction.user))
        place = place_of(cast("int", interaction.channel_id), interaction.channel)
        approval = await bot.services.approvals.press(self._key, verb, asker, place)
        await bot.services.assistant.advance(approval.request_id)

    async def _show_details(self, bot: Kennel, interaction: discord.Interaction[Any]) -> None:
        texts = await bot.services.approvals.details(self._key, str(interaction.user.id))
        await show_texts(interaction, texts, _FILE)


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    bot.add_dynamic_items(ApprovalButton)
