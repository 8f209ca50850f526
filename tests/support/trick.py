"""A trick whose every answer a test decides, as a real HTTP server in the test's own loop."""

import asyncio
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

import pytest_asyncio
from aiohttp import web

from bot.clock import Clock
from bot.demo.sample_trick import NAMED, TASKS, VERSION, JsonObject, RpcError, check_request
from tests.support.signed_client import SECRET, SignedClient
from tests.support.trick_requests import Received, signers
from tests.support.trick_tools import ToolSpec, default_commands, default_tools, manifest_of

Answer: TypeAlias = JsonObject | web.StreamResponse


class Handler(Protocol):
    """Answers one request: with the result of a JSON-RPC method, a JSON body, or a response of its own.

    It may raise `RpcError`. `trick.good_answer(received)` gives, with all its effects, what a well-behaved
    trick would say.
    """

    def __call__(self, trick: "TrickServer", received: Received, /) -> Awaitable[Answer]: ...


class TrickServer:
    """Well behaved until told otherwise by `on`. `tools` stand in the manifest, `live_tools` in the list."""

    def __init__(
        self,
        *,
        id: str = "snack_club",
        tools: Iterable[ToolSpec] | None = None,
        commands: Iterable[JsonObject] | None = None,
        settings: Iterable[JsonObject] = (),
        events: Iterable[str] = ("member.joined", "member.left"),
        clock: Clock | None = None,
        host: str = "127.0.0.1",
        ssl_context: ssl.SSLContext | None = None,
        **manifest: Any,
    ) -> None:
        self.id = id
        self.tools = default_tools() if tools is None else list(tools)
        self.live_tools = list(self.tools)
        self.commands = default_commands() if commands is None else list(commands)
        self.settings = list(settings)
        self.events = list(events)
        self.manifest_changes = manifest
        self.page_size = 100
        self.secrets: list[str] = []
        self.requests: list[Received] = []
        self.effects: Counter[str | None] = Counter()  # callId of a write → how often it ran
        self._stopping = asyncio.Event()
        self.clock = clock or Clock()
        self._host = host
        self._ssl = ssl_context
        self.port = 0
        self._runner: web.AppRunner | None = None
        self._handlers: dict[str, Handler] = {}
        self._arrivals: dict[str, asyncio.Queue[Received]] = {}
        self._seen: set[str] = set()
        self._event_answers: dict[str, JsonObject] = {}

    # ---- Where it is ----

    @property
    def host_port(self) -> str:
        """`host:port`, as in `network.development_hosts`."""
        return f"{self._host}:{self.port}"

    def url(self, path: str) -> str:
        """The URL of `/mcp`, `/challenge`, `/events` or `/manifest.json`."""
        return f"{'https' if self._ssl else 'http'}://{self.host_port}{path}"

    @property
    def manifest_url(self) -> str:
        """Where the manifest is."""
        return self.url("/manifest.json")

    def manifest(self) -> JsonObject:
        """The manifest as it is served now."""
        more = {"commands": self.commands, "settings": self.settings, **self.manifest_changes}
        return manifest_of(self.id, self.url(""), self.tools, self.events, **more)

    async def start(self, port: int = 0) -> None:
        """Listen on loopback, on a free port if none is given."""
        app = web.Application(client_max_size=8 * 1024 * 1024)
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port, ssl_context=self._ssl).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening; answers under way are cut off."""
        self._stopping.set()
        if self._runner is not None:
            await self._runner.cleanup()

    # ---- What a test decides ----

    def trust(self, *secrets: str) -> None:
        """From now on accept exactly these `whsec_…` secrets."""
        self.secrets = list(secrets)

    def on(self, name: str, handler: Handler) -> None:
        """Answer `name` (`tools/call`, `challenge`, …) by `handler`; `tools/call save_snack` is one tool."""
        self._handlers[name] = handler

    def behave(self) -> None:
        """Forget every `on`."""
        self._handlers.clear()

    def change_live(self, name: str, **changes: Any) -> None:
        """Serve another definition of a tool than the one so far, as `dataclasses.replace` takes it."""
        self.live_tools = [replace(t, **changes) if t.name == name else t for t in self.live_tools]

    # ---- What a test sees ----

    def received(self, name: str) -> list[Received]:
        """Every request of that name so far, refused ones too."""
        return [received for received in self.requests if received.name == name]

    def count(self, name: str) -> int:
        """How many requests of that name came."""
        return len(self.received(name))

    async def next(self, name: str, timeout: float = 5.0) -> Received:
        """The next request of that name that nobody has waited for yet; waits for it to arrive."""
        async with asyncio.timeout(timeout):
            return await self._arrivals.setdefault(name, asyncio.Queue()).get()

    async def next_call(self, timeout: float = 5.0) -> Received:
        """The next `tools/call`."""
        return await self.next("tools/call", timeout)

    # ---- Serving ----

    async def pause(self, seconds: float) -> None:
        """Let `seconds` pass, fewer when the trick stops."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)

    async def _serve(self, http: web.Request) -> web.StreamResponse:
        body = await http.read()
        received = Received(http, body, signers(self.secrets, http.headers, body, self.clock.now()))
        self.requests.append(received)
        status = self._refusal(received)
        self._arrivals.setdefault(received.name, asyncio.Queue()).put_nowait(received)
        if status:
            return web.Response(status=status, text=received.refused)
        handler = self._handler(received)
        try:
            answer = await handler(self, received) if handler else self.good_answer(received)
        except RpcError as error:
            return web.json_response(received.error(error.body), status=error.status)
        if isinstance(answer, web.StreamResponse):
            return answer
        return web.json_response(received.reply(answer) if received.path == "/mcp" else answer)

    def _refusal(self, received: Received) -> int:
        """The HTTP status of a POST that is not let in, else 0; an event may come again, the rest may not."""
        if received.path == "/manifest.json":
            return 0
        if not received.verified:
            received.refused = "signature refused"
            return 401
        webhook_id = received.headers["webhook-id"]
        if received.path != "/events" and webhook_id in self._seen:
            received.refused = "replayed"
            return 409
        self._seen.add(webhook_id)
        return 0

    def _handler(self, received: Received) -> Handler | None:
        special = f"{received.name} {received.params.get(NAMED.get(received.name, ''))}"
        return self._handlers.get(special) or self._handlers.get(received.name)

    def good_answer(self, received: Received) -> JsonObject:
        """The result or body of a well-behaved trick, with its effects. Raises `RpcError`."""
        match received.name:
            case "manifest":
                return self.manifest()
            case "challenge":
                return {"challenge": received.json["challenge"]}
            case "events":
                return self._event_answers.setdefault(received.json["id"], {})
            case _:
                return self._mcp_answer(received)

    def _mcp_answer(self, received: Received) -> JsonObject:
        method, params, _ = check_request(received.json, received.http.headers)
        match method:
            case "server/discover":
                return {
                    "supportedVersions": [VERSION],
                    "capabilities": {"tools": {}, "extensions": {TASKS: {}}},
                    "ttlMs": 0,
                    "cacheScope": "private",
                }
            case "tools/list":
                return self._page(int(params.get("cursor") or "0"))
            case "tools/call":
                return self._call(received)
            case _ if method in NAMED:
                raise RpcError(-32602, "unknown task")
            case _:
                raise RpcError(-32601, "unknown method", status=404)

    def _page(self, first: int) -> JsonObject:
        last = first + self.page_size
        page: JsonObject = {"ttlMs": 0, "cacheScope": "private"}
        page["tools"] = [tool.definition() for tool in self.live_tools[first:last]]
        return page | ({"nextCursor": str(last)} if last < len(self.live_tools) else {})

    def _call(self, received: Received) -> JsonObject:
        tool = next((tool for tool in self.live_tools if tool.name == received.tool), None)
        if tool is None:
            raise RpcError(-32602, "unknown tool")
        if not tool.read_only:
            self.effects[received.call_id] += 1
        return tool.answer(received.arguments)


MakeTrick: TypeAlias = Callable[..., Awaitable[TrickServer]]


@pytest_asyncio.fixture
async def make_trick() -> AsyncIterator[MakeTrick]:
    """Starts a trick with the given keyword arguments of `TrickServer`; all are stopped at the end."""
    async with AsyncExitStack() as stack:

        async def make(**options: Any) -> TrickServer:
            trick = TrickServer(**options)
            await trick.start()
            stack.push_async_callback(trick.stop)
            return trick

        yield make


@pytest_asyncio.fixture
async def trick(make_trick: MakeTrick) -> TrickServer:
    """One well-behaved trick that trusts no secret yet."""
    return await make_trick()


@pytest_asyncio.fixture
async def trick_client(trick: TrickServer) -> AsyncIterator[SignedClient]:
    """A client that signs for `trick`, with a secret that it trusts."""
    trick.trust(SECRET)
    async with SignedClient(trick.url(""), SECRET) as client:
        yield client
