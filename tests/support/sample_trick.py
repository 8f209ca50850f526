"""The sample trick, served in the test's own loop, and a client that signs for it."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest_asyncio
from aiohttp import web

from bot.demo.sample_trick import SignedServer, SnackClub, Tool
from tests.support.signed_client import SECRET, SignedClient

PUBLIC_URL = "https://snacks.example.com"


class _LargerClub(SnackClub):
    def __init__(self, pace: float, more_tools: Sequence[Tool]) -> None:
        super().__init__(pace)
        self._more_tools = more_tools

    def tools(self) -> list[Tool]:
        return [*super().tools(), *self._more_tools]


@asynccontextmanager
async def serving(
    secrets: Sequence[str] = (SECRET,), *, pace: float = 0.0, more_tools: Sequence[Tool] = ()
) -> AsyncGenerator[str]:
    """The base URL of a sample trick that trusts `secrets`."""
    server = SignedServer(secrets, PUBLIC_URL, _LargerClub(pace, more_tools))
    runner = web.AppRunner(server.application(), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@pytest_asyncio.fixture
async def snack_club() -> AsyncIterator[SignedClient]:
    """A client of a fresh sample trick, with the secret that the trick trusts."""
    async with serving() as base, SignedClient(base, SECRET) as client:
        yield client
