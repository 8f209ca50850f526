"""When a trick is looked at."""

from hypothesis import given
from hypothesis import strategies as st

from bot.tricks.looks import next_look

HOUR_MS, MINUTE_MS = 3_600_000, 60_000


@given(st.text("0123456789abcdef", min_size=32, max_size=32), st.integers(0, 2**42))
def test_each_installation_has_one_minute_of_every_hour(installation_id: str, now: int) -> None:
    first = next_look(installation_id, now)

    assert now < first <= now + HOUR_MS
    assert first % MINUTE_MS == 0
    assert next_look(installation_id, first) == first + HOUR_MS
