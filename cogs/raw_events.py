"""Discord's own events, read before discord.py has them: it drops those of members and servers it does not know."""

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from bot.app import Kennel
from bot.log import logger

Note = Callable[[Any], None]
_Parser = Callable[[Any], None]
_CONNECTION = "_connection"
"""discord.py's own state: the only place where every event passes by, in order, before anything is dropped."""
_log = logger(__name__)


class RawEvents:
    """Stands before discord.py's parsers of some events of the gateway, which looks a parser up for each event."""

    def __init__(self, bot: Kennel) -> None:
        self._parsers = cast("dict[str, _Parser]", getattr(bot, _CONNECTION).parsers)
        self._ended = False

    def hear(self, event: str, note: Note) -> None:
        """From now on call `note` with the payload of each such event, in their order, before discord.py."""
        self._parsers[event] = partial(self._pass_on, self._parsers[event], event, note)

    def end(self) -> None:
        """Hear nothing more. Events go on to who stands behind: somebody else may stand before by now."""
        self._ended = True

    def _pass_on(self, behind: _Parser, event: str, note: Note, payload: Any) -> None:
        """A fault of ours must not keep the event from discord.py, nor end the connection."""
        try:
            if not self._ended:
                note(payload)
        except Exception:  # noqa: BLE001 - the boundary towards the gateway
            _log.exception("an event of the gateway was lost", kind=event)
        behind(payload)
