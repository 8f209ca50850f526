"""A Discord in which conversations are only heard: what was posted, edited and looked for, in order."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field

from bot.outbound import Button, Reply
from bot.policy.audiences import Asker, Place
from bot.speaker import Said, ThreadPlace, Where


@dataclass
class Posted:
    """One message as it looks now. `versions` counts its edits."""

    where: Where
    reply: Reply
    nonce: str
    edits: int = 0

    @property
    def text(self) -> str:
        """Its content."""
        return self.reply.content

    @property
    def labels(self) -> list[str]:
        """The labels of its buttons."""
        return [button.label for button in self.reply.buttons]

    def key(self, label: str) -> str:
        """The custom id of one of its buttons."""
        ids = {each.label: each.custom_id for each in self.reply.buttons if isinstance(each, Button)}
        return ids[label]


@dataclass
class HeardSpeaker:
    """`bot.speaker.Speaker` without Discord. While `refuses`, nothing can be posted or edited."""

    refuses: bool = False
    messages: dict[str, Posted] = field(default_factory=dict[str, Posted])
    looked_for: list[Reply] = field(default_factory=list[Reply])

    @property
    def said(self) -> list[str]:
        """The contents of all messages, oldest first."""
        return [message.text for message in self.messages.values()]

    @property
    def last(self) -> Posted:
        """The newest message."""
        return [*self.messages.values()][-1]

    async def say(self, where: Where, reply: Reply, nonce: str) -> str | None:
        assert 0 < len(nonce) <= 25
        assert 0 < len(reply.content) <= 2_000
        if self.refuses:
            return None
        for message_id, message in self.messages.items():
            if message.nonce == nonce:
                return message_id
        message_id = f"posted-{len(self.messages) + 1}"
        self.messages[message_id] = Posted(where, reply, nonce)
        return message_id

    async def find(self, where: Where, reply: Reply) -> str | None:
        self.looked_for.append(reply)
        found = (id for id, each in self.messages.items() if (each.where, each.reply) == (where, reply))
        return next(found, None)

    async def edit(self, channel_id: str, message_id: str, reply: Reply, ping: str | None = None) -> bool:
        message = self.messages.get(message_id)
        if message is None or self.refuses:
            return False
        assert message.where.channel_id == channel_id
        message.reply = reply
        message.edits += 1
        return True

    def typing(self, channel_id: str) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    async def history(self, guild_id: str, channel_id: str, message_id: str, asker_id: str) -> Sequence[Said]:
        return ()

    async def asker(self, guild_id: str, member_id: str) -> Asker | None:
        return Asker(member_id, guild_id, is_owner=False, manage_server=True, role_ids=frozenset())

    async def place(self, guild_id: str, channel_id: str) -> Place:
        return Place(channel_id)

    async def open_thread(
        self, guild_id: str, channel_id: str, message_id: str, asker_id: str
    ) -> ThreadPlace:
        return ThreadPlace(f"thread-{message_id}")
