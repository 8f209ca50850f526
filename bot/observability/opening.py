"""Whether anything is counted, and showing it. The package for Prometheus is imported only where somebody listens."""

from dataclasses import dataclass
from importlib.util import find_spec

from bot.clock import Clock
from bot.metrics import NO_METRICS, Metrics
from bot.observability.gateway import Gateway
from storage.gauges import Counts


@dataclass(frozen=True, slots=True)
class Page:
    """What `/metrics` answers."""

    body: bytes
    content_type: str


def is_installed() -> bool:
    """Whether the extra `metrics` is installed."""
    return find_spec("prometheus_client") is not None


def open_metrics(listen: str | None, clock: Clock, version: str) -> Metrics:
    """Where things are counted: nowhere unless `listen` is set and the extra is installed."""
    if listen is None or not is_installed():
        return NO_METRICS
    from bot.observability.counting import PrometheusMetrics

    return PrometheusMetrics(clock, version)


def page_of(metrics: Metrics, counts: Counts | None, gateway: Gateway) -> Page | None:
    """What was counted, None where nothing is."""
    if metrics is NO_METRICS:
        return None
    from bot.observability.counting import CONTENT_TYPE, PrometheusMetrics

    if not isinstance(metrics, PrometheusMetrics):
        return None
    return Page(metrics.show(counts, gateway), CONTENT_TYPE)
