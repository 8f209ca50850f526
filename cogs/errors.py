"""The one boundary that turns an error into a sentence for a person.

In this order: a `Duplicate` says nothing; an error of Kennel's own trees says its sentence; Discord's failures
and everything else are logged by type and place, and the person gets one general sentence.
"""

from typing import Any

import discord

from bot.errors import is_expected, sentence_for
from bot.log import logger
from bot.outbound import Reply
from bot.text import ELLIPSIS
from cogs.messenger import NOBODY, NOT_SENT, edit_parts, message_parts
from cogs.rendering import problem_reply

_log = logger(__name__)


def told(error: BaseException, **ids: str | None) -> Reply | None:
    """The answer for the person who waits, None when nothing is to be said; logs what was not expected."""
    if not is_expected(error):
        _log.error("a command failed inside Kennel", exc_info=error, **ids)
    sentence = sentence_for(error)
    return None if sentence is None else problem_reply(sentence)


async def acknowledge(
    interaction: discord.Interaction[Any], *, private: bool, update: bool = False
) -> str | None:
    """Acknowledge within the three seconds; the id of the message that will show the answer.

    With `update`, the answer to a press or a submit will take the place of the message that it came from.

    None when Discord did not take it: then nothing may be run, and the failure has been logged.
    """
    replaces = update and interaction.message is not None
    try:
        taken = await interaction.response.defer(ephemeral=private, thinking=not replaces)
    except (*NOT_SENT, discord.InteractionResponded) as error:
        code = error.code if isinstance(error, discord.HTTPException) else 0
        _log.warning("an interaction was not acknowledged", interaction_id=str(interaction.id), code=code)
        return None
    return str(taken.message_id) if taken is not None and taken.message_id is not None else ""


async def refuse(
    interaction: discord.Interaction[Any], error: BaseException, *, private: bool, beside: bool = False
) -> None:
    """Answer an acknowledged interaction with the sentence for `error`, to the asker alone.

    A public placeholder is removed first: what follows would else keep its visibility. It is completed before
    that, because a followup to one that still waits is taken for an edit of it, also when it is gone. With
    `beside`, the message that was pressed stays as it is: a second press must not hide what the first showed.
    """
    reply = told(error, interaction_id=str(interaction.id), guild_id=str(interaction.guild_id))
    try:
        if private and not beside and reply is not None:
            await interaction.edit_original_response(**edit_parts(reply))
            return
        if not beside:
            await interaction.edit_original_response(content=ELLIPSIS, allowed_mentions=NOBODY)
            await interaction.delete_original_response()
        if reply is not None:
            await interaction.followup.send(**message_parts(reply), ephemeral=True)
    except NOT_SENT as failure:
        lost(failure, interaction_id=str(interaction.id))


def lost(error: Exception, **ids: str | None) -> None:
    """Log that an answer did not reach Discord; the work behind it is recorded and stands."""
    code = error.code if isinstance(error, discord.HTTPException) else 0
    _log.warning("an answer did not reach Discord", code=code, kind=type(error).__name__, **ids)


async def say_privately(interaction: discord.Interaction[Any], sentence: str) -> None:
    """The first answer to an interaction: one private sentence."""
    try:
        await interaction.response.send_message(sentence, ephemeral=True, allowed_mentions=NOBODY)
    except (*NOT_SENT, discord.InteractionResponded) as failure:
        lost(failure, interaction_id=str(interaction.id))
