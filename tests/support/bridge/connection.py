"""One gateway connection: frames in order, compressed as the client asked."""

import asyncio
import json
import zlib
from enum import IntEnum
from typing import Any

from aiohttp import web


class Op(IntEnum):
    """Gateway opcodes."""

    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    PRESENCE = 3
    VOICE_STATE = 4
    RESUME = 6
    RECONNECT = 7
    REQUEST_MEMBERS = 8
    INVALID_SESSION = 9
    HELLO = 10
    HEARTBEAT_ACK = 11


class Connection:
    """Queues frames and writes them one after the other.

    `compress=zlib-stream` gives binary messages of one deflate stream, each ended by a sync flush; without it
    the frames are text.
    """

    def __init__(self, socket: web.WebSocketResponse, request: web.Request) -> None:
        self.path = request.path
        self._socket = socket
        self._transport = request.transport
        self._deflate = zlib.compressobj() if request.query.get("compress") == "zlib-stream" else None
        self._frames: asyncio.Queue[str | int] = asyncio.Queue()
        self._closing = False
        self._writer = asyncio.create_task(self._write())

    @property
    def closed_by_peer(self) -> int | None:
        """The code that the client closed with; None if this side closed first or the connection broke."""
        return None if self._closing else self._socket.close_code

    def send(self, op: Op, data: Any = None, sequence: int | None = None, event: str | None = None) -> None:
        """Queue one frame."""
        self._frames.put_nowait(json.dumps({"op": op, "d": data, "s": sequence, "t": event}))

    def dispatch(self, sequence: int, event: str, data: Any) -> None:
        """Queue one event."""
        self.send(Op.DISPATCH, data, sequence, event)

    def close(self, code: int) -> None:
        """Close with `code` after what is queued."""
        self._closing = True
        self._frames.put_nowait(code)

    def abort(self) -> None:
        """End the connection as a broken network does."""
        self._closing = True
        if self._transport is not None:
            self._transport.abort()

    async def stop(self) -> None:
        """The connection is over."""
        self._writer.cancel()
        await asyncio.gather(self._writer, return_exceptions=True)

    async def _write(self) -> None:
        while True:
            frame = await self._frames.get()
            try:
                if isinstance(frame, int):
                    await self._socket.close(code=frame)
                    return
                await self._send_text(frame)
            except ConnectionError:
                return

    async def _send_text(self, text: str) -> None:
        if self._deflate is None:
            await self._socket.send_str(text)
        else:
            data = self._deflate.compress(text.encode()) + self._deflate.flush(zlib.Z_SYNC_FLUSH)
            await self._socket.send_bytes(data)
