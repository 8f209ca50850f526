"""When a task is asked for again, and what is news of it."""

from hypothesis import given
from hypothesis import strategies as st

from bot.mcp import Task
from bot.mcp.tasks_wire import TaskStatus
from bot.tasks.poll_times import after_fault, is_progress, last_message, next_poll
from bot.tricks.task_rows import end_of_life, poll_interval
from tests.support.records import NOW
from tests.support.task_records import DAY, task

FAR = NOW + DAY


def reported(status: TaskStatus, message: str | None) -> Task:
    return Task("id", status, message, None, None, {}, None, None)


@given(st.one_of(st.none(), st.integers(0, 10**12)))
def test_an_interval_is_the_tricks_wish_between_a_quarter_second_and_a_minute(wanted: int | None) -> None:
    assert 250 <= poll_interval(wanted) <= 60_000
    if wanted is not None and 250 <= wanted <= 60_000:
        assert poll_interval(wanted) == wanted


@given(st.integers(250, 60_000), st.integers(1, 500), st.floats(0.9, 1.1))
def test_all_tasks_of_an_installation_together_are_polled_at_most_thirty_times_a_minute(
    interval: int, open_tasks: int, jitter: float
) -> None:
    waits = next_poll(NOW, interval, open_tasks=open_tasks, jitter=jitter, expires_at=FAR) - NOW
    assert waits >= interval
    assert open_tasks * 60_000 / waits <= 30


def test_an_open_question_makes_polls_rarer_because_its_answer_brings_them_forward() -> None:
    waits = next_poll(NOW, 250, open_tasks=1, jitter=1.0, expires_at=FAR, asked=True) - NOW
    assert waits == 10_000


def test_the_last_poll_is_at_the_end_of_the_tasks_life() -> None:
    soon = NOW + 5_000
    assert next_poll(NOW, 60_000, open_tasks=1, jitter=1.1, expires_at=soon) == soon
    assert next_poll(NOW, 2_000, open_tasks=1, jitter=1.0, expires_at=NOW) == NOW + 250


def test_a_life_counts_from_when_kennel_heard_of_the_task_and_is_at_most_a_day() -> None:
    assert end_of_life(NOW, 60_000) == NOW + 60_000
    assert end_of_life(NOW, None) == end_of_life(NOW, 10**15) == FAR


def test_the_interval_doubles_with_each_fault_up_to_a_minute() -> None:
    assert (after_fault(2_000), after_fault(59_000), after_fault(60_000)) == (4_000, 60_000, 60_000)


def test_news_is_another_status_text_of_a_working_task() -> None:
    row = task(last_message="Looking")
    assert is_progress(row, reported("working", "Wrapping"))
    for same in ("Looking", " Looking\n", None, "", "  "):
        assert not is_progress(row, reported("working", same))
    assert not is_progress(row, reported("input_required", "Which one?"))


def test_the_same_text_before_and_after_a_question_is_told_once() -> None:
    row = task(last_message="Looking")
    assert last_message(row, reported("input_required", "Which one?")) == "Looking"
    assert last_message(row, reported("working", None)) == "Looking"
    assert last_message(row, reported("working", "Wrapping")) == "Wrapping"
