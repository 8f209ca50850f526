"""Connections are kept for a while, never trusted to be alive, and none is lost."""

import asyncio
import ssl
from collections import Counter

import httpx
import pytest

from bot.errors import ConnectionLost, TrickFault
from bot.transport import SECONDS, Transport, read_body
from bot.transport.transport import CONNECTIONS_PER_HOST, KEEP_ALIVE
from tests.support.tls import HOST, LOOPBACK, Names, Request, Server, reply, running, sends


async def send(transport: Transport, url: str, method: str = "POST", seconds: float | None = None) -> bytes:
    request = httpx.Request(
        method,
        transport.url(url),
        stream=httpx.ByteStream(b"{}" if method == "POST" else b""),
        extensions={} if seconds is None else {SECONDS: seconds},
    )
    return await read_body(await transport.handle_async_request(request))


@pytest.mark.parametrize("method", ["POST", "GET"])
async def test_a_kept_connection_that_dies_under_a_request_is_lost_and_never_sent_again(
    transport: Transport, tls_server: Server, method: str
):
    await send(transport, tls_server.url())
    tls_server.behave = sends(close=True)
    with pytest.raises(ConnectionLost) as caught:
        await send(transport, tls_server.url(), method)
    assert caught.value.sent is True
    assert len(tls_server.requests) == 2
    assert tls_server.connections == 1


async def settle() -> None:
    """Let both ends, which share this event loop, take in what has already been sent."""
    for _ in range(50):
        await asyncio.sleep(0)


async def test_a_connection_that_the_host_closed_meanwhile_is_replaced(
    transport: Transport, tls_server: Server
):
    async def answer_and_close(_: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(reply())
        await writer.drain()
        writer.transport.abort()

    tls_server.behave = answer_and_close
    for _ in range(3):
        await send(transport, tls_server.url())
        await settle()
    assert tls_server.connections == 3


async def test_a_reply_that_nobody_asked_for_is_not_taken_for_the_next_one(
    transport: Transport, tls_server: Server
):
    answered = asyncio.Event()

    async def answer_twice(_: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(reply(b"first"))
        await answered.wait()
        writer.write(reply(b"unasked"))

    tls_server.behave = answer_twice
    assert await send(transport, tls_server.url()) == b"first"
    answered.set()
    await settle()
    tls_server.behave = sends(reply(b"second"))
    assert await send(transport, tls_server.url()) == b"second"
    assert tls_server.connections == 2


def test_connections_are_kept_for_less_than_common_servers_keep_them():
    assert KEEP_ALIVE <= 4


async def test_a_reply_left_unread_does_not_keep_its_connection(transport: Transport, tls_server: Server):
    tls_server.behave = sends(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{")
    url = transport.url(tls_server.url())
    response = await transport.handle_async_request(httpx.Request("GET", url))
    await response.aclose()
    tls_server.behave = sends(reply())
    assert await send(transport, tls_server.url()) == b"{}"
    assert tls_server.connections == 2


async def test_a_hanging_host_does_not_hold_up_another_one(trusting: ssl.SSLContext, tls_server: Server):
    tls_server.behave = sends()
    async with running(Server(None)) as other:
        names = Names({HOST: [["127.0.0.1"]], "127.0.0.1": [["127.0.0.1"]]})
        hosts = frozenset({f"127.0.0.1:{other.port}"})
        async with Transport(names, LOOPBACK, hosts, trusting, deadline=30) as transport:
            waiting = [
                asyncio.ensure_future(send(transport, tls_server.url()))
                for _ in range(2 * CONNECTIONS_PER_HOST)
            ]
            try:
                assert await send(transport, other.url(host="127.0.0.1")) == b"{}"
                assert not any(call.done() for call in waiting)
            finally:
                for call in waiting:
                    call.cancel()
                await asyncio.gather(*waiting, return_exceptions=True)
            assert tls_server.connections <= CONNECTIONS_PER_HOST


async def test_no_slot_is_lost_when_deadlines_end_calls_under_load():
    async def late(_: Request, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.01)
        writer.write(reply())

    async with running(Server(None)) as server:
        server.behave = late
        hosts = frozenset({f"127.0.0.1:{server.port}"})
        url = server.url(host="127.0.0.1")
        ended: Counter[str] = Counter()
        calls = iter(range(2_000))

        async with Transport(Names({}), LOOPBACK, hosts) as transport:

            async def caller() -> None:
                for number in calls:
                    try:
                        await send(transport, url, seconds=(1 + number % 30) / 1000)
                        ended["answered"] += 1
                    except TrickFault as fault:
                        ended[fault.kind] += 1

            await asyncio.gather(*[caller() for _ in range(100)])
            assert ended.total() == 2_000
            assert set(ended) <= {"answered", "DeadlineExceeded"}
            assert ended["DeadlineExceeded"] > 0
            server.behave = sends(reply())
            together = [send(transport, url) for _ in range(CONNECTIONS_PER_HOST)]
            assert await asyncio.gather(*together) == [b"{}"] * CONNECTIONS_PER_HOST


async def test_closing_the_transport_closes_its_connections(
    tls_server: Server, names: Names, trusting: ssl.SSLContext
):
    async with Transport(names, LOOPBACK, ssl_context=trusting) as transport:
        await send(transport, tls_server.url())
    await asyncio.wait_for(tls_server.hung_up(), 5)
