"""What is read from the connection to Discord: heartbeats that grow old, and requests by their answers."""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace

import aiohttp
import pytest
from aiohttp import web

from bot.observability.gateway import Shard, rest_trace, shards_of
from tests.support.pages import free_address

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Told = list[tuple[int, bool, float | None]]


class Noting:
    """Keeps what it is told about requests."""

    def __init__(self) -> None:
        self.told: Told = []

    def call_ended(self, state: str, outcome: str, origin: str) -> None: ...

    def call_took(self, seconds: float) -> None: ...

    def delivery_tried(self, outcome: str) -> None: ...

    def discord_answered(self, status: int, *, invalid: bool, wait: float | None) -> None:
        self.told.append((status, invalid, wait))


@asynccontextmanager
async def session_of(noting: Noting, handler: Handler) -> AsyncGenerator[tuple[aiohttp.ClientSession, str]]:
    """A session that is watched, and the address of a server that answers it."""
    listen = free_address()
    host, _, port = listen.partition(":")
    application = web.Application()
    application.router.add_get("/", handler)
    runner = web.AppRunner(application)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, int(port)).start()
        async with aiohttp.ClientSession(trace_configs=[rest_trace(noting)]) as session:
            yield session, f"http://{listen}/"
    finally:
        await runner.cleanup()


@pytest.mark.parametrize(
    ("status", "headers", "told"),
    [
        (200, {}, (200, False, None)),
        (404, {}, (404, False, None)),
        (401, {}, (401, True, None)),
        (403, {}, (403, True, None)),
        (429, {"Retry-After": "1.5", "X-RateLimit-Scope": "user"}, (429, True, 1.5)),
        (429, {"Retry-After": "2", "X-RateLimit-Scope": "shared"}, (429, False, 2.0)),
        (429, {"Retry-After": "soon"}, (429, True, 0.0)),
        (429, {"Retry-After": "nan"}, (429, True, 0.0)),
        (429, {}, (429, True, 0.0)),
    ],
)
async def test_each_answer_is_counted_as_discord_counts_it(
    status: int, headers: dict[str, str], told: tuple[int, bool, float | None]
) -> None:
    async def answer(_request: web.Request) -> web.Response:
        return web.Response(status=status, headers=headers)

    noting = Noting()
    async with session_of(noting, answer) as (session, url):
        (await session.get(url)).release()
    assert noting.told == [told]


async def test_a_request_without_an_answer_is_counted_too() -> None:
    noting = Noting()
    async with aiohttp.ClientSession(trace_configs=[rest_trace(noting)]) as session:
        with pytest.raises(aiohttp.ClientError):
            await session.get(f"http://{free_address()}/")
    assert noting.told == [(0, False, None)]


async def test_the_gateways_own_connection_is_no_request() -> None:
    async def accept(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.close()
        return socket

    noting = Noting()
    async with session_of(noting, accept) as (session, url):
        await (await session.ws_connect(url)).close()
    assert noting.told == []


def shard(last_ack: object, latency: float) -> object:
    """As discord.py keeps a shard."""
    keep_alive = SimpleNamespace(_last_ack=last_ack)
    return SimpleNamespace(
        _parent=SimpleNamespace(ws=SimpleNamespace(_keep_alive=keep_alive)), latency=latency
    )


def test_a_heartbeats_age_grows_and_an_unknown_one_is_unknown() -> None:
    now = time.perf_counter()
    found = shards_of({1: shard(None, float("inf")), 0: shard(now - 30, 0.1), 2: object()})
    assert found[0].heartbeat_age == pytest.approx(30, abs=1)
    assert found[0].latency == 0.1
    assert found[1:] == (Shard(1, None, None), Shard(2, None, None))
