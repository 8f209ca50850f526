"""A trick's commands, as `/name` and with the server's prefix: two ways in, one path to the tool."""

from typing import Any, cast

import discord
from discord.ext import commands

from bot.app import Kennel
from bot.errors import Duplicate, Refused, Restarting
from bot.tricks.calls import Answer, Start
from cogs.actions import custom_ids
from cogs.askers import asker_of, place_of
from cogs.errors import acknowledge, lost, refuse, say_privately, told
from cogs.messenger import NOT_SENT, edit_parts
from cogs.options import effective_options, slash_arguments, usage_line
from cogs.prefix_arguments import parse_arguments
from cogs.prefix_words import TypedIds, split_command
from cogs.rendering import fit
from cogs.replies import may_answer, own_rights, reply_to, typing_when_slow


class TrickCommands(commands.Cog):
    """Runs the commands of tricks."""

    def __init__(self, bot: Kennel) -> None:
        self._bot = bot
        self._services = bot.services

    async def cog_load(self) -> None:
        """Take over the guild commands, which no command object stands for."""
        self._bot.slash_router = self.run_slash

    async def run_slash(self, interaction: discord.Interaction[Any]) -> None:
        """Answer one slash command: acknowledge, check, call, show."""
        data = cast("dict[str, Any]", interaction.data)
        route = self._services.table.find(str(interaction.guild_id), data["name"])
        private = route is None or not route.public
        if self._bot.draining:
            await say_privately(interaction, Restarting().sentence)
            return
        with self._bot.in_flight():
            started = self._services.clock.monotonic()
            answer_id = await acknowledge(interaction, private=private)
            if answer_id is None:
                return
            try:
                answer = await self._call_slash(interaction, data, answer_id, started, private=private)
            except Exception as error:  # noqa: BLE001 - the boundary: whatever it is, the asker is answered
                await refuse(interaction, error, private=private)
                return
            await self._show(interaction, answer)

    async def _call_slash(
        self,
        interaction: discord.Interaction[Any],
        data: dict[str, Any],
        answer_id: str,
        started: float,
        *,
        private: bool,
    ) -> Answer:
        member = cast("discord.Member", interaction.user)
        asker, place = asker_of(member), place_of(cast("int", interaction.channel_id), interaction.channel)
        ready = await self._services.checks.command(data["name"], "slash", asker, place)
        options = effective_options(ready.command, ready.schema)
        arguments = slash_arguments(options, data.get("options", []))
        start = Start(
            origin="slash",
            event_id=f"i:{interaction.id}",
            asker=asker,
            place=place,
            started=started,
            message_id=None if private else answer_id or None,
            answer_id=answer_id or None,
        )
        return await self._services.calls.run(ready, arguments, start)

    async def _show(self, interaction: discord.Interaction[Any], answer: Answer) -> None:
        reply = fit(
            answer.presentation,
            self._services.links,
            embeds=interaction.app_permissions.embed_links,
            keys=custom_ids(answer.keys),
        )
        try:
            await interaction.edit_original_response(**edit_parts(reply))
        except NOT_SENT as failure:
            lost(failure, interaction_id=str(interaction.id), call_id=answer.call_id)

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Answer one prefix command; anything else is left alone."""
        if message.author.bot or message.webhook_id or message.is_system():
            return
        if message.guild is None or not isinstance(message.author, discord.Member):
            return
        guild_id = str(message.guild.id)
        command = split_command(message.content, self._services.table.prefix(guild_id))
        if command is None:
            return
        word, rest = command
        route = self._services.table.find(guild_id, word)
        if route is None or not route.prefix or not may_answer(message):
            return
        with self._bot.in_flight():
            await self._run_prefix(message, message.author, word, rest)

    async def _run_prefix(
        self, message: discord.Message, member: discord.Member, word: str, rest: str
    ) -> None:
        try:
            if self._bot.draining:
                raise Restarting
            async with typing_when_slow(message.channel):
                answer = await self._call_prefix(message, member, word, rest)
        except Duplicate:
            return
        except Exception as error:  # noqa: BLE001 - the boundary: whatever it is, the asker is answered
            await self._refuse_prefix(message, error)
            return
        reply = fit(
            answer.presentation,
            self._services.links,
            embeds=own_rights(message).embed_links,
            keys=custom_ids(answer.keys),
        )
        sent = await reply_to(message, reply)
        if sent is not None and answer.keys:
            await self._services.housekeeping.bind_buttons(tuple(answer.keys.values()), str(sent.id))

    async def _call_prefix(
        self, message: discord.Message, member: discord.Member, word: str, rest: str
    ) -> Answer:
        started = self._services.clock.monotonic()
        asker, place = asker_of(member), place_of(message.channel.id, message.channel)
        ready = await self._services.checks.command(word, "prefix", asker, place)
        options = effective_options(ready.command, ready.schema)
        usage = usage_line(self._services.table.prefix(asker.guild_id), ready.command, options)
        known = await TypedIds.of(message, options)
        arguments = parse_arguments(rest, options, usage=usage, known=known)
        start = Start(
            origin="prefix",
            event_id=f"m:{message.id}",
            asker=asker,
            place=place,
            started=started,
            message_id=str(message.id),
        )
        return await self._services.calls.run(ready, arguments, start)

    async def _refuse_prefix(self, message: discord.Message, error: Exception) -> None:
        """Answer with a visible reply, once even when the message is delivered twice.

        A refusal takes the claim that a call would have taken: of two deliveries, one of which may be refused
        where the other one runs, only the first is answered. A call that failed has taken it already.
        """
        reply = told(error, message_id=str(message.id))
        claim = "m" if isinstance(error, Refused) else "r"
        if reply is not None and await self._services.once.first(f"{claim}:{message.id}"):
            await reply_to(message, reply)


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(TrickCommands(bot))
