"""When a delivery is tried again."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clock import Clock
from bot.events.schedule import MAX_ASKED_MS, SPREAD, WAITS, next_try, retry_after

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
FACTORS = st.floats(1 - SPREAD, 1 + SPREAD)


def test_the_waits_are_those_that_are_promised() -> None:
    minute, hour = 60, 3_600
    assert (5, 30, 2 * minute, 10 * minute, hour, 3 * hour, 6 * hour, 12 * hour) == WAITS
    assert [next_try(number + 1, 1_000, 1.0, None) for number in range(9)] == [
        *(1_000 + wait * 1000 for wait in WAITS),
        None,
    ]


@given(st.integers(1, 8), FACTORS)
def test_each_wait_is_at_most_a_fifth_shorter_or_longer(attempts: int, factor: float) -> None:
    wait = WAITS[attempts - 1] * 1000
    found = next_try(attempts, 0, factor, None)
    assert found is not None
    assert 0.8 * wait - 1 <= found <= 1.2 * wait + 1
    assert 0.8 <= Clock().jitter(SPREAD) <= 1.2


@pytest.mark.parametrize(("asked", "waits"), [(1_000, 5_000), (60_000, 60_000), (0, 5_000), (None, 5_000)])
def test_a_trick_may_ask_for_more_patience_and_not_for_less(asked: int | None, waits: int) -> None:
    assert next_try(1, 0, 1.0, asked) == waits
    assert next_try(9, 0, 1.0, asked) is None


@pytest.mark.parametrize(
    ("value", "asked"),
    [
        ("0", 0),
        (" 120 ", 120_000),
        ("43200", MAX_ASKED_MS),
        ("43201", MAX_ASKED_MS),
        ("0000000000000000001", 1_000),
        ("9" * 5_000, MAX_ASKED_MS),
        ("-5", None),
        ("1.5", None),
        ("", None),
        ("soon", None),
        ("٣", None),
        ("Mon, 99 Nov 2026 12:00:00 GMT", None),
        (None, None),
    ],
)
def test_retry_after_in_seconds(value: str | None, asked: int | None) -> None:
    assert retry_after(value, None, NOW) == asked


@pytest.mark.parametrize(("hours", "asked"), [(-1, 0), (0, 0), (1, 3_600_000), (13, MAX_ASKED_MS)])
def test_a_date_is_measured_from_the_clock_of_whoever_wrote_it(hours: int, asked: int) -> None:
    until = format_datetime(NOW + timedelta(hours=hours), usegmt=True)
    assert retry_after(until, None, NOW) == asked
    slow = NOW - timedelta(days=3)
    until = format_datetime(slow + timedelta(hours=hours), usegmt=True)
    assert retry_after(until, format_datetime(slow, usegmt=True), NOW) == asked


def test_a_date_without_a_zone_is_utc_and_a_broken_one_of_the_reply_is_not_used() -> None:
    assert retry_after("Mon, 30 Nov 2026 12:01:00", "yesterday", NOW) == 60_000


@given(st.text(), st.none() | st.text())
def test_no_header_breaks_anything(value: str, date: str | None) -> None:
    asked = retry_after(value, date, NOW)
    assert asked is None or 0 <= asked <= MAX_ASKED_MS
