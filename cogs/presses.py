"""What a press or a submit on a durable message has in common: acknowledge, run, refuse in private."""

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


async def press(interaction: discord.Interaction[Any], work: Callable[[Kennel], Awaitable[None]]) -> None:
    """Acknowledge without a trace, then run `work`; what it raises is told to whoever pressed alone.

    The message that was pressed stays as it is. When Discord does not take the acknowledgement, or the process
    is draining, nothing runs.
    """
    bot = cast("Kennel", interaction.client)
    if bot.draining:
        await say_privately(interaction, Restarting().sentence)
        return
    with bot.in_flight():
        if await acknowledge(interaction, private=True, update=True) is None:
            return
        try:
            await work(bot)
        except Exception as error:  # noqa: BLE001 - the boundary: whatever it is, whoever pressed is answered
            await refuse(interaction, error, private=True, beside=True)


async def show_texts(interaction: discord.Interaction[Any], texts: Sequence[str], file_name: str) -> None:
    """Put `texts` (at least one, each at most 2,000) in the place of the private answer and behind it.

    More than five become one file `file_name`; where Discord refuses that, the first five are shown.
    """
    fits = len(texts) <= MAX_MESSAGES
    try:
        if not fits and await _sent_as_file(interaction, "\n".join(texts), file_name):
            return
        first, *others = texts[:MAX_MESSAGES]
        await interaction.edit_original_response(**edit_parts(Reply(content=first)))
        for text in others if fits else (*others, _CUT_OFF):
            await interaction.followup.send(**message_parts(Reply(content=text)), ephemeral=True)
    except NOT_SENT as failure:
        lost(failure, interaction_id=str(interaction.id))


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
