"""Calls: recorded once, ended once, counted towards the pause."""

import asyncio
from collections.abc import Sequence

import pytest
from sqlalchemy import select

from storage import tables
from storage.calls import Calls
from storage.engine import Database
from storage.erase import Erase
from storage.errors import ParentGone
from storage.guilds import Guilds
from storage.installations import Installations
from storage.records import CallOutcome, Claim, FailedCall, Finished
from tests.support.records import GUILD, NOW, OWNER, action, call, installation
from tests.support.storing import FAR, begun, counts, enabled, ended

FAULT = CallOutcome("failed", failure="No answer.", fault=True)
SUCCESS = CallOutcome("succeeded", result='{"a":1}', fault=False)
NEUTRAL = CallOutcome("failed", failure="The tool said no.", said="no", fault=None)


async def stored(database: Database, call_id: str = "c1") -> dict[str, object]:
    row = (await database.all(select(tables.calls).where(tables.calls.c.id == call_id)))[0]
    return dict(zip(tables.calls.c.keys(), row, strict=True))


async def standing(database: Database) -> tuple[str, int]:
    row = await Installations(database).get("i1")
    assert row is not None
    return row.state, row.failures


async def audited(database: Database) -> Sequence[Sequence[object]]:
    audit = tables.audit.c
    columns = (audit.what, audit.call_id, audit.actor_id, audit.tool, audit.outcome)
    rows = await database.all(select(*columns).where(audit.call_id.is_not(None)).order_by(audit.id))
    return [tuple(row) for row in rows]


async def test_a_begun_call_is_stored_as_sent_with_what_was_asked(database: Database) -> None:
    await enabled(database, installation())
    await begun(database, call(message_id="m1"))
    row = await stored(database)
    assert (row["status"], row["arguments"], row["started_at"]) == ("sent", '{"q":1}', NOW)
    assert (row["message_id"], row["origin"], row["asker_id"]) == ("m1", "slash", OWNER)
    assert row["finished_at"] is row["result"] is None


async def test_the_same_claim_begins_one_call_until_it_expires(database: Database) -> None:
    await enabled(database, installation())
    store = Calls(database)
    assert await store.begin(Claim("press", NOW + 100), call("c1"), NOW)
    assert not await store.begin(Claim("press", NOW + 200), call("c2"), NOW + 99)
    assert (await counts(database))["calls"] == 1
    assert await store.begin(Claim("press", NOW + 200), call("c3"), NOW + 100)
    assert not await store.begin(Claim("press", NOW + 300), call("c4"), NOW + 150)


async def test_of_twenty_presses_at_once_one_begins_a_call(database: Database) -> None:
    await enabled(database, installation())
    store = Calls(database)
    begins = await asyncio.gather(*(store.begin(Claim("press", FAR), call(f"c{n}"), NOW) for n in range(20)))
    assert sorted(begins) == [False] * 19 + [True]
    assert (await counts(database))["calls"] == 1


async def test_a_call_of_a_removed_installation_is_refused_and_its_claim_is_free(database: Database) -> None:
    with pytest.raises(ParentGone):
        await Calls(database).begin(Claim("press", FAR), call(), NOW)
    assert await counts(database) == {}


async def test_an_ended_call_keeps_its_result_its_buttons_and_a_line_in_the_trail(database: Database) -> None:
    await enabled(database, installation())
    outcome = CallOutcome("succeeded", result='{"a":1}', fault=False, actions=(action("k1"), action("k2")))
    await begun(database, call())
    end = await Calls(database).finish("c1", outcome, NOW + 5)
    assert end == Finished(stored=True, paused=False)
    row = await stored(database)
    assert (row["status"], row["result"], row["finished_at"]) == ("succeeded", '{"a":1}', NOW + 5)
    assert (await counts(database))["actions"] == 2
    assert await audited(database) == [("called", "c1", OWNER, "list_snacks", "succeeded")]


async def test_a_call_ends_once(database: Database) -> None:
    await enabled(database, installation())
    await begun(database, call())
    store = Calls(database)
    ends = await asyncio.gather(*(store.finish("c1", FAULT, NOW) for _ in range(4)))
    assert sorted(end.stored for end in ends) == [False, False, False, True]
    assert await standing(database) == ("enabled", 1)
    assert await store.finish("nowhere", FAULT, NOW) == Finished(stored=False, paused=False)


async def test_a_call_whose_trick_was_removed_meanwhile_ends_without_a_trace(database: Database) -> None:
    await enabled(database, installation())
    await begun(database, call())
    await Installations(database).remove("i1", NOW, OWNER)
    end = await Calls(database).finish("c1", SUCCESS, NOW)
    assert end == Finished(stored=False, paused=False)
    assert "calls" not in await counts(database)


async def test_an_answer_to_an_erased_message_is_not_kept(database: Database) -> None:
    await enabled(database, installation())
    await begun(database, call(message_id="m1"))
    await Erase(database).messages_deleted(["m1"])
    outcome = CallOutcome("failed", result="{}", said="secret", fault=None, actions=(action(),))
    assert (await Calls(database).finish("c1", outcome, NOW)).stored
    row = await stored(database)
    assert (row["status"], row["arguments"], row["result"], row["said"]) == ("failed", None, None, None)
    assert "actions" not in await counts(database)


async def test_five_faults_in_a_row_pause_and_the_fifth_says_so(database: Database) -> None:
    await enabled(database, installation())
    paused = [await ended(database, call(f"c{n}"), FAULT) for n in range(6)]
    assert paused == [False, False, False, False, True, False]
    assert await standing(database) == ("paused", 6)
    row = await Installations(database).get("i1")
    assert row is not None
    assert row.notice == "No answer."
    assert [line[0] for line in await audited(database)].count("paused") == 1


