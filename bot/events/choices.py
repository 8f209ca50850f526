"""What the owner decides about events: whether they are sent, and in which channel the answers are posted."""

from dataclasses import dataclass

from bot.clock import Clock
from bot.log import logger
from bot.tricks.lifecycle import Lifecycle
from storage.event_counts import Counts, EventCounts
from storage.event_records import Subscription
from storage.records import Installation
from storage.subscriptions import Subscriptions

_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Events:
    """One installation's events as they stand. `subscription` is None for a trick that asks for none."""

    row: Installation
    subscription: Subscription | None
    counts: Counts


class EventChoices:
    """Shows and changes them. Whether somebody may is for the caller to check."""

    def __init__(
        self,
        lifecycle: Lifecycle,
        subscriptions: Subscriptions,
        counts: EventCounts,
        clock: Clock,
    ) -> None:
        self._lifecycle = lifecycle
        self._subscriptions = subscriptions
        self._counts = counts
        self._clock = clock

    async def shown(self, guild_id: str, trick: str) -> Events:
        """The events of the installation that `trick` (an id) names in this server. Raises `NoSuchTrick`."""
        installed = await self._lifecycle.installed(guild_id, trick)
        return await self.of(installed.row)

    async def choose(self, guild_id: str, trick: str, channel_id: str) -> Events:
        """Post in this channel from now on, and send events. Raises `NoSuchTrick`.

        A trick that asks for no events keeps none.
        """
        shown = await self.shown(guild_id, trick)
        if shown.subscription is None:
            return shown
        _log.info("events channel chosen", installation_id=shown.row.id, channel_id=channel_id)
        await self._subscriptions.set_channel(shown.row.id, channel_id, turn_on=True)
        return await self.of(shown.row)

    async def clear(self, guild_id: str, installation_id: str) -> Events:
        """Post nowhere from now on; events are still sent. Raises `NoSuchTrick`."""
        row = (await self._lifecycle.by_id(guild_id, installation_id)).row
        await self._subscriptions.set_channel(row.id, None, turn_on=False)
        return await self.of(row)

    async def stop(self, guild_id: str, installation_id: str) -> Events:
        """Send no more events, those that wait included. Raises `NoSuchTrick`."""
        return await self._set_on(guild_id, installation_id, on=False)

    async def start(self, guild_id: str, installation_id: str) -> Events:
        """Send what happens from now on. Raises `NoSuchTrick`."""
        return await self._set_on(guild_id, installation_id, on=True)

    async def _set_on(self, guild_id: str, installation_id: str, *, on: bool) -> Events:
        row = (await self._lifecycle.by_id(guild_id, installation_id)).row
        _log.info("events turned on" if on else "events turned off", installation_id=row.id)
        await self._subscriptions.set_on(row.id, on, self._clock.now_ms())
        return await self.of(row)

    async def of(self, row: Installation) -> Events:
        """The events of this installation."""
        subscription = await self._subscriptions.of(row.id)
        return Events(row, subscription, await self._counts.of(row.id))
