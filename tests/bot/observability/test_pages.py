"""The two pages: what they say when all is well, what they say when it is not, and what they never say."""

import asyncio
import math
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from bot.errors import StartupError
from bot.metrics import NO_METRICS, Metrics
from bot.observability import server
from bot.observability.gateway import Gateway, Shard
from bot.observability.opening import open_metrics
from bot.observability.server import Pages, served
from storage.engine import Database
from storage.errors import DatabaseUnreachable, StorageError
from storage.gauges import Counts, Gauges
from storage.installations import Installations
from tests.support.clock import TurnedClock
from tests.support.pages import ask, free_address, samples
from tests.support.records import GUILD, OWNER, installation

WELL = Gateway(ready=True, stopping=False, shards=(Shard(0, 12.34, 0.05),))
EMPTY = Counts(0, None, 0, 0, {})


class FixedGauges(Gauges):
    """Gives what it is told to, or never answers."""

    def __init__(self, counts: Counts | None = EMPTY) -> None:
        self.given = counts
        self.asked = 0

    async def counts(self) -> Counts:
        self.asked += 1
        if self.given is None:
            await asyncio.Event().wait()
        assert self.given is not None
        return self.given


class FaultyGauges(Gauges):
    """Reads the database, or raises what it is told to."""

    fault: StorageError | None = None

    async def counts(self) -> Counts:
        if self.fault is not None:
            raise self.fault
        return await super().counts()


@dataclass
class Site:
    """Pages that are served, and all that they are made of."""

    listen: str = field(default_factory=free_address)
    clock: TurnedClock = field(default_factory=TurnedClock)
    gauges: Gauges = field(default_factory=FixedGauges)
    gateway: Gateway = WELL
    metrics: Metrics | None = None

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["Site"]:
        self.metrics = self.metrics or open_metrics(self.listen, self.clock, "1.2.3")
        pages = Pages(self.gauges, self.metrics, self.clock, lambda: self.gateway)
        async with served(self.listen, pages):
            yield self


async def test_all_is_well() -> None:
    async with Site().open() as site:
        answer = await ask(site.listen, "/healthz")
    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ok",
        "problems": [],
        "gateway": {"ready": True, "shards": [{"shard": 0, "heartbeat_age_seconds": 12.3}]},
        "database": {"reachable": True},
        "outbox": {"pending": 0, "oldest_seconds": None},
    }


@pytest.mark.parametrize(
    ("gateway", "said"),
    [
        (replace(WELL, ready=False, shards=()), "still connecting"),
        (replace(WELL, stopping=True), "stopping"),
        (replace(WELL, shards=(Shard(0, 1.0, None), Shard(1, 120.1, 0.1))), "Shard 1 has had no answer"),
    ],
)
async def test_what_is_wrong_with_the_gateway_is_a_sentence_and_a_503(gateway: Gateway, said: str) -> None:
    async with Site(gateway=gateway).open() as site:
        answer = await ask(site.listen, "/healthz")
    assert answer.status_code == 503
    assert answer.json()["status"] == "failing"
    (problem,) = answer.json()["problems"]
    assert said in problem


async def test_a_database_that_does_not_answer_in_time_is_a_503_and_its_numbers_are_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server, "DATABASE_SECONDS", 0.05)
    async with Site(gauges=FixedGauges(None)).open() as site:
        answer = await ask(site.listen, "/healthz")
        shown = await samples(site.listen)
    assert answer.status_code == 503
    assert answer.json()["problems"] == ["The database does not answer."]
    assert answer.json()["outbox"] is None
    assert shown.value("kennel_database_up") == 0
    assert math.isnan(shown.value("kennel_open_cards") or 0)


async def test_a_connection_that_was_lost_is_a_503_until_it_is_back(database: Database) -> None:
    gauges = FaultyGauges(database)
    async with Site(gauges=gauges).open() as site:
        gauges.fault = DatabaseUnreachable()
        assert (await ask(site.listen, "/healthz")).status_code == 503
        gauges.fault = None
        site.clock.advance(2)
        assert (await ask(site.listen, "/healthz")).status_code == 200


async def test_events_that_wait_for_a_trick_that_is_down_are_told_and_are_no_reason_for_a_restart() -> None:
    clock = TurnedClock()
    waiting = replace(EMPTY, pending_deliveries=7, oldest_pending=clock.now_ms() - 90_000)
    async with Site(clock=clock, gauges=FixedGauges(waiting)).open() as site:
        answer = await ask(site.listen, "/healthz")
        shown = await samples(site.listen)
    assert answer.status_code == 200
    assert answer.json()["outbox"] == {"pending": 7, "oldest_seconds": 90.0}
    assert shown.value("kennel_outbox_pending") == 7
    assert shown.value("kennel_outbox_oldest_seconds") == 90


