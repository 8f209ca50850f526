"""What goes of conversations after its time, and with the message that started them."""

import dataclasses
from typing import Any

import pytest
from sqlalchemy import Table

from storage.engine import Database
from storage.erase import Erase
from storage.questions import Questions
from storage.request_records import RequestStatus
from storage.request_tables import approvals, questions, requests, tasks, threads
from storage.requests import Requests
from storage.tasks import Tasks
from storage.threads import Threads
from tests.support.records import GUILD, NOW, call, installation
from tests.support.request_records import ASKER, approval, request
from tests.support.storing import begun, counts, enabled, everything
from tests.support.task_records import question, task

OLD = NOW - 1_000_000
_TEXTS = ("message", "schema", "words", "draft", "answer")


async def insert(database: Database, table: Table, *rows: Any) -> None:
    values = [dataclasses.asdict(row) for row in rows]
    await database.write(lambda connection: connection.execute(table.insert(), values))


async def conversation(database: Database, id: str, at: int = NOW, **changes: Any) -> None:
    """A request with a card, a task and its question, MARK in every text of theirs."""
    await insert(database, requests, request(id, content="MARK", state="MARK", created_at=at, **changes))
    card = approval(f"a-{id}", id, arguments="MARK", outside="MARK", opened_at=at)
    await insert(database, approvals, card)
    texts = {"resume": "MARK", "last_message": "MARK", "news": "MARK"}
    await insert(database, tasks, task(f"t-{id}", id, created_at=at, status="completed", **texts))
    asked = dict.fromkeys(_TEXTS, "MARK")
    await insert(database, questions, question(f"q-{id}", f"t-{id}", id, opened_at=at, **asked))


async def test_a_deleted_message_takes_every_text_of_its_conversation_along(database: Database) -> None:
    await enabled(database, installation())
    await conversation(database, "r1")
    await begun(database, call("a-r1", message_id="message-r1", arguments="MARK"))
    before = await counts(database)
    assert await Erase(database).messages_deleted(["message-r1", *map(str, range(700))]) == 5
    assert "MARK" not in await everything(database)
    assert await counts(database) == before
    row = await Tasks(database).get("t-r1")
    assert row is not None
    assert (row.status, row.task_id) == ("completed", "sealed-t-r1")
    assert await Erase(database).messages_deleted(["message-r1"]) == 0


async def test_other_messages_conversations_stay_whole(database: Database) -> None:
    await enabled(database, installation())
    await conversation(database, "r1")
    before = await everything(database)
    assert await Erase(database).messages_deleted(["message-r2", "r1"]) == 0
    assert await everything(database) == before


@pytest.mark.parametrize("status", ["answered", "stopped", "failed"])
async def test_an_ended_request_goes_after_its_time_with_all_that_it_waited_for(
    database: Database, status: RequestStatus
) -> None:
    await enabled(database, installation())
    await conversation(database, "old", OLD, status=status)
    await conversation(database, "young", NOW, status=status)
    before = await counts(database)
    assert await Erase(database).expired(NOW, NOW) == 1
    assert await counts(database) == {**before, "requests": 1, "approvals": 1, "tasks": 1, "questions": 1}
    assert await Requests(database).get("young") == request(
        "young", content="MARK", state="MARK", status=status
    )


@pytest.mark.parametrize("status", ["running", "waiting"])
async def test_a_request_that_goes_on_loses_its_old_texts_alone(
    database: Database, status: RequestStatus
) -> None:
    await enabled(database, installation())
    await conversation(database, "old", OLD, status=status)
    before = await counts(database)
    assert await Erase(database).expired(NOW, NOW) == 4
    assert "MARK" not in await everything(database)
    assert await counts(database) == before
    assert await Erase(database).expired(NOW, NOW) == 0


async def test_an_ended_request_stays_until_its_task_has_ended(database: Database) -> None:
    await enabled(database, installation())
    await insert(database, requests, request("old", status="answered", created_at=OLD, content=None))
    await insert(database, tasks, task("t1", "old", status="waiting"))
    assert await Erase(database).expired(NOW, NOW) == 0
    await Tasks(database).close_of_member(ASKER, "Over.", NOW)
    assert await Erase(database).expired(NOW, NOW) == 1
    assert not {"requests", "tasks"} & set(await counts(database))


async def test_old_threads_go_and_a_younger_use_of_one_stays(database: Database) -> None:
    store = Threads(database)
    await store.add("900", ASKER, GUILD, OLD)
    await store.add("900", "somebody else", GUILD, NOW)
    await store.add("901", ASKER, GUILD, OLD)
    assert await Erase(database).expired(NOW, NOW) == 2
    assert await store.is_askers("900", "somebody else")
    assert (await counts(database))["threads"] == 1


async def test_more_than_one_batch_of_everything_goes_in_one_call(database: Database) -> None:
    await enabled(database, installation())
    ended = [request(f"e{n}", status="answered", created_at=OLD) for n in range(501)]
    going = [request(f"g{n}", created_at=OLD) for n in range(501)]
    await insert(database, requests, *ended, *going)
    await insert(database, tasks, *(task(f"t{n}", f"g{n}", news="MARK", created_at=OLD) for n in range(501)))
    rows = [
        {"thread_id": str(n), "asker_id": ASKER, "guild_id": GUILD, "created_at": OLD} for n in range(501)
    ]
    await database.write(lambda connection: connection.execute(threads.insert(), rows))
    assert await Erase(database).expired(NOW, NOW) == 4 * 501
    left = await counts(database)
    assert (left["requests"], left["tasks"], left.get("threads")) == (501, 501, None)


async def test_words_and_answers_that_come_after_the_erasure_are_not_kept(database: Database) -> None:
    await enabled(database, installation())
    await insert(database, requests, request())
    await insert(database, tasks, task(status="waiting"))
    await insert(database, questions, question("q1"), question("q2"))
    await Erase(database).messages_deleted(["message-r1"])
    store = Questions(database)
    await store.posted("q1", "MARK", "700")
    await store.save_draft("q1", "MARK")
    assert await store.settle("q1", "answered", "MARK", NOW) is not None
    assert "MARK" not in await everything(database)
