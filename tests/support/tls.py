"""A server on loopback whose every byte a test decides, with its own certificate authority and names."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from ipaddress import ip_network
from typing import TypeAlias

import pytest
import trustme

from bot.errors import NameNotFound
from bot.transport import AddressPolicy, Transport

HOST = "trick.example.com"
LOOPBACK = AddressPolicy([ip_network("127.0.0.1/32")])


class Request:
    """One request as it came: the head without its last empty line, and the body."""

    def __init__(self, head: bytes, body: bytes) -> None:
        self.line, *fields = head.decode("latin-1").split("\r\n")
        self.fields = [tuple(field.split(": ", 1)) for field in fields]
        self.headers = {name.lower(): value for name, value in self.fields}
        self.body = body


Behaviour: TypeAlias = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


def reply(body: bytes = b"{}", status: str = "200 OK", headers: str = "") -> bytes:
    """The bytes of a plain reply; `headers` are further lines, each ended by CR LF."""
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode() + body


def sends(*pieces: bytes, every: float = 0, close: bool = False) -> Behaviour:
    """Send `pieces` (none: silence), `every` seconds apart, then keep the connection open or `close` it."""

    async def behave(_: Request, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(every)
        if close:
            writer.close()

    return behave


def repeats(piece: bytes, *, first: bytes = b"", every: float = 0) -> Behaviour:
    """Send `first`, then `piece` without end."""

    async def behave(_: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(first)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(every)

    return behave


class Server:
    """Accepts on a port of loopback and answers each request as `behave` does at that moment.

    `connections` counts the accepted ones, `names` are the host names asked for in TLS handshakes.
    """

    def __init__(self, context: ssl.SSLContext | None) -> None:
        self.behave: Behaviour = sends(reply())
        self.connections = 0
        self.requests: list[Request] = []
        self.names: list[str | None] = []
        self.port = 0
        self._context = context
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        if context is not None:
            context.sni_callback = lambda _sock, name, _context: self.names.append(name)

    async def start(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._context)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close every connection and stop listening."""
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def hung_up(self) -> None:
        """Wait until no connection is open any more."""
        await asyncio.gather(*self._tasks)

    def url(self, path: str = "/mcp", host: str = HOST) -> str:
        """The address of `path` here, by name."""
        return f"{'http' if self._context is None else 'https'}://{host}:{self.port}{path}"

    def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.get_running_loop().create_task(self._connection(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            try:
                while not writer.is_closing():
                    request = await _read_request(reader)
                    self.requests.append(request)
                    await self.behave(request, writer)
            finally:
                writer.transport.abort()


async def _read_request(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n"))[:-4]
    length = Request(head, b"").headers.get("content-length", "0")
    return Request(head, await reader.readexactly(int(length)))


class Names:
    """A resolver with a table of its own; it keeps count.

    The value of a host is one answer after the other, the last one for ever; a host that is not there does
    not exist. `held` can be cleared to make look-ups hang.
    """

    def __init__(self, table: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self._table = {host: list(answers) for host, answers in table.items()}
        self.asked: list[tuple[str, int]] = []
        self.held = asyncio.Event()
        self.held.set()

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """The next answer for `host`."""
        self.asked.append((host, port))
        await self.held.wait()
        answers = self._table.get(host)
        if not answers:
            raise NameNotFound
        return answers.pop(0) if len(answers) > 1 else answers[0]


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    """A certificate authority that nobody but `trusting` knows."""
    return trustme.CA()


@pytest.fixture(scope="session")
def trusting(authority: trustme.CA) -> ssl.SSLContext:
    """What a client trusts: this authority, host names checked."""
    context = ssl.create_default_context()
    authority.configure_trust(context)  # pyright: ignore[reportUnknownMemberType]
    return context


@pytest.fixture
async def tls_server(authority: trustme.CA) -> AsyncIterator[Server]:
    """A TLS server with a certificate for `HOST`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST).configure_cert(context)  # pyright: ignore[reportUnknownMemberType]
    async with running(Server(context)) as server:
        yield server


@pytest.fixture
def names() -> Names:
    """`HOST` on loopback, nothing else."""
    return Names({HOST: [["127.0.0.1"]]})


@pytest.fixture
async def transport(names: Names, trusting: ssl.SSLContext) -> AsyncIterator[Transport]:
    """A transport that may reach loopback, with time enough for a busy machine."""
    async with Transport(names, LOOPBACK, ssl_context=trusting, deadline=30) as opened:
        yield opened


@contextlib.asynccontextmanager
async def running(server: Server) -> AsyncGenerator[Server]:
    """`server`, listening."""
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
