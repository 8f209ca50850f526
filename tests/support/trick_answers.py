"""Ready-made answers for `TrickServer.on`, most of them wrong."""

import asyncio
import gzip
import json
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from bot.demo.sample_trick import JsonObject, RpcError
from tests.support.trick import Answer, Handler, TrickServer
from tests.support.trick_requests import Received
from tests.support.trick_tools import structured

JSON_TYPE = {"Content-Type": "application/json"}


# ---- Answers that are in order ----


def result(value: JsonObject) -> Handler:
    """This result of a JSON-RPC method (or this body, for the challenge, the manifest and events)."""

    async def answer(_trick: TrickServer, _received: Received) -> Answer:
        return value

    return answer


def data(value: JsonObject) -> Handler:
    """A tool result with this structured content."""
    return result(structured(value))


def tool_error(text: str = "no snacks left") -> Handler:
    """A result with `isError`."""
    return result({"content": [{"type": "text", "text": text}], "isError": True})


def rpc_error(code: int, message: str = "no", status: int = 200, **data: Any) -> Handler:
    """A JSON-RPC error."""

    async def answer(_trick: TrickServer, _received: Received) -> Answer:
        raise RpcError(code, message, status, **data)

    return answer


def asks(requests: JsonObject, state: str | None = None) -> Handler:
    """`input_required` straight from `tools/call`."""
    given = {} if state is None else {"requestState": state}
    return result({"resultType": "input_required", "inputRequests": requests, **given})


def event_stream(newline: str = "\r\n") -> Handler:
    """The good answer as an event stream, after a comment, a notification and an event without data."""

    async def answer(trick: TrickServer, received: Received) -> Answer:
        note = {
            "jsonrpc": "2.0",
            "method": "notifications/message",
            "params": {"level": "info", "data": "hm"},
        }
        reply = json.dumps(received.reply(trick.good_answer(received)))
        half = reply.index(",") + 1
        lines = [": keep-alive", "", "id: 1", "retry: 10", "", "event: message", f"data: {json.dumps(note)}"]
        lines += ["", f"data: {reply[:half]}", f"data:{reply[half:]}", "", ""]
        body = newline.join(lines).encode()
        return web.Response(body=body, headers={"Content-Type": "text/event-stream; charset=utf-8"})

    return answer


# ---- HTTP that is not in order ----


def status(code: int, text: str = "", headers: Mapping[str, str] | None = None) -> Handler:
    """A bare HTTP status: 401, 404, 410, 429 with `Retry-After`, 503 …"""

    async def answer(_trick: TrickServer, _received: Received) -> Answer:
        return web.Response(status=code, text=text, headers=headers)

    return answer


def accepted() -> Handler:
    """202: no answer will come."""
    return status(202)


def redirect(to: str = "/elsewhere", code: int = 307) -> Handler:
    """A redirect to `to`."""
    return status(code, headers={"Location": to})


def html() -> Handler:
    """A web page with status 200."""

    async def answer(_trick: TrickServer, _received: Received) -> Answer:
        return web.Response(text="<!doctype html><title>Hello</title>", content_type="text/html")

    return answer


def raw(body: bytes, headers: Mapping[str, str] = JSON_TYPE, code: int = 200) -> Handler:
    """These very bytes."""

    async def answer(_trick: TrickServer, _received: Received) -> Answer:
        return web.Response(body=body, headers=headers, status=code)

    return answer


def gzipped() -> Handler:
    """The good answer, compressed although nobody asked for it."""

    async def answer(trick: TrickServer, received: Received) -> Answer:
        headers = {**JSON_TYPE, "Content-Encoding": "gzip"}
        return web.Response(body=gzip.compress(_good_body(trick, received)), headers=headers)

    return answer


def oversize(size: int = 1024 * 1024 + 1) -> Handler:
    """The good answer, with blanks up to `size` bytes."""

    async def answer(trick: TrickServer, received: Received) -> Answer:
        return web.Response(body=_good_body(trick, received).ljust(size), headers=JSON_TYPE)

    return answer


def drip(seconds: float = 0.1) -> Handler:
    """The good answer, one byte after another with a pause between."""

    async def answer(trick: TrickServer, received: Received) -> Answer:
        response = web.StreamResponse(headers=JSON_TYPE)
        await response.prepare(received.http)
        for byte in _good_body(trick, received):
            await response.write(bytes([byte]))
            await trick.pause(seconds)
        return response

    return answer


class Hang:
    """No answer until `release()`, then the good one; its effect comes before the wait.

    `arrived` is set by the first request.
    """

    def __init__(self) -> None:
        self.arrived = asyncio.Event()
        self._released = asyncio.Event()

    def release(self) -> None:
        """Let every answer go."""
        self._released.set()

    async def __call__(self, trick: TrickServer, received: Received, /) -> Answer:
        answer = trick.good_answer(received)
        self.arrived.set()
        await self._released.wait()
        return answer


def drop(*, half: bool = False) -> Handler:
    """The connection breaks after the effect and before the answer, or with `half` in the middle of it."""

    async def answer(trick: TrickServer, received: Received) -> Answer:
        body = _good_body(trick, received)
        response = web.StreamResponse(headers={**JSON_TYPE, "Content-Length": str(len(body))})
        if half:
            await response.prepare(received.http)
            await response.write(body[: len(body) // 2])
        if received.http.transport is not None:
            received.http.transport.close()
        return response

    return answer


# ---- JSON and JSON-RPC that are not in order ----


def wrong_id(reply_id: Any = "somebody else's") -> Handler:
    """The good answer to another request."""

    async def answer(trick: TrickServer, received: Received) -> Answer:
        return web.json_response(received.reply(trick.good_answer(received)) | {"id": reply_id})

    return answer


def not_a_number() -> Handler:
    """The good answer with a NaN in it."""

    async def answer(trick: TrickServer, received: Received) -> Answer:
        good = trick.good_answer(received)
        return web.json_response(received.reply({**good, "structuredContent": {"price": float("nan")}}))

    return answer


def duplicate_keys() -> Handler:
    """The good answer with its `result` given twice."""

    async def answer(trick: TrickServer, received: Received) -> Answer:
        body = _good_body(trick, received)
        return web.Response(body=b'{"result":{"content":[]},' + body[1:], headers=JSON_TYPE)

    return answer


def wrong_challenge() -> Handler:
    """A challenge answered with another one."""
    return result({"challenge": "something else"})


def _good_body(trick: TrickServer, received: Received) -> bytes:
    good = trick.good_answer(received)
    return json.dumps(received.reply(good) if received.path == "/mcp" else good).encode()
