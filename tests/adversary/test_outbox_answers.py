"""Whatever a trick answers to an event: it is delivered or tried again, and no answer holds up what follows."""

import json
from collections.abc import Callable
from datetime import timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from bot.demo.sample_trick import JsonObject
from bot.events.envelope import read_answer_body
from bot.events.schedule import MAX_ASKED_MS, retry_after
from bot.events.worker import LEASE_MS
from tests.support.clock import TurnedClock
from tests.support.event_records import joined
from tests.support.events import EventProcess, EventWorld, answered, attempts, post, status, texts
from tests.support.records import NOW
from tests.support.trick import Answer, Handler, TrickServer
from tests.support.trick_answers import Hang, drip, drop, gzipped, oversize, redirect
from tests.support.trick_requests import Received

HOSTILE = ("\u0000", "a\u0000b", "\U000e0041\u202e", "\ufdd0\uffff", "a" * 10_000, "﷽" * 500, "\u001b[31m")
HOUR = 3_600


def hostile_answers(text: str) -> list[JsonObject]:
    """Presentations with the text in each place that takes one."""
    button: JsonObject = {"id": "menu", "label": "Menu", "tool": "snack_menu", "arguments": {"n": 1}}
    whole: JsonObject = {"text": "Welcome!", "actions": [button]}
    return [
        whole | {"text": text},
        whole | {"fields": [{"label": text, "value": text}]},
        whole | {"links": [{"label": text, "url": f"https://example.org/{text}"}]},
        whole | {"actions": [button | {"label": text}]},
        whole | {"actions": [button | {"id": text}]},
        whole | {"actions": [button | {"arguments": {text: [text, {text: 10**300}]}}]},
    ]


@pytest.mark.parametrize("text", HOSTILE)
async def test_no_text_in_an_answer_keeps_it_from_an_end(events: EventWorld, text: str) -> None:
    answers = hostile_answers(text)
    for number, shown in enumerate(answers):
        await answered(events, joined(f"e{number}", member_id=str(number)), **shown)
    await answered(events, joined("plain", member_id="plain"))
    await post(events)
    for number, shown in enumerate(answers):
        assert (await events.delivery(f"e{number}-i1")).status == "delivered"
        rows = await events.posts_of(f"e{number}-i1")
        assert [row.status for row in rows] in ([], ["posted"]), json.dumps(shown)[:300]
    assert (await events.post("plain-i1")).status == "posted"


@pytest.mark.parametrize(
    ("make", "ends"),
    [
        pytest.param(lambda: drip(3.0), "delivered", id="drips"),
        pytest.param(Hang, "pending", id="hangs"),
        pytest.param(drop, "pending", id="breaks off before the head"),
        pytest.param(lambda: drop(half=True), "delivered", id="breaks off in the body"),
        pytest.param(gzipped, "delivered", id="is compressed"),
        pytest.param(oversize, "delivered", id="is huge"),
        pytest.param(redirect, "pending", id="redirects"),
    ],
)
async def test_an_answer_that_is_no_answer_is_asked_for_again_only_without_a_success(
    events: EventWorld, make: Callable[[], Handler], ends: str
) -> None:
    events.trick.on("events", make())
    await events.here.happen(joined())
    assert (await events.delivery()).status == ends
    events.trick.behave()
    events.clock.advance(5)
    await events.here.deliver()
    assert (await events.delivery()).status == "delivered"
    assert len(attempts(events)) == (1 if ends == "delivered" else 2)


async def test_of_two_answers_to_one_event_one_is_posted(events: EventWorld) -> None:
    """The first process is so slow that a second one sends it too."""
    first = Hang()
    seen: list[str] = []

    async def answer(trick: TrickServer, received: Received) -> Answer:
        seen.append(received.headers["webhook-id"])
        number = len(seen)
        if number == 1:
            await first(trick, received)
        return {"presentation": {"text": f"answer {number}"}}

    events.trick.on("events", answer)
    events.here.outbox.record(joined())
    await events.here.outbox.idle()
    slow = events.here.deliveries
    slow.nudge()
    await first.arrived.wait()
    events.clock.advance(LEASE_MS / 1000)
    await EventProcess(events, events.database).deliver()
    first.release()
    await slow.idle()
    await post(events)
    assert (seen, texts(events)) == (["e1-i1", "e1-i1"], ["answer 2"])


@pytest.mark.parametrize("off_by", [-HOUR, 0, HOUR])
async def test_the_wait_until_a_date_is_the_same_by_any_clock(events: EventWorld, off_by: int) -> None:
    theirs = events.clock.now() + timedelta(seconds=off_by)
    date, until = (format_datetime(theirs + timedelta(minutes=more), usegmt=True) for more in (0, 7))
    events.trick.on("events", status(429, Date=date, Retry_After=until))
    await events.here.happen(joined())
    assert (await events.delivery()).next_at == NOW + 7 * 60_000


async def test_a_trick_whose_clock_is_moved_gets_it_once_it_is_right_again(events: EventWorld) -> None:
    events.trick.clock = TurnedClock(NOW + HOUR * 1_000)
    await events.here.happen(joined())
    assert (await events.delivery()).failure_kind == "HttpFailure"
    events.trick.clock = events.clock
    events.clock.advance(5)
    await events.here.deliver()
    refused, taken = attempts(events)
    assert (refused.verified, taken.verified, refused.body == taken.body) == (False, True, True)


async def test_a_status_that_changes_from_try_to_try_makes_one_delivery(events: EventWorld) -> None:
    codes = iter([500, 302, 429, 404, 202])

    async def answer(_trick: TrickServer, _received: Received) -> Answer:
        return web.json_response({"presentation": {"text": "Hello"}}, status=next(codes))

    events.trick.on("events", answer)
    await events.here.happen(joined())
    for wait in (5, 30, 120, 600):
        events.clock.advance(wait)
        await events.here.deliver()
    assert (await events.delivery()).status == "delivered"
    await post(events)
    assert texts(events) == ["Hello"]


HEADER = st.text(st.characters(codec="latin-1"), max_size=40)


@given(HEADER | st.integers().map(str), st.none() | HEADER)
def test_no_retry_after_asks_for_more_than_half_a_day_or_less_than_nothing(
    value: str, date: str | None
) -> None:
    asked = retry_after(value, date, TurnedClock().now())
    assert asked is None or 0 <= asked <= MAX_ASKED_MS


@given(st.datetimes(), st.timedeltas(min_value=timedelta(0), max_value=timedelta(hours=12)))
def test_a_date_asks_for_the_time_since_the_date_of_the_reply(now: Any, wait: timedelta) -> None:
    wait = timedelta(seconds=int(wait.total_seconds()))
    try:
        until = format_datetime(now + wait)
    except OverflowError:
        return
    assert retry_after(until, format_datetime(now), TurnedClock().now()) == wait.total_seconds() * 1000


@given(st.binary(max_size=200) | st.text().map(lambda text: json.dumps({"presentation": text}).encode()))
def test_any_body_is_an_answer_or_a_problem(body: bytes) -> None:
    answer = read_answer_body(body)
    assert answer.presentation is None or not answer.problem
