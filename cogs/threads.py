"""Opening the thread in which a request goes on.

| where the asker wrote | what happens |
| - | - |
| a text or announcement channel | a thread is opened from the message |
| a thread, a forum's post too | it is used as it is |
| a voice or stage channel | the channel is used |

A missing permission refuses, with its name. Anything else that keeps Discord from opening a thread (too many
active ones, the message gone, no answer) leaves the request in the channel, unless the message has a thread
that can be written in: its id is the message's.
"""

import discord

from bot.app import Kennel
from bot.errors import ThreadRefused
from bot.log import logger
from bot.speaker import ThreadPlace
from cogs.lookups import channel_of, known_rights
from cogs.messenger import NOT_SENT

SLEEPS_AFTER_MINUTES = 1_440
_NEEDED = {
    "create_public_threads": "Create Public Threads",
    "send_messages_in_threads": "Send Messages in Threads",
    "read_message_history": "Read Message History",
}
_log = logger(__name__)


async def thread_for(bot: Kennel, channel_id: str, message_id: str, asker_id: str) -> ThreadPlace:
    """The place where the request of `message_id` goes on, with the asker in it.

    Raises `ThreadRefused` with the permission that is missing.
    """
    channel = await channel_of(bot, channel_id)
    if channel is None:
        raise ThreadRefused("View Channel")
    if isinstance(channel, discord.Thread):
        thread: discord.Thread | None = channel
    elif isinstance(channel, discord.TextChannel):
        _require_rights(bot, channel)
        thread = await _open(bot, channel, int(message_id))
    else:
        thread = None
    if thread is None:
        return ThreadPlace(channel_id, stays=True)
    await _add(thread, int(asker_id))
    return ThreadPlace(str(thread.id))


def _require_rights(bot: Kennel, channel: discord.TextChannel) -> None:
    rights = known_rights(bot, channel)
    for name, shown in _NEEDED.items():
        if rights is not None and not getattr(rights, name):
            raise ThreadRefused(shown)


async def _open(bot: Kennel, channel: discord.TextChannel, message_id: int) -> discord.Thread | None:
    """The message's thread, new or as it is; None when there can be none that the bot may write in."""
    thread = channel.get_thread(message_id)
    if thread is None:
        try:
            return await channel.get_partial_message(message_id).create_thread(
                name=thread_name(message_id), auto_archive_duration=SLEEPS_AFTER_MINUTES
            )
        except discord.Forbidden:
            raise ThreadRefused(_NEEDED["create_public_threads"]) from None
        except NOT_SENT as failure:
            code = failure.code if isinstance(failure, discord.HTTPException) else 0
            _log.info("no thread was opened", message_id=str(message_id), code=code)
        there = await channel_of(bot, str(message_id))
        thread = there if isinstance(there, discord.Thread) else None
    return None if thread is None or thread.locked else thread


def thread_name(message_id: int) -> str:
    """A name without anybody's words: when the message was written."""
    return f"Kennel, {discord.utils.snowflake_time(message_id):%Y-%m-%d %H:%M} UTC"


async def _add(thread: discord.Thread, member_id: int) -> None:
    """Let the asker see it among their threads; without the right to, or in a full one, they find it alone."""
    try:
        await thread.add_user(discord.Object(member_id))
    except NOT_SENT as failure:
        code = failure.code if isinstance(failure, discord.HTTPException) else 0
        _log.info("the asker was not added to a thread", channel_id=str(thread.id), code=code)
