"""Requests to tricks as Kennel makes them: the signed POST, and the one unsigned GET of a manifest."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

import httpx

from bot.clock import Clock
from bot.errors import HttpFailure
from bot.signing import Secret, sign
from bot.transport.replies import read_body
from bot.transport.transport import SECONDS, Transport

_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to send, and the secrets to sign with, newest first (two while one is being rotated)."""

    url: str
    secrets: tuple[Secret, ...]


class SignedSender:
    """Signs and sends; every attempt is signed anew, at its own time."""

    def __init__(self, transport: Transport, clock: Clock) -> None:
        self._transport = transport
        self._clock = clock
        agent = {"User-Agent": f"Kennel/{version('kennel-bot')}", "Accept-Encoding": "identity"}
        self._posted = {"Content-Type": "application/json", **agent}
        self._got = {"Accept": "application/json", **agent}

    async def post(
        self,
        endpoint: Endpoint,
        body: bytes,
        headers: Mapping[str, str] = _NO_HEADERS,
        *,
        timeout: float | None = None,
        webhook_id: str | None = None,
    ) -> httpx.Response:
        """POST exactly the bytes `body` (JSON) and give the reply, whatever its status, its body unread.

        `headers` are those of the protocol that is spoken. `timeout` in seconds can only shorten the deadline
        of the exchange. `webhook_id` keeps the id of a delivery; without one each attempt has a new one.
        Raises as `Transport.handle_async_request`. Read the body with `read_body`, or close the response.
        """
        signed = sign(body, endpoint.secrets, webhook_id or self._clock.new_id(), self._clock.now())
        request = httpx.Request(
            "POST",
            self._transport.url(endpoint.url),
            headers={**headers, **self._posted, **signed},
            stream=httpx.ByteStream(body),
            extensions=_extensions(timeout),
        )
        return await self._transport.handle_async_request(request)

    async def get(self, url: str, *, timeout: float | None = None) -> bytes:
        """The whole body at `url`, unsigned. Raises as `post`, and `HttpFailure` unless the status is 200."""
        request = httpx.Request(
            "GET",
            self._transport.url(url),
            headers=self._got,
            stream=httpx.ByteStream(b""),
            extensions=_extensions(timeout),
        )
        response = await self._transport.handle_async_request(request)
        if response.status_code != 200:
            await response.aclose()
            raise HttpFailure(response.status_code)
        return await read_body(response)


def _extensions(timeout: float | None) -> dict[str, Any] | None:
    return None if timeout is None else {SECONDS: timeout}
