"""What every private answer has in common, to a command, a press or a submit: acknowledge, run, show or refuse."""

import io
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

import discord

from bot.app import Kennel
from bot.errors import Restarting
from bot.outbound import Reply
from cogs.errors import acknowledge, lost, refuse, say_privately
from cogs.messenger import NOBODY, NOT_SENT, edit_parts, message_parts

MAX_MESSAGES = 5
_IN_A_FILE = "This is too long for messages, so all of it is in the file."
_CUT_OFF = "There is more than fits here, and the file with all of it could not be sent."


async def privately(
    interaction: discord.Interaction[Any], work: Callable[[Kennel], Awaitable[None]], *, update: bool = True
) -> None:
    """Acknowledge for whoever acted alone, then run `work`, which shows its answer; what it raises is told to them.

    With `update`, the answer to a press or a submit takes the place of the message that it came from, and a
    refusal leaves that as it is. When Discord does not take the acknowledgement, or the process is draining,
    nothing runs.
    """
    bot = cast("Kennel", interaction.client)
    if bot.draining:
        await say_privately(interaction, Restarting().sentence)
        return
    with bot.in_flight():
        if await acknowledge(interaction, private=True, update=update) is None:
            return
        try:
            await work(bot)
        except Exception as error:  # noqa: BLE001 - the boundary: whatever it is, whoever acted is answered
            await refuse(interaction, error, private=True, beside=update and interaction.message is not None)


async def show(interaction: discord.Interaction[Any], reply: Reply, *more: Reply) -> None:
    """Put `reply` in the place of the private answer, and send what follows behind it."""
    try:
        await interaction.edit_original_response(**edit_parts(reply))
        for page in more:
            await interaction.followup.send(**message_parts(page), ephemeral=True)
    except NOT_SENT as failure:
        lost(failure, interaction_id=str(interaction.id))


async def show_texts(interaction: discord.Interaction[Any], texts: Sequence[str], file_name: str) -> None:
    """Put `texts` (at least one, each at most 2,000) in the place of the private answer and behind it.

    More than five become one file `file_name`; where Discord refuses that, the first five are shown.
    """
    if len(texts) > MAX_MESSAGES:
        if await _sent_as_file(interaction, "\n".join(texts), file_name):
            return
        texts = (*texts[:MAX_MESSAGES], _CUT_OFF)
    await show(interaction, *(Reply(content=text) for text in texts))


async def _sent_as_file(interaction: discord.Interaction[Any], text: str, file_name: str) -> bool:
    file = discord.File(io.BytesIO(text.encode()), file_name)
    try:
        await interaction.edit_original_response(
            content=_IN_A_FILE, attachments=[file], allowed_mentions=NOBODY
        )
    except NOT_SENT as failure:
        lost(failure, interaction_id=str(interaction.id))
        return False
    return True