async def test_what_is_installed_is_shown_by_state(database: Database) -> None:
    await Installations(database).add(installation("i1"), ())
    await Installations(database).add(installation("i2", state="paused"), ())
    async with Site(gauges=Gauges(database)).open() as site:
        shown = await samples(site.listen)
        body = (await ask(site.listen, "/metrics")).text
    states = {state: shown.value("kennel_installations", state=state) for state in ("registered", "enabled")}
    assert states == {"registered": 1, "enabled": 0}
    assert shown.value("kennel_installations", state="paused") == 1
    assert shown.value("kennel_info", version="1.2.3") == 1
    for secret in (GUILD, OWNER, "trick-i1", "i1"):
        assert f'"{secret}"' not in body


async def test_what_happened_is_counted_and_labels_are_words_of_short_lists() -> None:
    async with Site().open() as site:
        metrics = site.metrics
        assert metrics is not None
        metrics.call_ended("enabled", "succeeded", "slash")
        metrics.call_ended("paused", "failed", "assistant")
        metrics.call_took(0.2)
        metrics.delivery_tried("delivered")
        metrics.discord_answered(200, invalid=False, wait=None)
        metrics.discord_answered(429, invalid=True, wait=1.5)
        metrics.discord_answered(0, invalid=False, wait=None)
        shown = await samples(site.listen)
    assert shown.value("kennel_calls_total", state="enabled", outcome="succeeded", origin="slash") == 1
    assert shown.value("kennel_calls_total", state="paused", outcome="failed", origin="assistant") == 1
    assert shown.value("kennel_call_seconds_bucket", le="0.25") == 1
    assert shown.value("kennel_call_seconds_bucket", le="0.1") == 0
    assert shown.value("kennel_deliveries_total", outcome="delivered") == 1
    assert shown.value("kennel_discord_requests_total", status="429") == 1
    assert shown.value("kennel_discord_requests_total", status="none") == 1
    assert shown.value("kennel_discord_rate_limited_total") == 1
    assert shown.value("kennel_discord_rate_limited_seconds_total") == 1.5
    assert shown.value("kennel_gateway_heartbeat_age_seconds", shard="0") == 12.34
    assert shown.value("kennel_gateway_latency_seconds", shard="0") == 0.05
    assert shown.value("kennel_gateway_ready") == 1
    ours = {"state", "outcome", "origin", "status", "shard", "version", "le"}
    pythons = {"implementation", "major", "minor", "patchlevel", "generation"}
    assert shown.labels() <= ours | pythons


async def test_refused_requests_count_for_ten_minutes() -> None:
    async with Site().open() as site:
        assert site.metrics is not None
        for _ in range(3):
            site.metrics.discord_answered(403, invalid=True, wait=None)
        site.clock.advance(400)
        site.metrics.discord_answered(401, invalid=True, wait=None)
        assert (await samples(site.listen)).value("kennel_discord_invalid_requests") == 4
        site.clock.advance(201)
        assert (await samples(site.listen)).value("kennel_discord_invalid_requests") == 1
        site.clock.advance(400)
        assert (await samples(site.listen)).value("kennel_discord_invalid_requests") == 0


async def test_whoever_asks_often_costs_one_read_a_second() -> None:
    gauges = FixedGauges()
    async with Site(gauges=gauges).open() as site:
        await asyncio.gather(*(ask(site.listen, "/healthz") for _ in range(20)))
        assert gauges.asked == 1
        site.clock.advance(1)
        await ask(site.listen, "/healthz")
    assert gauges.asked == 2


async def test_without_the_extra_one_line_says_how_to_install_it_and_healthz_works() -> None:
    async with Site(metrics=NO_METRICS).open() as site:
        answer = await ask(site.listen, "/metrics")
        assert (await ask(site.listen, "/healthz")).status_code == 200
    assert answer.status_code == 501
    assert "pip install '.[metrics]'" in answer.text
    assert len(answer.text.splitlines()) == 1


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/", 404), ("GET", "/metrics/x", 404), ("POST", "/healthz", 405), ("DELETE", "/metrics", 405)],
)
async def test_nothing_else_is_served(method: str, path: str, status: int) -> None:
    async with Site().open() as site:
        answer = await ask(site.listen, path, method)
    assert answer.status_code == status
    assert answer.headers["Server"] == "kennel"


def test_nothing_is_counted_unless_somebody_listens() -> None:
    assert open_metrics(None, TurnedClock(), "1") is NO_METRICS


@pytest.mark.parametrize(
    ("listen", "said"),
    [
        ("127.0.0.1:0", "names no port"),
        ("127.0.0.1:70000", "names no port"),
        ("192.0.2.1:9000", "this machine does not have this address"),
        ("no-such-host.invalid:9000", "this name has no address"),
    ],
)
async def test_where_nothing_can_listen_one_sentence_says_why(listen: str, said: str) -> None:
    with pytest.raises(StartupError, match=said):
        async with Site(listen=listen).open():
            pass


async def test_a_taken_address_is_told_and_a_free_one_is_free_again_afterwards() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(StartupError, match="is taken"):
            async with Site(listen=taken).open():
                pass
    for _ in range(2):
        async with Site(listen=taken).open() as site:
            assert (await ask(site.listen, "/healthz")).status_code == 200
