"""The transport of httpx's interface on aiohttp's engine, through which every request to a trick goes."""

import math
import ssl
from functools import lru_cache
from typing import NamedTuple

import aiohttp
import httpx
from aiohttp.abc import AbstractStreamWriter
from aiohttp.connector import Connection
from aiohttp.tracing import Trace
from yarl import URL

from bot.errors import ConnectionLost, DeadlineExceeded
from bot.transport.addresses import AddressPolicy
from bot.transport.faults import FOREIGN, fault_of
from bot.transport.replies import ReplyBody, check_head
from bot.transport.resolver import PermittedResolver, Resolver, permitted_sockets
from bot.urls import read_url

SECONDS = "kennel.seconds"
"""The request extension that shortens the deadline of one exchange: seconds as a number."""

DEADLINE = 5.0
MAX_BYTES = 1_048_576
KEEP_ALIVE = 4.0  # below the five seconds after which common servers close an idle connection
CONNECTIONS = 500
CONNECTIONS_PER_HOST = 64
MAX_HEADER = 8_190
MAX_HEADERS = 64
_NOT_COPIED = frozenset({b"host", b"content-length"})


class _Target(NamedTuple):
    url: URL
    session: aiohttp.ClientSession


class _Payload(aiohttp.BytesPayload):
    """A request body that remembers whether writing began: headers leave together with it, never before."""

    sent = False

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:
        """As `BytesPayload.write_with_length`."""
        self.sent = True
        await super().write_with_length(writer, content_length)


class _Connector(aiohttp.TCPConnector):
    """Does not use a kept connection on which something came that nobody asked for.

    It would be taken for the reply to the next request.
    """

    async def connect(
        self, req: aiohttp.ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout
    ) -> Connection:
        """As `TCPConnector.connect`."""
        while True:
            connection = await super().connect(req, traces, timeout)
            if connection.protocol is None or not connection.protocol.should_close:
                return connection
            connection.close()


class Transport(httpx.AsyncBaseTransport):
    """One exchange at a time with public hosts, under one deadline; to be made inside a running event loop.

    The deadline covers the look-up, connecting, TLS, the head and the body. Hosts of `development_hosts`
    (exact `host:port`) may be plain HTTP and have any address. Nothing is followed, stored, decompressed or
    repeated here, and nothing is taken from the environment. Connections are kept for at most four seconds.
    """

    def __init__(
        self,
        resolver: Resolver,
        policy: AddressPolicy,
        development_hosts: frozenset[str] = frozenset(),
        ssl_context: ssl.SSLContext | None = None,
        deadline: float = DEADLINE,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._development_hosts = development_hosts
        self._deadline = deadline
        self._max_bytes = max_bytes
        self._timeout = _total(deadline)
        self._public = _session(resolver, policy, ssl_context)
        self._development = _session(resolver, None, ssl_context)
        self._target = lru_cache(maxsize=1_024)(self._read_target)
        self._url = lru_cache(maxsize=1_024)(self._read_url)

    def url(self, text: str) -> httpx.URL:
        """`text` as the URL of a request, if it is one that Kennel calls. Raises `UrlRefused`."""
        return self._url(text)

    def _read_url(self, text: str) -> httpx.URL:
        return httpx.URL(str(read_url(text, self._development_hosts)))

    def _read_target(self, text: str) -> _Target:
        url = read_url(text, self._development_hosts)
        own = url.host_port in self._development_hosts
        return _Target(URL(str(url), encoded=True), self._development if own else self._public)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request` once and give its reply, the body unread.

        Raises `UrlRefused` and the kinds of `TransportFailure`; `ProtocolFailure` for what is no HTTP.
        """
        target = self._target(str(request.url))
        timeout = self._timeout_of(request)
        body = await request.aread()
        payload = _Payload(body) if body or request.method == "POST" else None
        try:
            reply = await target.session.request(
                request.method,
                target.url,
                data=payload,
                headers=_headers(request),
                allow_redirects=False,
                timeout=timeout,
            )
        except FOREIGN as exc:
            raise fault_of(exc, sent=payload is None or payload.sent) from None
        try:
            check_head(reply, self._max_bytes)
        except BaseException:
            reply.close()
            raise
        return httpx.Response(
            reply.status,
            headers=list(reply.raw_headers),
            stream=ReplyBody(reply, self._max_bytes),
            request=request,
        )

    def _timeout_of(self, request: httpx.Request) -> aiohttp.ClientTimeout:
        seconds = request.extensions.get(SECONDS)
        if seconds is None or seconds >= self._deadline:
            return self._timeout
        if seconds <= 0:
            raise DeadlineExceeded(sent=False)
        return _total(seconds)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._public.close()
        await self._development.close()


def _session(
    resolver: Resolver, policy: AddressPolicy | None, ssl_context: ssl.SSLContext | None
) -> aiohttp.ClientSession:
    connector = _Connector(
        resolver=PermittedResolver(resolver, policy),
        use_dns_cache=False,
        socket_factory=None if policy is None else permitted_sockets(policy),
        ssl=True if ssl_context is None else ssl_context,
        keepalive_timeout=KEEP_ALIVE,
        limit=CONNECTIONS,
        limit_per_host=CONNECTIONS_PER_HOST,
    )
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"Accept-Encoding": "identity"},
        auto_decompress=False,
        trust_env=False,
        max_line_size=MAX_HEADER,
        max_field_size=MAX_HEADER,
        max_headers=MAX_HEADERS,
        middlewares=(_never_again,),
    )


def _total(seconds: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=seconds, ceil_threshold=math.inf)


def _headers(request: httpx.Request) -> list[tuple[str, str]]:
    return [(k.decode(), v.decode()) for k, v in request.headers.raw if k.lower() not in _NOT_COPIED]


async def _never_again(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """aiohttp sends an idempotent request again when a kept connection turns out dead; not through here."""
    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
        raise ConnectionLost from None
