"""The seconds that a turn waits for a task."""

import pytest

from bot.errors import TaskFailed
from tests.support import trick_answers
from tests.support.tasks import TaskWorld
from tests.support.trick_tasks import TaskScript, asking, completed, failed, working

END = completed({"saved": "fruit"})
TASTE = {"taste": {"type": "string", "enum": ["sweet", "salty"]}}


async def test_a_short_task_answers_within_the_turn_and_is_no_news(tasks_world: TaskWorld) -> None:
    TaskScript(tasks_world.trick, "save_snack", working("Looking"), END, pollIntervalMs=5_000)
    task = await tasks_world.start()
    before = tasks_world.clock.monotonic()

    result = await tasks_world.here.waiting.wait(task)

    assert result is not None
    assert result.structured_content == {"saved": "fruit"}
    assert tasks_world.clock.monotonic() - before == pytest.approx(0.9)
    await tasks_world.round(100)
    assert tasks_world.speaker.said == []
    state = await tasks_world.here.calls.state_of(task.id)
    assert state is not None
    assert state.status == "succeeded"


async def test_after_four_seconds_a_task_goes_on_alone_and_its_progress_is_told_then(
    tasks_world: TaskWorld,
) -> None:
    TaskScript(tasks_world.trick, "save_snack", working("Looking"), pollIntervalMs=1_000)
    task = await tasks_world.start()
    before = tasks_world.clock.monotonic()

    assert await tasks_world.here.waiting.wait(task) is None

    assert tasks_world.clock.monotonic() - before == pytest.approx(4.0)
    assert tasks_world.trick.count("tasks/get") == 6  # at 0.3, 0.9, 1.9, 2.9, 3.9 and 4
    assert (await tasks_world.row(task)).poll_until is None
    await tasks_world.round(2.5)
    assert tasks_world.speaker.said == ["Save your snack preference: Looking"]


@pytest.mark.parametrize("step", [failed(), {"status": "cancelled"}], ids=["failed", "cancelled"])
async def test_a_task_that_fails_within_the_turn_is_told_there_alone(
    tasks_world: TaskWorld, step: dict[str, object]
) -> None:
    TaskScript(tasks_world.trick, "save_snack", step)
    task = await tasks_world.start()
    with pytest.raises(TaskFailed) as caught:
        await tasks_world.here.waiting.wait(task)
    assert caught.value.sentence == TaskFailed().sentence
    await tasks_world.round(100)
    assert tasks_world.speaker.said == []


async def test_a_task_that_is_lost_within_the_turn_has_its_own_sentence(tasks_world: TaskWorld) -> None:
    TaskScript(tasks_world.trick, "save_snack", working()).lost = True
    task = await tasks_world.start()
    with pytest.raises(TaskFailed, match="does not know this work"):
        await tasks_world.here.waiting.wait(task)
    assert (await tasks_world.row(task)).status == "lost"


async def test_a_question_ends_the_waiting_at_once(tasks_world: TaskWorld) -> None:
    TaskScript(tasks_world.trick, "save_snack", asking("k1", "Sweet or salty?", TASTE), END)
    task = await tasks_world.start()
    before = tasks_world.clock.monotonic()
    assert await tasks_world.here.waiting.wait(task) is None
    assert tasks_world.clock.monotonic() - before == pytest.approx(0.3)
    assert (await tasks_world.question(task)).message == "Sweet or salty?"
    assert (await tasks_world.row(task)).status == "waiting"


async def test_a_question_that_cannot_be_asked_fails_the_task_within_the_turn(
    tasks_world: TaskWorld,
) -> None:
    secret = {"password": {"type": "string"}}
    TaskScript(tasks_world.trick, "save_snack", asking("k1", "Your password?", secret), END)
    task = await tasks_world.start()
    with pytest.raises(TaskFailed):
        await tasks_world.here.waiting.wait(task)
    assert (await tasks_world.row(task)).status == "failed"


async def test_a_fault_within_the_turn_is_left_to_later_polls(tasks_world: TaskWorld) -> None:
    script = TaskScript(tasks_world.trick, "save_snack", END)
    task = await tasks_world.start()
    script.fault = trick_answers.status(503)
    assert await tasks_world.here.waiting.wait(task) is None
    assert await tasks_world.failures() == 0
    script.fault = None
    await tasks_world.round()
    assert tasks_world.speaker.said == ["completed: {'saved': 'fruit'}"]
