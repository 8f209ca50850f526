"""`/tricks rotate`: a new signing secret, shown once to the owner."""

from typing import Any, cast

import discord
from discord import app_commands

from bot.app import Kennel
from bot.errors import RotationUnderWay
from bot.outbound import Button, Embed, Reply
from bot.text import escaped_line
from bot.tricks.rotation import Rotated
from cogs.durable import DurableButton
from cogs.owner_room import TRICK, as_owner, tricks_group, tricks_here


@app_commands.describe(trick=TRICK)
@app_commands.autocomplete(trick=tricks_here)
async def rotate(interaction: discord.Interaction[Kennel], trick: str) -> None:
    """Make a new secret and show it, this once; within ten minutes of the last one, only if that was lost."""

    async def work(guild_id: str, owner_id: str) -> Reply:
        services = interaction.client.services
        try:
            return rotated_panel(await services.rotation.rotate(guild_id, trick, owner_id))
        except RotationUnderWay as under_way:
            installed = await services.lifecycle.installed(guild_id, trick)
            return under_way_panel(under_way, installed.row.trick_id)

    await as_owner(interaction, work)


class AnotherButton(
    DurableButton,
    template=r"r:another:(?P<trick>[a-z][a-z0-9_]{0,47})",
):
    """Makes another secret for an owner who did not get the last one."""

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Acknowledge, check the owner once more, and show another secret."""
        rotation = cast("Kennel", interaction.client).services.rotation

        async def work(guild_id: str, owner_id: str) -> Reply:
            return rotated_panel(await rotation.another(guild_id, self.parts["trick"], owner_id))

        await as_owner(interaction, work)


def under_way_panel(under_way: RotationUnderWay, trick_id: str) -> Reply:
    """Why there is no new secret, and the way on for an owner who lost the last one."""
    text = f"{under_way.sentence}\nIf you did not see the last one, or lost it, make another in its place."
    button = Button(f"r:another:{trick_id}", "I do not have it: make another", "danger")
    return Reply(embed=Embed(title="Already changing", description=text), buttons=(button,))


def rotated_panel(rotated: Rotated) -> Reply:
    """The secret, once, and until when the old one still counts."""
    name = escaped_line(rotated.installed.name)
    until = rotated.until_ms // 1000
    description = (
        f"Give this signing secret to whoever runs **{name}**; it is shown only now.\n"
        f"```\n{rotated.secret_text}\n```\n"
        f"Until <t:{until}:t> (<t:{until}:R>) every request is signed with the new secret and with the old one, so "
        "nothing is lost while it is exchanged. After that the new one alone counts. "
        f"`/tricks test trick:{rotated.installed.row.trick_id}` then says whether it arrived."
    )
    return Reply(embed=Embed(title=f"New secret for {name}", description=description))


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    bot.add_dynamic_items(AnotherButton)
    tricks_group(bot).add_command(
        app_commands.Command(
            name="rotate", description="Make a new signing secret for a trick", callback=rotate
        )
    )
