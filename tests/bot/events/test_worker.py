"""One delivery on its way to a trick: its envelope, its signatures, its repeats, and what ends it."""

from datetime import timedelta
from email.utils import format_datetime

import pytest
from aiohttp import web
from sqlalchemy import select

from bot.events.schedule import WAITS
from bot.signing import Secret
from storage.event_tables import posts
from storage.installations import Installations
from storage.rotations import Rotations
from storage.subscriptions import WANTS_NONE, Subscriptions
from tests.support.event_records import MEMBER, joined, left
from tests.support.events import CHANNEL, EventWorld, attempts, status
from tests.support.mcp import SECRET
from tests.support.records import NOW, OWNER
from tests.support.trick import Answer, TrickServer
from tests.support.trick_requests import Received


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
