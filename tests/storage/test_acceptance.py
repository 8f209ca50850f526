"""Accepting what a trick has become: all of it or nothing, and only what was compared."""

import asyncio
import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import select

from storage import consents, tables
from storage.acceptance import Acceptance, NewDefinition, version_of
from storage.commands import Commands
from storage.consents import Consents
from storage.engine import Database
from storage.errors import NameTaken, NoRoom
from storage.guilds import Guilds
from storage.installations import Installations
from storage.records import Command, Installation, Pin
from storage.subscriptions import Subscriptions
from tests.support.records import GUILD, NOW, OWNER, command, installation, pin
from tests.support.request_records import ASKER, consent
from tests.support.storing import enabled, everything

LATER = NOW + 1
MCP = consent().endpoint


def new(
    *, commands: Sequence[Command] = (), pins: Sequence[Pin] | None = None, **changes: Any
) -> NewDefinition:
    row = NewDefinition(
        name="Snack Bar",
        manifest='{"new":1}',
        mcp=MCP,
        commands=commands,
        pins=pins,
        events=(),
        settings_from=lambda stored: stored,
        access_from=lambda stored: stored,
    )
    return dataclasses.replace(row, **changes)


async def found(database: Database) -> Installation:
    row = await Installations(database).get("i1")
    assert row is not None
    return row


async def version(database: Database) -> str:
    row = await found(database)
    return version_of(row.manifest, await Installations(database).pins("i1"))


async def accept(database: Database, definition: NewDefinition, seen: str | None = None) -> bool:
    seen = seen or await version(database)
    return await Acceptance(database).accept("i1", seen, definition, LATER, OWNER)


async def test_everything_takes_the_place_of_what_was_there(database: Database) -> None:
    await enabled(database, installation(), [command("snacks"), command("old")])
    await Installations(database).set_held_back("i1", ["list_snacks"])
    seq, _ = await Guilds(database).changes_after(0)
    changed = pin(definition_hash="newer", pinned_at=LATER)
    added = pin("paint", pinned_at=LATER)
    wanted = [command("snacks", tool="paint"), command("paint", tool="paint", position=1)]
    definition = new(
        commands=wanted,
        pins=[changed, added],
        events=["member.left"],
        settings_from="settings {}".format,
        access_from="access {}".format,
    )
    assert await accept(database, definition)
    row = await found(database)
    assert (row.name, row.manifest, row.held_back, row.state) == ("Snack Bar", '{"new":1}', (), "enabled")
    assert (row.settings, row.access) == ("settings {}", "access {}")
    assert set(await Installations(database).pins("i1")) == {changed, added}
    assert await Commands(database).of_installation("i1") == tuple(wanted)
    subscription = await Subscriptions(database).of("i1")
    assert subscription is not None
    assert (subscription.hears_joined, subscription.hears_left) == (False, True)
    assert await Guilds(database).changes_after(seq) == (seq + 1, (GUILD,))
    audit = tables.audit.c
    rows = await database.all(select(audit.what, audit.actor_id, audit.at).order_by(audit.id))
    assert tuple(rows[-1]) == ("accepted", OWNER, LATER)


async def test_a_trick_that_was_never_enabled_gets_no_definitions(database: Database) -> None:
    await Installations(database).add(installation(), [command("old")])
    assert await accept(database, new(commands=[command("new")]))
    row = await found(database)
    assert (row.state, row.pinned, row.manifest) == ("registered", False, '{"new":1}')
    assert await Installations(database).pins("i1") == ()
    assert [each.name for each in await Commands(database).of_installation("i1")] == ["new"]


async def test_only_what_was_compared_is_replaced(database: Database) -> None:
    await enabled(database, installation(), [command()])
    seen = await version(database)
    assert await accept(database, new(pins=[pin(definition_hash="newer")]), seen)
    before = await everything(database)
    assert not await accept(database, new(pins=[pin(definition_hash="newest")]), seen)
    other_manifest = version_of("{}", await Installations(database).pins("i1"))
    assert not await accept(database, new(pins=[pin()]), other_manifest)
    assert not await Acceptance(database).accept("nowhere", seen, new(), LATER, OWNER)
    assert await everything(database) == before


async def test_of_many_that_accept_the_same_one_does(database: Database) -> None:
    await enabled(database, installation(), [command()])
    seen = await version(database)
    definition = new(commands=[command()], pins=[pin(definition_hash="newer")])
    done = await asyncio.gather(*(accept(database, definition, seen) for _ in range(5)))
    assert sorted(done) == [False] * 4 + [True]


async def test_names_and_room_of_other_tricks_stay_theirs_and_nothing_is_changed(database: Database) -> None:
    await enabled(database, installation(), [command("a"), command("b", position=1)])
    await enabled(database, installation("i2"), [command("taken", "i2"), command("quiet", "i2", slash=False)])
    store, seen, before = Acceptance(database), await version(database), await everything(database)
    definition = new(commands=[command("a"), command("taken")], pins=[pin()])
    with pytest.raises(NameTaken) as taken:
        await accept(database, definition)
    assert taken.value.names == ("taken",)
    many = [command(name) for name in ("a", "c", "d")]
    with pytest.raises(NoRoom) as full:
        await store.accept("i1", seen, new(commands=many, pins=[pin()]), LATER, OWNER, room=3)
    assert full.value.count == 2
    for commands, room in ((definition.commands, 100), (many, 3)):
        with pytest.raises((NameTaken, NoRoom)):
            await store.refuse_conflicts("i1", GUILD, commands, room=room)
    await store.refuse_conflicts("i1", GUILD, many, room=4)
    assert await everything(database) == before


async def test_consents_for_another_definition_or_address_lapse_and_the_others_stay(
    database: Database,
) -> None:
    await enabled(database, installation(), [command()])
    given = [
        consent("same", definition_hash="kept"),
        consent("changed", definition_hash="older"),
        consent("gone", definition_hash="kept"),
        consent("same", definition_hash="kept", endpoint="https://old.example/mcp", member_id="somebody"),
    ]
    await enabled(database, installation("i2"))
    given.append(consent("gone", installation_id="i2"))
    for each in given:
        await database.write(lambda connection, each=each: consents.store(connection, each))
    pins = [pin("same", definition_hash="kept"), pin("changed", definition_hash="newer")]
    assert await accept(database, new(pins=pins))
    store = Consents(database)
    assert await store.find(ASKER, "i1", "same") == given[0]
    assert await store.find(ASKER, "i2", "gone") == given[-1]
    for member, tool in ((ASKER, "changed"), (ASKER, "gone"), ("somebody", "same")):
        assert await store.find(member, "i1", tool) is None
