"""A migrated database for a test, once on SQLite and once on PostgreSQL.

PostgreSQL is the server on 127.0.0.1:5432 when one answers (user `postgres`, trust), else one started from
installed binaries, else the test is skipped, except under CI=true, where it fails.
"""

import asyncio
import glob
import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import AsyncGenerator, Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from storage import migrate
from storage.drivers import make_engine, read_url
from storage.engine import Database
from storage.errors import StorageError
from storage.faults import translated
from storage.partial_indexes import metadata

T = TypeVar("T")
BOTH = ["sqlite", "postgresql"]


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` in an event loop and a thread of its own, from a fixture that is not async."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@pytest.fixture(scope="session")
def postgresql_server() -> Generator[str]:
    """The URL of a PostgreSQL server, without a database."""
    if _answers(5432):
        yield "postgresql://postgres@127.0.0.1:5432"
    elif (binaries := find_binaries()) is not None:
        with own_server(binaries) as url:
            yield url
    elif os.environ.get("CI") == "true":
        pytest.fail("CI has to run these tests on PostgreSQL: none answers on 5432 and none is installed")
    else:
        pytest.skip("no PostgreSQL answers on 127.0.0.1:5432, and initdb is not installed")


@contextmanager
def new_database(server: str) -> Generator[str]:
    """The URL of a fresh database of the server, dropped afterwards with whoever is still connected."""
    name = f"kennel_{uuid.uuid4().hex}"
    run_apart(_command(server, f'CREATE DATABASE "{name}"'))
    try:
        yield f"{server}/{name}"
    finally:
        run_apart(_command(server, f'DROP DATABASE "{name}" WITH (FORCE)'))


@pytest.fixture(scope="session")
def postgresql_url(postgresql_server: str) -> Generator[str]:
    """A migrated PostgreSQL database of this test session."""
    with new_database(postgresql_server) as url:
        run_apart(migrate.upgrade(url))
        yield url


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file to copy."""
    file = tmp_path_factory.mktemp("template") / "kennel.db"
    run_apart(migrate.upgrade(f"sqlite:///{file}"))
    return file


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """A migrated SQLite database without rows."""
    file = shutil.copy(sqlite_template, tmp_path / "kennel.db")
    return f"sqlite:///{file}"


@pytest.fixture(params=BOTH)
def database_url(request: pytest.FixtureRequest) -> str:
    """The URL of a migrated database without rows."""
    if request.param == "sqlite":
        return request.getfixturevalue("sqlite_url")
    url: str = request.getfixturevalue("postgresql_url")
    run_apart(_command(url, *(f'DELETE FROM "{table.name}"' for table in reversed(metadata.sorted_tables))))
    return url


@pytest.fixture(params=BOTH)
def bare_url(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[str]:
    """The URL of a database without tables; on SQLite the file is not there yet."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'bare.db'}"
        return
    with new_database(request.getfixturevalue("postgresql_server")) as url:
        yield url


@pytest.fixture
def own_url(bare_url: str) -> str:
    """The URL of a migrated database that no other test uses: for those that would leave many dead rows there."""
    run_apart(migrate.upgrade(bare_url))
    return bare_url


@pytest.fixture
async def database(database_url: str) -> AsyncGenerator[Database]:
    """A migrated database without rows, open."""
    opened = await Database.open(database_url)
    yield opened
    await opened.close()


def find_binaries() -> Path | None:
    """The folder with `initdb` and `pg_ctl`, None when PostgreSQL is not installed."""
    found = [*glob.glob("/usr/lib/postgresql/*/bin/initdb"), shutil.which("initdb")]
    return next((Path(initdb).parent for initdb in found if initdb), None)


@contextmanager
def own_server(binaries: Path) -> Generator[str]:
    """The URL of a server on a free port, thrown away afterwards. PostgreSQL refuses to run as root."""
    folder = tempfile.mkdtemp(prefix="kennel-postgresql-")
    user = "nobody" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user)
    port = _free_port()
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    control = [str(binaries / "pg_ctl"), "-D", f"{folder}/data", "-w"]

    def run(*command: str) -> None:
        subprocess.run(command, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL)

    try:
        run(
            str(binaries / "initdb"),
            "-D",
            f"{folder}/data",
            "-U",
            "postgres",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "-N",
        )
        run(*control, "-l", f"{folder}/log", "-o", options, "start")
        try:
            yield f"postgresql://postgres@127.0.0.1:{port}"
        finally:
            run(*control, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            pass
        run_apart(_command(f"postgresql://postgres@127.0.0.1:{port}", "SELECT 1"))
    except (OSError, StorageError):
        return False
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _command(url: str, *statements: str) -> None:
    address = url if url.count("/") > 2 else f"{url}/postgres"
    engine = make_engine(read_url(address), "migrate", 5_000)
    try:
        with translated():
            async with engine.connect() as connection:
                await connection.execution_options(isolation_level="AUTOCOMMIT")
                for statement in statements:
                    await connection.exec_driver_sql(statement)
    finally:
        await engine.dispose()
