"""Talking to Kennel. Without a model the assistant is off, and a mention is answered with what works."""

import discord
from discord.ext import commands

from bot.app import Kennel
from bot.outbound import Embed, Reply
from cogs.prefix_words import BUILT_IN, split_command
from cogs.replies import may_answer, reply_to


class Chat(commands.Cog):
    """Answers those who mention the bot."""

    def __init__(self, bot: Kennel) -> None:
        self._bot = bot
        self._services = bot.services

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Say that the assistant is off here, and how to see what is on."""
        if message.author.bot or message.webhook_id or message.is_system() or message.guild is None:
            return
        if self._bot.user is None or self._bot.user.id not in message.raw_mentions or not may_answer(message):
            return
        if self._is_command(message, str(message.guild.id)):
            return
        with self._bot.in_flight():
            if not await self._services.once.first(f"m:{message.id}"):
                return
            prefix = self._services.table.prefix(str(message.guild.id))
            text = f"The assistant is off here, but commands work: `/help` or `{prefix}help` shows yours."
            await reply_to(message, Reply(embed=Embed(description=text)))

    def _is_command(self, message: discord.Message, guild_id: str) -> bool:
        """Whether the mention only stands in a typed command, which is answered as one."""
        table = self._services.table
        command = split_command(message.content, table.prefix(guild_id))
        if command is None:
            return False
        route = table.find(guild_id, command[0])
        return command[0] in BUILT_IN or (route is not None and route.prefix)


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Chat(bot))
