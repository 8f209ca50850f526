"""Deliveries on their way to a trick: signed, repeated, in order, at the allowed pace."""

import asyncio
from datetime import timedelta
from email.utils import format_datetime

import pytest
from aiohttp import web
from sqlalchemy import select

from bot.events.schedule import WAITS
from bot.events.worker import LEASE_MS
from bot.signing import Secret
from storage.engine import Database
from storage.event_tables import posts
from storage.installations import Installations
from storage.rotations import Rotations
from storage.subscriptions import WANTS_NONE, Subscriptions
from tests.support.event_records import MEMBER, joined, left
from tests.support.events import CHANNEL, EventProcess, EventWorld
from tests.support.mcp import SECRET
from tests.support.records import NOW, OWNER
from tests.support.trick import Answer, Handler, TrickServer
from tests.support.trick_requests import Received


def status(code: int, body: bytes = b"", **headers: str) -> Handler:
    """A reply with this status."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def answer(_trick: TrickServer, _received: Received) -> Answer:
        return web.Response(status=code, body=body, headers=named)

    return answer


def attempts(world: EventWorld) -> list[Received]:
    """Every attempt so far, as the trick saw it."""
    return world.trick.received("events")


async def test_an_event_reaches_the_trick_in_its_envelope(events: EventWorld) -> None:
    await events.here.happen(joined(occurred_at=NOW - 993))
    (received,) = attempts(events)
    assert received.verified
    assert received.headers["webhook-id"] == "e1-i1"
    assert received.json == {
        "version": 1,
        "id": "e1-i1",
        "eventId": "e1",
        "occurredAt": "2025-12-31T23:59:59.007Z",
        "event": {"type": "member.joined", "memberId": MEMBER},
        "context": {"installationId": "i1", "channelId": CHANNEL, "settings": {}},
    }
    row = await events.delivery()
    assert (row.status, row.attempts, row.body) == ("delivered", 1, None)


async def test_without_an_events_channel_the_envelope_has_none(events: EventWorld) -> None:
    await Subscriptions(events.database).set_channel("i1", None, turn_on=False)
    await events.here.happen(left())
    (received,) = attempts(events)
    assert received.context == {"installationId": "i1", "settings": {}}


async def test_each_try_has_the_same_id_and_bytes_and_a_new_time_and_signature(events: EventWorld) -> None:
    """Whatever the owner changes meanwhile: the trick may compare the bytes of what it has seen."""
    events.trick.on("events", status(503))
    await events.here.happen(joined())
    await Subscriptions(events.database).set_channel("i1", "701", turn_on=False)
    for seconds in (5, 400):
        events.clock.advance(seconds)
        await events.here.deliver()
    first, second, third = attempts(events)
    assert first.body == second.body == third.body
    assert {each.headers["webhook-id"] for each in attempts(events)} == {"e1-i1"}
    assert all(each.verified for each in attempts(events))
    times = [int(each.headers["webhook-timestamp"]) for each in attempts(events)]
    assert times == [NOW // 1000, NOW // 1000 + 5, NOW // 1000 + 405]
    assert len({each.headers["webhook-signature"] for each in attempts(events)}) == 3


async def test_it_is_tried_nine_times_and_then_kept_as_failed(events: EventWorld) -> None:
    events.trick.on("events", status(500))
    await events.here.happen(joined())
    for number, wait in enumerate(WAITS, start=1):
        events.clock.advance(wait - 1)
        await events.here.deliver()
        assert len(attempts(events)) == number
        events.clock.advance(1)
        await events.here.deliver()
        assert len(attempts(events)) == number + 1
    events.clock.advance(1_000_000)
    await events.here.deliver()
    assert len(attempts(events)) == 9
    row = await events.delivery()
    assert (row.status, row.attempts, row.body, row.failure_kind) == ("failed", 9, None, "HttpFailure")
    assert row.failure == "The trick answered with HTTP status 500."


@pytest.mark.parametrize("code", [301, 304, 400, 401, 404, 409, 429, 500, 503])
async def test_any_status_but_success_and_gone_is_tried_again(events: EventWorld, code: int) -> None:
    events.trick.on("events", status(code, Location="/elsewhere"))
    await events.here.happen(joined())
    row = await events.delivery()
    assert (row.status, row.next_at) == ("pending", NOW + 5_000)
    assert row.failure_kind == ("RedirectRefused" if code < 400 else "HttpFailure")


async def test_a_trick_that_cannot_be_reached_gets_it_once_it_is_back(events: EventWorld) -> None:
    port = events.trick.port
    await events.trick.stop()
    await events.here.happen(joined())
    row = await events.delivery()
    assert (row.status, row.failure_kind) == ("pending", "ConnectFailed")
    back = TrickServer(clock=events.clock)
    back.trust(SECRET.text)
    await back.start(port)
    try:
        events.clock.advance(5)
        await events.here.deliver()
        assert [each.json["id"] for each in back.received("events")] == ["e1-i1"]
    finally:
        await back.stop()


async def test_retry_after_is_respected_in_seconds_and_as_a_date(events: EventWorld) -> None:
    events.trick.on("events", status(429, Retry_After="90"))
    await events.here.happen(joined())
    assert (await events.delivery()).next_at == NOW + 90_000
    events.clock.advance(90)
    until = events.clock.now() + timedelta(hours=2)
    here = format_datetime(events.clock.now(), usegmt=True)
    events.trick.on("events", status(503, Retry_After=format_datetime(until, usegmt=True), Date=here))
    await events.here.deliver()
    assert (await events.delivery()).next_at == NOW + 90_000 + 2 * 3_600_000


@pytest.mark.parametrize("code", [200, 201, 202, 204, 299])
async def test_any_success_is_delivered(events: EventWorld, code: int) -> None:
    events.trick.on("events", status(code, b"" if code == 204 else b"{}"))
    await events.here.happen(joined())
    assert (await events.delivery()).status == "delivered"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"nonsense",
        b'{"presentation":5}',
        b'{"a":1,"a":2}',
        b"\xff",
        b'{"presentation":{"fields":3}}',
    ],
)
async def test_an_answer_that_cannot_be_used_is_not_asked_for_again(events: EventWorld, body: bytes) -> None:
    events.trick.on("events", status(200, body))
    await events.here.happen(joined())
    assert (await events.delivery()).status == "delivered"
    events.clock.advance(100_000)
    await events.here.deliver()
    assert len(attempts(events)) == 1
    assert await events.database.all(select(posts)) == []


@pytest.mark.parametrize("headers", [{"Content_Encoding": "gzip"}, {}])
async def test_so_is_one_that_is_compressed_or_too_large(events: EventWorld, headers: dict[str, str]) -> None:
    events.trick.on("events", status(200, b" " * (1 if headers else 1_048_577), **headers))
    await events.here.happen(joined())
    assert (await events.delivery()).status == "delivered"


async def test_gone_turns_events_off_and_tells_the_owner_once(events: EventWorld) -> None:
    events.trick.on("events", status(410))
    await events.here.happen(joined(), joined("e3", member_id="77"))
    assert len(attempts(events)) == 2
    await events.here.happen(joined("e4"))
    events.clock.advance(100_000)
    await events.here.deliver()
    assert len(attempts(events)) == 2
    assert [(await events.delivery(f"{id}-i1")).status for id in ("e1", "e3")] == ["off", "off"]
    row = await Installations(events.database).get("i1")
    assert row is not None
    assert (row.state, row.notice) == ("enabled", WANTS_NONE)
    assert len(events.notices.told) == 1
    assert "/tricks events" in events.notices.told[0]
    await Subscriptions(events.database).set_on("i1", True, NOW)
    row = await Installations(events.database).get("i1")
    assert row is not None
    assert row.notice is None


async def test_what_was_delivered_beside_a_gone_is_delivered(events: EventWorld) -> None:
    async def answer(_trick: TrickServer, received: Received) -> Answer:
        if received.json["id"] == "e1-i1":
            return web.Response(status=410)
        return {"presentation": {"text": "Hi"}}

    events.trick.on("events", answer)
    await events.here.happen(joined(), joined("e3", member_id="77"))
    assert (await events.delivery("e3-i1")).status == "delivered"
    assert (await events.post("e3-i1")).status == "waiting"


async def test_deliveries_never_pause_a_trick_and_go_on_while_it_is_paused(events: EventWorld) -> None:
    store = Installations(events.database)
    events.trick.on("events", status(500))
    await events.here.happen(*(joined(f"e{number}", member_id=str(number)) for number in range(6)))
    row = await store.get("i1")
    assert row is not None
    assert (row.state, row.failures) == ("enabled", 0)
    await store.set_state("i1", {"enabled"}, "paused", NOW, OWNER)
    events.trick.behave()
    events.clock.advance(7)
    await events.here.happen(joined("late", member_id="late"))
    assert (await events.delivery("late-i1")).status == "delivered"
    assert (await events.delivery("e5-i1")).status == "delivered"


async def test_while_a_trick_is_disabled_nothing_is_made_and_nothing_sent(events: EventWorld) -> None:
    store = Installations(events.database)
    events.trick.on("events", status(500))
    await events.here.happen(joined())
    await store.set_state("i1", {"enabled"}, "disabled", NOW, OWNER)
    events.trick.behave()
    events.clock.advance(60)
    await events.here.happen(joined("e3", member_id="77"))
    assert len(attempts(events)) == 1
    await store.set_state("i1", {"disabled"}, "enabled", NOW, OWNER)
    await events.here.deliver()
    assert [each.json["eventId"] for each in attempts(events)] == ["e1", "e1"]


async def test_a_members_events_arrive_in_order_though_the_first_has_to_wait(events: EventWorld) -> None:
    events.trick.on("events", status(503))
    await events.here.happen(joined(), left(), joined("e3", member_id="77"))
    events.trick.behave()
    await events.here.deliver()
    assert [each.json["eventId"] for each in attempts(events)] == ["e1", "e3"]
    events.clock.advance(5)
    await events.here.deliver()
    assert [each.json["eventId"] for each in attempts(events)][2:] in (["e1", "e3", "e2"], ["e1", "e2", "e3"])


async def test_at_most_four_are_on_their_way_at_once(events: EventWorld) -> None:
    gate, inside, most = asyncio.Event(), 0, 0

    async def answer(_trick: TrickServer, _received: Received) -> Answer:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await gate.wait()
        inside -= 1
        return {}

    events.trick.on("events", answer)
    sending = asyncio.create_task(
        events.here.happen(*(joined(f"e{number}", member_id=str(number)) for number in range(9)))
    )
    for _ in range(4):
        await events.trick.next("events")
    gate.set()
    await sending
    assert (len(attempts(events)), most) == (9, 4)


async def test_at_most_five_are_sent_in_a_second(events: EventWorld) -> None:
    await events.here.happen(*(joined(f"e{number}", member_id=str(number)) for number in range(12)))
    seconds = [int(each.headers["webhook-timestamp"]) for each in attempts(events)]
    assert len(seconds) == 12
    assert max(seconds.count(second) for second in seconds) == 5
    assert seconds[-1] - seconds[0] == 2


async def test_one_slow_trick_holds_up_no_other(events: EventWorld) -> None:
    gate = asyncio.Event()

    async def slowly(_trick: TrickServer, _received: Received) -> Answer:
        await gate.wait()
        return {}

    events.trick.on("events", slowly)
    await events.install(events.other, "i2")
    sending = asyncio.create_task(events.here.happen(joined()))
    await events.trick.next("events")
    await events.other.next("events")
    later = asyncio.create_task(events.here.happen(joined("e3", member_id="77")))
    assert (await events.other.next("events")).json["eventId"] == "e3"
    gate.set()
    await asyncio.gather(sending, later)


async def test_both_secrets_sign_while_one_is_rotated(events: EventWorld) -> None:
    old, new = SECRET, Secret(b"n" * 32)
    row = await Installations(events.database).get("i1")
    assert row is not None
    sealed = events.box.seal("i1", new.text)
    assert await Rotations(events.database).rotate("i1", row.secret, sealed, NOW, NOW + 600_000, OWNER)
    events.trick.trust(old.text, new.text)
    await events.here.happen(joined())
    (received,) = attempts(events)
    assert set(received.signed_by) == {old.text, new.text}
    events.clock.advance(600)
    await events.here.happen(joined("e3"))
    assert attempts(events)[1].signed_by == (new.text,)


async def test_a_process_that_died_leaves_it_to_another_with_the_same_bytes(
    events: EventWorld, database_url: str
) -> None:
    events.here.outbox.record(joined())
    await events.here.outbox.idle()
    (lost,) = await events.here.store.claim("i1", 4, NOW, NOW + LEASE_MS, lambda row: '{"id":"e1-i1"}')
    other_database = await Database.open(database_url)
    try:
        other = EventProcess(events, other_database)
        await other.deliver()
        assert attempts(events) == []
        events.clock.advance(LEASE_MS / 1000)
        await asyncio.gather(other.deliver(), events.here.deliver())
    finally:
        await other_database.close()
    (received,) = attempts(events)
    assert received.body.decode() == lost.body
    assert (await events.delivery()).attempts == 2


async def test_whoever_is_stopped_finishes_the_batch_and_begins_no_other(events: EventWorld) -> None:
    gate = asyncio.Event()

    async def answer(_trick: TrickServer, _received: Received) -> Answer:
        await gate.wait()
        return {}

    events.trick.on("events", answer)
    sending = asyncio.create_task(
        events.here.happen(*(joined(f"e{number}", member_id=str(number)) for number in range(9)))
    )
    for _ in range(4):
        await events.trick.next("events")
    events.here.deliveries.stop()
    gate.set()
    await sending
    assert len(attempts(events)) == 4
    assert (await events.here.store.depth(NOW))[0] == 5
    await events.here.deliver()
    assert len(attempts(events)) == 4
