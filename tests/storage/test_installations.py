"""Installations from registration to removal."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import select

from storage import tables
from storage.commands import Commands
from storage.drafts import Drafts
from storage.engine import Database
from storage.errors import AlreadyInstalled, NameTaken, NoRoom
from storage.guilds import Guilds
from storage.installations import Installations
from storage.records import CallOutcome, Installation
from tests.support.records import GUILD, NOW, OWNER, action, call, command, draft, installation, pin
from tests.support.storing import counts, enabled, ended, everything


async def audited(database: Database) -> Sequence[Sequence[object]]:
    audit = tables.audit.c
    return await database.all(select(audit.what, audit.installation_id, audit.actor_id).order_by(audit.id))


async def found(database: Database, installation_id: str = "i1") -> Installation:
    row = await Installations(database).get(installation_id)
    assert row is not None
    return row


async def test_what_is_added_is_found_by_id_by_trick_and_by_server(database: Database) -> None:
    store = Installations(database)
    new = installation(held_back=("a", "b"), previous_secret="old", previous_secret_until=NOW)
    await store.add(new, [command("b", position=1), command("a", position=0)])
    assert await store.get("i1") == new
    assert await store.by_trick(GUILD, "trick-i1") == new
    assert await store.of_guild(GUILD) == (new,)
    assert [c.name for c in await Commands(database).of_installation("i1")] == ["a", "b"]
    assert list(map(tuple, await audited(database))) == [("registered", "i1", OWNER)]


async def test_nothing_is_found_that_is_not_there(database: Database) -> None:
    store = Installations(database)
    assert await store.get("i1") is None
    assert await store.by_trick(GUILD, "trick-i1") is None
    assert await store.of_guild(GUILD) == ()
    assert await store.pins("i1") == ()


async def test_installations_of_a_server_come_oldest_first(database: Database) -> None:
    store = Installations(database)
    for id, created_at in (("i1", NOW + 2), ("i2", NOW), ("i3", NOW + 1)):
        await store.add(installation(id, created_at=created_at), [])
    assert [row.id for row in await store.of_guild(GUILD)] == ["i2", "i3", "i1"]


async def test_a_trick_is_installed_once_in_a_server_and_also_in_another(database: Database) -> None:
    store = Installations(database)
    await store.add(installation(), [command()])
    with pytest.raises(AlreadyInstalled):
        await store.add(installation("i2", trick_id="trick-i1"), [])
    await store.add(
        installation("i3", trick_id="trick-i1", guild_id="2"), [command("snacks", "i3", guild_id="2")]
    )


async def test_a_taken_name_is_refused_with_all_taken_names_and_nothing_is_stored(database: Database) -> None:
    store = Installations(database)
    await store.add(installation(), [command("a"), command("b"), command("c", slash=False)])
    with pytest.raises(NameTaken) as taken:
        await store.add(installation("i2"), [command(name, "i2") for name in ("d", "c", "a")])
    assert taken.value.names == ("a", "c")
    assert await store.get("i2") is None
    assert (await counts(database))["commands"] == 3


async def test_more_slash_commands_than_there_is_room_for_are_refused_with_the_room(
    database: Database,
) -> None:
    store = Installations(database)
    await store.add(installation(), [command("a"), command("b"), command("p", slash=False)], room=3)
    with pytest.raises(NoRoom) as full:
        await store.add(installation("i2"), [command("c", "i2"), command("d", "i2")], room=3)
    assert full.value.count == 1
    await store.add(installation("i2"), [command("c", "i2"), command("d", "i2", slash=False)], room=3)


async def test_of_two_tricks_that_want_one_name_at_once_one_gets_it(database: Database) -> None:
    store = Installations(database)
    ends = await asyncio.gather(
        *(store.add(installation(f"i{n}"), [command("same", f"i{n}")]) for n in range(6)),
        return_exceptions=True,
    )
    assert sorted(type(end).__name__ for end in ends) == ["NameTaken"] * 5 + ["NoneType"]
    assert len(await store.of_guild(GUILD)) == 1


async def test_a_state_changes_only_from_an_allowed_one(database: Database) -> None:
    store = Installations(database)
    await enabled(database, installation())
    assert not await store.set_state("i1", {"disabled", "paused"}, "enabled", NOW, "7")
    assert await store.set_state("i1", {"enabled", "paused"}, "disabled", NOW, "7")
    assert not await store.set_state("i1", {"enabled", "paused"}, "disabled", NOW, "7")
    assert not await store.set_state("nowhere", {"enabled"}, "disabled", NOW, "7")
    assert (await found(database)).state == "disabled"
    assert [tuple(row) for row in (await audited(database))[2:]] == [("disabled", "i1", "7")]


async def test_a_change_of_state_is_seen_by_a_poll_and_wants_the_commands_written(database: Database) -> None:
    await enabled(database, installation())
    seq, _ = await Guilds(database).changes_after(0)
    await Installations(database).set_state("i1", {"enabled"}, "disabled", NOW, OWNER)
    assert await Guilds(database).changes_after(seq) == (seq + 1, (GUILD,))
    guild = await Guilds(database).get(GUILD)
    assert guild is not None
    assert guild.commands_wanted == 2


async def test_enabling_a_paused_trick_ends_its_row_of_failures(database: Database) -> None:
    await enabled(database, installation())
    for n in range(5):
        await ended(database, call(f"c{n}"), CallOutcome("failed", failure="No answer.", fault=True))
    paused = await found(database)
    assert (paused.state, paused.failures, paused.notice) == ("paused", 5, "No answer.")
    assert await Installations(database).set_state("i1", {"paused"}, "enabled", NOW, OWNER)
    resumed = await found(database)
    assert (resumed.state, resumed.failures, resumed.notice) == ("enabled", 0, None)


async def test_definitions_are_accepted_once_together_with_the_first_enabling(database: Database) -> None:
    store = Installations(database)
    await store.add(installation(), [])
    assert await store.enable_first("i1", [pin("a"), pin("b")], NOW, OWNER)
    assert not await store.enable_first("i1", [pin("c")], NOW, OWNER)
    await store.set_state("i1", {"enabled"}, "disabled", NOW, OWNER)
    assert not await store.enable_first("i1", [pin("c")], NOW, OWNER)
    assert {p.tool for p in await store.pins("i1")} == {"a", "b"}
    row = await found(database)
    assert (row.state, row.pinned) == ("disabled", True)


async def test_a_pin_comes_back_as_it_was(database: Database) -> None:
    store = Installations(database)
    await store.add(installation(), [])
    whole = pin("a", read_only=False, always_ask=True, thread=True, user_request=True, input_schema='{"a":1}')
    await store.enable_first("i1", [whole], NOW, OWNER)
    assert await store.pins("i1") == (whole,)


async def test_tools_held_back_are_stored(database: Database) -> None:
    store = Installations(database)
    await store.add(installation(), [])
    assert await store.set_held_back("i1", ["b", "a"])
    assert (await found(database)).held_back == ("b", "a")
    assert await store.set_held_back("i1", [])
    assert (await found(database)).held_back == ()
    assert not await store.set_held_back("nowhere", ["a"])


async def test_what_was_compared_with_other_definitions_holds_nothing_back(database: Database) -> None:
    store = Installations(database)
    await enabled(database, installation(), [command()])
    other = pin(definition_hash="older")
    assert not await store.set_held_back("i1", ["list_snacks"], judged=[other])
    assert not await store.set_held_back("i1", ["list_snacks"], judged=[])
    assert (await found(database)).held_back == ()
    assert await store.set_held_back("i1", ["list_snacks"], judged=[pin()])
    assert (await found(database)).held_back == ("list_snacks",)


async def fill(database: Database, id: str) -> None:
    """Rows of the installation in every table that has such rows."""
    await enabled(database, installation(id), [command(f"name-{id}", id)])
    outcome = CallOutcome("succeeded", result="{}", fault=False, actions=(action(f"key-{id}"),))
    await ended(database, call(f"call-{id}", id), outcome)
    await Drafts(database).add(draft(f"draft-{id}", installation_id=id))


async def test_removal_leaves_no_row_of_the_installation_in_any_table(database: Database) -> None:
    await fill(database, "keep")
    before = await counts(database)
    await fill(database, "gone")
    assert "gone" in await everything(database)
    assert await Installations(database).remove("gone", NOW, OWNER)
    left = await everything(database)
    assert "gone" not in left.replace("claim-call-gone", "")
    assert "keep" in left
    extra = {"audit": before["audit"] + 1, "claims": before["claims"] + 1}
    assert await counts(database) == before | extra
    assert tuple((await audited(database))[-1]) == ("removed", None, OWNER)


async def test_removal_is_seen_by_a_poll_and_happens_once(database: Database) -> None:
    await fill(database, "i1")
    seq, _ = await Guilds(database).changes_after(0)
    removed = await asyncio.gather(*(Installations(database).remove("i1", NOW, OWNER) for _ in range(3)))
    assert sorted(removed) == [False, False, True]
    assert await Guilds(database).changes_after(seq) == (seq + 1, (GUILD,))


async def test_a_removed_trick_can_be_registered_again_with_the_same_names(database: Database) -> None:
    await fill(database, "i1")
    await Installations(database).remove("i1", NOW, OWNER)
    await enabled(database, installation(), [command("name-i1")])
    assert await Commands(database).find_command(GUILD, "name-i1") is not None


async def test_what_was_removed_is_in_no_file_any_more(sqlite_url: str) -> None:
    database = await Database.open(sqlite_url)
    await enabled(database, installation(secret="marker-of-a-secret", manifest="marker-long" * 2_000))
    assert b"marker-of-a-secret" in on_disk(sqlite_url)
    await Installations(database).remove("i1", NOW, OWNER)
    assert b"marker" not in on_disk(sqlite_url)
    await database.close()


def on_disk(url: str) -> bytes:
    file = Path(url.removeprefix("sqlite:///"))
    return b"".join(path.read_bytes() for path in file.parent.glob(f"{file.name}*"))
