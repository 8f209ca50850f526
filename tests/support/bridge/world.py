"""simcord's world without a bot inside: builders and members act on it, another process answers."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import discord
import simcord
from simcord import ChannelHandle, GuildHandle, UserHandle
from simcord._clock import Clock
from simcord._dpy_internals import get_state
from simcord.backend import Backend, serializers


class WallClock(Clock):
    """The real time; `advance` adds to it. simcord's own stands still, which a real process cannot."""

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.elapsed)


class World(simcord.Env):
    """Guilds, channels and members. The client inside only turns stored messages into `discord.Message`."""

    def __init__(self, shards: int = 1) -> None:
        super().__init__(discord.Client(intents=discord.Intents(guilds=True)))
        self.backend = Backend(clock=WallClock())
        self._shard_count = shards
        self._message_states.add(get_state(self.bot))

    @property
    def shard_count(self) -> int:
        """How many shards Discord recommends."""
        return self._shard_count

    async def _settle_internal(self, **_options: Any) -> None:
        """An action is over once it is stored and sent: the bot's part happens in another process."""

    @contextmanager
    def _silence(self) -> Generator[None]:
        listeners, self.backend.subscribers = self.backend.subscribers, []
        try:
            yield
        finally:
            self.backend.subscribers = listeners

    def join_guild(
        self, name: str, *, channels: Sequence[str] = ("general",), owner: UserHandle | None = None
    ) -> tuple[GuildHandle, dict[str, ChannelHandle]]:
        """A guild that the bot is added to: one GUILD_CREATE with its channels, as Discord sends it."""
        with self._silence():
            guild = self.create_guild(name, owner=owner)
            made = {channel: guild.create_text_channel(channel) for channel in channels}
        self.backend.emit("GUILD_CREATE", self.guild_payload(guild.id))
        return guild, made

    def guild_payload(self, guild_id: int) -> dict[str, Any]:
        """The guild as GUILD_CREATE carries it."""
        return dict(serializers.guild_create_payload(self.backend, self.backend.get_guild(guild_id)))

    def user_payload(self) -> dict[str, Any]:
        """The bot's own user."""
        return dict(serializers.user_payload(self.backend.bot_user))
