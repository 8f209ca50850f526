"""Buttons that work in any process and after any restart."""

import re
from typing import Any, Self

import discord

NEVER = r"(?!)"


class DurableButton(discord.ui.DynamicItem[discord.ui.Button[discord.ui.View]], template=NEVER):
    """A button whose custom id says all that there is to know of it.

    A subclass gives the `template` of its custom ids, finds its named groups in `parts`, and writes `callback`.
    Each has to be added to the bot once, with `add_dynamic_items`.
    """

    def __init__(self, pressed: re.Match[str]) -> None:
        super().__init__(discord.ui.Button(custom_id=pressed[0]))
        self.parts = pressed.groupdict()

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Called by discord.py for a press."""
        return cls(match)
