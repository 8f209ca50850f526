"""Many due tasks: a round takes batch after batch, and nobody waits for a slow trick."""

import asyncio

import pytest

from bot.errors import HttpFailure
from bot.tasks import poller
from bot.tasks.polls import Found
from storage.errors import DatabaseBusy
from storage.records import Installation
from storage.request_records import TaskRow
from tests.support.tasks import INSTALLATION, TaskWorld
from tests.support.trick_tasks import TaskScript, working

TASKS = 5


@pytest.fixture
async def tasks(tasks_world: TaskWorld, monkeypatch: pytest.MonkeyPatch) -> list[TaskRow]:
    """Five tasks that are due, in batches of two."""
    monkeypatch.setattr(poller, "BATCH", 2)
    for number in range(TASKS):
        TaskScript(tasks_world.trick, "snack_menu", working(), task_id=f"task-{number}")
    started = [await tasks_world.start("snack_menu") for _ in range(TASKS)]
    tasks_world.clock.advance(10)
    return started


def polls(world: TaskWorld) -> int:
    return world.trick.count("tasks/get")


async def test_a_round_goes_on_while_batches_come_full(tasks_world: TaskWorld, tasks: list[TaskRow]) -> None:
    assert await tasks_world.here.poller.poll_due() == polls(tasks_world) == len(tasks)
    assert await tasks_world.here.poller.poll_due() == 0
    assert [(await tasks_world.row(each)).poll_until for each in tasks] == [None] * TASKS


async def test_a_round_has_an_end(
    tasks_world: TaskWorld, tasks: list[TaskRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(poller, "BATCHES", 2)
    assert await tasks_world.here.poller.poll_due() == polls(tasks_world) == 4
    assert await tasks_world.here.poller.poll_due() == 1
    assert polls(tasks_world) == len(tasks)


async def test_a_slow_poll_holds_up_no_other_batch(
    tasks_world: TaskWorld, tasks: list[TaskRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, others = asyncio.Event(), asyncio.Semaphore(0)
    poll = tasks_world.here.polls.poll

    async def slow(row: TaskRow, installation: Installation, open_tasks: int) -> Found:
        if row.id == tasks[0].id:
            await goes_on.wait()
        found = await poll(row, installation, open_tasks)
        others.release()
        return found

    monkeypatch.setattr(tasks_world.here.polls, "poll", slow)
    round_ = asyncio.create_task(tasks_world.here.poller.poll_due())
    async with asyncio.timeout(5):
        for _ in tasks[1:]:
            await others.acquire()
    assert (polls(tasks_world), round_.done()) == (len(tasks) - 1, False)
    goes_on.set()
    assert await round_ == polls(tasks_world) == len(tasks)


async def test_a_batch_that_cannot_be_taken_cuts_off_no_poll(
    tasks_world: TaskWorld, tasks: list[TaskRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    due, left = tasks_world.here.tasks.due, 1

    async def failing(now: int, limit: int, lease_until: int) -> tuple[TaskRow, ...]:
        nonlocal left
        left -= 1
        if left < 0:
            raise DatabaseBusy
        return await due(now, limit, lease_until)

    monkeypatch.setattr(tasks_world.here.tasks, "due", failing)
    with pytest.raises(DatabaseBusy):
        await tasks_world.here.poller.poll_due()
    assert polls(tasks_world) == 2
    rested = [each for each in tasks if (await tasks_world.row(each)).poll_until is None]
    assert len(rested) == len(tasks)


async def test_a_success_ends_the_faults_that_were_counted_since_its_trick_was_read(
    tasks_world: TaskWorld, tasks: list[TaskRow]
) -> None:
    here = tasks_world.here
    read = await here.tasks.installations([INSTALLATION])
    installed = here.reader.read(read[INSTALLATION][0], tasks_world.clock.now_ms())
    await here.faults.count(tasks[0], installed, HttpFailure(503))
    assert await tasks_world.failures() == 1
    await here.faults.forget(installed)
    assert await tasks_world.failures() == 0
