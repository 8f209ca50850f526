"""Questions: asked once, posted by one process, decided once by whoever comes first."""

import asyncio
import dataclasses

import pytest

from storage.engine import Database
from storage.errors import ParentGone
from storage.questions import Questions
from storage.records import CallOutcome
from storage.request_records import QuestionRow, QuestionStatus
from storage.request_tables import questions
from storage.tasks import Tasks
from tests.storage.test_approval_sweep import plan, recorded
from tests.support.records import NOW, installation
from tests.support.request_records import ASKER, CHANNEL, QUARTER, asked, request
from tests.support.storing import counts, enabled
from tests.support.task_records import DAY, handed_over, put, question, task

LEASE = NOW + 60_000
CLOSES = NOW + DAY
SUCCESS = CallOutcome("succeeded", result="{}", fault=False)


@pytest.fixture
async def store(database: Database) -> Questions:
    """The store, with the waiting task `t1` of the request `r1`, which is polled in an hour."""
    await enabled(database, installation())
    await asked(database, request())
    await handed_over(database, task(status="waiting", poll_at=NOW + 3_600_000))
    return Questions(database)


async def found(store: Questions, id: str = "q1") -> QuestionRow:
    row = await store.get(id)
    assert row is not None
    return row


async def poll_at(database: Database, id: str = "t1") -> int | None:
    row = await Tasks(database).get(id)
    assert row is not None
    return row.poll_at


async def test_a_question_comes_back_by_its_id_its_key_its_message_and_its_task(
    database: Database, store: Questions
) -> None:
    posted = question(question_id="700")
    later = question("q0", opened_at=NOW + 1)
    await put(database, later, posted)
    assert await store.get("q1") == await store.by_key("key-q1") == await store.by_message("700") == posted
    assert await store.of_task("t1") == (posted, later)
    assert (await store.get("no"), await store.by_key("no"), await store.by_message("no")) == (None,) * 3
    assert await store.of_task("no") == ()


async def test_a_task_asks_each_of_its_keys_once(database: Database, store: Questions) -> None:
    await handed_over(database, task("t2"))
    assert await store.ask([question("q1", request_key="size"), question("q2", request_key="taste")]) == 2
    again = [question("q3", request_key="size"), question("q4", request_key="colour")]
    assert await store.ask([*again, question("q5", "t2", request_key="size")]) == 2
    assert {row.id for row in await store.of_task("t1")} == {"q1", "q2", "q4"}
    assert await store.ask([]) == 0


async def test_two_processes_that_see_the_same_question_ask_it_once(
    database: Database, store: Questions
) -> None:
    same = ([question(f"q{n}", request_key="size")] for n in range(8))
    assert sorted(await asyncio.gather(*map(store.ask, same))) == [0] * 7 + [1]
    assert (await counts(database))["questions"] == 1


async def test_a_task_that_has_ended_asks_nothing_more(database: Database, store: Questions) -> None:
    await Tasks(database).end("t1", "completed", None, SUCCESS, NOW)
    assert await store.ask([question(), question("q2", "gone")]) == 0
    assert "questions" not in await counts(database)


async def test_a_question_of_what_was_removed_is_not_stored(database: Database, store: Questions) -> None:
    for orphan in (question(installation_id="gone"), question(request_id="gone")):
        with pytest.raises(ParentGone):
            await store.ask([orphan])


async def test_the_next_message_answers_the_newest_question_that_was_posted_there(
    database: Database, store: Questions
) -> None:
    await put(
        database,
        question("old", question_id="1", opened_at=NOW - 9),
        question("new", question_id="2"),
        question("unposted", opened_at=NOW + 1),
        question("late", question_id="3", opened_at=NOW + 2, words_until=NOW),
        question("decided", question_id="4", opened_at=NOW + 3, status="answered"),
        question("elsewhere", question_id="5", opened_at=NOW + 4, channel_id="9"),
        question("somebody's", question_id="6", opened_at=NOW + 5, asker_id="8"),
    )
    assert await store.newest_open(CHANNEL, ASKER, NOW) == await found(store, "new")
    assert await store.newest_open(CHANNEL, ASKER, NOW + QUARTER) is None
    assert await store.newest_open(CHANNEL, "nobody", NOW) is None
    places = await store.open_places(NOW)
    assert sorted(places) == sorted([(CHANNEL, ASKER), ("9", ASKER), (CHANNEL, "8")])
    assert await store.open_places(NOW + QUARTER) == ()


