"""Tasks that end: once, together with their calls and questions."""

import asyncio
import dataclasses

import pytest

from storage.calls import Calls
from storage.engine import Database
from storage.installations import Installations
from storage.questions import Questions
from storage.records import CallState, Finished
from storage.tasks import Tasks
from tests.storage.test_tasks import FAULT, LATER, LEASE, SUCCESS, found, report
from tests.support.records import NOW, OWNER, installation
from tests.support.request_records import ASKER, asked, request
from tests.support.storing import enabled, everything
from tests.support.task_records import handed_over, put, question, task


@pytest.fixture
async def store(database: Database) -> Tasks:
    """The store, with an installation and the request `r1`."""
    await enabled(database, installation())
    await asked(database, request())
    return Tasks(database)


async def test_an_end_ends_the_call_closes_the_questions_and_is_news_at_once(
    database: Database, store: Tasks
) -> None:
    await handed_over(database, task(resume="how"))
    await put(database, question("q1"), question("q2"), question("q3"))
    await Questions(database).settle("q2", "declined", None, NOW)
    assert await store.end("t1", "completed", '{"end":1}', SUCCESS, NOW) == Finished(True, False)
    over = task(status="completed", task_id=None, poll_at=None, news='{"end":1}', news_number=1)
    assert await store.get("t1") == over
    assert await Calls(database).state_of("t1") == CallState("succeeded", '{"a":1}', None)
    asked = await Questions(database).of_task("t1")
    assert [each.status for each in asked] == ["closed", "declined", "closed"]
    assert await store.due(LEASE, 20, LEASE) == ()


async def test_a_task_ends_once_and_then_takes_no_report(database: Database, store: Tasks) -> None:
    await handed_over(database, task())
    ends = await asyncio.gather(*(store.end("t1", "failed", f"{n}", FAULT, NOW) for n in range(4)))
    assert sorted(end.stored for end in ends) == [False, False, False, True]
    ended = await found(store)
    assert ended.news_number == 1
    row = await Installations(database).get("i1")
    assert row is not None
    assert row.failures == 1
    assert not await report(store, news="late")
    assert not await store.renew(task())
    await store.rest([("t1", LATER, 1)])
    assert await store.get("t1") == ended
    assert await store.end("no", "failed", None, FAULT, NOW) == Finished(False, False)


async def test_the_fifth_task_in_a_row_that_ends_by_a_fault_pauses_its_trick(
    database: Database, store: Tasks
) -> None:
    await handed_over(database, *(task(f"t{n}") for n in range(6)))
    ends = [await store.end(f"t{n}", "failed", None, FAULT, NOW) for n in range(6)]
    assert [end.paused for end in ends] == [False] * 4 + [True, False]


async def test_an_end_without_news_leaves_what_is_yet_to_be_told(database: Database, store: Tasks) -> None:
    await handed_over(database, task(news="old", news_number=3))
    await store.end("t1", "completed", None, SUCCESS, NOW)
    row = await found(store)
    assert (row.news, row.news_number) == ("old", 3)


@pytest.mark.parametrize("of", ["messages", "installation", "member"])
async def test_open_tasks_close_with_what_they_belong_to(database: Database, store: Tasks, of: str) -> None:
    await enabled(database, installation("i2"))
    await asked(database, request("r2", asker_id="somebody"))
    other = task("t3", "r2", installation_id="i2", asker_id="somebody", news="theirs")
    mine = [task("t1", news="progress", resume="how"), task("t2", status="waiting")]
    await handed_over(database, *mine, other, task("over"))
    await put(database, question("q1"), question("q3", "t3", "r2"))
    await store.end("over", "completed", "the end", SUCCESS, NOW)

    match of:
        case "messages":
            unknown = [f"no-{n}" for n in range(600)]
            closed = await store.close_of_messages([*unknown, "message-r1"], "Deleted.", NOW + 1)
        case "installation":
            closed = await store.close_of_installation("i1", "Deleted.", NOW + 1)
        case _:
            closed = await store.close_of_member(ASKER, "Deleted.", NOW + 1)

    lost = {"status": "lost", "task_id": None, "poll_at": None, "resume": None, "news": None}
    assert {row.id: row for row in closed} == {row.id: dataclasses.replace(row, **lost) for row in mine}
    assert await store.get("t3") == other
    assert (await found(store, "over")).news == "the end"
    calls = [await Calls(database).state_of(id) for id in ("t1", "t2", "t3", "over")]
    failed, working = CallState("failed", None, "Deleted."), CallState("working", None, None)
    assert calls == [failed, failed, working, CallState("succeeded", '{"a":1}', None)]
    questions = [await Questions(database).get(id) for id in ("q1", "q3")]
    assert [each and each.status for each in questions] == ["closed", "open"]
    assert await store.close_of_member(ASKER, "Again.", NOW) == ()


async def test_a_task_that_closes_and_ends_at_once_does_one_of_both(database: Database, store: Tasks) -> None:
    ids = [f"t{n}" for n in range(8)]
    await handed_over(database, *map(task, ids))
    closing = asyncio.create_task(store.close_of_member(ASKER, "Deleted.", NOW))
    ends = await asyncio.gather(*(store.end(id, "completed", None, SUCCESS, NOW) for id in ids))
    closed = await closing
    assert {row.id for row in closed} == {id for id, end in zip(ids, ends, strict=True) if not end.stored}
    for id in ids:
        row, call = await found(store, id), await Calls(database).state_of(id)
        assert call is not None
        assert (row.status, call.status) in {("lost", "failed"), ("completed", "succeeded")}


async def test_a_removed_trick_takes_its_tasks_along(database: Database, store: Tasks) -> None:
    await handed_over(database, task())
    await put(database, question())
    await Installations(database).remove("i1", NOW, OWNER)
    assert await store.get("t1") is None
    assert not await report(store)
    assert await store.end("t1", "completed", None, SUCCESS, NOW) == Finished(False, False)
    assert "sealed-t1" not in await everything(database)
