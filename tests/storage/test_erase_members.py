"""What an erasure for one member takes, and what it leaves to everybody else."""

import dataclasses

import pytest
from sqlalchemy import insert, select

from storage import tables
from storage.calls import Calls
from storage.consents import Consents
from storage.engine import Database
from storage.erase_members import NOBODY, EraseMembers
from storage.records import CallOutcome, Claim
from storage.request_tables import consents
from storage.request_tables import requests as request_rows
from storage.requests import Requests
from storage.threads import Threads
from tests.support.records import GUILD, NOW, OWNER, action, call, command, installation
from tests.support.request_records import ASKER, approval, asked, carded, consent, request
from tests.support.storing import begun, counts, enabled, ended, everything

OTHER = "90351110224678912"


async def trail(database: Database) -> list[tuple[str, str | None, str, str | None]]:
    """The audit trail: what, which call, who, which tool."""
    of = tables.audit.c
    rows = await database.all(select(of.what, of.call_id, of.actor_id, of.tool).order_by(of.id))
    return [(row[0], row[1], row[2], row[3]) for row in rows]


async def test_a_read_leaves_no_trace_and_a_write_stays_in_the_trail_without_the_member(
    database: Database,
) -> None:
    await enabled(database, installation(), [command()])  # `list_snacks` reads; `eat_snack` is not known to
    await ended(database, call("read", asker_id=ASKER), CallOutcome("succeeded"))
    await ended(database, call("write", asker_id=ASKER, tool="eat_snack"), CallOutcome("succeeded"))
    await ended(database, call("theirs", asker_id=OTHER), CallOutcome("succeeded"))
    assert await EraseMembers(database).rows(ASKER) == 4
    assert (await trail(database))[2:] == [
        ("called", None, NOBODY, "eat_snack"),
        ("called", "theirs", OTHER, "list_snacks"),
    ]
    assert ASKER not in await everything(database)
    assert (await counts(database))["calls"] == 1


async def test_an_owner_who_erases_themselves_keeps_their_tricks(database: Database) -> None:
    await enabled(database, installation(), [command()])
    await EraseMembers(database).rows(OWNER)
    (row,) = await database.all(select(tables.installations.c.state, tables.installations.c.created_by))
    assert tuple(row) == ("enabled", NOBODY)
    assert await trail(database) == [("registered", None, NOBODY, None), ("enabled", None, NOBODY, None)]


async def test_others_in_the_same_thread_and_with_the_same_consent_keep_theirs(database: Database) -> None:
    await enabled(database, installation())
    for member in (ASKER, OTHER):
        await Threads(database).add("900", member, GUILD, NOW)
        given = dataclasses.asdict(consent(member_id=member))
        await database.write(lambda connection, given=given: connection.execute(insert(consents), given))
    assert await EraseMembers(database).rows(ASKER) == 2
    assert await Threads(database).is_askers("900", OTHER)
    assert not await Threads(database).is_askers("900", ASKER)
    assert await Consents(database).find(OTHER, "i1", "order_snack") is not None
    assert await Consents(database).find(ASKER, "i1", "order_snack") is None


async def test_presses_of_theirs_are_forgotten_and_those_of_others_are_not(database: Database) -> None:
    for id in (f"p:key:{ASKER}", f"p:key:9{ASKER}", f"p:key:{OTHER}", f"m:{ASKER}"):
        assert await Calls(database).claim(Claim(id, NOW + 1), NOW)
    assert await EraseMembers(database).rows(ASKER) == 1
    left = {row[0] for row in await database.all(select(tables.claims.c.id))}
    assert left == {f"p:key:9{ASKER}", f"p:key:{OTHER}", f"m:{ASKER}"}


async def test_more_than_one_batch_goes_at_once(database: Database) -> None:
    await enabled(database, installation())
    keys = [f"k{n}" for n in range(3)]
    await ended(database, call(asker_id=ASKER), CallOutcome("succeeded", actions=tuple(map(action, keys))))
    many = [dataclasses.asdict(request(f"r{n}")) for n in range(1_201)]
    await asked(database, request("mine"), request("theirs", asker_id=OTHER))
    await database.write(lambda connection: connection.execute(insert(request_rows), many))
    await EraseMembers(database).rows(ASKER)
    assert await Requests(database).get("theirs") is not None
    left = await counts(database)
    assert (left["requests"], left.get("calls"), left.get("actions")) == (1, None, None)


@pytest.mark.parametrize("again", [False, True])
async def test_what_is_erased_stays_erased_and_nobody_else_loses_anything(
    database: Database, again: bool
) -> None:
    await enabled(database, installation())
    await ended(database, call(asker_id=OTHER), CallOutcome("succeeded", result="{}"))
    before = await everything(database)
    erase = EraseMembers(database)
    await erase.texts(ASKER)
    assert await erase.rows(ASKER) == 0
    if again:
        assert await erase.rows(ASKER) == 0
    assert await everything(database) == before


async def test_after_the_texts_went_no_answer_is_kept_and_a_new_card_is_called_off(
    database: Database,
) -> None:
    await enabled(database, installation())
    await asked(database, request("r1", lease_until=NOW + 1, state="{}"))
    await begun(database, call("c1", asker_id=ASKER))
    await EraseMembers(database).texts(ASKER)
    assert not await Requests(database).save("r1", "MARK", NOW + 2, held=NOW + 1)
    await Calls(database).finish("c1", CallOutcome("succeeded", result="MARK", said="MARK"), NOW)
    await carded(database, approval(arguments="MARK"))
    left = await everything(database)
    assert "MARK" not in left
    assert "cancelled" in left


async def test_a_call_that_ends_after_the_erasure_leaves_nothing(database: Database) -> None:
    await enabled(database, installation())
    await begun(database, call("c1", asker_id=ASKER, arguments="MARK"))
    await EraseMembers(database).rows(ASKER)
    outcome = CallOutcome("succeeded", result="MARK", actions=(action(),))
    assert not (await Calls(database).finish("c1", outcome, NOW)).stored
    left = await everything(database)
    assert "MARK" not in left
    assert ASKER not in left
