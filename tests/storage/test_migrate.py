"""Migrations: what they build, who runs them, and what an interrupted one leaves."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from alembic import command
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


async def stopped_upgrade(url: str, *before: str) -> asyncio.subprocess.Process:
    """Another process that stands still in the middle of an upgrade: before a statement with one of the texts."""
    pipe = asyncio.subprocess.PIPE
    arguments = ["-m", "tests.storage.stopped_upgrade", url, *(before or ("CREATE TABLE calls",))]
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, stdin=pipe, stdout=pipe
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


def upgrade_to(revision: str) -> Callable[[Connection], None]:
    def work(connection: Connection) -> None:
        config = Config()
        config.set_main_option("script_location", str(ROOT / "storage" / "migrations"))
        config.attributes["connection"] = connection
        command.upgrade(config, revision)

    return work


async def test_a_process_killed_while_it_makes_a_full_table_anew_leaves_the_old_revision_and_all_rows(
    bare_url: str,
) -> None:
    """SQLite changes a table by making another one in its place: nothing of it may be lost half way."""
    await on(bare_url, upgrade_to("0002"))
    await on(bare_url, with_a_button)
    before = await on(bare_url, schema)

    process = await stopped_upgrade(bare_url, "DROP TABLE actions", "ALTER TABLE actions")
    process.kill()
    await process.communicate()

    assert await migrate.state(bare_url) == "0002"
    assert await on(bare_url, schema) == before
    assert await on(bare_url, buttons) == ["k1"]
    assert await migrate.upgrade(bare_url) == "0002"
    assert set(await on(bare_url, schema)) == set(metadata.tables)
    assert await on(bare_url, buttons) == ["k1"]


def buttons(connection: Connection) -> list[str]:
    return list(connection.execute(text("SELECT key FROM actions")).scalars())


def with_a_button(connection: Connection) -> None:
    """A call and its button, as the second revision keeps them; what is not named may be empty or is filled in."""
    for table, row in (
        ("installations", {"id": "i1", "manifest": "{}"}),
        ("calls", {"id": "c1", "installation_id": "i1"}),
        ("actions", {"key": "k1", "installation_id": "i1", "call_id": "c1"}),
    ):
        filled = {
            column["name"]: _something(column["type"])
            for column in inspect(connection).get_columns(table)
            if not column["nullable"] and column["default"] is None
        } | row
        names = ", ".join(filled)
        values = ", ".join(f":{name}" for name in filled)
        connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({values})"), filled)


def _something(kind: Any) -> str | int | bool:
    return {bool: False, int: 0}.get(kind.python_type, "x")


async def test_who_waited_for_a_killed_upgrade_does_the_work(bare_url: str) -> None:
    process = await stopped_upgrade(bare_url)
    waiting = asyncio.create_task(migrate.upgrade(bare_url))
    assert await migrate.state(bare_url) is None
    assert not waiting.done()
    process.kill()
    await process.communicate()
    assert await asyncio.wait_for(waiting, 60) is None
    assert set(await on(bare_url, schema)) == set(metadata.tables)
