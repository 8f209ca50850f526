"""What of a reply is refused, and that it is refused before its body is read or the deadline comes."""

import gzip

import httpx
import pytest

from bot.errors import (
    CompressedReply,
    ConnectionLost,
    HttpFailure,
    ProtocolFailure,
    RedirectRefused,
    ReplyTooLarge,
    TrickFault,
)
from bot.transport import Transport, read_body
from tests.support.tls import HOST, Behaviour, Server, repeats, reply, sends

MIB = 1_048_576
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


async def post(transport: Transport, server: Server, behave: Behaviour) -> httpx.Response:
    server.behave = behave
    url = transport.url(server.url())
    return await transport.handle_async_request(httpx.Request("POST", url, stream=httpx.ByteStream(b"{}")))


async def fault(transport: Transport, server: Server, behave: Behaviour) -> TrickFault:
    with pytest.raises(TrickFault) as caught:
        await read_body(await post(transport, server, behave))
    assert caught.value.sent is True
    return caught.value


async def body(transport: Transport, server: Server, behave: Behaviour) -> bytes:
    return await read_body(await post(transport, server, behave))


@pytest.mark.parametrize(
    "status", ["200 OK", "201 Created", "400 Bad Request", "404 x", "429 x", "500 x", "599 x"]
)
async def test_a_reply_is_handed_on_whatever_its_status(
    transport: Transport, tls_server: Server, status: str
):
    response = await post(transport, tls_server, sends(reply(b'{"a":1}', status, "X-Seen: yes\r\n")))
    assert response.status_code == int(status[:3])
    assert response.headers["x-seen"] == "yes"
    assert await read_body(response) == b'{"a":1}'


async def test_a_reply_without_content_is_empty(transport: Transport, tls_server: Server):
    assert await body(transport, tls_server, sends(b"HTTP/1.1 204 No Content\r\n\r\n")) == b""


async def test_a_reply_without_a_length_ends_with_the_connection(transport: Transport, tls_server: Server):
    assert await body(transport, tls_server, sends(b"HTTP/1.1 200 OK\r\n\r\n{}", close=True)) == b"{}"


async def test_a_chunked_reply_is_put_together(transport: Transport, tls_server: Server):
    pieces = [CHUNKED, chunk(b"{"), chunk(b"}"), b"0\r\n\r\n"]
    assert await body(transport, tls_server, sends(*pieces, every=0.005)) == b"{}"


async def test_an_early_hint_before_the_reply_is_skipped(transport: Transport, tls_server: Server):
    hint = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    assert await body(transport, tls_server, sends(hint, hint, reply())) == b"{}"


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308, 399])
async def test_a_redirect_is_refused_and_not_followed(transport: Transport, tls_server: Server, status: int):
    head = f"HTTP/1.1 {status} x\r\nLocation: {tls_server.url('/other')}\r\nContent-Length: 5\r\n\r\n"
    assert isinstance(await fault(transport, tls_server, sends(head.encode())), RedirectRefused)
    assert [request.line for request in tls_server.requests] == ["POST /mcp HTTP/1.1"]


@pytest.mark.parametrize(
    "coding",
    [
        *["Content-Encoding: gzip", "content-encoding: GZIP", "Content-Encoding: br", "Content-Encoding: x"],
        *["Content-Encoding: identity, gzip", "Content-Encoding: identity\r\nContent-Encoding: deflate"],
        *["Transfer-Encoding: gzip, chunked", "Transfer-Encoding: gzip", "Transfer-Encoding: identity"],
        *["Transfer-Encoding: chunked\r\nContent-Encoding: zstd"],
    ],
)
async def test_a_coded_reply_is_refused_before_its_body(
    transport: Transport, tls_server: Server, coding: str
):
    head = f"HTTP/1.1 200 OK\r\n{coding}\r\n\r\n".encode()
    found = await fault(transport, tls_server, sends(head))
    assert isinstance(found, CompressedReply), coding


async def test_a_compressed_bomb_is_never_unpacked(transport: Transport, tls_server: Server):
    bomb = gzip.compress(bytes(50 * MIB))
    found = await fault(transport, tls_server, sends(reply(bomb, headers="Content-Encoding: gzip\r\n")))
    assert isinstance(found, CompressedReply)


async def test_the_identity_coding_is_none(transport: Transport, tls_server: Server):
    for coding in ("identity", "Identity", ""):
        behave = sends(reply(headers=f"Content-Encoding: {coding}\r\n"))
        assert await body(transport, tls_server, behave) == b"{}"


