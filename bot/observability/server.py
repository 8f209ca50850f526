"""The little web server: two pages to read, and nothing else."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from bot.clock import Clock
from bot.log import logger
from bot.metrics import Metrics
from bot.observability.gateway import Gateway
from bot.observability.health import judge
from bot.observability.listening import SERVER, address, refusal
from bot.observability.opening import page_of
from bot.strict_json import dump
from storage.errors import StorageError
from storage.gauges import Counts, Gauges

DATABASE_SECONDS = 2.0
"""How long the database may take to answer before it counts as not reachable."""
FRESH_SECONDS = 1.0
"""For so long what was counted is shown again, so that whoever asks often costs no more."""
NOT_INSTALLED = (
    "/metrics needs one more package: install the extra from the copy of Kennel, like `pip install '.[metrics]'`, "
    "and start Kennel again."
)

_log = logger(__name__)


class Pages:
    """What the two pages show."""

    def __init__(
        self, gauges: Gauges, metrics: Metrics, clock: Clock, gateway: Callable[[], Gateway]
    ) -> None:
        self._gauges = gauges
        self._metrics = metrics
        self._clock = clock
        self._gateway = gateway
        self._asking = asyncio.Lock()
        self._counts: Counts | None = None
        self._counted_at = 0.0

    async def healthz(self, _request: web.Request) -> web.Response:
        """`GET /healthz`."""
        counts = await self._count()
        health = judge(self._gateway(), counts, self._clock.now_ms())
        return web.Response(
            status=health.status, body=dump(health.body) + b"\n", content_type="application/json"
        )

    async def metrics(self, _request: web.Request) -> web.Response:
        """`GET /metrics`."""
        page = page_of(self._metrics, await self._count(), self._gateway())
        if page is None:
            return web.Response(status=501, text=NOT_INSTALLED + "\n")
        return web.Response(body=page.body, headers={"Content-Type": page.content_type})

    async def _count(self) -> Counts | None:
        """What the database holds, None when it does not say so in time. One read at a time."""
        async with self._asking:
            now = self._clock.monotonic()
            if self._counts is None or now - self._counted_at >= FRESH_SECONDS:
                self._counts = await self._ask()
                self._counted_at = self._clock.monotonic()
            return self._counts

    async def _ask(self) -> Counts | None:
        try:
            async with asyncio.timeout(DATABASE_SECONDS):
                return await self._gauges.counts()
        except (StorageError, TimeoutError) as error:
            _log.warning("the database did not answer", failure=type(error).__name__)
            return None


@asynccontextmanager
async def served(listen: str | None, pages: Pages) -> AsyncGenerator[None]:
    """Serve the pages meanwhile, or nothing where `listen` is None. Raises `StartupError` where that cannot be."""
    if listen is None:
        yield
        return
    host, port = address(listen)
    runner = web.AppRunner(_application(pages), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise refusal(listen, error) from None
        yield
    finally:
        await runner.cleanup()


def _application(pages: Pages) -> web.Application:
    application = web.Application(client_max_size=1024)
    application.router.add_get("/healthz", pages.healthz)
    application.router.add_get("/metrics", pages.metrics)
    application.on_response_prepare.append(_name_the_server)
    return application


async def _name_the_server(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers["Server"] = SERVER
