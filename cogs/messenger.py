"""Draws the values of `bot.outbound` as Discord messages, and reaches a server's owner.

A view is stopped before it is sent: discord.py then keeps nothing of it, neither a timer nor an item, and a
press is found by its custom id alone (`discord.ui.DynamicItem`), before and after a restart alike.
"""

from dataclasses import dataclass
from typing import TypedDict

import aiohttp
import discord

from bot.app import Kennel
from bot.log import logger
from bot.outbound import Button, Embed, LinkButton, Reply
from bot.text import clamp

NOBODY = discord.AllowedMentions.none()
_STYLES = {
    "primary": discord.ButtonStyle.primary,
    "secondary": discord.ButtonStyle.secondary,
    "success": discord.ButtonStyle.success,
    "danger": discord.ButtonStyle.danger,
}
NOT_SENT = (discord.HTTPException, discord.RateLimited, aiohttp.ClientError, OSError)
"""How discord.py says that a request did not succeed, or that its answer was lost."""
_log = logger(__name__)


class MessageParts(TypedDict, total=False):
    """Keyword arguments that every sending and editing method of discord.py takes."""

    content: str
    embed: discord.Embed
    view: discord.ui.View
    allowed_mentions: discord.AllowedMentions
    suppress_embeds: bool


@dataclass(frozen=True, slots=True)
class _Place:
    """A server's owner, and the system channel if the bot may write there as far as is known."""

    owner_id: int | None
    system_channel_id: int | None


class EditParts(TypedDict):
    """As `MessageParts`, with everything that an edit has to replace."""

    content: str | None
    embeds: list[discord.Embed]
    view: discord.ui.View | None
    allowed_mentions: discord.AllowedMentions


def pings(member_id: str | None, *, author: bool = False) -> discord.AllowedMentions:
    """Who may be pinged: nobody, or this one member; with `author`, also by the reply itself."""
    users = [discord.Object(int(member_id))] if member_id is not None else False
    return discord.AllowedMentions(everyone=False, roles=False, users=users, replied_user=author)


def message_parts(reply: Reply, allowed: discord.AllowedMentions = NOBODY) -> MessageParts:
    """What to send for `reply`; it pings nobody but who is `allowed`.

    Links in plain text show no preview. Beside an embed that cannot be said: it would hide the embed too.
    """
    parts = MessageParts(allowed_mentions=allowed)
    if reply.content:
        parts["content"] = reply.content
    if reply.embed is not None:
        parts["embed"] = draw_embed(reply.embed)
    elif reply.content:
        parts["suppress_embeds"] = True
    view = draw_buttons(reply)
    if view is not None:
        parts["view"] = view
    return parts


def edit_parts(reply: Reply, allowed: discord.AllowedMentions = NOBODY) -> EditParts:
    """What to edit a message to, so that nothing of what it was remains; pings nobody but who is `allowed`."""
    return EditParts(
        content=reply.content or None,
        embeds=[draw_embed(reply.embed)] if reply.embed is not None else [],
        view=draw_buttons(reply),
        allowed_mentions=allowed,
    )


def draw_embed(embed: Embed) -> discord.Embed:
    """One embed; its texts have been fitted already."""
    drawn = discord.Embed(title=embed.title or None, description=embed.description or None)
    for field in embed.fields:
        drawn.add_field(name=field.name, value=field.value, inline=False)
    if embed.footer:
        drawn.set_footer(text=embed.footer)
    return drawn


def draw_buttons(reply: Reply) -> discord.ui.View | None:
    """The rows of buttons, five to a row; None where there are none."""
    if not reply.buttons:
        return None
    view = discord.ui.View(timeout=None)
    for button in reply.buttons:
        view.add_item(_draw_button(button))
    view.stop()
    return view


def _draw_button(button: Button | LinkButton) -> discord.ui.Button[discord.ui.View]:
    if isinstance(button, LinkButton):
        return discord.ui.Button(label=button.label, url=button.url)
    return discord.ui.Button(label=button.label, custom_id=button.custom_id, style=_STYLES[button.style])


class DiscordMessenger:
    """`bot.outbound.Messenger` over a discord.py client. A server of another process's shards is asked about."""

    def __init__(self, bot: Kennel) -> None:
        self._bot = bot

    async def tell_owner(self, guild_id: str, text: str) -> bool:
        """Post in the system channel where the bot may, else write to the owner; false if neither worked."""
        with self._bot.in_flight():
            place = await self._place(guild_id)
            if place is None:
                return False
            if place.system_channel_id is not None:
                channel = self._bot.get_partial_messageable(place.system_channel_id)
                if await _sent(channel, text, guild_id):
                    return True
            return place.owner_id is not None and await self._write_to(place.owner_id, text, guild_id)

    async def owner_of(self, guild_id: str) -> str | None:
        """The server's owner now; None when Discord does not say."""
        place = await self._place(guild_id)
        return None if place is None or place.owner_id is None else str(place.owner_id)

    async def _place(self, guild_id: str) -> _Place | None:
        guild = self._bot.get_guild(int(guild_id))
        if guild is not None:
            channel = guild.system_channel
            may = channel is not None and channel.permissions_for(guild.me).send_messages
            return _Place(guild.owner_id, channel.id if channel is not None and may else None)
        try:
            found = await self._bot.http.get_guild(int(guild_id), with_counts=False)
        except NOT_SENT as error:
            _log.warning("a server could not be read", guild_id=guild_id, kind=type(error).__name__)
            return None
        system = found.get("system_channel_id")
        return _Place(int(found["owner_id"]), None if system is None else int(system))

    async def _write_to(self, owner_id: int, text: str, guild_id: str) -> bool:
        try:
            channel = await self._bot.create_dm(discord.Object(owner_id))
        except NOT_SENT as error:
            _log.warning("the owner cannot be written to", guild_id=guild_id, kind=type(error).__name__)
            return False
        return await _sent(channel, text, guild_id)


async def _sent(to: discord.abc.Messageable, text: str, guild_id: str) -> bool:
    try:
        await to.send(clamp(text, 2_000), allowed_mentions=NOBODY)
    except NOT_SENT as error:
        _log.warning("a notice was refused", guild_id=guild_id, kind=type(error).__name__)
        return False
    return True


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    bot.services.notices.attach(DiscordMessenger(bot))
