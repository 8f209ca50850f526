"""What a message says about whom it is for: mentions of the bot, the bot's message it replies to, words that press."""

import re
from dataclasses import dataclass
from typing import Literal, Self

import discord

from bot.policy.audiences import Asker, Place
from cogs.askers import asker_of, place_of

_PRESSES: dict[str, Literal["do", "dont"]] = {"do it": "do", "don't": "dont", "don’t": "dont"}
_MENTION = re.compile(r"<@[!&]?([0-9]{1,20})>")


@dataclass(frozen=True, slots=True)
class Heard:
    """A member's message in a server.

    `names` are the ids of the bot and of the role that Discord made for it, and `mentioned` whether one of them
    is mentioned; `replies_to` is the bot's own message that it is a direct reply to, with or without a ping.
    Every message of every server becomes one of these, so what costs more is found out when it is asked for.
    """

    message: discord.Message
    member: discord.Member
    names: frozenset[int]
    mentioned: bool
    replies_to: str | None

    @classmethod
    def of(cls, message: discord.Message, bot_id: int) -> Self | None:
        """None for bots, webhooks, system messages and direct messages."""
        member = message.author
        if member.bot or message.webhook_id or message.is_system() or not isinstance(member, discord.Member):
            return None
        role = member.guild.self_role
        names = frozenset({bot_id} if role is None else {bot_id, role.id})
        return cls(
            message=message,
            member=member,
            names=names,
            mentioned=not names.isdisjoint({*message.raw_mentions, *message.raw_role_mentions}),
            replies_to=_own_message(message, bot_id),
        )

    @property
    def member_id(self) -> str:
        """Who wrote it."""
        return str(self.member.id)

    @property
    def channel_id(self) -> str:
        """The channel or thread in which it stands."""
        return str(self.message.channel.id)

    @property
    def in_thread(self) -> bool:
        """Whether it stands in a thread."""
        return isinstance(self.message.channel, discord.Thread)

    @property
    def asker(self) -> Asker:
        """The member as the rules see them."""
        return asker_of(self.member)

    @property
    def place(self) -> Place:
        """The channel with the parent of a thread."""
        return place_of(self.message.channel.id, self.message.channel)

    @property
    def words(self) -> str:
        """What it says beside mentions of the bot."""
        content = self.message.content
        return _MENTION.sub(lambda found: "" if int(found[1]) in self.names else found[0], content).strip()

    @property
    def press(self) -> Literal["do", "dont"] | None:
        """The button of a card that the message stands for, when nothing else is in it."""
        return _PRESSES.get(self.message.content.strip().lower())


def _own_message(message: discord.Message, bot_id: int) -> str | None:
    """Discord sends the message that is replied to along; a forwarded one is no reply."""
    reference = message.reference
    if message.type is not discord.MessageType.reply or reference is None:
        return None
    resolved = reference.resolved
    own = isinstance(resolved, discord.Message) and resolved.author.id == bot_id
    return str(reference.message_id) if own else None
