"""How conversations reach Discord: where something is said, and the protocol that cogs implement.

What Discord refuses is a value: a message that cannot be posted is None, a member that cannot be found is None,
and the cause is logged where it happened.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol

from bot.errors import Restarting
from bot.outbound import Reply
from bot.policy.audiences import Asker, Place

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
