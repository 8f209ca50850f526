"""The built-in commands for members: what they can use here, and the server's prefix."""

import re
from typing import Any, cast

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import Kennel
from bot.errors import BadArguments, NotAllowed, Restarting
from bot.outbound import Embed, Reply
from bot.policy.audiences import MANAGE_SERVER, Asker, Place
from bot.text import clamp, escape, legible, length, one_line
from cogs.askers import asker_of, place_of
from cogs.errors import acknowledge, lost, refuse, say_privately, told
from cogs.messenger import NOT_SENT, edit_parts
from cogs.prefix_words import BUILT_IN, split_command
from cogs.replies import may_answer, reply_to

_PREFIX_FORM = re.compile(r"[^\s/@`]{1,5}")
_DESCRIPTION = 4_000


class Personal(commands.Cog):
    """`/help` and `/prefix`, and the same behind the prefix."""

    def __init__(self, bot: Kennel) -> None:
        self._bot = bot
        self._services = bot.services

    @app_commands.command(name="help", description="Show what you can use here")
    @app_commands.guild_only()
    async def help_command(self, interaction: discord.Interaction[Kennel]) -> None:
        """List the commands that this member may use in this channel."""
        await self._answer_privately(interaction, self._help)

    @app_commands.command(name="prefix", description="Show or set the prefix for typed commands")
    @app_commands.describe(value="The new prefix: 1 to 5 characters without spaces, / or @")
    @app_commands.guild_only()
    async def prefix_command(
        self, interaction: discord.Interaction[Kennel], value: str | None = None
    ) -> None:
        """Show the prefix to anybody; set it for those who may manage the server."""

        async def work(asker: Asker, _: Place) -> Reply:
            return await self._prefix(asker, value)

        await self._answer_privately(interaction, work)

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """`^help` and `^prefix`, answered as visible replies."""
        member = message.author
        if member.bot or message.webhook_id or message.is_system() or not isinstance(member, discord.Member):
            return
        command = split_command(message.content, self._services.table.prefix(str(member.guild.id)))
        if command is None or command[0] not in BUILT_IN or not may_answer(message):
            return
        with self._bot.in_flight():
            await self._answer_typed(message, member, *command)

    async def _answer_typed(
        self, message: discord.Message, member: discord.Member, word: str, rest: str
    ) -> None:
        asker, place = asker_of(member), place_of(message.channel.id, message.channel)
        if not await self._services.once.first(f"m:{message.id}"):
            return
        try:
            if self._bot.draining:
                raise Restarting
            if word == "help":
                reply: Reply | None = await self._help(asker, place)
            else:
                reply = await self._prefix(asker, rest.strip() or None)
        except Exception as error:  # noqa: BLE001 - the boundary: whatever it is, the member is answered
            reply = told(error, message_id=str(message.id))
        if reply is not None:
            await reply_to(message, reply)

    async def _answer_privately(self, interaction: discord.Interaction[Kennel], work: Any) -> None:
        if self._bot.draining:
            await say_privately(interaction, Restarting().sentence)
            return
        with self._bot.in_flight():
            if await acknowledge(interaction, private=True) is None:
                return
            member = cast("discord.Member", interaction.user)
            place = place_of(cast("int", interaction.channel_id), interaction.channel)
            try:
                reply = await work(asker_of(member), place)
            except Exception as error:  # noqa: BLE001 - the boundary: whatever it is, the member is answered
                await refuse(interaction, error, private=True)
                return
            try:
                await interaction.edit_original_response(**edit_parts(reply))
            except NOT_SENT as failure:
                lost(failure, interaction_id=str(interaction.id))

    async def _help(self, asker: Asker, place: Place) -> Reply:
        prefix = self._services.table.prefix(asker.guild_id)
        lines: list[str] = []
        last = ""
        for usable in await self._services.catalogue.commands(asker, place):
            if usable.trick_name != last:
                last = usable.trick_name
                lines.append(f"\n**{escape(one_line(last))}**")
            command = usable.command
            forms = [
                f"`{'/' if surface == 'slash' else prefix}{command.name}`" for surface in command.surfaces
            ]
            lines.append(f"{' or '.join(forms)}: {escape(one_line(command.description))}")
        if not lines:
            lines.append("There are no commands of tricks that you can use here yet.")
        if self._services.assistant.enabled:
            lines.append("\nYou can also talk to me: mention me, or reply to a message of mine.")
            lines.append("`/autoreview` shows which changes you let me review by myself.")
        lines.append(f"\n`/help` shows this list, `/prefix` the prefix (`{prefix}`).")
        lines.append("`/privacy` shows, exports or erases what I keep about you.")
        if asker.is_owner:
            lines.append(
                "As the owner you manage tricks with `/tricks`, and `/guidance` tells me about this server."
            )
        return Reply(embed=Embed(title="What you can use here", description=_fitted(lines)))

    async def _prefix(self, asker: Asker, value: str | None) -> Reply:
        if value is None:
            now = self._services.table.prefix(asker.guild_id)
            return Reply(
                embed=Embed(description=f"The prefix here is `{now}`: type `{now}help` to see what it does.")
            )
        if not (asker.manage_server or asker.is_owner):
            raise NotAllowed(MANAGE_SERVER.in_words())
        if not _PREFIX_FORM.fullmatch(value) or legible(value) != value or not one_line(value):
            raise BadArguments(
                ["A prefix is 1 to 5 characters that can be seen, without spaces, `/`, `@` or a backtick."]
            )
        await self._services.prefixes.set(asker.guild_id, value)
        return Reply(embed=Embed(description=f"The prefix here is `{value}` from now on."))


def _fitted(lines: list[str]) -> str:
    """As many lines as fit, the rest counted."""
    kept: list[str] = []
    room = _DESCRIPTION - 60
    for line in lines:
        room -= length(line) + 1
        if room < 0:
            kept.append(f"… and {len(lines) - len(kept)} more lines.")
            break
        kept.append(line)
    return clamp("\n".join(kept).strip(), _DESCRIPTION)


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Personal(bot))
