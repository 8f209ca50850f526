"""How posts of events reach Discord: the protocol that cogs implement."""

from collections.abc import Mapping
from typing import Literal, Protocol

from bot.errors import Restarting
from bot.presentation.models import Presentation

Presence = Literal["here", "screening", "gone"]
"""A member as the server knows them now: `screening` while they have not passed its screening."""


class Poster(Protocol):
    """What the layer of events wants of Discord."""

    async def member(self, guild_id: str, member_id: str) -> Presence:
        """Whether the member is in the server now. Raises `DiscordUnavailable` when Discord does not say."""
        ...

    async def post(
        self,
        guild_id: str,
        channel_id: str,
        presentation: Presentation,
        keys: Mapping[str, str],
        nonce: str,
    ) -> str:
        """Post a presentation with its buttons, pinging nobody, and give the message's id.

        `keys` maps the id of each action to its button's key. The same `nonce` (24 characters) posts once,
        within the minutes for which Discord remembers it. Raises `PostRefused` when Discord will not take it,
        `PostUncertain` when it may have taken it, and `DiscordUnavailable` when it did not take it now.
        """
        ...

    async def find(
        self,
        guild_id: str,
        channel_id: str,
        presentation: Presentation,
        keys: Mapping[str, str],
        since_ms: int,
    ) -> str | None:
        """The id of the bot's message that shows this already, None when none was written since `since_ms`.

        None is certain: everything since then has been read. Raises `DiscordUnavailable` when it cannot be.
        """
        ...


class PostLine:
    """The poster, once something that speaks Discord has been attached."""

    def __init__(self) -> None:
        self._poster: Poster | None = None

    def attach(self, poster: Poster) -> None:
        """Post through `poster` from now on."""
        self._poster = poster

    @property
    def is_attached(self) -> bool:
        """Whether there is a poster yet."""
        return self._poster is not None

    @property
    def poster(self) -> Poster:
        """Raises `Restarting` before one was attached."""
        if self._poster is None:
            raise Restarting
        return self._poster
