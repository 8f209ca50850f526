"""How often something may happen: exact sliding windows, kept in memory for each key."""

import math
from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass

from bot.clock import Clock
from bot.errors import LimitReached

_SWEEP_EVERY = 1_024


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `count` times in any `seconds`, for each `key`."""

    key: Hashable
    count: int
    seconds: float = 60.0


class Limiter:
    """Counts what happened, by key; forgets a key once its window is empty."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._taken: dict[Hashable, deque[float]] = {}
        self._longest: dict[Hashable, float] = {}
        self._until_sweep = _SWEEP_EVERY

    @property
    def size(self) -> int:
        """How many keys are remembered."""
        return len(self._taken)

    def take(self, *limits: Limit) -> None:
        """Count one more for all of `limits`, or for none.

        Raises `LimitReached` with the seconds after which every one of them has room again.
        """
        now = self._clock.monotonic()
        wait = max(self._wait(limit, now) for limit in limits)
        if wait > 0:
            raise LimitReached(math.ceil(wait))
        for limit in limits:
            self._taken.setdefault(limit.key, deque()).append(now)
            self._longest[limit.key] = limit.seconds
        self._sweep(now)

    def _wait(self, limit: Limit, now: float) -> float:
        taken = self._taken.get(limit.key)
        if taken is None:
            return 0.0
        while taken and taken[0] <= now - limit.seconds:
            taken.popleft()
        return taken[-limit.count] + limit.seconds - now if len(taken) >= limit.count else 0.0

    def _sweep(self, now: float) -> None:
        self._until_sweep -= 1
        if self._until_sweep > 0:
            return
        self._until_sweep = _SWEEP_EVERY
        for key, taken in list(self._taken.items()):
            if not taken or taken[-1] <= now - self._longest[key]:
                del self._taken[key], self._longest[key]


def call_limits(installation_id: str, tool: str, member_id: str) -> tuple[Limit, Limit, Limit]:
    """The limits of one call: 60 a minute for the installation, 20 for the tool, 30 for the member."""
    return (
        Limit(("installation", installation_id), 60),
        Limit(("tool", installation_id, tool), 20),
        Limit(("member", member_id), 30),
    )


def poll_limits(installation_id: str) -> tuple[Limit, Limit]:
    """The limits of one request about a task: 30 a minute, which count towards the installation's 60."""
    return (Limit(("installation", installation_id), 60), Limit(("polls", installation_id), 30))


def testing_limit(installation_id: str) -> Limit:
    """Tests and looks: 10 a minute for each installation."""
    return Limit(("test", installation_id), 10)


def registration_limit(guild_id: str) -> Limit:
    """Registrations and tests: 10 an hour for each server."""
    return Limit(("registration", guild_id), 10, 3_600)
