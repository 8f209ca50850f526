"""What went wrong with a trick of late: failed calls and events that did not get through, newest first."""

from dataclasses import dataclass, field
from typing import Final, Literal

from bot.clock import Clock
from bot.tricks.failures import advice
from bot.tricks.installed import Installed
from bot.tricks.lifecycle import Lifecycle
from storage.calls import Calls
from storage.event_records import Delivery
from storage.outbox import Outbox
from storage.records import CallOrigin, FailedCall

KEPT: Final = 15
"""How many failures the log shows."""
_DAY_MS: Final = 86_400_000

Fate = Literal["failed", "unknown", "retrying", "given_up"]


@dataclass(frozen=True, slots=True)
class Failure:
    """One line of the log: never inputs or results.

    `what` is a tool's name, or the type of an event. `id` is the call's, or the delivery's. Times are in
    milliseconds: `took` is None where nobody knows it, `next_at` where it is not tried again. `failure` are
    Kennel's own words, `advice` what to do, `said` what the trick said (at most 500 characters).
    """

    at: int
    origin: CallOrigin | Literal["event"]
    what: str
    id: str
    fate: Fate
    took: int | None
    failure: str
    advice: str
    said: str = field(default="", repr=False)
    attempts: int = 1
    next_at: int | None = None


@dataclass(frozen=True, slots=True)
class Troubles:
    """How many failures a day has had; `at_least` says that there were more than the log shows."""

    count: int
    at_least: bool


class FailureLog:
    """Reads the owner's log of one trick."""

    def __init__(self, calls: Calls, outbox: Outbox, lifecycle: Lifecycle, clock: Clock) -> None:
        self._calls = calls
        self._outbox = outbox
        self._lifecycle = lifecycle
        self._clock = clock

    async def of(self, guild_id: str, trick: str) -> tuple[Installed, tuple[Failure, ...]]:
        """The trick and its newest failures, at most `KEPT`, newest first. Raises `NoSuchTrick`."""
        installed = await self._lifecycle.installed(guild_id, trick)
        return installed, (await self._newest(installed.row.id))[:KEPT]

    async def lately(self, installation_id: str) -> Troubles:
        """How many failures there were in the last twenty-four hours."""
        since = self._clock.now_ms() - _DAY_MS
        recent = [each for each in await self._newest(installation_id) if each.at >= since]
        return Troubles(min(len(recent), KEPT), len(recent) > KEPT)

    async def paused_since(self, installation_id: str) -> int | None:
        """When failures last paused the installation, in milliseconds; None when they never did."""
        return await self._calls.paused_at(installation_id)

    async def _newest(self, installation_id: str) -> tuple[Failure, ...]:
        """One more than is shown, where there are as many."""
        calls = await self._calls.failures(installation_id, KEPT + 1)
        deliveries = await self._outbox.failures(installation_id, KEPT + 1)
        failures = [*map(_of_call, calls), *map(_of_delivery, deliveries)]
        return tuple(sorted(failures, key=lambda each: each.at, reverse=True)[: KEPT + 1])


def _of_call(call: FailedCall) -> Failure:
    unknown = call.status == "unknown"
    ended = call.finished_at if call.failure_kind is not None else None  # else its end was only noticed then
    return Failure(
        at=call.started_at,
        origin=call.origin,
        what=call.tool,
        id=call.id,
        fate="unknown" if unknown else "failed",
        took=ended - call.started_at if ended is not None else None,
        failure=call.failure or "",
        advice=advice(call.failure_kind, unknown=unknown),
        said=call.said or "",
    )


def _of_delivery(delivery: Delivery) -> Failure:
    return Failure(
        at=delivery.occurred_at,
        origin="event",
        what=delivery.type,
        id=delivery.id,
        fate="given_up" if delivery.status == "failed" else "retrying",
        took=None,
        failure=delivery.failure or "",
        advice=advice(delivery.failure_kind),
        attempts=delivery.attempts,
        next_at=delivery.next_at if delivery.status == "pending" else None,
    )
