"""A database that somebody else has locked: one sentence in time, nothing sent, and on it goes."""

import sqlite3
import time
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.bridge import Bridge
from tests.support.kennel_process import Kennels
from tests.support.trick import TrickServer
from tests.support.world import text_of

BUSY = "Kennel's database is busy. Try again in a few seconds."


@pytest.fixture
async def kennels(tmp_path: Path, trick: TrickServer) -> AsyncIterator[Kennels]:
    async with Bridge() as bridge:
        yield Kennels(bridge, tmp_path, trick)


@contextmanager
def locked(directory: Path) -> Generator[None]:
    """Somebody else holds the write lock of the database file."""
    connection = sqlite3.connect(directory / "kennel.db", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


async def test_a_command_says_within_ten_seconds_that_the_database_is_busy_and_sends_nothing(
    kennels: Kennels, trick: TrickServer
) -> None:
    bridge, owner, channel = kennels.bridge, kennels.owner, kennels.channel
    async with kennels.process():
        await kennels.install(trick)
        with locked(kennels.directory):
            started = time.monotonic()
            slash = await bridge.slash(owner, channel, "save", snack="fruit")
            await bridge.send(owner, channel, "^save fruit")
            assert text_of(await slash.response()) == BUSY
            reply = await bridge.wait_for_message(channel)
            assert text_of(reply) == BUSY
            assert time.monotonic() - started < 10
        assert not trick.received("tools/call")

        again = await bridge.slash(owner, channel, "save", snack="fruit")
        assert "Saved: fruit." in text_of(await again.response())
