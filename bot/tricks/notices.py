"""What the owner must know without asking."""

from bot.log import logger
from bot.outbound import Messenger

_log = logger(__name__)


class OwnerNotices:
    """Passes a sentence on to the owner, once something that can speak Discord has been attached."""

    def __init__(self) -> None:
        self._messenger: Messenger | None = None

    def attach(self, messenger: Messenger) -> None:
        """Speak through `messenger` from now on."""
        self._messenger = messenger

    async def tell(self, guild_id: str, text: str) -> None:
        """Tell the server's owner; a notice that reaches nobody is logged, and stands in `/tricks list`."""
        reached = self._messenger is not None and await self._messenger.tell_owner(guild_id, text)
        if not reached:
            _log.warning("a notice reached nobody", guild_id=guild_id)