async def test_whoever_took_a_question_to_post_has_it_until_the_lease_ends(
    database: Database, store: Questions
) -> None:
    await put(database, question(), question("posted", question_id="1"), question("x", status="declined"))
    (taken,) = await store.to_post(NOW, 20, LEASE)
    assert taken == question(post_until=LEASE)
    assert await store.to_post(LEASE - 1, 20, LEASE) == ()
    assert len(await store.to_post(LEASE, 20, LEASE + 1)) == 1
    await store.posted("q1", "What size do you want?", "700")
    assert await store.get("q1") == question(words="What size do you want?", question_id="700")
    assert await store.to_post(LEASE + 1, 20, LEASE + 2) == ()


async def test_ten_at_once_share_what_is_to_be_posted_oldest_first(
    database: Database, store: Questions
) -> None:
    ids = [f"q{n:02}" for n in range(30)]
    await put(database, *(question(id, opened_at=NOW + n) for n, id in enumerate(ids)))
    assert [row.id for row in await store.to_post(NOW, 2, LEASE)] == ids[:2]
    shares = await asyncio.gather(*(store.to_post(NOW, 3, LEASE) for _ in range(10)))
    taken = [row.id for share in shares for row in share]
    assert len(taken) == len(set(taken))
    taken += [row.id for row in await store.to_post(NOW, 30, LEASE)]
    assert sorted(taken) == ids[2:]


async def test_a_question_that_closed_while_it_was_posted_is_folded_once_its_message_is_known(
    database: Database, store: Questions
) -> None:
    await put(database, question())
    await store.to_post(NOW, 1, LEASE)
    await Tasks(database).end("t1", "completed", None, SUCCESS, NOW)
    assert [row.question_id for row in await store.to_fold(9)] == [None]
    await store.folded(["q1"])
    await store.posted("q1", "What size?", "700")
    assert [row.question_id for row in await store.to_fold(9)] == ["700"]


async def test_a_draft_is_kept_while_the_question_is_open(database: Database, store: Questions) -> None:
    await put(database, question())
    await store.save_draft("q1", '{"size":1}')
    assert await store.get("q1") == question(draft='{"size":1}')
    await store.settle("q1", "answered", "{}", NOW)
    await store.save_draft("q1", "late")
    assert (await found(store)).draft == '{"size":1}'


async def test_wrong_replies_are_counted_one_by_one(database: Database, store: Questions) -> None:
    await put(database, question())
    assert sorted(await asyncio.gather(*(store.wrong("q1") for _ in range(4)))) == [1, 2, 3, 4]
    await store.settle("q1", "declined", None, NOW)
    assert (await store.wrong("q1"), await store.wrong("no")) == (0, 0)
    assert (await found(store)).wrong == 4


async def test_of_many_answers_the_first_counts_and_the_task_is_polled_at_once(
    database: Database, store: Questions
) -> None:
    await put(database, question())
    ways: list[QuestionStatus] = ["answered", "declined"] * 6
    settled = await asyncio.gather(
        *(store.settle("q1", way, f'{{"n":{n}}}', NOW + 1) for n, way in enumerate(ways))
    )
    (won,) = (row for row in settled if row is not None)
    at = settled.index(won)
    assert won == await found(store) == question(status=ways[at], answer=f'{{"n":{at}}}')
    assert await poll_at(database) == NOW + 1
    assert await store.settle("no", "answered", "{}", NOW) is None


async def test_an_answer_to_a_decided_or_overdue_question_changes_nothing(
    database: Database, store: Questions
) -> None:
    await put(database, question("q1", status="closed"), question("q2"))
    for id in ("q1", "q2"):
        before = await found(store, id)
        assert await store.settle(id, "answered", "{}", CLOSES) is None
        assert await found(store, id) == before
    assert await poll_at(database) == NOW + 3_600_000
    assert await store.settle("q2", "answered", "{}", CLOSES - 1) is not None


