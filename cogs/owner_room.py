"""What every command and press of an owner has in common: who may, how it is answered, which names are offered."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

import discord
from discord import app_commands

from bot.app import Kennel
from bot.errors import OwnerOnly
from bot.outbound import Reply
from bot.text import clamp, one_line
from cogs.private_answers import privately, show

TRICK = "The trick's id"
"""How the parameter `trick` is described everywhere."""
PANEL = "p:"
"""How the custom ids of the panel of `/tricks show` begin: what they lead to stands beside the panel."""

Work = Callable[[str, str], Awaitable[Reply | tuple[Reply, ...]]]


def is_owner(interaction: discord.Interaction[Any]) -> bool:
    """Whether the person who acts is the server's owner, as Discord reports it now."""
    return interaction.guild is not None and interaction.user.id == interaction.guild.owner_id


def require_owner(interaction: discord.Interaction[Any]) -> None:
    """Raises `OwnerOnly` for everybody else."""
    if not is_owner(interaction):
        raise OwnerOnly


async def as_owner(interaction: discord.Interaction[Any], work: Work) -> None:
    """Acknowledge privately, refuse everybody but the owner, then show what `work` gives.

    `work` takes the server's and the owner's id. The answer to a press takes the place of what was pressed,
    unless that is the panel of `/tricks show`; a refusal always stands beside it.
    """

    async def answer(_: Kennel) -> None:
        require_owner(interaction)
        replies = await work(str(interaction.guild_id), str(interaction.user.id))
        await show(interaction, *(replies if isinstance(replies, tuple) else (replies,)))

    await privately(interaction, answer, update=not _is_panel(interaction))


async def follow_changes(interaction: discord.Interaction[Any]) -> None:
    """Let this process act on what was just changed, instead of at its next look."""
    bot = cast("Kennel", interaction.client)
    await bot.services.table.refresh()
    bot.dispatch("commands_changed", str(interaction.guild_id))


def tricks_group(bot: Kennel) -> app_commands.Group:
    """The group `/tricks`, to which the cogs of the owner's room add their commands. `cogs.owner` made it."""
    group = bot.tree.get_command("tricks")
    assert isinstance(group, app_commands.Group)
    return group


async def tricks_here(
    interaction: discord.Interaction[Kennel], current: str
) -> list[app_commands.Choice[str]]:
    """Autocompletes `trick`: the server's tricks by id and name; for anybody but the owner none."""
    if not is_owner(interaction) or interaction.client.draining:
        return []
    with interaction.client.in_flight():
        rows = await interaction.client.services.lifecycle.of_guild(str(interaction.guild_id))
    wanted = current.strip().casefold()
    return [
        app_commands.Choice(name=clamp(f"{one_line(row.name)} ({row.trick_id})", 100), value=row.trick_id)
        for row in rows
        if wanted in row.trick_id or wanted in row.name.casefold()
    ][:25]


def _is_panel(interaction: discord.Interaction[Any]) -> bool:
    data = cast("dict[str, Any]", interaction.data or {})
    return str(data.get("custom_id", "")).startswith(PANEL)
