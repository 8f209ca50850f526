"""How often something may happen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import LimitReached
from bot.tricks.limits import Limit, Limiter, call_limits
from tests.support.clock import TurnedClock


def test_the_one_over_the_limit_is_told_how_long_to_wait() -> None:
    clock = TurnedClock()
    limiter = Limiter(clock)
    for _ in range(20):
        limiter.take(*call_limits("i", "tool", "m"))
        clock.advance(1)

    with pytest.raises(LimitReached) as reached:
        limiter.take(*call_limits("i", "tool", "m"))

    assert reached.value.seconds == 40
    assert "Try again in 40 s" in reached.value.sentence
    clock.advance(40)
    limiter.take(*call_limits("i", "tool", "m"))


def test_a_refused_call_counts_for_nothing() -> None:
    limiter = Limiter(TurnedClock())
    for member in range(20):
        limiter.take(*call_limits("i", "tool", str(member)))
    for _ in range(30):
        with pytest.raises(LimitReached):
            limiter.take(*call_limits("i", "tool", "mia"))

    limiter.take(*call_limits("i", "another tool", "mia"))


def test_members_tools_and_installations_are_counted_apart() -> None:
    limiter = Limiter(TurnedClock())
    for tool in range(30):
        limiter.take(*call_limits("one", str(tool), "mia"))
    with pytest.raises(LimitReached):
        limiter.take(*call_limits("two", "tool", "mia"))
    for tool in range(30):
        limiter.take(*call_limits("one", str(tool), "noa"))
    with pytest.raises(LimitReached):
        limiter.take(*call_limits("one", "tool", "olive"))
    limiter.take(*call_limits("two", "tool", "olive"))


@given(st.lists(st.integers(0, 30), max_size=80))
def test_no_window_of_a_minute_ever_holds_more_than_the_limit(pauses: list[int]) -> None:
    clock = TurnedClock()
    limiter = Limiter(clock)
    taken: list[float] = []
    for pause in pauses:
        clock.advance(pause)
        try:
            limiter.take(Limit("key", 5))
        except LimitReached:
            continue
        taken.append(clock.monotonic())
    for start in taken:
        assert sum(start <= at < start + 60 for at in taken) <= 5


def test_keys_whose_window_is_empty_are_forgotten() -> None:
    clock = TurnedClock()
    limiter = Limiter(clock)
    for key in range(2_000):
        limiter.take(Limit(key, 5))
    clock.advance(61)
    for _ in range(1_100):
        clock.advance(61)
        limiter.take(Limit("one", 5))
    assert limiter.size == 1
