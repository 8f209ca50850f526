"""Requests: opened once, run by one at a time, woken without a wake being lost."""

import asyncio

import pytest
from sqlalchemy import update

from storage import request_tables, requests
from storage.engine import Database
from storage.records import Claim
from storage.request_records import Request, RequestStatus
from storage.requests import Requests
from tests.support.records import NOW
from tests.support.request_records import ASKER, asked, request

LEASE = NOW + 60_000
FAR = NOW + 86_400_000


async def woken(database: Database, request_id: str = "r1") -> None:
    await database.write(lambda connection: requests.wake(connection, request_id))


async def erased(database: Database, request_id: str = "r1") -> None:
    row = request_tables.requests
    statement = update(row).where(row.c.id == request_id).values(content=None, state=None)
    await database.write(lambda connection: connection.execute(statement))


async def present(database: Database, request_id: str = "r1") -> Request:
    row = await Requests(database).get(request_id)
    assert row is not None
    return row


async def test_a_request_comes_back_as_it_was_opened(database: Database) -> None:
    new = request(thread_id="900", state='{"v":1}', lease_until=LEASE, writes_stopped=True, wakes=3)
    assert await Requests(database).open(Claim("m:1", FAR), new, NOW)
    assert await Requests(database).get("r1") == new
    assert await Requests(database).get("r2") is None


async def test_a_message_opens_one_request_however_often_it_arrives(database: Database) -> None:
    store = Requests(database)
    opened = await asyncio.gather(
        *(store.open(Claim("m:1", FAR), request(f"r{n}", message_id="1"), NOW) for n in range(8))
    )
    assert opened.count(True) == 1
    (winner,) = [n for n, won in enumerate(opened) if won]
    assert [n for n in range(8) if await store.get(f"r{n}")] == [winner]


async def test_a_claim_that_somebody_has_leaves_no_request(database: Database) -> None:
    await asked(database, request())
    assert not await Requests(database).open(Claim("m:message-r1", FAR), request("r2"), NOW)
    assert await Requests(database).get("r2") is None


async def test_a_message_that_comes_again_after_its_claim_ran_out_opens_nothing(database: Database) -> None:
    await asked(database, request())
    late = request("r2", message_id="message-r1")
    assert not await Requests(database).open(Claim("m:message-r1", FAR), late, NOW + 1)
    assert await Requests(database).get("r2") is None


async def test_who_takes_a_request_has_it_until_the_lease_ends(database: Database) -> None:
    store = Requests(database)
    await asked(database, request())
    taken = await store.take("r1", NOW, LEASE)
    assert taken == request(lease_until=LEASE)
    assert await store.take("r1", LEASE - 1, FAR) is None
    assert await store.take("r1", LEASE, FAR) == request(lease_until=FAR)
    assert await store.take("r2", NOW, LEASE) is None


@pytest.mark.parametrize("status", ["waiting", "answered", "stopped", "failed"])
async def test_only_a_running_request_is_taken(database: Database, status: RequestStatus) -> None:
    await asked(database, request(status=status))
    assert await Requests(database).take("r1", NOW, LEASE) is None
    assert await Requests(database).take_lapsed(NOW, 10, LEASE) == ()


async def test_of_ten_who_take_the_same_request_one_gets_it(database: Database) -> None:
    store = Requests(database)
    await asked(database, request())
    taken = await asyncio.gather(*(store.take("r1", NOW, LEASE + n) for n in range(10)))
    assert len([row for row in taken if row]) == 1


async def test_lapsed_requests_are_those_that_run_and_that_nobody_has(database: Database) -> None:
    await asked(
        database,
        request("free"),
        request("lapsed", lease_until=NOW),
        request("held", lease_until=NOW + 1),
        request("waiting", status="waiting"),
        request("done", status="answered", lease_until=NOW - 1),
    )
    taken = await Requests(database).take_lapsed(NOW, 10, LEASE)
    assert {row.id for row in taken} == {"free", "lapsed"}
    assert {row.lease_until for row in taken} == {LEASE}
    assert await Requests(database).take_lapsed(NOW, 10, LEASE) == ()


async def test_the_longest_forgotten_come_first_and_never_more_than_asked_for(database: Database) -> None:
    await asked(database, *(request(f"r{n}", lease_until=NOW - n if n else None) for n in range(5)))
    store = Requests(database)
    assert {row.id for row in await store.take_lapsed(NOW, 2, LEASE)} == {"r0", "r4"}
    assert {row.id for row in await store.take_lapsed(NOW, 9, LEASE)} == {"r1", "r2", "r3"}


async def test_sweeps_and_a_press_at_once_never_give_one_request_to_two(database: Database) -> None:
    store = Requests(database)
    await asked(database, *(request(f"r{n}") for n in range(20)))
    sweeps = [store.take_lapsed(NOW, 4, LEASE) for _ in range(8)]
    presses = [store.take(f"r{n}", NOW, LEASE) for n in range(0, 20, 2)]
    shares, pressed = await asyncio.gather(asyncio.gather(*sweeps), asyncio.gather(*presses))
    taken = [row.id for share in shares for row in share] + [row.id for row in pressed if row]
    assert len(taken) == len(set(taken))
    taken += [row.id for row in await store.take_lapsed(NOW, 30, LEASE)]
    assert sorted(taken) == sorted(f"r{n}" for n in range(20))


async def test_saving_keeps_the_conversation_and_prolongs_the_lease(database: Database) -> None:
    await asked(database, request(lease_until=LEASE))
    assert await Requests(database).save("r1", '{"v":1}', FAR, held=LEASE)
    assert await present(database) == request(state='{"v":1}', lease_until=FAR)


