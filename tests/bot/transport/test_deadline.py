"""One deadline around the whole exchange, and nothing that a host does moves it."""

import asyncio
import ssl
import time
from collections.abc import AsyncIterator

import httpx
import pytest

from bot.errors import DeadlineExceeded
from bot.transport import SECONDS, Transport, read_body
from tests.support.tls import HOST, LOOPBACK, Behaviour, Names, Server, repeats, reply, sends

ROOM = 4.0
"""How much later than its deadline a call may end on a busy machine, in seconds."""


@pytest.fixture
async def transport(names: Names, trusting: ssl.SSLContext) -> AsyncIterator[Transport]:
    async with Transport(names, LOOPBACK, ssl_context=trusting, deadline=0.3) as opened:
        yield opened


async def post(transport: Transport, url: str, seconds: float | None = None) -> bytes:
    request = httpx.Request(
        "POST",
        transport.url(url),
        stream=httpx.ByteStream(b"{}"),
        extensions={} if seconds is None else {SECONDS: seconds},
    )
    return await read_body(await transport.handle_async_request(request))


async def missed(transport: Transport, url: str, seconds: float | None = None) -> DeadlineExceeded:
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded) as caught:
        await post(transport, url, seconds)
    assert time.monotonic() - began < 0.3 + ROOM
    return caught.value


@pytest.mark.parametrize(
    "behave",
    [
        pytest.param(sends(), id="silence"),
        pytest.param(sends(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), id="no body"),
        pytest.param(sends(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{"), id="half a body"),
        pytest.param(sends(*[b"%c" % byte for byte in reply() + b"x" * 200], every=0.02), id="slow head"),
        pytest.param(
            repeats(b"x", first=b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", every=0.02),
            id="slow drip",
        ),
        pytest.param(
            repeats(
                b"1\r\nx\r\n", first=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", every=0.02
            ),
            id="slow chunks",
        ),
        pytest.param(
            sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"xyz\r\n", every=0.02),
            id="chunks that are none",
        ),
        pytest.param(repeats(b"HTTP/1.1 103 Early Hints\r\n\r\n", every=0.001), id="endless hints"),
        pytest.param(repeats(b"HTTP/1.1 100 Continue\r\n\r\n" * 50), id="a flood of continues"),
    ],
)
async def test_a_slow_reply_ends_at_the_deadline(transport: Transport, tls_server: Server, behave: Behaviour):
    tls_server.behave = behave
    assert (await missed(transport, tls_server.url())).sent is True


async def test_a_slow_look_up_counts_and_nothing_was_sent(
    transport: Transport, tls_server: Server, names: Names
):
    names.held.clear()
    assert (await missed(transport, tls_server.url())).sent is False
    assert tls_server.connections == 0


async def test_a_hanging_handshake_counts_and_nothing_was_sent(transport: Transport):
    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(hang, "127.0.0.1", 0) as server:
        url = f"https://{HOST}:{server.sockets[0].getsockname()[1]}/"
        assert (await missed(transport, url)).sent is False


async def test_a_request_can_have_a_shorter_deadline_and_no_longer_one(
    tls_server: Server, names: Names, trusting: ssl.SSLContext
):
    tls_server.behave = sends()
    async with Transport(names, LOOPBACK, ssl_context=trusting, deadline=60) as patient:
        await missed(patient, tls_server.url(), 0.1)
    async with Transport(names, LOOPBACK, ssl_context=trusting, deadline=0.1) as hasty:
        await missed(hasty, tls_server.url(), 60)


@pytest.mark.parametrize("seconds", [0, -1, -0.0])
async def test_a_deadline_that_has_passed_sends_nothing(
    transport: Transport, tls_server: Server, seconds: float
):
    assert (await missed(transport, tls_server.url(), seconds)).sent is False
    assert tls_server.connections == 0


async def test_time_spent_between_head_and_body_counts(transport: Transport, tls_server: Server):
    tls_server.behave = sends(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
    request = httpx.Request("POST", transport.url(tls_server.url()), stream=httpx.ByteStream(b"{}"))
    response = await transport.handle_async_request(request)
    await asyncio.sleep(0.35)
    with pytest.raises(DeadlineExceeded):
        await read_body(response)


async def test_a_caller_that_gives_up_is_cancelled_and_not_told_of_a_deadline(
    tls_server: Server, names: Names, trusting: ssl.SSLContext
):
    tls_server.behave = sends()
    async with Transport(names, LOOPBACK, ssl_context=trusting, deadline=30) as transport:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(post(transport, tls_server.url()), 0.05)
        tls_server.behave = sends(reply())
        assert await post(transport, tls_server.url()) == b"{}"
