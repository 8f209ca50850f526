"""The HTTP client that reaches a model's endpoint: nothing of the environment, and no answer without an end."""

import httpx2

MAX_ANSWER_BYTES = 8 * 1024 * 1024
CONNECT_SECONDS = 10.0
KEEP_ALIVE_SECONDS = 4.0
"""Shorter than the servers' five, so that no request meets a connection that is just being closed."""

_DROPPED = {"content-encoding", "content-length", "transfer-encoding"}


def open_client() -> httpx2.AsyncClient:
    """A client without proxies, cookies or credentials of the environment, which follows no redirects.

    How long an answer may take is the caller's deadline.
    """
    timeout = httpx2.Timeout(None, connect=CONNECT_SECONDS)
    return httpx2.AsyncClient(transport=BoundedTransport(), timeout=timeout, trust_env=False)


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Reads every answer whole. One that is too large or compressed (which has no bound) comes out empty."""

    def __init__(self) -> None:
        limits = httpx2.Limits(keepalive_expiry=KEEP_ALIVE_SECONDS)
        self._inner = httpx2.AsyncHTTPTransport(trust_env=False, limits=limits)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """One exchange. Raises `httpx2.TransportError`."""
        request.headers["Accept-Encoding"] = "identity"
        answer = await self._inner.handle_async_request(request)
        try:
            body = await _read(answer)
        finally:
            await answer.aclose()
        headers = [(name, value) for name, value in answer.headers.multi_items() if name not in _DROPPED]
        return httpx2.Response(answer.status_code, headers=headers, content=body, request=request)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._inner.aclose()


async def _read(answer: httpx2.Response) -> bytes:
    if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
        return b""
    body = bytearray()
    async for chunk in answer.aiter_raw():
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            return b""
    return bytes(body)