async def test_exactly_one_mebibyte_passes(transport: Transport, tls_server: Server):
    assert len(await body(transport, tls_server, sends(reply(bytes(MIB))))) == MIB
    pieces = [CHUNKED, *[chunk(bytes(MIB // 16))] * 16, b"0\r\n\r\n"]
    assert len(await body(transport, tls_server, sends(*pieces))) == MIB
    unbounded = b"HTTP/1.1 200 OK\r\n\r\n" + bytes(MIB)
    assert len(await body(transport, tls_server, sends(unbounded, close=True))) == MIB


@pytest.mark.parametrize("length", [MIB + 1, 10 * MIB, 2**63])
async def test_a_declared_length_above_it_is_refused_at_once(
    transport: Transport, tls_server: Server, length: int
):
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n".encode()
    assert isinstance(await fault(transport, tls_server, sends(head)), ReplyTooLarge)


async def test_one_byte_above_it_is_refused_without_a_declared_length(
    transport: Transport, tls_server: Server
):
    for behave in (
        sends(CHUNKED, chunk(bytes(MIB)), chunk(b"x")),
        sends(b"HTTP/1.1 200 OK\r\n\r\n", bytes(MIB + 1)),
        repeats(chunk(bytes(65_536)), first=CHUNKED),
    ):
        assert isinstance(await fault(transport, tls_server, behave), ReplyTooLarge)


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nX-Big: " + b"a" * 2_000_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX-Big: " + b"a" * 9_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"a" * 9_000 + b": x\r\n\r\n",
        b"HTTP/1.1 200 " + b"a" * 9_000 + b"\r\n\r\n",
    ],
)
async def test_a_giant_header_is_too_large(transport: Transport, tls_server: Server, head: bytes):
    assert isinstance(await fault(transport, tls_server, sends(head)), ReplyTooLarge)


@pytest.mark.parametrize(("count", "accepted"), [(40, True), (80, False)])
async def test_the_number_of_headers_is_bounded(
    transport: Transport, tls_server: Server, count: int, accepted: bool
):
    behave = sends(reply(headers="".join(f"X-{number}: x\r\n" for number in range(count))))
    if accepted:
        assert await body(transport, tls_server, behave) == b"{}"
    else:
        assert isinstance(await fault(transport, tls_server, behave), ReplyTooLarge | ProtocolFailure)


async def test_headers_without_end_are_stopped_early(transport: Transport, tls_server: Server):
    behave = repeats(b"X-More: more\r\n" * 100, first=b"HTTP/1.1 200 OK\r\n")
    assert isinstance(await fault(transport, tls_server, behave), ReplyTooLarge | ProtocolFailure)


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 99999 x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\n",
        CHUNKED + b"xyz\r\n",
        b"\x00" * 100,
    ],
)
async def test_what_is_no_http_is_a_protocol_failure(transport: Transport, tls_server: Server, answer: bytes):
    found = await fault(transport, tls_server, sends(answer))
    assert isinstance(found, ProtocolFailure)
    assert found.detail == "The reply is not valid HTTP, or has too many headers."


async def test_a_switch_of_protocols_is_refused(transport: Transport, tls_server: Server):
    head = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
    found = await fault(transport, tls_server, sends(head))
    assert isinstance(found, HttpFailure)
    assert found.status == 101


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}",
        CHUNKED + b"5\r\n{}",
        CHUNKED + chunk(b"{}"),
    ],
)
async def test_a_reply_that_breaks_off_is_a_lost_connection(
    transport: Transport, tls_server: Server, answer: bytes
):
    assert isinstance(await fault(transport, tls_server, sends(answer, close=True)), ConnectionLost)


async def test_cookies_are_not_kept(transport: Transport, tls_server: Server):
    await body(transport, tls_server, sends(reply(headers="Set-Cookie: a=b; Domain=example.com\r\n")))
    await body(transport, tls_server, sends(reply()))
    assert [request.headers.get("cookie") for request in tls_server.requests] == [None, None]


async def test_every_request_asks_for_an_uncoded_reply(transport: Transport, tls_server: Server):
    await body(transport, tls_server, sends(reply()))
    assert tls_server.requests[0].headers["accept-encoding"] == "identity"
    assert tls_server.requests[0].headers["host"].startswith(HOST)


async def test_after_a_refused_reply_the_next_call_has_a_connection_of_its_own(
    transport: Transport, tls_server: Server
):
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n"
    await fault(transport, tls_server, sends(head))
    assert await body(transport, tls_server, sends(reply())) == b"{}"
    assert tls_server.connections == 2
