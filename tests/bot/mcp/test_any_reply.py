"""Whatever a trick sends, only a fault of the trick comes out, or a value."""

import itertools
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import TrickFault
from bot.mcp.client import read_call_reply
from bot.mcp.framing import EventStream, read_answer
from bot.mcp.jsonrpc import ErrorResponse, read_response
from bot.mcp.tasks_wire import read_task
from bot.mcp.wire import read_discover_result, read_tool_page

ID = "0123"


class Chunks(httpx.AsyncByteStream):
    """A body in pieces."""

    def __init__(self, chunks: Sequence[bytes]) -> None:
        self._chunks = chunks
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk

    async def aclose(self) -> None:
        self.closed = True


def reply(chunks: Sequence[bytes], media_type: str, status: int = 200) -> httpx.Response:
    return httpx.Response(
        status, headers=[(b"content-type", media_type.encode("latin-1"))], stream=Chunks(chunks)
    )


def cut(data: bytes, places: Sequence[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[a:b] for a, b in itertools.pairwise(edges)]


TEXT = st.text(max_size=5)
WORDS = st.sampled_from(
    [
        "complete",
        "task",
        "input_required",
        "working",
        "failed",
        "completed",
        "text",
        "image",
        "form",
        ID,
        "2.0",
    ]
)
KEYS = (
    *("capabilities", "code", "content", "data", "error", "extensions", "id", "inputRequests", "inputSchema"),
    *("isError", "jsonrpc", "k", "message", "method", "name", "nextCursor", "params", "properties", "result"),
    *(
        "requestState",
        "requestedSchema",
        "resultType",
        "status",
        "statusMessage",
        "structuredContent",
        "taskId",
    ),
    *("supportedVersions", "text", "tools", "ttlMs", "type", "x-mcp-header"),
)
ANY: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
    | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(TEXT | WORDS, inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=6,
        )
    ),
    max_leaves=20,
)
OBJECTS = ANY.filter(lambda value: isinstance(value, dict))


def as_message(value: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": ID, **value}).encode()


LINES = st.sampled_from(
    [b"data:", b"data: {", b"data: x", b":", b"id: 1", b"event: x", b"", b"retry", b"data"]
)
STREAMS = st.lists(LINES | st.binary(max_size=20)).map(b"\n".join) | st.binary(max_size=200)


@given(
    STREAMS | ANY.map(lambda value: json.dumps(value).encode()) | OBJECTS.map(as_message),
    st.lists(st.integers(0, 500)),
    st.sampled_from(["application/json", "text/event-stream", "text/html", "", "application/json;x", "\xff"]),
    st.sampled_from([200, 201, 202, 400, 404, 500]),
)
async def test_any_bytes_give_a_message_or_a_fault(
    data: bytes, places: list[int], media_type: str, status: int
):
    response = reply(cut(data, places), media_type, status)
    with suppress(TrickFault):
        assert isinstance(await read_answer(response, ID), dict | ErrorResponse)
    assert isinstance(response.stream, Chunks)
    assert response.stream.closed


@given(OBJECTS, st.sampled_from([200, 400]))
def test_any_message_gives_a_result_an_error_or_a_fault(message: Any, status: int):
    for candidate in (message, {"jsonrpc": "2.0", "id": ID, **message}):
        try:
            answer = read_response(candidate, ID, status)
        except TrickFault:
            continue
        assert isinstance(answer, dict | ErrorResponse)
        if isinstance(answer, ErrorResponse):
            assert answer.supports("2026-07-28") in (True, False)
            assert len(answer.failure().said) <= 500


def read_any_task(result: dict[str, Any]) -> object:
    return read_task(result, ID)


@given(OBJECTS)
def test_any_result_is_read_or_a_fault(result: Any):
    readers: list[Callable[[Any], object]] = [
        read_call_reply,
        read_tool_page,
        read_discover_result,
        read_any_task,
    ]
    more: dict[str, Any] = {"content": [], "tools": [], "status": "completed", **result}
    for read in readers:
        for candidate in (result, more):
            with suppress(TrickFault):
                assert read(candidate) is not None


EVENTS = st.lists(st.lists(st.sampled_from(["a", "", "b b", " c", "ä", "{}", ":"]), max_size=3), max_size=4)


@given(EVENTS, st.sampled_from(["\n", "\r\n", "\r"]), st.lists(st.integers(0, 300)), st.booleans())
def test_events_come_out_the_same_however_they_are_cut(
    events: list[list[str]], newline: str, places: list[int], bom: bool
):
    lines = [line for event in events for line in [*(f"data: {part}" for part in event), ": note", ""]]
    data = "".join(line + newline for line in lines).encode()
    stream = EventStream()
    found = [event for chunk in cut(b"\xef\xbb\xbf" * bom + data, places) for event in stream.feed(chunk)]
    assert found == [whole.encode() for whole in map("\n".join, events) if whole]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"data:x\n\n", [b"x"]),
        (b"data:  x\n\n", [b" x"]),
        (b"data\n\n", []),
        (b"data\ndata\n\n", [b"\n"]),
        (b"event: a\nid: 1\n\n", []),
        (b"data: x\n", []),
        (b"datum: x\n\n", []),
        (b"data: a\r\rdata: b\r\n\r\n", [b"a", b"b"]),
        (b"\n\n\ndata: x\n\n", [b"x"]),
        (b"data: a:b\n\n", [b"a:b"]),
    ],
)
def test_an_event_stream_is_cut_by_the_rules_of_the_standard(data: bytes, expected: list[bytes]):
    stream = EventStream()
    assert list(stream.feed(data)) == expected


async def test_notifications_are_passed_over_and_nothing_is_read_after_the_answer():
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": ID, "result": {}}
    note: dict[str, Any] = {"jsonrpc": "2.0", "method": "notifications/message", "params": {}}
    chunks = [f"data: {json.dumps(each)}\n\n".encode() for each in (note, answer)]
    response = reply([*chunks, b"data: not JSON\n\n"], "text/event-stream; charset=utf-8")
    assert await read_answer(response, ID) == {}
