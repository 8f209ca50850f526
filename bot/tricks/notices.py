"""What the owner must know without asking."""

import asyncio

from bot.log import logger
from bot.outbound import Messenger
from bot.text import escape, one_line
from storage.call_ends import PAUSE_AFTER

_log = logger(__name__)


class OwnerNotices:
    """Passes a sentence on to the owner, once something that can speak Discord has been attached.

    Nobody waits for it: a member's answer must not be late because the owner is told something.
    """

    def __init__(self) -> None:
        self._messenger: Messenger | None = None
        self._under_way: set[asyncio.Task[None]] = set()

    def attach(self, messenger: Messenger) -> None:
        """Speak through `messenger` from now on."""
        self._messenger = messenger

    def tell(self, guild_id: str, text: str) -> None:
        """Tell the server's owner; a notice that reaches nobody is logged, and stands in `/tricks list`."""
        task = asyncio.create_task(self._tell(guild_id, text))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    def tell_paused(self, guild_id: str, trick_name: str) -> None:
        """Tell the owner that failures in a row paused a trick; its name is made safe here."""
        self.tell(
            guild_id,
            f"{escape(one_line(trick_name))} failed {PAUSE_AFTER} times in a row, so Kennel has paused it. "
            "`/tricks test` says what is wrong; `/tricks enable` turns it on again.",
        )

    async def owner_of(self, guild_id: str) -> str | None:
        """The id of the server's owner now; None when Discord does not say."""
        return None if self._messenger is None else await self._messenger.owner_of(guild_id)

    async def _tell(self, guild_id: str, text: str) -> None:
        reached = self._messenger is not None and await self._messenger.tell_owner(guild_id, text)
        if not reached:
            _log.warning("a notice reached nobody", guild_id=guild_id)
