"""Posts that answer a member's coming or going: `bot.events.poster.Poster` over a discord.py client.

They look like a command's answer and ping nobody. Everything goes by ids, so that any process can post anywhere.
"""

from collections.abc import Mapping
from datetime import UTC, datetime

import discord

from bot.app import Kennel
from bot.errors import DiscordUnavailable, PostRefused, PostUncertain
from bot.events.poster import Presence
from bot.log import logger
from bot.outbound import Reply
from bot.presentation.models import Presentation
from cogs.actions import custom_ids
from cogs.lookups import known_channel, known_rights, rights_in
from cogs.marks import has_marks, marks_of
from cogs.messenger import NOT_SENT, message_parts
from cogs.rendering import fit, without_embed

LOOKED_THROUGH = 500
"""How many messages are read at most to find a post again; with more than these it cannot be said."""
CLOCKS_APART_MS = 300_000
"""By how much Discord's clock may be behind ours: what was written that long before is looked at too.

No trick takes signatures of a clock that is further off.
"""
SAME_TEXT_MS = 60_000
"""The same for a post without buttons, which may say no more than the one before it did."""
_TO_POST = ("view_channel", "send_messages")
_TO_READ = ("view_channel", "read_message_history")
_log = logger(__name__)


class DiscordPoster:
    """Posts as the bot, in every server."""

    def __init__(self, bot: Kennel) -> None:
        self._bot = bot

    async def member(self, guild_id: str, member_id: str) -> Presence:
        """Whether the member is there; `gone` too where the bot itself is not. Raises `DiscordUnavailable`."""
        try:
            found = await self._bot.http.get_member(int(guild_id), int(member_id))
        except (discord.NotFound, discord.Forbidden):
            return "gone"
        except NOT_SENT as failure:
            raise _unavailable(failure, "a member could not be read", guild_id) from failure
        return "screening" if found.get("pending") else "here"

    async def post(
        self, guild_id: str, channel_id: str, presentation: Presentation, keys: Mapping[str, str], nonce: str
    ) -> str:
        """Post it and give the message's id.

        Raises `PostRefused`, `PostUncertain` or `DiscordUnavailable`, as the protocol says.
        """
        rights = known_rights(self._bot, known_channel(self._bot, channel_id))
        if rights is not None and not _all(rights, _TO_POST):
            raise PostRefused(lost=True)
        reply = self._drawn(presentation, keys, embeds=rights is None or rights.embed_links)
        channel = self._bot.get_partial_messageable(int(channel_id))
        try:
            sent = await channel.send(**message_parts(reply), nonce=nonce)
        except discord.RateLimited as failure:
            raise _unavailable(failure, "a post has to wait", guild_id) from failure
        except discord.HTTPException as failure:
            raise _refusal(failure, guild_id) from failure
        except NOT_SENT as failure:
            _log.warning("a post may be lost", guild_id=guild_id, kind=type(failure).__name__)
            raise PostUncertain from failure
        return str(sent.id)

    async def find(
        self,
        guild_id: str,
        channel_id: str,
        presentation: Presentation,
        keys: Mapping[str, str],
        since_ms: int,
    ) -> str | None:
        """The id of the message that shows it, with or without embed; None when there is none.

        Raises `DiscordUnavailable` when not everything since then can be read: Discord gives an empty
        history to a bot that may not read it.
        """
        wanted = self._drawn(presentation, keys, embeds=True)
        marks = (marks_of(wanted), marks_of(without_embed(wanted)))
        begun = since_ms - (CLOCKS_APART_MS if keys else SAME_TEXT_MS)
        since = discord.utils.time_snowflake(datetime.fromtimestamp(begun / 1000, UTC))
        try:
            if not _all(await rights_in(self._bot, guild_id, channel_id), _TO_READ):
                raise DiscordUnavailable
            channel = self._bot.get_partial_messageable(int(channel_id))
            seen = 0
            async for message in channel.history(limit=LOOKED_THROUGH + 1):
                if message.id < since:
                    return None
                if self._is_own(message) and any(has_marks(message, each) for each in marks):
                    return str(message.id)
                seen += 1
        except (*NOT_SENT, discord.InvalidData) as failure:
            raise _unavailable(failure, "a history could not be read", guild_id) from failure
        if seen > LOOKED_THROUGH:
            raise DiscordUnavailable
        return None

    def _drawn(self, presentation: Presentation, keys: Mapping[str, str], *, embeds: bool) -> Reply:
        return fit(presentation, self._bot.services.links, embeds=embeds, keys=custom_ids(keys))

    def _is_own(self, message: discord.Message) -> bool:
        return self._bot.user is not None and message.author.id == self._bot.user.id


def _all(rights: discord.Permissions, names: tuple[str, ...]) -> bool:
    return all(getattr(rights, name) for name in names)


def _refusal(failure: discord.HTTPException, guild_id: str) -> Exception:
    """What a post that was answered with an error means: the channel, this one message, not now, or unknown."""
    _log.warning("a post was not taken", guild_id=guild_id, code=failure.code, status=failure.status)
    if isinstance(failure, discord.Forbidden | discord.NotFound):
        return PostRefused(lost=True)
    if failure.status == 429:
        return DiscordUnavailable()
    return PostUncertain() if failure.status >= 500 else PostRefused(lost=False)


def _unavailable(failure: Exception, what: str, guild_id: str) -> DiscordUnavailable:
    _log.warning(what, guild_id=guild_id, kind=type(failure).__name__)
    return DiscordUnavailable()


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    bot.services.post_line.attach(DiscordPoster(bot))
