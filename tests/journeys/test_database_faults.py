"""A full disk, a lost connection, a lock: one sentence for the member, nothing sent, and on it goes afterwards."""

import shutil
import time
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from bot.signing import new_key
from storage.drivers import make_engine, read_url
from tests.support.bridge import Bridge
from tests.support.databases import find_binaries, new_database, own_server, run_apart
from tests.support.kennel_process import Kennels
from tests.support.pages import ask, free_address
from tests.support.proxy import Proxy
from tests.support.small_disk import full
from tests.support.trick import TrickServer
from tests.support.world import text_of

FULL = "Kennel's disk is full. Whoever runs this bot has to make room."
LOST = "Kennel cannot reach its database. Try again in a minute."
SERVER_USER = "nobody"
"""As whom PostgreSQL is run by whoever may mount a disk."""
BUSY = "Kennel's database is busy. Try again in a few seconds."


@pytest.fixture
async def bridge() -> AsyncIterator[Bridge]:
    async with Bridge() as opened:
        yield opened


async def saves(kennels: Kennels) -> str:
    """What the owner is told who saves a snack."""
    slash = await kennels.bridge.slash(kennels.owner, kennels.channel, "save", snack="fruit")
    return text_of(await slash.response())


async def refused_while(
    kennels: Kennels, trick: TrickServer, trouble: AbstractContextManager[None], sentence: str
) -> None:
    """During the trouble a command says the sentence in time and sends nothing; afterwards it works."""
    assert "Saved: fruit." in await saves(kennels)
    calls = trick.count("tools/call")
    with trouble:
        started = time.monotonic()
        assert await saves(kennels) == sentence
        assert time.monotonic() - started < 10
    assert trick.count("tools/call") == calls
    assert "Saved: fruit." in await saves(kennels)


async def test_on_a_full_disk_with_sqlite_nothing_is_sent_that_could_not_be_recorded(
    bridge: Bridge, trick: TrickServer, small_disk: Path
) -> None:
    kennels = Kennels(bridge, small_disk, trick)
    async with kennels.process() as process:
        await kennels.install(trick)
        await refused_while(kennels, trick, full(small_disk), FULL)
        process.terminate()
        assert await process.exit_status() == 0


@contextmanager
def database_on(disk: Path) -> Generator[str]:
    """The URL of a database whose tables are on the disk, on a PostgreSQL server of its own."""
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("initdb is not installed")
    with own_server(binaries) as server:
        tables = disk / "tables"
        tables.mkdir()
        shutil.chown(tables, SERVER_USER)
        run_apart(execute(f"{server}/postgres", f"CREATE TABLESPACE small LOCATION '{tables}'"))
        run_apart(execute(f"{server}/postgres", "CREATE DATABASE kennel TABLESPACE small"))
        yield f"{server}/kennel"


async def execute(url: str, *statements: str) -> None:
    """Run statements outside a transaction."""
    engine = make_engine(read_url(url), "migrate", 5_000)
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        for statement in statements:
            await connection.exec_driver_sql(statement)
    await engine.dispose()


@asynccontextmanager
async def kennel_on(
    bridge: Bridge, trick: TrickServer, directory: Path, url: str, **variables: str
) -> AsyncGenerator[Kennels]:
    """A process on PostgreSQL, with the trick installed."""
    kennels = Kennels(bridge, directory, trick, url=url)
    async with kennels.process(KENNEL_STORAGE__ENCRYPTION_KEY=new_key(), **variables):
        await kennels.install(trick)
        yield kennels


@contextmanager
def full_with_full_pages(url: str, disk: Path) -> Generator[None]:
    """The disk is full, and the table in which each command begins has no page with room in it."""
    run_apart(execute(url, "DELETE FROM claims", "VACUUM claims", "CHECKPOINT"))
    with full(disk):
        yield


async def test_on_a_full_disk_with_postgresql_nothing_is_sent_that_could_not_be_recorded(
    bridge: Bridge, trick: TrickServer, small_disk: Path, tmp_path: Path
) -> None:
    with database_on(small_disk) as url:
        async with kennel_on(bridge, trick, tmp_path, url) as kennels:
            await refused_while(kennels, trick, full_with_full_pages(url, small_disk), FULL)


async def test_a_lost_connection_to_postgresql_is_one_sentence_and_a_503_until_it_is_back(
    bridge: Bridge, trick: TrickServer, postgresql_server: str, tmp_path: Path
) -> None:
    listen = free_address()
    with new_database(postgresql_server) as direct:
        address = make_url(direct)
        async with Proxy(address.host or "", address.port or 5432) as proxy:
            url = direct.replace(f":{address.port}/", f":{proxy.port}/")
            async with kennel_on(
                bridge, trick, tmp_path, url, KENNEL_OBSERVABILITY__LISTEN=listen
            ) as kennels:
                assert "Saved: fruit." in await saves(kennels)
                await proxy.cut()
                assert await saves(kennels) == LOST
                assert (await ask(listen, "/healthz")).status_code == 503
                assert trick.count("tools/call") == 1

                await proxy.mend()
                assert "Saved: fruit." in await saves(kennels)
                assert (await ask(listen, "/healthz")).status_code == 200


async def test_connections_that_postgresql_ended_are_made_anew_without_a_word(
    bridge: Bridge, trick: TrickServer, postgresql_server: str, tmp_path: Path
) -> None:
    with new_database(postgresql_server) as url:
        async with kennel_on(bridge, trick, tmp_path, url) as kennels:
            ended = (
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
            )
            await execute(url, ended + "AND pid <> pg_backend_pid()")
            assert "Saved: fruit." in await saves(kennels)
    assert trick.count("tools/call") == 1


async def test_a_locked_table_of_postgresql_is_told_in_time(
    bridge: Bridge, trick: TrickServer, postgresql_server: str, tmp_path: Path
) -> None:
    with new_database(postgresql_server) as url:
        async with kennel_on(bridge, trick, tmp_path, url) as kennels:
            engine = make_engine(read_url(url), "migrate", 5_000)
            async with engine.connect() as connection:
                await connection.execute(text("LOCK TABLE calls IN ACCESS EXCLUSIVE MODE"))
                assert await saves(kennels) == BUSY
                await connection.rollback()
            await engine.dispose()
            assert not trick.received("tools/call")
            assert "Saved: fruit." in await saves(kennels)
