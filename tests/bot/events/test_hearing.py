"""What a process remembers of members, so that it takes no old leave for a new one."""

import pytest

from bot.events import hearing
from bot.events.hearing import Hearing
from storage.outbox import SAME_LEAVE_MS
from tests.support.clock import TurnedClock
from tests.support.event_records import joined, left


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock()


def test_a_leave_carries_the_newest_join_of_its_member_and_since_when_all_is_told(
    clock: TurnedClock,
) -> None:
    ear, now = Hearing(clock), clock.now_ms()
    for event in (joined("e1", occurred_at=now), joined("e3", occurred_at=now), joined("e4", member_id="77")):
        assert ear.heard(event) == event
    told = ear.heard(left())
    assert (told.last_join, told.heard_since) == ("j:e3", now)
    clock.advance(60)
    ear.begin()
    assert ear.heard(left()).heard_since == now + 60_000


def test_who_joined_elsewhere_or_long_ago_is_not_remembered(clock: TurnedClock) -> None:
    ear, now = Hearing(clock), clock.now_ms()
    ear.heard(joined(occurred_at=now))
    assert ear.heard(left(guild_id="8")).last_join == ""
    clock.advance(SAME_LEAVE_MS / 1000)
    assert ear.heard(left()).last_join == ""


def test_what_is_remembered_is_bounded(clock: TurnedClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "MOST", 3)
    ear, now = Hearing(clock), clock.now_ms()
    for number in range(6):
        ear.heard(joined(str(number), member_id=str(number), occurred_at=now))
    known = [bool(ear.heard(left(member_id=str(number))).last_join) for number in range(6)]
    assert known == [False, False, False, True, True, True]
