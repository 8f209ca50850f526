"""How conversations reach Discord: where something is said, and the protocol that cogs implement.

What Discord refuses is a value: a message that cannot be posted is None, a member that cannot be found is None,
and the cause is logged where it happened.
"""

import hashlib
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol

from bot.errors import Restarting
from bot.outbound import MAX_CONTENT, Reply
from bot.policy.audiences import Asker, Place
from bot.text import length
from storage.request_records import Request

Author = Literal["asker", "bot", "member", "other"]
"""Who wrote a message of the history: the asker, Kennel, another member, or a bot or webhook."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a conversation's history, oldest first: its content, with mentions left as ids."""

    message_id: str
    author: Author
    author_id: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Where:
    """Where something is said. `channel_id` may be a thread, `reply_to` a message in it.

    `ping` is the only member whom a mention in the text may ping; with `notify` the reply itself pings the
    author of `reply_to` too. What is said came after the message `after`, where there is no `reply_to`.
    """

    guild_id: str
    channel_id: str
    reply_to: str | None = None
    ping: str | None = None
    notify: bool = False
    after: str | None = None


@dataclass(frozen=True, slots=True)
class ThreadPlace:
    """Where a request goes on. `stays` is true where the channel has no threads: then it is the channel."""

    channel_id: str
    stays: bool = False


class Speaker(Protocol):
    """What the layers of a conversation want of Discord."""

    async def say(self, where: Where, reply: Reply, nonce: str) -> str | None:
        """Post one message and give its id. The same `nonce` (at most 25 characters) posts once."""
        ...

    async def find(self, where: Where, reply: Reply) -> str | None:
        """The id of the bot's message with exactly this content that stands there already, if any.

        Looked for before something is posted that may have been posted by a process that died.
        """
        ...

    async def edit(self, channel_id: str, message_id: str, reply: Reply, ping: str | None = None) -> bool:
        """Replace a message of the bot's; false when it is gone or Discord refused."""
        ...

    def typing(self, channel_id: str) -> AbstractAsyncContextManager[None]:
        """Show that something happens, until the block ends."""
        ...

    async def history(self, guild_id: str, channel_id: str, message_id: str, asker_id: str) -> Sequence[Said]:
        """What was said before `message_id`, without it: the reply chain, or the thread. Oldest first."""
        ...

    async def asker(self, guild_id: str, member_id: str) -> Asker | None:
        """The member as the server reports them now; None for who left, bots and webhooks.

        Raises `DiscordUnavailable` when Discord does not say.
        """
        ...

    async def place(self, guild_id: str, channel_id: str) -> Place:
        """The channel with its parent, if it is a thread."""
        ...

    async def open_thread(
        self, guild_id: str, channel_id: str, message_id: str, asker_id: str
    ) -> ThreadPlace:
        """Open a thread from the asker's message, or reuse the one that is there, and add the asker.

        Raises `ThreadRefused` with the permission that is missing.
        """
        ...


class Line:
    """The speaker, once something that speaks Discord has been attached."""

    def __init__(self) -> None:
        self._speaker: Speaker | None = None

    def attach(self, speaker: Speaker) -> None:
        """Speak through `speaker` from now on."""
        self._speaker = speaker

    @property
    def speaker(self) -> Speaker:
        """Raises `Restarting` before one was attached."""
        if self._speaker is None:
            raise Restarting
        return self._speaker

    async def say_once(self, where: Where, reply: Reply, nonce: str, *, again: bool) -> str | None:
        """As `Speaker.say`; with `again`, a process that died may have posted it, so it is looked for first."""
        found = await self.speaker.find(where, reply) if again else None
        return found or await self.speaker.say(where, reply, nonce)


def nonce(*what: str | int) -> str:
    """The same 24 characters for the same message, in every process."""
    return hashlib.sha256(":".join(map(str, what)).encode()).hexdigest()[:24]


def where_of(request: Request, channel_id: str, *, notify: bool) -> Where:
    """Where the asker of `request` is spoken to: a reply to their message, where that stands in the channel."""
    reply_to = request.message_id if channel_id == request.channel_id else None
    return Where(
        request.guild_id,
        channel_id,
        reply_to,
        ping=request.asker_id,
        notify=notify,
        after=request.message_id,
    )


def addressed(text: str, where: Where) -> str:
    """`text` with a mention of the asker, where no reply pings them and there is room for it."""
    mention = f"<@{where.ping}>"
    if where.reply_to is not None or mention in text:
        return text
    mentioning = f"{mention} {text}"
    return mentioning if length(mentioning) <= MAX_CONTENT else text
