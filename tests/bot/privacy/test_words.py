"""What is kept, in words."""

import pytest

from bot.privacy.words import ASK, NOTHING, what_is_kept, what_was_erased
from bot.text import length
from storage.member_data import MemberCounts

NONE = MemberCounts(*[0] * 13)
MUCH = MemberCounts(*[123_456_789] * 13)


def test_nothing_is_one_sentence() -> None:
    assert what_is_kept(NONE, 30) == NOTHING


def test_each_kind_is_named_with_its_number_and_its_end() -> None:
    said = what_is_kept(MemberCounts(1, 2, 0, 1, 3, 1, 0, 1, 0, 0, 1, 4, 2), 30)
    assert (
        "1 message to me and what followed from that (1 task, 3 questions): until the message is deleted"
        in said
    )
    assert "2 uses of tools" in said
    assert "after 30 days at the latest" in said
    assert "1 tool that you let me review: until you take that back with `/autoreview`" in said
    assert "That you registered 1 trick" in said
    assert "4 entries of the audit trail" in said
    assert "thread" not in said
    assert "`/privacy erase`" in said


def test_one_day_is_a_day() -> None:
    assert "after 1 day at the latest" in what_is_kept(MUCH, 1)


@pytest.mark.parametrize(
    "said", [what_is_kept(MUCH, 36_500), ASK, what_was_erased(0), what_was_erased(10**9)]
)
def test_every_answer_fits_into_a_message(said: str) -> None:
    assert 0 < length(said) <= 2_000


def test_an_erasure_says_what_it_found() -> None:
    assert "1 entry" in what_was_erased(1)
    assert "1,234 entries" in what_was_erased(1_234)
    assert "nothing about you" in what_was_erased(0)
