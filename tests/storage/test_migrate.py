"""Migrations: what they build, who runs them, and what an interrupted one leaves."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from storage import migrate
from storage.drivers import make_engine, read_url
from storage.engine import Database
from storage.errors import DatabaseNewer, DatabaseOutdated, DatabaseUnreachable
from storage.meta import Meta
from storage.partial_indexes import metadata
from tests.support.databases import new_database

ROOT = Path(__file__).parents[2]
T = TypeVar("T")


async def on(url: str, work: Callable[[Connection], T]) -> T:
    engine = make_engine(read_url(url), "migrate", 5_000)
    async with engine.begin() as connection:
        result = await connection.run_sync(work)
    await engine.dispose()
    return result


def schema(connection: Connection) -> dict[str, Any]:
    """Everything that the database says of its tables, Alembic's own left out."""
    looking = inspect(connection)
    return {
        name: {
            "columns": [{**column, "type": repr(column["type"])} for column in looking.get_columns(name)],
            "key": looking.get_pk_constraint(name),
            "parents": sorted(looking.get_foreign_keys(name), key=repr),
            "unique": looking.get_unique_constraints(name),
            "indexes": sorted(str(index_facts(index)) for index in looking.get_indexes(name)),
            "checks": looking.get_check_constraints(name),
        }
        for name in looking.get_table_names()
        if name != "alembic_version"
    }


def index_facts(index: Any) -> dict[str, Any]:
    options = {key: str(value) for key, value in index.pop("dialect_options", {}).items()}
    return {**index, **options}


def set_version(version: str) -> Callable[[Connection], None]:
    def work(connection: Connection) -> None:
        connection.execute(text("UPDATE alembic_version SET version_num = :version"), {"version": version})

    return work


async def compare(migrated_url: str, made_url: str) -> None:
    await migrate.upgrade(migrated_url)
    await on(made_url, metadata.create_all)
    migrated, made = await on(migrated_url, schema), await on(made_url, schema)
    assert migrated == made
    assert set(migrated) == set(metadata.tables)


async def test_all_migrations_build_exactly_the_tables_on_sqlite(tmp_path: Path) -> None:
    await compare(f"sqlite:///{tmp_path / 'migrated.db'}", f"sqlite:///{tmp_path / 'made.db'}")


async def test_all_migrations_build_exactly_the_tables_on_postgresql(postgresql_server: str) -> None:
    with new_database(postgresql_server) as migrated_url, new_database(postgresql_server) as made_url:
        await compare(migrated_url, made_url)


async def test_alembic_finds_nothing_left_to_migrate(bare_url: str) -> None:
    await migrate.upgrade(bare_url)

    def differences(connection: Connection) -> list[Any]:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))

    assert await on(bare_url, differences) == []


def test_the_revisions_known_without_alembic_are_those_of_the_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", str(ROOT / "storage" / "migrations"))
    scripts = ScriptDirectory.from_config(config)
    newest_first = [script.revision for script in scripts.walk_revisions()]
    assert tuple(reversed(newest_first)) == migrate.REVISIONS
    assert scripts.get_heads() == [migrate.HEAD]


async def test_an_upgrade_says_what_it_found_and_a_second_finds_nothing_to_do(bare_url: str) -> None:
    assert await migrate.upgrade(bare_url) is None
    assert await migrate.state(bare_url) == migrate.HEAD
    assert await migrate.upgrade(bare_url) == migrate.HEAD
    database = await Database.open(bare_url)
    await migrate.require_current(database)
    assert await migrate.state(database) == migrate.HEAD
    await database.close()


async def test_a_database_without_tables_is_outdated(bare_url: str) -> None:
    with pytest.raises(DatabaseOutdated) as outdated:
        await migrate.require_current(bare_url)
    assert outdated.value.found is None


async def test_asking_for_the_state_makes_no_file(tmp_path: Path) -> None:
    assert await migrate.state(f"sqlite:///{tmp_path / 'none.db'}") is None
    assert os.listdir(tmp_path) == []
    with pytest.raises(DatabaseUnreachable):
        await migrate.state(f"sqlite:///{tmp_path / 'no folder' / 'none.db'}")


async def test_a_newer_database_is_refused_and_left_as_it_is(bare_url: str) -> None:
    await migrate.upgrade(bare_url)
    await on(bare_url, set_version("9999"))
    for refusing in (migrate.upgrade, migrate.require_current):
        with pytest.raises(DatabaseNewer) as newer:
            await refusing(bare_url)
        assert newer.value.found == "9999"
    assert await migrate.state(bare_url) == "9999"


async def test_upgrades_at_once_all_end_well_and_one_does_the_work(bare_url: str) -> None:
    found = await asyncio.gather(*(migrate.upgrade(bare_url) for _ in range(3)))
    assert sorted(found, key=str) == [migrate.HEAD, migrate.HEAD, None]


async def test_an_upgrade_keeps_the_rows_that_are_there(database: Database, database_url: str) -> None:
    await Meta(database).set("a", "1")
    await migrate.upgrade(database_url)
    assert await Meta(database).get("a") == "1"


async def stopped_upgrade(url: str) -> asyncio.subprocess.Process:
    """Another process that stands still in the middle of an upgrade."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.storage.stopped_upgrade", url, cwd=ROOT, stdin=pipe, stdout=pipe
    )
    assert process.stdout is not None
    assert await asyncio.wait_for(process.stdout.readline(), 60) == b"in the middle\n"
    return process


async def test_a_process_killed_in_the_middle_of_an_upgrade_leaves_the_old_state(bare_url: str) -> None:
    process = await stopped_upgrade(bare_url)
    process.kill()
    await process.communicate()
    assert await migrate.state(bare_url) is None
    assert await on(bare_url, schema) == {}


async def test_who_waited_for_a_killed_upgrade_does_the_work(bare_url: str) -> None:
    process = await stopped_upgrade(bare_url)
    waiting = asyncio.create_task(migrate.upgrade(bare_url))
    assert await migrate.state(bare_url) is None
    assert not waiting.done()
    process.kill()
    await process.communicate()
    assert await asyncio.wait_for(waiting, 60) is None
    assert set(await on(bare_url, schema)) == set(metadata.tables)
