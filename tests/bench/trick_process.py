"""A bare trick in a process of its own, as fast as Python answers HTTP: the same bytes for every call.

It also plays the model (`tests.bench.model_answers`), and its tasks go on for ever; when each was polled, it says.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

from tests.bench.model_answers import completion_body

RESULT_BYTES = 2_048
_ID = re.compile(rb'"id":"([^"]+)"')
_LENGTH = re.compile(rb"content-length: *([0-9]+)", re.IGNORECASE)


def reply_body(request_id: str) -> bytes:
    """A `tools/call` result of about two kibibytes with a text block, structured content and a presentation."""
    again: dict[str, Any] = {"id": "again", "label": "Again", "tool": "snack_menu", "arguments": {}}
    data: dict[str, Any] = {
        "choices": [f"snack number {n}" for n in range(40)],
        "pup": {"text": "Choose one.", "actions": [again]},
    }
    text = json.dumps(data)
    filler = "x" * max(0, RESULT_BYTES - 2 * len(text) - 120)
    result: dict[str, Any] = {
        "resultType": "complete",
        "content": [{"type": "text", "text": text}],
        "structuredContent": {**data, "filler": filler},
    }
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "result": result}, separators=(",", ":")).encode()


TOOLS: dict[str, Any] = {
    "resultType": "complete",
    "tools": [{"name": "snack_menu", "inputSchema": {"type": "object", "properties": {}}}],
    "ttlMs": 3_600_000,
    "cacheScope": "private",
}


class _Http(asyncio.Protocol):
    """Just enough HTTP/1.1: keep-alive, a body with a length, pipelining not needed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._data = b""

    def data_received(self, data: bytes) -> None:
        self._data += data
        while (end := self._data.find(b"\r\n\r\n")) >= 0:
            found = _LENGTH.search(self._data, 0, end)
            whole = end + 4 + (int(found.group(1)) if found else 0)
            if len(self._data) < whole:
                return
            body, self._data = self._data[end + 4 : whole], self._data[whole:]
            self._transport.write(_answer(body))


POLL_EVERY_MS = 60_000
"""What every task wants between two polls."""

REPORT = b'{"bench":"polls"}'
"""Sent as a body, it is answered with the times of all polls so far, in seconds since the epoch, by task."""

_polls: dict[str, list[float]] = {}


def _answer(body: bytes) -> bytes:
    if b'"eventId":' in body:
        reply = b"{}"
    elif b'"messages":' in body:
        reply = completion_body(body)
    elif body == REPORT:
        reply = json.dumps(_polls).encode()
    elif b'"tasks/get"' in body:
        reply = _task(json.loads(body))
    elif b'"tools/list"' in body:
        request = json.loads(body)
        reply = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": TOOLS}).encode()
    elif (found := _ID.search(body)) is not None:
        reply = _TEMPLATE.replace(b"%ID%", b'"' + found.group(1) + b'"')
    else:
        reply = _TEMPLATE.replace(b"%ID%", str(json.loads(body)["id"]).encode())
    return (
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(reply)
        + reply
    )


def _task(request: Any) -> bytes:
    task_id = request["params"]["taskId"]
    _polls.setdefault(task_id, []).append(time.time())
    now = "2026-01-01T00:00:00Z"
    task = {"taskId": task_id, "status": "working", "createdAt": now, "lastUpdatedAt": now, "ttlMs": None}
    result = {"resultType": "complete", **task, "pollIntervalMs": POLL_EVERY_MS}
    return json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode()


_TEMPLATE = reply_body("%ID%").replace(b'"%ID%"', b"%ID%")


async def _serve() -> None:
    server = await asyncio.get_running_loop().create_server(_Http, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def trick_process() -> Generator[int]:
    """The port of a trick that runs on the last core, while this process stays on the first."""
    cores = sorted(os.sched_getaffinity(0))
    with subprocess.Popen(
        [sys.executable, "-m", "tests.bench.trick_process", str(cores[-1])], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        os.sched_setaffinity(0, {cores[0]})
        try:
            yield port
        finally:
            os.sched_setaffinity(0, cores)
            process.kill()


if __name__ == "__main__":
    os.sched_setaffinity(0, {int(sys.argv[1])})
    asyncio.run(_serve())
