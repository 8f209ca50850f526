"""Answering a typed message: a visible reply that mentions nobody."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast

import discord

from bot.log import logger
from bot.outbound import Reply
from cogs.errors import lost
from cogs.messenger import NOT_SENT, message_parts

TYPING_AFTER = 0.5
TYPING_EVERY = 8.0
_log = logger(__name__)


def may_answer(message: discord.Message) -> bool:
    """Whether the bot may speak where the command was typed; if not, it must not run either."""
    rights = own_rights(message)
    if isinstance(message.channel, discord.Thread):
        return rights.send_messages_in_threads
    return rights.send_messages


def own_rights(message: discord.Message) -> discord.Permissions:
    """What the bot itself may do where `message` stands."""
    guild = cast("discord.Guild", message.guild)
    return message.channel.permissions_for(guild.me)


async def reply_to(message: discord.Message, reply: Reply) -> discord.Message | None:
    """Reply to `message`, or post without a reference where it is gone or history may not be read."""
    parts = message_parts(reply)
    may_refer = own_rights(message).read_message_history
    reference = message.to_reference(fail_if_not_exists=False) if may_refer else None
    try:
        if reference is None:
            return await message.channel.send(**parts)
        return await message.channel.send(**parts, reference=reference, mention_author=False)
    except NOT_SENT as failure:
        lost(failure, message_id=str(message.id))
        return None


@asynccontextmanager
async def typing_when_slow(channel: discord.abc.Messageable) -> AsyncGenerator[None]:
    """Show that something happens once it takes longer than half a second, until the block ends.

    Discord shows it for ten seconds, so it is said again before that. Where it is refused, nothing is shown.
    """

    async def show() -> None:
        await asyncio.sleep(TYPING_AFTER)
        try:
            while True:
                await channel.typing()
                await asyncio.sleep(TYPING_EVERY)
        except NOT_SENT as failure:
            _log.info("typing could not be shown", kind=type(failure).__name__)

    task = asyncio.create_task(show())
    try:
        yield
    finally:
        task.cancel()
