"""The conversations' way to Discord: `bot.speaker.Speaker` over a discord.py client.

A message is sent to a channel's id alone, so that any process can: what the channel's server allows is looked
at where it is in memory, and else Discord's refusal says it.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

import discord
from discord.http import handle_message_parameters

from bot.app import Kennel
from bot.errors import DiscordUnavailable
from bot.log import logger
from bot.outbound import Reply
from bot.policy.audiences import Asker, Place
from bot.speaker import Said, ThreadPlace, Where
from cogs.askers import asker_of, place_of
from cogs.errors import lost
from cogs.history import read_history
from cogs.lookups import channel_of, guild_of, known_channel, known_rights
from cogs.marks import has_marks, marks_of
from cogs.messenger import NOT_SENT, MessageParts, edit_parts, message_parts, pings
from cogs.rendering import without_embed
from cogs.replies import typing_when_slow
from cogs.threads import thread_for

LOOKED_THROUGH = 50
_CANNOT_REFER = {160002, 50035}
"""No reply without the history, or to such a message; the same message stands alone then."""
_log = logger(__name__)


class DiscordSpeaker:
    """Speaks as the bot, in every server."""

    def __init__(self, bot: Kennel) -> None:
        self._bot = bot

    async def say(self, where: Where, reply: Reply, nonce: str) -> str | None:
        """Post one message and give its id; None when Discord did not take it, which is logged."""
        parts = message_parts(self._drawable(where.channel_id, reply), pings(where.ping, author=where.notify))
        try:
            sent = await self._send(where, parts, nonce)
        except NOT_SENT as failure:
            lost(failure, channel_id=where.channel_id, message_id=where.reply_to)
            return None
        return str(sent.id)

    async def find(self, where: Where, reply: Reply) -> str | None:
        """The bot's own message that says this already, among the newest fifty behind `reply_to` or `after`."""
        wanted = marks_of(self._drawable(where.channel_id, reply))
        channel = self._messageable(where.channel_id)
        after = int(where.reply_to or where.after or 0)
        try:
            async for message in channel.history(limit=LOOKED_THROUGH):
                if message.id <= after:
                    break
                if self._is_own(message) and _refers(message, where.reply_to) and has_marks(message, wanted):
                    return str(message.id)
        except NOT_SENT as failure:
            _log.info("a history could not be read", channel_id=where.channel_id, kind=type(failure).__name__)
        return None

    async def edit(self, channel_id: str, message_id: str, reply: Reply, ping: str | None = None) -> bool:
        """Replace one of the bot's messages; links in what is plain text then show no preview either."""
        drawn = self._drawable(channel_id, reply)
        flags = discord.MessageFlags(suppress_embeds=drawn.embed is None)
        try:
            with handle_message_parameters(**edit_parts(drawn, pings(ping)), flags=flags) as params:
                await self._bot.http.edit_message(int(channel_id), int(message_id), params=params)
        except NOT_SENT as failure:
            lost(failure, channel_id=channel_id, message_id=message_id)
            return False
        return True

    def typing(self, channel_id: str) -> AbstractAsyncContextManager[None]:
        """Show that something happens, once it takes longer than half a second and until the block ends."""
        return typing_when_slow(self._messageable(channel_id))

    async def history(self, guild_id: str, channel_id: str, message_id: str, asker_id: str) -> Sequence[Said]:
        """What was said before `message_id`, as far as it may be read."""
        return await read_history(self._bot, channel_id, message_id, asker_id)

    async def asker(self, guild_id: str, member_id: str) -> Asker | None:
        """The member as Discord reports them now. Raises `DiscordUnavailable` when it does not say."""
        try:
            guild = await guild_of(self._bot, guild_id)
            member = await guild.fetch_member(int(member_id))
        except (discord.NotFound, discord.Forbidden):
            return None
        except NOT_SENT as failure:
            _log.warning("a member could not be read", guild_id=guild_id, kind=type(failure).__name__)
            raise DiscordUnavailable from failure
        return None if member.bot else asker_of(member)

    async def place(self, guild_id: str, channel_id: str) -> Place:
        """The channel; the parent of a thread that is gone is not known."""
        return place_of(int(channel_id), await channel_of(self._bot, channel_id))

    async def open_thread(
        self, guild_id: str, channel_id: str, message_id: str, asker_id: str
    ) -> ThreadPlace:
        """Where the request goes on. Raises `ThreadRefused` with the permission that is missing."""
        return await thread_for(self._bot, channel_id, message_id, asker_id)

    async def _send(self, where: Where, parts: MessageParts, nonce: str) -> discord.Message:
        channel = self._messageable(where.channel_id)
        if where.reply_to is not None and self._may(where.channel_id, "read_message_history"):
            reference = discord.MessageReference(
                message_id=int(where.reply_to),
                channel_id=int(where.channel_id),
                guild_id=int(where.guild_id),
                fail_if_not_exists=False,
            )
            try:
                return await channel.send(
                    **parts, reference=reference, mention_author=where.notify, nonce=nonce
                )
            except discord.HTTPException as refused:
                if refused.code not in _CANNOT_REFER:
                    raise
        return await channel.send(**parts, nonce=nonce)

    def _drawable(self, channel_id: str, reply: Reply) -> Reply:
        return reply if self._may(channel_id, "embed_links") else without_embed(reply)

    def _may(self, channel_id: str, right: str) -> bool:
        """Whether the bot has the right there; true when that is not known."""
        rights = known_rights(self._bot, known_channel(self._bot, channel_id))
        return rights is None or bool(getattr(rights, right))

    def _messageable(self, channel_id: str) -> discord.PartialMessageable:
        return self._bot.get_partial_messageable(int(channel_id))

    def _is_own(self, message: discord.Message) -> bool:
        return self._bot.user is not None and message.author.id == self._bot.user.id


def _refers(message: discord.Message, reply_to: str | None) -> bool:
    """Whether it replies to nothing else: it stands alone where the history may not be read."""
    return message.reference is None or str(message.reference.message_id) == reply_to
