"""Asking `/healthz` and `/metrics`, and reading what Prometheus would read."""

import socket
from collections.abc import Mapping
from dataclasses import dataclass

import httpx
from prometheus_client.parser import text_string_to_metric_families

Labels = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Samples:
    """Every sample of one page."""

    values: Mapping[tuple[str, Labels], float]
    helps: Mapping[str, str]

    def value(self, name: str, **labels: str) -> float | None:
        """The sample with exactly these labels, None where there is none."""
        return self.values.get((name, frozenset(labels.items())))

    def labels(self) -> set[str]:
        """The names of all labels."""
        return {name for _, labels in self.values for name, _ in labels}


def read_samples(text: str) -> Samples:
    """Read a page with Prometheus' own parser."""
    values: dict[tuple[str, Labels], float] = {}
    helps: dict[str, str] = {}
    for family in text_string_to_metric_families(text):
        helps[family.name] = family.documentation
        for sample in family.samples:
            values[sample.name, frozenset(sample.labels.items())] = sample.value
    return Samples(values, helps)


def free_address() -> str:
    """A `host:port` on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"


async def ask(listen: str, path: str, method: str = "GET") -> httpx.Response:
    """The answer to one request."""
    async with httpx.AsyncClient(trust_env=False, timeout=10) as client:
        return await client.request(method, f"http://{listen}{path}")


async def samples(listen: str) -> Samples:
    """What `/metrics` shows."""
    page = await ask(listen, "/metrics")
    assert page.status_code == 200, page.text
    return read_samples(page.text)
