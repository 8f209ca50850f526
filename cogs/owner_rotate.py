"""`/tricks rotate`: a new signing secret, shown once to the owner."""

import discord
from discord import app_commands

from bot.app import Kennel
from bot.outbound import Embed, Reply
from bot.text import escaped_line
from bot.tricks.rotation import Rotated
from cogs.owner_room import TRICK, as_owner, tricks_group, tricks_here


@app_commands.describe(trick=TRICK)
@app_commands.autocomplete(trick=tricks_here)
async def rotate(interaction: discord.Interaction[Kennel], trick: str) -> None:
    """Make a new secret and show it, this once."""

    async def work(guild_id: str, owner_id: str) -> Reply:
        return rotated_panel(await interaction.client.services.rotation.rotate(guild_id, trick, owner_id))

    await as_owner(interaction, work)


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
    tricks_group(bot).add_command(
        app_commands.Command(
            name="rotate", description="Make a new signing secret for a trick", callback=rotate
        )
    )
