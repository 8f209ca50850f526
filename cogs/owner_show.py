"""`/tricks show`: one panel for everything about a trick. What its buttons lead to stands beside it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

import discord
from discord import app_commands

from bot.app import Kennel
from bot.outbound import Reply
from cogs import (
    owner_access,
    owner_events,
    owner_log,
    owner_refresh,
    owner_rotate,
    owner_settings,
    owner_states,
)
from cogs.durable import DurableButton
from cogs.owner_room import TRICK, as_owner, tricks_group, tricks_here
from cogs.show_panel import Overview, show_panel


@app_commands.describe(trick=TRICK)
@app_commands.autocomplete(trick=tricks_here)
async def show(interaction: discord.Interaction[Kennel], trick: str) -> None:
    """Show what is known of a trick and what can be done with it."""
    services = interaction.client.services

    async def work(guild_id: str, _: str) -> Reply:
        installed = await services.lifecycle.installed(guild_id, trick)
        row = installed.row
        return show_panel(
            Overview(
                installed=installed,
                events=await services.event_choices.of(row),
                troubles=await services.log.lately(row.id),
                commands_problem=await services.command_set.problem(guild_id),
                paused_since=await services.log.paused_since(row.id),
                now=services.clock.now_ms(),
            )
        )

    await as_owner(interaction, work)


_VERBS: Mapping[str, Callable[[discord.Interaction[Kennel], str], Awaitable[None]]] = {
    "test": owner_states.test,
    "enable": owner_states.enable,
    "disable": owner_states.disable,
    "settings": owner_settings.settings,
    "access": owner_access.access,
    "events": owner_events.events,
    "log": owner_log.log,
    "refresh": owner_refresh.refresh,
    "rotate": owner_rotate.rotate,
    "remove": owner_states.remove,
    "show": show,
}


class PanelButton(
    DurableButton,
    template=rf"(?P<place>[pv]):(?P<verb>{'|'.join(_VERBS)}):(?P<trick>[a-z0-9_]{{1,48}})",
):
    """A button of the panel: the command of the same name, for the panel's trick.

    What those with a `p` in front lead to stands beside the panel, with a `v` in its place. The commands
    themselves check who pressed.
    """

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Do what the command does."""
        await _VERBS[self.parts["verb"]](
            cast("discord.Interaction[Kennel]", interaction), self.parts["trick"]
        )


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    tricks_group(bot).add_command(
        app_commands.Command(
            name="show",
            description="Show everything about one trick, with a button for all of it",
            callback=show,
        )
    )
    bot.add_dynamic_items(PanelButton)