async def test_overdue_questions_are_declined_in_batches_and_their_tasks_polled(
    database: Database, store: Questions
) -> None:
    await handed_over(database, task("t2", poll_at=None), task("t3", poll_at=None))
    await put(
        database,
        *(question(f"q{n}", closes_at=NOW - n) for n in range(5)),
        question("of-t2", "t2", closes_at=NOW),
        question("of-t3", "t3", closes_at=NOW + 1),
        question("decided", closes_at=NOW, status="answered", answer="{}"),
    )
    assert {row.id for row in await store.expire_due(NOW, 2)} == {"q4", "q3"}
    shares = await asyncio.gather(*(store.expire_due(NOW, 2) for _ in range(6)))
    rest = [row for share in shares for row in share]
    while batch := await store.expire_due(NOW, 2):
        rest += batch
    assert sorted(row.id for row in rest) == ["of-t2", "q0", "q1", "q2"]
    assert {(row.status, row.answer) for row in rest} == {("declined", None)}
    assert [await poll_at(database, id) for id in ("t1", "t2", "t3")] == [NOW, NOW, None]
    assert (await found(store, "decided")).status == "answered"


async def test_an_answer_and_the_end_of_its_time_do_not_both_happen(
    database: Database, store: Questions
) -> None:
    ids = [f"q{n}" for n in range(8)]
    await put(database, *(question(id, closes_at=NOW) for id in ids))
    expiring = asyncio.create_task(store.expire_due(NOW, 20))
    settled = await asyncio.gather(*(store.settle(id, "answered", "{}", NOW - 1) for id in ids))
    answered = {row.id for row in settled if row is not None}
    declined = {row.id for row in [*await expiring, *await store.expire_due(NOW, 20)]}
    assert answered | declined == set(ids)
    assert not answered & declined


async def test_a_task_that_ends_while_its_questions_are_answered_leaves_none_open(
    database: Database, store: Questions
) -> None:
    ids = [f"q{n}" for n in range(8)]
    await put(database, *map(question, ids))
    ending = asyncio.create_task(Tasks(database).end("t1", "completed", None, SUCCESS, NOW))
    settled = await asyncio.gather(*(store.settle(id, "answered", "{}", NOW) for id in ids))
    await ending
    for id, row in zip(ids, settled, strict=True):
        assert (await found(store, id)).status == ("answered" if row else "closed")


async def test_what_the_trick_has_and_what_looks_closed_is_remembered(
    database: Database, store: Questions
) -> None:
    open_one, answered = question(), question("q2", status="answered", answer="{}")
    await put(database, open_one, answered, question("q3", status="closed", closes_at=NOW))
    assert [row.id for row in await store.to_fold(9)] == ["q3", "q2"]
    assert [row.id for row in await store.to_fold(1)] == ["q3"]
    await store.folded(["q3", "q2"])
    assert await store.to_fold(9) == ()
    await store.sent(["q2"])
    assert await found(store, "q2") == dataclasses.replace(answered, sent=True, folded=True)
    assert await store.get("q1") == open_one


async def test_among_thousands_of_old_questions_the_few_are_found_by_their_indexes(
    database: Database, store: Questions
) -> None:
    old = [question(f"old-{n}", question_id="1", status="answered", folded=True) for n in range(3_000)]
    rows = [dataclasses.asdict(row) for row in [*old, question("q1", closes_at=NOW)]]
    await database.write(lambda connection: connection.execute(questions.insert(), rows))
    await database.write(lambda connection: connection.exec_driver_sql("ANALYZE"))
    with recorded() as sent:
        await store.newest_open(CHANNEL, ASKER, NOW)
        await store.open_places(NOW)
        assert len(await store.to_post(NOW, 9, LEASE)) == 1
        assert len(await store.expire_due(NOW, 9)) == 1
        assert len(await store.to_fold(9)) == 1
    wanted = {
        "questions.asker_id =": ["ix_questions_open"],
        "DISTINCT": ["ix_questions_open"],
        "to_post": ["ix_questions_to_post", "ix_questions_question_id"],  # unposted ones are few in either
        "JOIN tasks": ["ix_questions_open"],
        "folded =": ["ix_questions_to_fold"],
    }
    for words, indexes in wanted.items():
        statement = next(each for each in sent if words in each[0])
        used = await plan(database, *statement)
        assert any(index in used for index in indexes), words
