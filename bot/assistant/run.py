"""What one run of a request works with, and what settling one call adds to its conversation."""

import asyncio
from dataclasses import dataclass, field

from bot.assistant.conversation import Conversation
from bot.assistant.toolset import Toolset
from bot.policy.audiences import Asker, Place
from bot.policy.provenance import Source
from storage.request_records import Request


@dataclass
class Run:
    """One process's work on one request, while it holds the lease.

    `resumed` says that the conversation came from the database: what it began may have gone on meanwhile.
    """

    request: Request
    asker: Asker
    place: Place
    toolset: Toolset
    conversation: Conversation
    resumed: bool
    opening_thread: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def speaks_at(self) -> Place:
        """Where the request goes on: the thread that was opened for it, else where it was asked."""
        if self.request.thread_id in (None, self.place.channel_id):
            return self.place
        return Place(self.request.thread_id or "", self.place.parent_id or self.place.channel_id)


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of one call: `content` for the model, None while it waits for the asker."""

    content: str | None
    sources: tuple[Source, ...] = ()
    links: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    loaded: tuple[str, ...] = ()
