"""Who joins and leaves a server, read from Discord's raw events before discord.py has them.

discord.py tells of a join only where it knows the server and does not know the member: a member who left and came
back, one whose update arrived first, a server that is not ready yet, all are dropped. So the gateway's own payloads
are noted, in their order, and then passed on.
"""

from collections.abc import Mapping
from typing import Any

from discord.ext import commands

from bot.app import Kennel
from bot.events.outbox import EventType, NewEvent
from cogs.raw_events import RawEvents

Payload = Mapping[str, Any]
_LETTERS: Mapping[EventType, str] = {"member.joined": "j", "member.left": "l"}


class Members(commands.Cog):
    """Stands before discord.py's parsers of four events. Bots are no people, the bot itself included.

    Also while the process drains: what Discord has told once it does not tell again.
    """

    def __init__(self, bot: Kennel) -> None:
        self._bot = bot
        self._services = bot.services
        self._raw = RawEvents(bot)

    async def cog_load(self) -> None:
        """Begin to listen."""
        self._raw.hear("GUILD_MEMBER_ADD", self._joined)
        self._raw.hear("GUILD_MEMBER_REMOVE", self._left)
        self._raw.hear("GUILD_MEMBER_UPDATE", self._updated)
        self._raw.hear("READY", self._begun)

    async def cog_unload(self) -> None:
        """Listen no more."""
        self._raw.end()

    def _joined(self, payload: Payload) -> None:
        """`joined_at` tells two joins of one member apart, and says when an event is told again."""
        moment, screening = payload.get("joined_at"), bool(payload.get("pending"))
        self._record(payload, "member.joined", moment, screening=screening)

    def _left(self, payload: Payload) -> None:
        """Nothing in it tells two leaves of one member apart."""
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

    def _begun(self, _payload: Payload) -> None:
        """A new session: what happened before it is not told any more."""
        self._services.outbox.begin()

    def _updated(self, payload: Payload) -> None:
        """Somebody may have passed the server's screening. This comes for every change of every member."""
        if payload.get("pending") is False:
            self._services.posts.screened(str(payload["guild_id"]), str(payload["user"]["id"]))


async def setup(bot: Kennel) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Members(bot))
