"""The body of a reply, as one JSON object or as an event stream, and the message in it that answers."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Final, cast

import httpx

from bot import strict_json
from bot.errors import HttpFailure, ProtocolFailure
from bot.mcp.jsonrpc import ErrorResponse, JsonObject, read_response
from bot.transport import read_body

_OK: Final = 200
_BOM = b"\xef\xbb\xbf"


async def read_answer(response: httpx.Response, request_id: str) -> JsonObject | ErrorResponse:
    """The result or error with which `response` answers request `request_id`; its body is closed.

    An event stream is read up to the first message that is no notification, and no further. Errors may come
    with any HTTP status, results only with 200. Raises `HttpFailure` for another status without a JSON-RPC
    error, `ProtocolFailure`, and what reading the body raises.
    """
    status = response.status_code
    try:
        if status == 202:  # promises that no answer will come (Streamable HTTP)
            raise HttpFailure(status)
        answer = read_response(await _read_message(response), request_id, status)
    except ProtocolFailure:
        if status != _OK:
            raise HttpFailure(status) from None
        raise
    finally:
        await response.aclose()
    if status != _OK and not isinstance(answer, ErrorResponse):
        raise HttpFailure(status)
    return answer


async def _read_message(response: httpx.Response) -> JsonObject:
    media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type == "application/json":
        message = _parse(await read_body(response))
        if not _is_response(message):
            raise ProtocolFailure("The reply is a notification and no response.")
        return message
    if media_type == "text/event-stream":
        return await _read_events(response)
    raise ProtocolFailure("The reply is neither JSON nor an event stream.")


async def _read_events(response: httpx.Response) -> JsonObject:
    assert isinstance(response.stream, httpx.AsyncByteStream)
    events = EventStream()
    stream = cast(AsyncGenerator[bytes, None], aiter(response.stream))
    async with aclosing(stream) as chunks:
        async for chunk in chunks:
            for data in events.feed(chunk):
                message = _parse(data)
                if _is_response(message):
                    return message
    raise ProtocolFailure("The event stream ended without an answer.")


def _parse(data: bytes) -> JsonObject:
    try:
        message = strict_json.parse(data)
    except strict_json.NotJson as exc:
        raise ProtocolFailure(f"The reply {exc}.") from None
    if not isinstance(message, dict):
        raise ProtocolFailure("The reply is not a JSON object.")
    return message  # pyright: ignore[reportUnknownVariableType]


def _is_response(message: JsonObject) -> bool:
    if "method" not in message:
        return True
    if "id" in message:
        raise ProtocolFailure("The trick sent a request of its own, which this protocol does not know.")
    return False


class EventStream:
    """Cuts the bytes of a `text/event-stream` into the data of its events (HTML standard, section 9.2.6).

    Lines end in CRLF, LF or CR, wherever the chunks are cut. Comments and fields other than `data` are
    skipped, and so are events without data, and an event that the end of the stream cut off.
    """

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        self._after_cr = False
        self._first = True

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The data of every event that `chunk` completes."""
        if not chunk:
            return
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
            self._after_cr = False
            if not chunk:
                return
        self._after_cr = chunk.endswith(b"\r")
        first, *lines = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._line.append(first)
        for line in lines:
            data = self._end_line(b"".join(self._line))
            self._line = [line]
            if data:
                yield data

    def _end_line(self, line: bytes) -> bytes:
        """Take one whole line in; the event's data when the line ended an event, else empty."""
        if self._first:
            line, self._first = line.removeprefix(_BOM), False
        if not line:
            data, self._data = b"\n".join(self._data), []
            return data
        field, _, value = line.partition(b":")
        if field == b"data":
            self._data.append(value.removeprefix(b" "))
        return b""
