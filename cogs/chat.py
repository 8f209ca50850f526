"""Talking to Kennel: which messages concern it, and what each of them is.

A message concerns Kennel when it mentions the bot or its role, replies to a message of the bot's, stands in a
thread that is its author's, or may be the answer to a question. It is, in this order: a typed command, which
other cogs answer; a press of a card's button in words; an answer to a question; a request to the assistant.
"""

import discord
from discord.ext import commands

from bot.app import Kennel
from bot.assistant.assistant import Incoming
from bot.errors import Restarting
from bot.outbound import Embed, Reply
from cogs.addressing import Heard
from cogs.errors import told
from cogs.prefix_words import BUILT_IN, split_command
from cogs.rendering import problem_reply
from cogs.replies import may_answer, reply_to


class Chat(commands.Cog):
    """Hears what members say."""

    def __init__(self, bot: Kennel) -> None:
        self._bot = bot
        self._services = bot.services

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Answer one message, once; anything that does not concern Kennel is left alone."""
        heard = None if self._bot.user is None else Heard.of(message, self._bot.user.id)
        if heard is None or not self._may_concern(heard):
            return
        if self._is_command(heard) or not may_answer(message):
            return
        with self._bot.in_flight():
            try:
                await self._hear(heard)
            except Exception as error:  # noqa: BLE001 - the boundary: whatever it is, the member is answered
                await self._refuse(message, error)

    def _may_concern(self, heard: Heard) -> bool:
        """Told from memory alone, for every message of every server."""
        return bool(heard.mentioned or heard.replies_to or heard.in_thread or self._is_watched(heard))

    def _is_watched(self, heard: Heard) -> bool:
        return self._services.watch.has(heard.channel_id, heard.member_id)

    def _is_command(self, heard: Heard) -> bool:
        """Whether it is a typed command, which is answered as one also where it mentions the bot."""
        table, guild_id = self._services.table, str(heard.member.guild.id)
        command = split_command(heard.message.content, table.prefix(guild_id))
        if command is None:
            return False
        route = table.find(guild_id, command[0])
        return command[0] in BUILT_IN or (route is not None and route.prefix)

    async def _hear(self, heard: Heard) -> None:
        """Find out what the message is, and do that."""
        own_thread = heard.in_thread and await self._services.threads.is_askers(
            heard.channel_id, heard.member_id
        )
        addressed = heard.mentioned or heard.replies_to is not None or own_thread
        if self._bot.draining:
            if addressed:
                raise Restarting
            return
        if await self._press(heard):
            return
        if await self._answer(heard, own_thread=own_thread):
            return
        if addressed:
            await self._ask(heard)

    async def _press(self, heard: Heard) -> bool:
        """`do it` or `don't` as the reply to a card, from whomever: nobody but its asker may, as with buttons."""
        verb = heard.press
        if verb is None or heard.replies_to is None:
            return False
        card = await self._services.approvals.by_card(heard.replies_to)
        if card is None:
            return False
        if await self._first(heard):
            pressed = await self._services.approvals.press(card.key, verb, heard.asker, heard.place)
            await self._services.assistant.advance(pressed.request_id)
        return True

    async def _answer(self, heard: Heard, *, own_thread: bool) -> bool:
        """The reply to a question, or the asker's next words in the channel of one.

        What mentions the bot, or replies to something else that it said, is an answer only as it stands.
        """
        place, member_id = heard.channel_id, heard.member_id
        row, direct = None, False
        if heard.replies_to is not None:
            row = await self._services.questions.to_reply(heard.replies_to, member_id)
            direct = row is not None
        if row is None and self._is_watched(heard):
            row = await self._services.questions.newest(place, member_id)
        if row is None or not heard.words:
            return False
        if not await self._services.once.first(f"q:{heard.message.id}"):
            return True
        outcome = await self._services.questions.words(
            row,
            heard.words,
            direct=direct,
            in_thread=own_thread,
            literal_only=not direct and (heard.mentioned or heard.replies_to is not None),
        )
        if outcome.sentence:
            await reply_to(heard.message, problem_reply(outcome.sentence))
        return outcome.kind != "not_an_answer"

    async def _ask(self, heard: Heard) -> None:
        if not self._services.assistant.enabled:
            await self._say_it_is_off(heard)
        elif heard.message.content:
            incoming = Incoming(str(heard.message.id), heard.asker, heard.place, heard.message.content)
            await self._services.assistant.start(incoming)

    async def _say_it_is_off(self, heard: Heard) -> None:
        """Tell those who mention the bot what works; nobody else has asked for it."""
        if heard.mentioned and await self._first(heard):
            prefix = self._services.table.prefix(str(heard.member.guild.id))
            text = f"The assistant is off here, but commands work: `/help` or `{prefix}help` shows yours."
            await reply_to(heard.message, Reply(embed=Embed(description=text)))

    async def _first(self, heard: Heard) -> bool:
        return await self._services.once.first(f"m:{heard.message.id}")

    async def _refuse(self, message: discord.Message, error: Exception) -> None:
        """Answer with the sentence for `error`, once even when the message is delivered twice.

        A restarting process takes the claim of the answer itself: another one may be giving it.
        """
        reply = told(error, message_id=str(message.id))
        claim = "m" if isinstance(error, Restarting) else "r"
        if reply is not None and await self._services.once.first(f"{claim}:{message.id}"):
            await reply_to(message, reply)


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Chat(bot))
