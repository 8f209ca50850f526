"""What of a reply is refused at its head, and reading its body with a running count."""

from collections.abc import AsyncIterator

import aiohttp
import httpx

from bot.errors import CompressedReply, HttpFailure, RedirectRefused, ReplyTooLarge, TransportFailure
from bot.transport.faults import FOREIGN, fault_of


def check_head(reply: aiohttp.ClientResponse, max_bytes: int) -> None:
    """Refuse a reply before anything of its body is read.

    Raises `RedirectRefused` for any 3xx, `HttpFailure` for a switch of protocols, `CompressedReply` for a
    content coding but identity and for a transfer coding but chunked, and `ReplyTooLarge` for a declared
    length above `max_bytes`; the last two say whether the status was 2xx.
    """
    try:
        _check_head(reply, max_bytes)
    except TransportFailure as failure:
        failure.accepted = 200 <= reply.status <= 299
        raise


def _check_head(reply: aiohttp.ClientResponse, max_bytes: int) -> None:
    if 300 <= reply.status <= 399:
        raise RedirectRefused
    if reply.status < 200:
        raise HttpFailure(reply.status)
    headers = reply.headers
    if any(
        coding.strip().lower() not in ("", "identity") for coding in headers.getall("Content-Encoding", ())
    ):
        raise CompressedReply
    transfer = headers.getall("Transfer-Encoding", None)
    if transfer is not None and [coding.strip().lower() for coding in transfer] != ["chunked"]:
        raise CompressedReply
    length = headers.get("Content-Length", "")
    if length.isdecimal() and int(length) > max_bytes:
        raise ReplyTooLarge


class ReplyBody(httpx.AsyncByteStream):
    """The body of one reply, as it comes from the socket and within the deadline of its exchange.

    Reading raises `ReplyTooLarge` at the first byte above `max_bytes`, `DeadlineExceeded` and
    `ConnectionLost`. A body that is not read to its end closes its connection.
    """

    def __init__(self, reply: aiohttp.ClientResponse, max_bytes: int) -> None:
        self._reply = reply
        self._max_bytes = max_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = 0
        try:
            while chunk := await self._reply.content.readany():
                received += len(chunk)
                if received > self._max_bytes:
                    raise ReplyTooLarge
                yield chunk
        except FOREIGN as exc:
            raise fault_of(exc, sent=True) from None
        finally:
            self._reply.close()

    async def aclose(self) -> None:
        """Close the connection unless the body has been read to its end."""
        self._reply.close()


async def read_body(response: httpx.Response) -> bytes:
    """The whole body of a reply of `Transport`. Raises as reading `ReplyBody` does."""
    assert isinstance(response.stream, httpx.AsyncByteStream)
    return b"".join([chunk async for chunk in response.stream])
