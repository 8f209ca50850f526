"""Who joins and leaves a server, read from Discord's raw events before discord.py has them.

discord.py tells of a join only where it knows the server and does not know the member: a member who left and came
back, one whose update arrived first, a server that is not ready yet, all are dropped. So the gateway's own payloads
are noted, in their order, and then passed on.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from discord.ext import commands

from bot.app import Kennel
from bot.events.outbox import EventType, NewEvent
from bot.log import logger

Payload = Mapping[str, Any]
Parser = Callable[[Any], None]
_CONNECTION = "_connection"
"""discord.py's own state: the only place where every event passes by, in order, before anything is dropped."""
_LETTERS: Mapping[EventType, str] = {"member.joined": "j", "member.left": "l"}
_log = logger(__name__)


class Members(commands.Cog):
    """Stands before discord.py's parsers of three events. Bots are no people, the bot itself included.

    Also while the process drains: what Discord has told once it does not tell again.
    """

    def __init__(self, bot: Kennel) -> None:
        self._bot = bot
        self._services = bot.services
        self._replaced: dict[str, Parser] = {}

    async def cog_load(self) -> None:
        """Begin to listen. The gateway looks a parser up for each event, so this holds at once."""
        notes: dict[str, Callable[[Payload], None]] = {
            "GUILD_MEMBER_ADD": self._joined,
            "GUILD_MEMBER_REMOVE": self._left,
            "GUILD_MEMBER_UPDATE": self._updated,
        }
        parsers = _parsers(self._bot)
        for event, note in notes.items():
            self._replaced[event] = parsers[event]
            parsers[event] = partial(self._hear, event, note)

    async def cog_unload(self) -> None:
        """Give discord.py its parsers back."""
        _parsers(self._bot).update(self._replaced)

    def _hear(self, event: str, note: Callable[[Payload], None], payload: Any) -> None:
        """A fault of ours must not keep the event from discord.py, nor end the connection."""
        try:
            note(payload)
        except Exception:  # noqa: BLE001 - the boundary towards the gateway
            _log.exception("a member's event was lost", kind=event)
        self._replaced[event](payload)

    def _joined(self, payload: Payload) -> None:
        """`joined_at` tells two joins of one member apart, and says when an event is told again."""
        moment, screening = payload.get("joined_at"), bool(payload.get("pending"))
        self._record(payload, "member.joined", moment, screening=screening)

    def _left(self, payload: Payload) -> None:
        """Nothing in it tells two departures of one member apart."""
        self._record(payload, "member.left", None)

    def _record(
        self, payload: Payload, kind: EventType, moment: str | None, *, screening: bool = False
    ) -> None:
        user, clock = payload["user"], self._services.clock
        if user.get("bot") or user.get("system"):
            return
        event_id = clock.new_id()
        self._services.outbox.record(
            NewEvent(
                event_id=event_id,
                guild_id=str(payload["guild_id"]),
                member_id=str(user["id"]),
                type=kind,
                occurrence=f"{_LETTERS[kind]}:{user['id']}:{moment or event_id}",
                occurred_at=clock.now_ms(),
                screening=screening,
            )
        )

    def _updated(self, payload: Payload) -> None:
        """Somebody may have passed the server's screening. This comes for every change of every member."""
        if payload.get("pending") is False:
            self._services.posts.screened(str(payload["guild_id"]), str(payload["user"]["id"]))


def _parsers(bot: Kennel) -> dict[str, Parser]:
    return cast("dict[str, Parser]", getattr(bot, _CONNECTION).parsers)


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Members(bot))
