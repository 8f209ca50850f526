"""Tasks: polled and told by one process each, and what is kept of both."""

import asyncio
import dataclasses
from typing import Any

import pytest

from storage.engine import Database
from storage.installations import Installations
from storage.questions import Questions
from storage.records import CallOutcome
from storage.request_records import TaskRow
from storage.request_tables import tasks
from storage.tasks import Tasks
from tests.storage.test_approval_sweep import plan, recorded
from tests.support.records import NOW, OWNER, installation
from tests.support.request_records import asked, request
from tests.support.storing import enabled
from tests.support.task_records import handed_over, put, question, task

LEASE = NOW + 60_000
LATER = NOW + 5_000
SUCCESS = CallOutcome("succeeded", result='{"a":1}', fault=False)
FAULT = CallOutcome("failed", failure="Broken.", fault=True)


@pytest.fixture
async def store(database: Database) -> Tasks:
    """The store, with an installation and the request `r1`."""
    await enabled(database, installation())
    await asked(database, request())
    return Tasks(database)


async def found(store: Tasks, id: str = "t1") -> TaskRow:
    row = await store.get(id)
    assert row is not None
    return row


async def report(store: Tasks, id: str = "t1", **changes: Any) -> bool:
    found: dict[str, Any] = {
        "status": "working",
        "last_status": "working",
        "last_message": "kneading",
        "news": None,
        "poll_at": LATER,
        "poll_every": 3_000,
    }
    return await store.report(id, **{**found, **changes})


async def test_a_task_comes_back_by_its_id_and_its_request(database: Database, store: Tasks) -> None:
    await asked(database, request("r2"))
    later = task("t0", created_at=NOW + 1)
    await handed_over(database, later, task(), task("t3", "r2"))
    assert await store.get("t1") == task()
    assert await store.of_request("r1") == (task(), later)
    assert await store.get("no") is None
    assert await store.of_request("no") == ()


async def test_installations_are_read_with_the_number_of_their_open_tasks(
    database: Database, store: Tasks
) -> None:
    await enabled(database, installation("i2"))
    waiting = task("t2", status="waiting")
    await handed_over(database, task(), waiting, task("t3", installation_id="i2"), task("t4"))
    await store.end("t4", "completed", None, SUCCESS, NOW)
    read = await store.installations(["i1", "i2", "i3"])
    assert {id: open_tasks for id, (_, open_tasks) in read.items()} == {"i1": 2, "i2": 1}
    assert read["i2"][0] == await Installations(database).get("i2")
    assert await store.installations([]) == {}


async def test_due_are_open_tasks_of_enabled_tricks_whose_time_has_come(
    database: Database, store: Tasks
) -> None:
    await enabled(database, installation("off"))
    await Installations(database).set_state("off", {"enabled"}, "disabled", NOW, OWNER)
    rows = [
        task("due"),
        task("asks", status="waiting", poll_at=NOW - 1),
        task("later", poll_at=NOW + 1),
        task("never", poll_at=None),
        task("off", installation_id="off"),
        task("over"),
    ]
    await handed_over(database, *rows)
    await store.end("over", "failed", None, FAULT, NOW)
    assert {row.id for row in await store.due(NOW, 20, LEASE)} == {"due", "asks"}
    await Installations(database).set_state("off", {"disabled"}, "enabled", NOW, OWNER)
    assert [row.id for row in await store.due(NOW, 20, LEASE)] == ["off"]


async def test_whoever_took_a_task_has_it_until_the_lease_ends(database: Database, store: Tasks) -> None:
    await handed_over(database, task())
    (taken,) = await store.due(NOW, 20, LEASE)
    assert taken == task(poll_at=LEASE, poll_until=LEASE)
    assert await store.due(LEASE - 1, 20, LEASE) == ()
    assert len(await store.due(LEASE, 20, LEASE + 1)) == 1


async def test_the_longest_overdue_come_first_and_never_more_than_asked_for(
    database: Database, store: Tasks
) -> None:
    await handed_over(database, *(task(f"t{n}", poll_at=NOW - n) for n in range(5)))
    assert {row.id for row in await store.due(NOW, 2, LEASE)} == {"t4", "t3"}
    assert {row.id for row in await store.due(NOW, 9, LEASE)} == {"t2", "t1", "t0"}


async def test_ten_at_once_share_the_due_tasks_and_the_news_without_one_twice(
    database: Database, store: Tasks
) -> None:
    ids = sorted(f"t{n:02}" for n in range(30))
    await handed_over(database, *(task(id, news="{}") for id in ids))
    for take in (store.due, store.untold):
        shares = await asyncio.gather(*(take(NOW, 4, LEASE) for _ in range(10)))
        taken = [row.id for share in shares for row in share]
        assert len(taken) == len(set(taken))
        taken += [row.id for row in await take(NOW, 30, LEASE)]
        assert sorted(taken) == ids


async def test_rested_tasks_are_due_again_at_their_next_time(database: Database, store: Tasks) -> None:
    await handed_over(database, task("t1"), task("t2"))
    await store.due(NOW, 20, LEASE)
    await store.rest([("t1", LATER, 4_000), ("t2", LATER + 1, 5_000)])
    await store.rest([])
    assert await store.get("t1") == task(poll_at=LATER, poll_every=4_000)
    assert await store.due(LATER - 1, 20, LEASE) == ()
    assert [row.id for row in await store.due(LATER, 20, LEASE)] == ["t1"]


