"""A presentation's buttons: their meaning is in the database under the short key that they carry."""

from collections.abc import Mapping
from typing import Any, cast

import discord

from bot.app import Kennel
from bot.errors import Restarting
from bot.tricks.calls import Answer, Start
from bot.tricks.checks import ReadyAction
from cogs.askers import asker_of, place_of
from cogs.durable import DurableButton
from cogs.errors import acknowledge, lost, refuse, say_privately
from cogs.messenger import NOT_SENT, edit_parts
from cogs.rendering import fit

_PREFIX = "t:"


def custom_ids(keys: Mapping[str, str]) -> dict[str, str]:
    """The custom ids of buttons by their action's id, from the keys under which their meaning is stored."""
    return {action: _PREFIX + key for action, key in keys.items()}


class TrickButton(DurableButton, template=r"t:(?P<key>[A-Za-z0-9_-]{16})"):
    """Any button of any presentation, in whichever process and after any restart."""

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Run the action's tool for whoever pressed, and answer them alone."""
        bot = cast("Kennel", interaction.client)
        if bot.draining:
            await say_privately(interaction, Restarting().sentence)
            return
        with bot.in_flight():
            started = bot.services.clock.monotonic()
            answer_id = await acknowledge(interaction, private=True)
            if answer_id is None:
                return
            try:
                ready, answer = await self._press(bot, interaction, answer_id, started)
            except Exception as error:  # noqa: BLE001 - the boundary: whatever it is, the clicker is answered
                await refuse(interaction, error, private=True)
                return
            await _show(bot, interaction, ready, answer)

    async def _press(
        self, bot: Kennel, interaction: discord.Interaction[Any], answer_id: str, started: float
    ) -> tuple[ReadyAction, Answer]:
        member = cast("discord.Member", interaction.user)
        message = cast("discord.Message", interaction.message)
        asker, place = asker_of(member), place_of(cast("int", interaction.channel_id), interaction.channel)
        ready = await bot.services.checks.action(self.parts["key"], str(message.id), asker, place)
        start = Start(
            origin="button",
            event_id=f"p:{self.parts['key']}:{asker.member_id}",
            asker=asker,
            place=place,
            started=started,
            answer_id=answer_id or None,
        )
        return ready, await bot.services.calls.run(ready, ready.arguments, start)


async def _show(
    bot: Kennel, interaction: discord.Interaction[Any], ready: ReadyAction, answer: Answer
) -> None:
    reply = fit(
        answer.presentation,
        bot.services.links,
        embeds=interaction.app_permissions.embed_links,
        keys=custom_ids(answer.keys),
        title=ready.title,
    )
    try:
        await interaction.edit_original_response(**edit_parts(reply))
    except NOT_SENT as failure:
        lost(failure, interaction_id=str(interaction.id), call_id=answer.call_id)


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    bot.add_dynamic_items(TrickButton)
