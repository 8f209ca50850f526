"""The metrics of one process, as Prometheus reads them. Needs the extra `metrics`."""

import math
from collections import deque

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from bot.clock import Clock
from bot.observability.gateway import NO_ANSWER, Gateway
from storage.gauges import Counts

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
BUCKETS = (0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 4, 5, 7.5, 10)
STATES = ("registered", "enabled", "disabled", "paused")
INVALID_WINDOW = 600.0
INVALID_LIMIT = 10_000


class PrometheusMetrics:
    """Counts for as long as the process lives; what stands in the database is filled in when it is shown."""

    def __init__(self, clock: Clock, version: str) -> None:
        self._clock = clock
        self._registry = registry = CollectorRegistry()
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=registry)
        self._calls = Counter(
            "kennel_calls_total",
            "Calls of tools that ended, by the trick's state afterwards, the outcome and what started them.",
            ("state", "outcome", "origin"),
            registry=registry,
        )
        self._call_seconds = Histogram(
            "kennel_call_seconds",
            "Time of a call's exchange with its trick.",
            buckets=BUCKETS,
            registry=registry,
        )
        self._deliveries = Counter(
            "kennel_deliveries_total",
            "Attempts to send an event to a trick, by what came of them.",
            ("outcome",),
            registry=registry,
        )
        self._requests = Counter(
            "kennel_discord_requests_total",
            "REST requests to Discord by status; none where no answer came.",
            ("status",),
            registry=registry,
        )
        self._waits = Counter(
            "kennel_discord_rate_limited_total", "REST requests that Discord told to wait.", registry=registry
        )
        self._wait_seconds = Counter(
            "kennel_discord_rate_limited_seconds_total",
            "How long Discord told them to wait.",
            registry=registry,
        )
        self._invalid: deque[float] = deque(maxlen=2 * INVALID_LIMIT)
        self._shown = _Shown(registry, version)

    def call_ended(self, state: str, outcome: str, origin: str) -> None:
        """See `Metrics`."""
        self._calls.labels(state, outcome, origin).inc()

    def call_took(self, seconds: float) -> None:
        """See `Metrics`."""
        self._call_seconds.observe(seconds)

    def delivery_tried(self, outcome: str) -> None:
        """See `Metrics`."""
        self._deliveries.labels(outcome).inc()

    def discord_answered(self, status: int, *, invalid: bool, wait: float | None) -> None:
        """See `Metrics`."""
        self._requests.labels("none" if status == NO_ANSWER else str(status)).inc()
        if invalid:
            self._invalid.append(self._clock.monotonic())
        if wait is not None:
            self._waits.inc()
            self._wait_seconds.inc(wait)

    def show(self, counts: Counts | None, gateway: Gateway) -> bytes:
        """The page for Prometheus. `counts` is None while the database does not answer."""
        since = self._clock.monotonic() - INVALID_WINDOW
        while self._invalid and self._invalid[0] < since:
            self._invalid.popleft()
        self._shown.fill(counts, gateway, len(self._invalid), self._clock.now_ms())
        return generate_latest(self._registry)


class _Shown:
    """The gauges, which are filled in anew each time."""

    def __init__(self, registry: CollectorRegistry, version: str) -> None:
        def gauge(name: str, about: str, *labels: str) -> Gauge:
            return Gauge(name, about, labels, registry=registry)

        gauge("kennel_info", "The version of Kennel.", "version").labels(version).set(1)
        self._up = gauge("kennel_database_up", "1 while the database answers, else 0.")
        self._pending = gauge("kennel_outbox_pending", "Events that wait for their trick.")
        self._oldest = gauge(
            "kennel_outbox_oldest_seconds", "Age of the oldest event that waits, 0 without one."
        )
        self._cards = gauge("kennel_open_cards", "Approval cards that wait for a member.")
        self._tasks = gauge("kennel_open_tasks", "Tasks of tricks that are not over.")
        self._installations = gauge("kennel_installations", "Installed tricks by state.", "state")
        self._invalid = gauge(
            "kennel_discord_invalid_requests",
            f"Refused REST requests of the last ten minutes. At {INVALID_LIMIT:,} Discord bans this address.",
        )
        self._ready = gauge("kennel_gateway_ready", "1 once the servers are known, else 0.")
        self._age = gauge(
            "kennel_gateway_heartbeat_age_seconds", "Since the last answered heartbeat.", "shard"
        )
        self._latency = gauge("kennel_gateway_latency_seconds", "How long a heartbeat takes.", "shard")

    def fill(self, counts: Counts | None, gateway: Gateway, invalid: int, now_ms: int) -> None:
        """What is not known just now is shown as NaN."""
        self._up.set(counts is not None)
        self._pending.set(counts.pending_deliveries if counts else math.nan)
        self._oldest.set(counts.oldest_seconds(now_ms) or 0 if counts else math.nan)
        self._cards.set(counts.open_cards if counts else math.nan)
        self._tasks.set(counts.open_tasks if counts else math.nan)
        for state in STATES:
            self._installations.labels(state).set(counts.installations.get(state, 0) if counts else math.nan)
        self._invalid.set(invalid)
        self._ready.set(gateway.ready)
        for shard in gateway.shards:
            self._age.labels(str(shard.id)).set(_known(shard.heartbeat_age))
            self._latency.labels(str(shard.id)).set(_known(shard.latency))


def _known(value: float | None) -> float:
    return math.nan if value is None else value