async def test_nothing_is_saved_for_a_message_that_was_erased(database: Database) -> None:
    await asked(database, request(lease_until=LEASE, state='{"v":1}'))
    await erased(database)
    assert not await Requests(database).save("r1", '{"v":1,"said":"secret"}', FAR, held=LEASE)
    row = await present(database)
    assert (row.state, row.lease_until) == (None, LEASE)
    assert not await Requests(database).save("gone", "{}", FAR, held=LEASE)


async def test_who_lost_the_lease_writes_over_nothing(database: Database) -> None:
    await asked(database, request(lease_until=LEASE, state="old"))
    store = Requests(database)
    assert await store.take("r1", LEASE, FAR) is not None
    assert not await store.save("r1", "late", FAR + 1, held=LEASE)
    assert not await store.release("r1", "answered", 0, "late", held=LEASE)
    assert await present(database) == request(lease_until=FAR, state="old")


async def test_a_released_request_rests_and_nobody_has_it(database: Database) -> None:
    await asked(database, request(lease_until=LEASE, state="old"))
    assert await Requests(database).release("r1", "waiting", 0, held=LEASE)
    assert await present(database) == request(status="waiting", state="old")


async def test_a_release_may_store_the_last_of_the_conversation(database: Database) -> None:
    await asked(database, request(lease_until=LEASE, state="old"))
    assert await Requests(database).release("r1", "answered", 0, "new", held=LEASE)
    assert await present(database) == request(status="answered", state="new")


async def test_an_erased_request_is_released_without_a_conversation(database: Database) -> None:
    await asked(database, request(lease_until=LEASE))
    await erased(database)
    assert await Requests(database).release("r1", "answered", 0, "secret", held=LEASE)
    assert await present(database) == request(status="answered", content=None)


async def test_a_wake_during_the_run_keeps_the_request_running(database: Database) -> None:
    await asked(database, request(lease_until=LEASE, state="old"))
    await woken(database)
    assert not await Requests(database).release("r1", "waiting", 0, "new", held=LEASE)
    assert await present(database) == request(lease_until=LEASE, state="old", wakes=1)
    assert await Requests(database).release("r1", "waiting", 1, "new", held=LEASE)
    assert not await Requests(database).release("gone", "waiting", 0, held=LEASE)


async def test_a_wake_sets_a_waiting_request_running_for_anybody_to_take(database: Database) -> None:
    await asked(database, request(status="waiting"))
    await woken(database)
    assert await present(database) == request(wakes=1)
    assert await Requests(database).take("r1", NOW, LEASE) is not None


async def test_a_wake_takes_the_lease_from_nobody(database: Database) -> None:
    await asked(database, request(lease_until=LEASE), request("r2", lease_until=LEASE))
    await woken(database)
    assert await present(database) == request(lease_until=LEASE, wakes=1)
    assert await present(database, "r2") == request("r2", lease_until=LEASE)


@pytest.mark.parametrize("status", ["answered", "stopped", "failed"])
async def test_a_request_that_ended_stays_ended(database: Database, status: RequestStatus) -> None:
    await asked(database, request(status=status))
    await woken(database)
    assert (await present(database)).status == status


async def test_a_wake_and_a_release_at_once_leave_the_request_running(database: Database) -> None:
    """Whichever comes first, somebody goes on: its runner, or whoever takes it next."""
    store = Requests(database)
    for number in range(20):
        id = f"r{number}"
        await asked(database, request(id, lease_until=LEASE))
        released, _ = await asyncio.gather(store.release(id, "waiting", 0, held=LEASE), woken(database, id))
        row = await present(database, id)
        assert row.status == "running"
        assert row.lease_until == (None if released else LEASE)
        assert row.wakes == 1


async def test_wakes_at_once_are_all_counted(database: Database) -> None:
    await asked(database, request(status="waiting"))
    await asyncio.gather(*(woken(database) for _ in range(10)))
    assert (await present(database)).wakes == 10


async def test_the_end_comes_whatever_happened_meanwhile(database: Database) -> None:
    await asked(database, request(lease_until=LEASE, state="old"))
    await woken(database)
    await Requests(database).end("r1", "failed")
    assert await present(database) == request(status="failed", wakes=1, state="old")


async def test_a_request_is_answered_in_its_thread(database: Database) -> None:
    await asked(database, request(), request("r2"))
    assert (await present(database)).speaks_in == request().channel_id
    await Requests(database).set_thread("r1", "900")
    assert (await present(database)).speaks_in == "900"
    assert (await present(database, "r2")).thread_id is None


async def test_stopped_writes_stay_stopped_and_touch_no_other_request(database: Database) -> None:
    await asked(database, request(), request("r2"))
    await database.write(lambda connection: requests.wake(connection, "r1", stop_writes=True))
    assert await present(database) == request(writes_stopped=True, wakes=1)
    assert await present(database, "r2") == request("r2")


async def test_requests_are_counted_from_a_time_on_for_a_member_and_for_a_server(database: Database) -> None:
    store = Requests(database)
    await asked(
        database,
        request("r1", created_at=NOW - 10),
        request("r2", created_at=NOW - 5, guild_id="other", status="answered"),
        request("r3", created_at=NOW, asker_id="somebody else"),
    )
    guild_id = request().guild_id
    assert await store.count_since(ASKER, NOW - 11) == (2, NOW - 10)
    assert await store.count_since(ASKER, NOW - 10) == (1, NOW - 5)
    assert await store.count_since(ASKER, NOW - 5) == (0, None)
    assert await store.guild_count_since(guild_id, NOW - 11) == (2, NOW - 10)
    assert await store.guild_count_since(guild_id, NOW - 10) == (1, NOW)
    assert await store.guild_count_since("unknown", 0) == (0, None)
