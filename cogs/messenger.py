"""Draws the values of `bot.outbound` as Discord messages, and reaches a server's owner.

A view is stopped before it is sent: discord.py then keeps nothing of it, neither a timer nor an item, and a
press is found by its custom id alone (`discord.ui.DynamicItem`), before and after a restart alike.
"""

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
    """`bot.outbound.Messenger` over a discord.py client."""

    def __init__(self, bot: Kennel) -> None:
        self._bot = bot

    async def tell_owner(self, guild_id: str, text: str) -> bool:
        """Post in the system channel where the bot may, else write to the owner; false if neither worked."""
        guild = self._bot.get_guild(int(guild_id))
        if guild is None:
            return False
        with self._bot.in_flight():
            return await self._post(guild, text) or await self._write_to_owner(guild, text)

    async def _post(self, guild: discord.Guild, text: str) -> bool:
        channel = guild.system_channel
        if channel is None or not channel.permissions_for(guild.me).send_messages:
            return False
        return await _sent(channel, text, guild)

    async def _write_to_owner(self, guild: discord.Guild, text: str) -> bool:
        if guild.owner_id is None:
            return False
        try:
            channel = await self._bot.create_dm(discord.Object(guild.owner_id))
        except NOT_SENT as error:
            _log.warning("the owner cannot be written to", guild_id=str(guild.id), kind=type(error).__name__)
            return False
        return await _sent(channel, text, guild)


async def _sent(to: discord.abc.Messageable, text: str, guild: discord.Guild) -> bool:
    try:
        await to.send(clamp(text, 2_000), allowed_mentions=NOBODY)
    except NOT_SENT as error:
        _log.warning("a notice was refused", guild_id=str(guild.id), kind=type(error).__name__)
        return False
    return True


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    bot.services.notices.attach(DiscordMessenger(bot))
