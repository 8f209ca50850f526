"""Changing the access rules of an installation in one transaction."""

import asyncio
import json

import pytest
from sqlalchemy import select

from storage import tables
from storage.access import Access
from storage.engine import Database
from storage.installations import Installations
from storage.records import Installation
from tests.support.records import GUILD, NOW, OWNER, installation


async def change(database: Database, **rule: str) -> Installation | None:
    """Add a rule to those that are there."""

    def added(row: Installation) -> str:
        return json.dumps(json.loads(row.access) | rule)

    tool = next(iter(rule))
    return await Access(database).set_access("i1", GUILD, added, now=NOW, actor_id=OWNER, tool=tool)


async def rules(database: Database) -> dict[str, str]:
    row = await Installations(database).get("i1")
    assert row is not None
    return json.loads(row.access)


async def audited(database: Database) -> list[tuple[object, ...]]:
    audit = tables.audit.c
    columns = select(audit.installation_id, audit.actor_id, audit.tool, audit.at)
    return [(*row,) for row in await database.all(columns.where(audit.what == "access").order_by(audit.id))]


async def test_a_change_is_stored_with_who_made_it_and_for_which_tool(database: Database) -> None:
    await Installations(database).add(installation(), [])
    before = await change(database, peek="owner")
    assert before is not None
    assert before.access == "{}"
    assert await rules(database) == {"peek": "owner"}
    assert await audited(database) == [("i1", OWNER, "peek", NOW)]


async def test_what_changes_nothing_leaves_no_trace(database: Database) -> None:
    await Installations(database).add(installation(), [])
    await change(database, peek="owner")
    await change(database, peek="owner")
    assert len(await audited(database)) == 1


async def test_changes_at_the_same_moment_are_all_kept(database: Database) -> None:
    await Installations(database).add(installation(), [])
    await asyncio.gather(*(change(database, **{f"tool{number}": "owner"}) for number in range(8)))
    assert len(await rules(database)) == 8
    assert len(await audited(database)) == 8


async def test_an_installation_that_is_gone_or_another_servers_is_not_changed(database: Database) -> None:
    assert await change(database, peek="owner") is None
    await Installations(database).add(installation(guild_id="2"), [])
    assert await change(database, peek="owner") is None
    assert await rules(database) == {}
    assert await audited(database) == []


async def test_a_change_that_is_refused_leaves_everything_as_it_was(database: Database) -> None:
    await Installations(database).add(installation(), [])

    def refused(row: Installation) -> str:
        raise LookupError(row.id)

    with pytest.raises(LookupError):
        await Access(database).set_access("i1", GUILD, refused, now=NOW, actor_id=OWNER)
    assert await audited(database) == []
    assert await change(database, peek="owner") is not None
