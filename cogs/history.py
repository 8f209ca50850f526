"""What was said before a message: the asker's and the bot's own messages of its reply chain or thread.

Beside these, only the one message that the asker replies to is read, whoever wrote it. Of a message nothing
counts but its content: no embeds, forwards or attachments, and no names.
"""

import asyncio
from collections.abc import Iterable, Sequence

import discord

from bot.app import Kennel
from bot.log import logger
from bot.speaker import Author, Said
from cogs.lookups import channel_of
from cogs.messenger import NOT_SENT

MAX_LINKS = 20
MAX_IN_THREAD = 50
MAX_CHARACTERS = 12_000
_ONE_PAGE = 100
_log = logger(__name__)


async def read_history(bot: Kennel, channel_id: str, message_id: str, asker_id: str) -> Sequence[Said]:
    """What was said before `message_id`, oldest first; of more than 12,000 characters the newest.

    What is gone or may not be read is left out.
    """
    own = {int(asker_id), _id_of(bot)}
    here = bot.get_partial_messageable(int(channel_id))
    channel = await channel_of(bot, channel_id)
    if isinstance(channel, discord.Thread):
        replied, inside, starter = await asyncio.gather(
            _chain(here, int(message_id), 1), _newest(here, int(message_id), own), _starter(bot, channel)
        )
        others = [*inside, *starter]
    else:
        chain = await _chain(here, int(message_id), MAX_LINKS)
        replied, others = chain[:1], chain[1:]
    chosen = [*replied, *(message for message in others if message.author.id in own)]
    return [
        Said(str(each.id), _author(each, asker_id, bot), str(each.author.id), each.content)
        for each in _fitting(chosen)
    ]


def _fitting(messages: Iterable[discord.Message]) -> list[discord.Message]:
    """Oldest first; the first of `messages` is kept before all others, then the newest."""
    room = MAX_CHARACTERS
    kept: dict[int, discord.Message] = {}
    for message in messages:
        if message.id in kept or message.is_system() or not message.content:
            continue
        room -= len(message.content)
        if room < 0:
            break
        kept[message.id] = message
    return [kept[message_id] for message_id in sorted(kept)]


async def _chain(channel: discord.PartialMessageable, message_id: int, links: int) -> list[discord.Message]:
    """The messages that are replied to, one by the other, nearest first."""
    found: list[discord.Message] = []
    last = await _fetch(channel, message_id)
    while last is not None and len(found) < links:
        last = await _replied_to(channel, last)
        if last is not None:
            found.append(last)
    return found


async def _replied_to(
    channel: discord.PartialMessageable, message: discord.Message
) -> discord.Message | None:
    reference = message.reference
    if message.type is not discord.MessageType.reply or reference is None or reference.message_id is None:
        return None
    if isinstance(reference.resolved, discord.Message):
        return reference.resolved
    if reference.resolved is not None or reference.channel_id != channel.id:
        return None
    return await _fetch(channel, reference.message_id)


async def _newest(channel: discord.PartialMessageable, before: int, own: set[int]) -> list[discord.Message]:
    """Of the hundred messages before `before`, the newest fifty by the asker and the bot."""
    try:
        page = [each async for each in channel.history(limit=_ONE_PAGE, before=discord.Object(before))]
    except NOT_SENT as failure:
        _log.info("a history could not be read", channel_id=str(channel.id), kind=type(failure).__name__)
        return []
    return [each for each in page if each.author.id in own][:MAX_IN_THREAD]


async def _starter(bot: Kennel, thread: discord.Thread) -> list[discord.Message]:
    """The message that the thread hangs on, which stands in its parent; none in a forum."""
    if isinstance(thread.parent, discord.ForumChannel):
        return []
    starter = await _fetch(bot.get_partial_messageable(thread.parent_id), thread.id)
    return [] if starter is None else [starter]


async def _fetch(channel: discord.PartialMessageable, message_id: int) -> discord.Message | None:
    try:
        return await channel.fetch_message(message_id)
    except NOT_SENT as failure:
        _log.info("a message could not be read", message_id=str(message_id), kind=type(failure).__name__)
        return None


def _author(message: discord.Message, asker_id: str, bot: Kennel) -> Author:
    if message.author.id == _id_of(bot):
        return "bot"
    if message.author.bot or message.webhook_id is not None:
        return "other"
    return "asker" if str(message.author.id) == asker_id else "member"


def _id_of(bot: Kennel) -> int:
    return 0 if bot.user is None else bot.user.id
