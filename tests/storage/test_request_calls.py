"""Calls of conversations: begun once under a reserved id, and under way until their task ends."""

import asyncio

import pytest

from storage.calls import Calls
from storage.engine import Database
from storage.erase import Erase
from storage.erase_members import EraseMembers
from storage.errors import ParentGone
from storage.records import CallState
from storage.tasks import Tasks
from tests.storage.test_calls import FAULT, NEUTRAL, SUCCESS, audited, standing, stored
from tests.support.records import GUILD, NOW, OWNER, call, installation
from tests.support.request_records import ASKER, asked, request
from tests.support.storing import FAR, begun, counts, enabled, ended, everything
from tests.support.task_records import task


async def handed(database: Database) -> bool:
    await enabled(database, installation())
    await asked(database, request())
    await begun(database, call("t1", message_id="message-r1", origin="assistant"))
    return await Calls(database).hand_over("t1", task())


async def test_a_reserved_id_begins_one_call(database: Database) -> None:
    await enabled(database, installation())
    await asked(database, request())
    of_request = {"origin": "assistant", "message_id": "message-r1"}
    new = [call(arguments=f'{{"n":{n}}}', **of_request) for n in range(8)]
    begins = await asyncio.gather(*(Calls(database).begin_plain(each, NOW) for each in new))
    assert begins.count(True) == 1
    row = await stored(database)
    assert (row["status"], row["origin"], row["started_at"]) == ("sent", "assistant", NOW)
    assert row["arguments"] == new[begins.index(True)].arguments
    with pytest.raises(ParentGone):
        await Calls(database).begin_plain(call("c2", "gone", **of_request), NOW)


@pytest.mark.parametrize("erased", ["message", "member"])
async def test_nothing_begins_for_a_request_that_was_erased_meanwhile(
    database: Database, erased: str
) -> None:
    await enabled(database, installation())
    await asked(database, request())
    if erased == "message":
        await Erase(database).messages_deleted(["message-r1"])
    else:
        await EraseMembers(database).texts(ASKER)
        await EraseMembers(database).rows(ASKER)
    new = call(origin="assistant", message_id="message-r1", arguments="MARK")
    assert not await Calls(database).begin_plain(new, NOW)
    assert "MARK" not in await everything(database)


async def test_what_begins_while_its_message_is_erased_is_erased_with_it(database: Database) -> None:
    await enabled(database, installation())
    for n in range(12):
        await asked(database, request(f"r{n}"))
        new = call(f"c{n}", origin="assistant", message_id=f"message-r{n}", arguments="MARK")
        await asyncio.gather(
            Calls(database).begin_plain(new, NOW), Erase(database).messages_deleted([f"message-r{n}"])
        )
    assert "MARK" not in await everything(database)


async def test_a_call_that_goes_on_as_a_task_is_stored_with_it(database: Database) -> None:
    assert await handed(database)
    assert await Calls(database).state_of("t1") == CallState("working", None, None)
    assert await Tasks(database).get("t1") == task()
    assert await audited(database) == []


async def test_a_call_goes_on_once_and_ends_a_row_of_faults(database: Database) -> None:
    await enabled(database, installation())
    await asked(database, request())
    await ended(database, call("c1"), FAULT)
    await begun(database, call("t1", message_id="message-r1"))
    store = Calls(database)
    overs = await asyncio.gather(*(store.hand_over("t1", task()) for _ in range(4)))
    assert sorted(overs) == [False, False, False, True]
    assert await standing(database) == ("enabled", 0)


async def test_a_call_that_ended_or_was_erased_meanwhile_does_not_go_on(database: Database) -> None:
    await enabled(database, installation())
    await asked(database, request())
    store = Calls(database)
    for id in ("t1", "t2"):
        await begun(database, call(id, message_id="message-r1"))
    await store.finish("t2", NEUTRAL, NOW)
    await Erase(database).messages_deleted(["message-r1"])
    for id in ("t1", "t2", "nowhere"):
        assert not await store.hand_over(id, task(id))
    assert "tasks" not in await counts(database)


async def test_a_call_whose_request_is_gone_stays_as_it_was(database: Database) -> None:
    await enabled(database, installation())
    await begun(database, call("t1", message_id="message-r1"))
    with pytest.raises(ParentGone):
        await Calls(database).hand_over("t1", task())
    assert await Calls(database).state_of("t1") == CallState("sent", None, None)


async def test_a_call_that_waits_for_its_task_is_not_abandoned_and_ends_once(database: Database) -> None:
    await handed(database)
    store = Calls(database)
    assert await store.abandoned(FAR, FAR, "Kennel was stopped.") == 0
    ends = [await store.finish("t1", SUCCESS, NOW) for _ in range(2)]
    assert [end.stored for end in ends] == [True, False]
    assert await store.state_of("t1") == CallState("succeeded", '{"a":1}', None)


async def test_how_far_a_call_is_can_be_asked(database: Database) -> None:
    await enabled(database, installation())
    await begun(database, call("sent"))
    await ended(database, call("failed"), NEUTRAL)
    states = [await Calls(database).state_of(id) for id in ("sent", "failed", "never")]
    failed = CallState("failed", None, "The tool said no.")
    assert states == [CallState("sent", None, None), failed, None]


async def test_faults_of_polls_count_towards_the_pause_and_a_success_starts_anew(database: Database) -> None:
    await enabled(database, installation())
    store = Calls(database)

    async def fault() -> bool:
        return await store.count_fault("i1", GUILD, OWNER, "No answer.", NOW)

    assert [await fault() for _ in range(4)] == [False] * 4
    await store.count_success("i1")
    assert [await fault() for _ in range(5)] == [False] * 4 + [True]
    assert await standing(database) == ("paused", 5)
    assert not await fault()
    assert not await store.count_fault("gone", GUILD, OWNER, "No answer.", NOW)