@pytest.mark.parametrize("way", ["rest", "report", "report that stops polling"])
async def test_an_answer_that_comes_during_a_poll_is_not_put_off(
    database: Database, store: Tasks, way: str
) -> None:
    await handed_over(database, task(status="waiting"))
    await put(database, question())
    await store.due(NOW, 20, LEASE)
    assert await Questions(database).settle("q1", "answered", "{}", NOW + 1)
    assert await store.due(NOW + 2, 20, LEASE) == ()
    if way == "rest":
        await store.rest([("t1", LATER, 4_000)])
    else:
        assert await report(store, status="waiting", poll_at=LATER if way == "report" else None)
    assert [row.id for row in await store.due(NOW + 2, 20, LEASE)] == ["t1"]


async def test_a_report_stores_what_changed_with_its_news_and_gives_the_task_back(
    database: Database, store: Tasks
) -> None:
    await handed_over(database, task())
    await store.due(NOW, 20, LEASE)
    assert await report(store, news='{"n":1}', expires_at=LATER + 9)
    reported = task(
        last_message="kneading",
        poll_every=3_000,
        poll_at=LATER,
        expires_at=LATER + 9,
        news='{"n":1}',
        news_number=1,
    )
    assert await store.get("t1") == reported
    assert await report(store, status="waiting", poll_at=None)
    assert await store.get("t1") == dataclasses.replace(reported, status="waiting", poll_at=None)
    assert await report(store, news='{"n":2}')
    row = await found(store)
    assert (row.news, row.news_number) == ('{"n":2}', 2)


async def test_news_are_told_by_one_and_again_when_that_one_dies(database: Database, store: Tasks) -> None:
    await handed_over(database, task(news="n", news_number=1), task("t2"))
    (taken,) = await store.untold(NOW, 20, LEASE)
    assert (taken.id, taken.tell_until) == ("t1", LEASE)
    assert await store.untold(LEASE - 1, 20, LEASE) == ()
    assert len(await store.untold(LEASE, 20, LEASE + 1)) == 1
    await store.told("t1", 1, "900", NOW)
    assert await store.get("t1") == task(news_number=1, progress_id="900", progress_at=NOW)
    assert await store.untold(LEASE + 1, 20, LEASE + 2) == ()


async def test_news_that_came_while_older_was_told_is_told_next(database: Database, store: Tasks) -> None:
    await handed_over(database, task(news="old", news_number=1, progress_id="900", progress_at=NOW))
    await store.untold(NOW, 20, LEASE)
    assert await report(store, news="new")
    assert await store.untold(NOW + 1, 20, LEASE) == ()
    await store.told("t1", 1)
    (taken,) = await store.untold(NOW + 1, 20, LEASE)
    assert (taken.news, taken.news_number) == ("new", 2)
    assert (taken.progress_id, taken.progress_at) == ("900", NOW)


async def test_how_a_call_is_sent_again_is_marked_by_one_of_many(database: Database, store: Tasks) -> None:
    await handed_over(database, task(task_id=None, resume="was", status="waiting"))
    marks = await asyncio.gather(*(store.mark("t1", "was", f"sent-{n}") for n in range(6)))
    assert marks.count(True) == 1
    assert (await found(store)).resume == f"sent-{marks.index(True)}"
    assert not await store.mark("no", "was", "sent")


async def test_a_call_sent_again_goes_on_as_it_was_answered(database: Database, store: Tasks) -> None:
    before = task(task_id=None, resume="was", status="waiting", news="n", news_number=1)
    await handed_over(database, before)
    await store.due(NOW, 20, LEASE)
    after = dataclasses.replace(
        before,
        task_id="sealed",
        resume=None,
        status="working",
        last_status="working",
        last_message="started",
        poll_every=9_000,
        poll_at=LATER,
        expires_at=LATER + 9,
    )
    assert await store.renew(dataclasses.replace(after, poll_until=LEASE))
    assert await store.get("t1") == after


async def test_the_due_and_the_untold_of_thousands_are_found_by_their_indexes(
    database: Database, store: Tasks
) -> None:
    old = [task(f"old-{n}", status="completed", created_at=NOW - n) for n in range(3_000)]
    rows = [dataclasses.asdict(row) for row in [*old, task("due", news="n")]]
    await database.write(lambda connection: connection.execute(tasks.insert(), rows))
    await database.write(lambda connection: connection.exec_driver_sql("ANALYZE"))
    for take, index in ((store.due, "ix_tasks_open"), (store.untold, "ix_tasks_news")):
        with recorded() as sent:
            assert [row.id for row in await take(NOW, 50, LEASE)] == ["due"]
        (claim,) = (each for each in sent if "UPDATE tasks" in each[0])
        assert index in await plan(database, *claim)


def test_nothing_of_what_people_wrote_shows_when_a_row_is_printed() -> None:
    printed = repr(task(task_id="MARK", resume="MARK", last_message="MARK", news="MARK"))
    printed += repr(question(request_key="MARK", message="MARK", schema="MARK", words="MARK", draft="MARK"))
    assert "MARK" not in printed