async def test_a_success_starts_the_count_anew_and_what_is_neither_leaves_it(database: Database) -> None:
    await enabled(database, installation())
    outcomes = [FAULT, FAULT, NEUTRAL, FAULT, FAULT, SUCCESS, FAULT, NEUTRAL]
    for n, outcome in enumerate(outcomes):
        assert not await ended(database, call(f"c{n}"), outcome)
    assert await standing(database) == ("enabled", 1)


async def test_a_pause_is_seen_by_a_poll_and_leaves_the_commands_as_written(database: Database) -> None:
    await enabled(database, installation())
    seq, _ = await Guilds(database).changes_after(0)
    for n in range(5):
        await ended(database, call(f"c{n}"), FAULT)
    assert await Guilds(database).changes_after(seq) == (seq + 1, (GUILD,))
    guild = await Guilds(database).get(GUILD)
    assert guild is not None
    assert guild.commands_wanted == 1


async def test_faults_of_a_trick_that_was_turned_off_meanwhile_do_not_pause_it(database: Database) -> None:
    await enabled(database, installation())
    for n in range(5):
        await begun(database, call(f"c{n}"))
    await Installations(database).set_state("i1", {"enabled"}, "disabled", NOW, OWNER)
    for n in range(5):
        assert not (await Calls(database).finish(f"c{n}", FAULT, NOW)).paused
    assert (await standing(database))[0] == "disabled"


async def test_faults_at_once_are_all_counted_and_pause_once(database: Database) -> None:
    await enabled(database, installation())
    for n in range(8):
        await begun(database, call(f"c{n}"))
    store = Calls(database)
    ends = await asyncio.gather(*(store.finish(f"c{n}", FAULT, NOW) for n in range(8)))
    assert sorted(end.paused for end in ends) == [False] * 7 + [True]
    assert await standing(database) == ("paused", 8)


async def test_a_claim_can_end_earlier_than_it_was_taken_for_and_never_later(database: Database) -> None:
    await enabled(database, installation())
    store = Calls(database)
    await store.begin(Claim("press", FAR), call("c1"), NOW)
    await store.finish("c1", SUCCESS, NOW, shorten=Claim("press", NOW + 10))
    assert not await store.begin(Claim("press", FAR), call("c2"), NOW + 9)
    assert await store.begin(Claim("press", NOW + 20), call("c3"), NOW + 10)
    await store.finish("c3", SUCCESS, NOW + 11, shorten=Claim("press", FAR))
    assert await store.begin(Claim("press", FAR), call("c4"), NOW + 20)


async def test_calls_that_a_killed_process_left_are_unknown_and_in_the_trail(database: Database) -> None:
    await enabled(database, installation())
    await begun(database, call("old"), NOW)
    await begun(database, call("ended"), NOW)
    await Calls(database).finish("ended", SUCCESS, NOW)
    await begun(database, call("young"), NOW + 50)
    store = Calls(database)
    assert await store.abandoned(NOW + 50, NOW + 60, "Kennel was stopped.") == 1
    assert await store.abandoned(NOW + 50, NOW + 60, "Kennel was stopped.") == 0
    row = await stored(database, "old")
    assert (row["status"], row["failure"], row["finished_at"]) == ("unknown", "Kennel was stopped.", NOW + 60)
    assert (await stored(database, "young"))["status"] == "sent"
    assert (await audited(database))[-1] == ("called", "old", OWNER, "list_snacks", "unknown")
    assert not (await store.finish("old", SUCCESS, NOW + 70)).stored


async def test_the_log_has_failures_newest_first_and_no_inputs(database: Database) -> None:
    await enabled(database, installation())
    ends = [FAULT, SUCCESS, NEUTRAL, CallOutcome("unknown", failure="Lost.", fault=True)]
    for n, outcome in enumerate(ends):
        await ended(database, call(f"c{n}"), outcome, NOW + n)
    lines = await Calls(database).failures("i1", 2)
    assert lines == (
        FailedCall("c3", "list_snacks", "slash", "unknown", NOW + 3, NOW + 3, "Lost.", None, None),
        FailedCall("c2", "list_snacks", "slash", "failed", NOW + 2, NOW + 2, "The tool said no.", None, "no"),
    )
    assert len(await Calls(database).failures("i1", 10)) == 3


async def test_it_is_known_since_when_an_installation_is_paused(database: Database) -> None:
    await enabled(database, installation())
    for n in range(4):
        await ended(database, call(f"c{n}"), FAULT, NOW + n)
    assert await Calls(database).paused_at("i1") is None
    await ended(database, call("c4"), FAULT, NOW + 4)
    assert await Calls(database).paused_at("i1") == NOW + 4
    assert await Calls(database).paused_at("i2") is None


async def test_a_call_is_bound_to_the_first_message_that_it_is_kept_with(database: Database) -> None:
    await enabled(database, installation())
    await begun(database, call("c1"))
    await begun(database, call("c2", message_id="asker"))
    for call_id in ("c1", "c2", "c1"):
        await Calls(database).bind(call_id, f"answer-{call_id}")
    await Calls(database).bind("c1", "another")
    assert (await stored(database, "c1"))["message_id"] == "answer-c1"
    assert (await stored(database, "c2"))["message_id"] == "asker"


async def test_nothing_of_what_people_wrote_shows_when_a_record_is_printed() -> None:
    outcome = CallOutcome(
        "failed", result="MARK", said="MARK", actions=(action(label="MARK", arguments="MARK"),)
    )
    printed = f"{outcome!r} {call(arguments='MARK')!r} {installation(secret='MARK', settings='MARK')!r}"
    assert "MARK" not in printed
