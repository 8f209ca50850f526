"""What is read from discord.py for whoever watches: heartbeats of the gateway, and each REST request."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace

import aiohttp

from bot.metrics import Metrics

_SWITCHING_PROTOCOLS = 101
_INVALID = frozenset({401, 403, 429})
NO_ANSWER = 0
"""The status of a request that got no answer."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One connection to the gateway.

    `heartbeat_age` is the time in seconds since Discord last acknowledged a heartbeat, None before the first
    connection; `latency` the seconds that this took, None before it is known.
    """

    id: int
    heartbeat_age: float | None
    latency: float | None


@dataclass(frozen=True, slots=True)
class Gateway:
    """The connection to Discord as a whole; `ready` once the servers are known, `stopping` while draining."""

    ready: bool
    stopping: bool
    shards: tuple[Shard, ...]


def shards_of(shards: Mapping[int, object]) -> tuple[Shard, ...]:
    """The shards of a client, from its `shards`."""
    return tuple(
        Shard(number, _heartbeat_age(shard), _latency(shard)) for number, shard in sorted(shards.items())
    )


def _heartbeat_age(shard: object) -> float | None:
    """discord.py tells only how long a heartbeat took, so this reads the time at which it noted the last one.

    A connection that is lost keeps its note until the next one stands, so the age goes on growing.
    """
    found = shard
    for name in ("_parent", "ws", "_keep_alive", "_last_ack"):
        found = getattr(found, name, None)
    return max(0.0, time.perf_counter() - found) if isinstance(found, float) else None


def _latency(shard: object) -> float | None:
    latency = getattr(shard, "latency", None)
    return latency if isinstance(latency, float) and math.isfinite(latency) else None


def rest_trace(metrics: Metrics) -> aiohttp.TraceConfig:
    """Counts every REST request of the session that it is given to."""

    async def answered(
        _session: aiohttp.ClientSession, _context: SimpleNamespace, params: aiohttp.TraceRequestEndParams
    ) -> None:
        status, headers = params.response.status, params.response.headers
        if status == _SWITCHING_PROTOCOLS:  # the gateway's own connection
            return
        # one limit that all bots of a resource share does not count: nobody can keep it alone
        invalid = status in _INVALID and headers.get("X-RateLimit-Scope") != "shared"
        wait = _seconds(headers.get("Retry-After", "")) if status == 429 else None
        metrics.discord_answered(status, invalid=invalid, wait=wait)

    async def failed(
        _session: aiohttp.ClientSession,
        _context: SimpleNamespace,
        _params: aiohttp.TraceRequestExceptionParams,
    ) -> None:
        metrics.discord_answered(NO_ANSWER, invalid=False, wait=None)

    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(answered)
    trace.on_request_exception.append(failed)
    return trace


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        return 0.0
    return seconds if 0 <= seconds < math.inf else 0.0
