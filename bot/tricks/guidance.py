"""The server's guidance: one long text of the owner that every conversation there reads."""

from typing import Final

from bot.clock import Clock
from bot.errors import BadArguments, OwnerOnly
from bot.text import legible, length, one_line
from storage.guilds import Guilds

MAX_GUIDANCE: Final = 4_000
"""The most UTF-16 units, which is what one field of a form holds."""


class GuidanceOwnerOnly(OwnerOnly):
    """Somebody else wants to read or write the guidance."""

    to_member = "Only the server's owner can see and change what guides the assistant here."


class Guidance:
    """Keeps the text. It is read for each request anew, so a change holds from the next one on."""

    def __init__(self, guilds: Guilds, clock: Clock) -> None:
        self._guilds = guilds
        self._clock = clock

    async def get(self, guild_id: str) -> str:
        """The text as it is stored, empty where there is none."""
        return await self._guilds.guidance(guild_id) or ""

    async def set(self, guild_id: str, text: str, actor_id: str) -> str:
        """Store `text` without what cannot be seen, and give back what is stored; a blank one leaves nothing.

        Raises `BadArguments` when it is too long.
        """
        kept = legible(text).strip() if one_line(text) else ""
        if length(kept) > MAX_GUIDANCE:
            raise BadArguments(
                [f"That is too long: {MAX_GUIDANCE:,} characters at most. Nothing was changed."]
            )
        await self._guilds.set_guidance(guild_id, kept or None, self._clock.now_ms(), actor_id)
        return kept
