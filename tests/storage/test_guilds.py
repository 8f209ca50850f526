"""Servers: prefixes, numbered changes, and the right to write a server's commands."""

import asyncio
from pathlib import Path

from sqlalchemy import select

from storage import tables
from storage.engine import Database
from storage.guilds import Guilds
from storage.installations import Installations
from storage.records import WrittenCommands
from tests.support.records import GUILD, NOW, OWNER, command, installation
from tests.support.storing import enabled

TODAY, TOMORROW = "2026-01-01", "2026-01-02"
LATER = NOW + 60_000


async def test_a_server_without_a_row_has_nothing_stored(database: Database) -> None:
    assert await Guilds(database).get(GUILD) is None
    assert await Guilds(database).prefixes() == {}


async def test_prefixes_of_all_servers_come_in_one_read_and_a_cleared_one_is_gone(database: Database) -> None:
    store = Guilds(database)
    for guild_id, prefix in (("1", "!"), ("2", "🐶"), ("3", "?"), ("3", None)):
        await store.set_prefix(guild_id, prefix)
    assert await store.prefixes() == {"1": "!", "2": "🐶"}


async def test_guidance_is_each_servers_own_and_a_cleared_one_is_gone(database: Database) -> None:
    store = Guilds(database)
    assert await store.guidance("1") is None
    await store.set_prefix("2", "!")
    for guild_id, text in (("1", "Be kind 🐶"), ("2", "Be brief"), ("2", None)):
        await store.set_guidance(guild_id, text, NOW, OWNER)
    assert await store.guidance("1") == "Be kind 🐶"
    assert await store.guidance("2") is None
    assert await store.prefixes() == {"2": "!"}


async def test_replaced_guidance_is_in_no_file_any_more(sqlite_url: str) -> None:
    database = await Database.open(sqlite_url)
    for text in ("marker-of-guidance" * 200, "Be kind"):
        await Guilds(database).set_guidance("1", text, NOW, OWNER)
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    kept = b"".join(path.read_bytes() for path in file.parent.glob(f"{file.name}*"))
    await database.close()
    assert b"Be kind" in kept
    assert b"marker" not in kept


async def test_the_audit_trail_says_who_changed_the_guidance_and_not_to_what(database: Database) -> None:
    await Guilds(database).set_guidance(GUILD, "Be kind", NOW, OWNER)
    rows = [tuple(row) for row in await database.all(select(tables.audit))]
    assert [(OWNER in row, GUILD in row, NOW in row, "guidance" in row) for row in rows] == [(True,) * 4]
    assert "kind" not in str(rows)


async def test_a_poll_names_each_changed_server_once_and_then_none(database: Database) -> None:
    store = Guilds(database)
    for guild_id in ("1", "2", "1"):
        await store.set_prefix(guild_id, "!")
    seq, changed = await store.changes_after(0)
    assert changed == ("2", "1")
    assert await store.changes_after(seq) == (seq, ())
    await store.set_prefix("2", "?")
    assert await store.changes_after(seq) == (seq + 1, ("2",))


async def test_concurrent_changes_all_get_a_number_of_their_own(database: Database) -> None:
    store = Guilds(database)
    await asyncio.gather(*(store.set_prefix(str(n), "!") for n in range(30)))
    seq, changed = await store.changes_after(0)
    assert (seq, len(set(changed))) == (30, 30)


async def test_a_poll_that_runs_while_changes_are_made_misses_none(database: Database) -> None:
    store = Guilds(database)
    changing = asyncio.gather(*(store.set_prefix(str(n), "!") for n in range(40)))
    seen: set[str] = set()
    seq = 0
    while not changing.done():
        seq, changed = await store.changes_after(seq)
        seen.update(changed)
    seq, changed = await store.changes_after(seq)
    assert len(seen.union(changed)) == 40


async def test_enabling_a_trick_makes_its_server_one_to_write(database: Database) -> None:
    store = Guilds(database)
    await Installations(database).add(installation(), [command()])
    assert await store.to_sync(TODAY) == ()
    await Installations(database).enable_first("i1", [], NOW, OWNER)
    assert await store.to_sync(TODAY) == (GUILD,)


async def test_one_holder_writes_at_a_time_and_a_dead_one_is_replaced_when_its_time_is_over(
    database: Database,
) -> None:
    store = Guilds(database)
    await enabled(database, installation())
    claimed = await store.claim_sync(GUILD, "a", NOW, LATER)
    assert claimed is not None
    assert (claimed.commands_wanted, claimed.commands_written, claimed.sync_holder) == (1, 0, "a")
    assert await store.claim_sync(GUILD, "b", NOW, LATER) is None
    assert await store.claim_sync(GUILD, "a", NOW, LATER) is None
    assert await store.claim_sync(GUILD, "b", LATER, LATER + 1) is not None
    written = WrittenCommands(1, "h", (), TODAY, 1)
    assert not await store.finish_sync(GUILD, "a", written)
    assert await store.finish_sync(GUILD, "b", written)


async def test_what_was_written_is_kept_and_nothing_is_left_to_write(database: Database) -> None:
    store = Guilds(database)
    await enabled(database, installation())
    await store.claim_sync(GUILD, "a", NOW, LATER)
    await store.finish_sync(GUILD, "a", WrittenCommands(1, "hash", ("eat", "snacks"), TODAY, 2))
    guild = await store.get(GUILD)
    assert guild is not None
    assert (guild.commands_hash, guild.command_names) == ("hash", ("eat", "snacks"))
    assert (guild.creates_day, guild.creates_used, guild.sync_holder) == (TODAY, 2, None)
    assert await store.to_sync(TODAY) == ()
    assert await store.claim_sync(GUILD, "a", NOW, LATER) is None


async def test_a_change_during_the_writing_leaves_the_server_to_be_written_again(database: Database) -> None:
    store = Guilds(database)
    await enabled(database, installation())
    await store.claim_sync(GUILD, "a", NOW, LATER)
    await Installations(database).set_state("i1", {"enabled"}, "disabled", NOW, OWNER)
    await store.finish_sync(GUILD, "a", WrittenCommands(1, "hash", (), TODAY, 0))
    assert await store.to_sync(TODAY) == (GUILD,)


async def test_a_released_right_can_be_taken_at_once(database: Database) -> None:
    store = Guilds(database)
    await enabled(database, installation())
    await store.claim_sync(GUILD, "a", NOW, LATER)
    await store.release_sync(GUILD, "b")
    assert await store.claim_sync(GUILD, "b", NOW, LATER) is None
    await store.release_sync(GUILD, "a")
    assert await store.claim_sync(GUILD, "b", NOW, LATER) is not None


async def test_a_parked_server_waits_for_the_next_day_or_the_next_change(database: Database) -> None:
    store = Guilds(database)
    await enabled(database, installation())
    await store.claim_sync(GUILD, "a", NOW, LATER)
    await store.finish_sync(GUILD, "a", WrittenCommands(0, None, (), TODAY, 200, "200 a day are used up."))
    assert await store.to_sync(TODAY) == ()
    assert await store.to_sync(TOMORROW) == (GUILD,)
    await store.set_prefix(GUILD, "!")
    assert await store.to_sync(TODAY) == ()
    await Installations(database).set_state("i1", {"enabled"}, "disabled", NOW, OWNER)
    assert await store.to_sync(TODAY) == (GUILD,)
