"""Following tasks: what is polled when, by whom, and what becomes of it."""

import asyncio
import json
from collections import Counter

import pytest

from bot.errors import TaskFailed, ToolFailed
from bot.tasks.polls import Found
from bot.tricks.limits import poll_limits
from storage.engine import Database
from storage.erase import Erase
from storage.installations import Installations
from storage.records import Installation
from storage.request_records import TaskRow
from tests.support import trick_answers
from tests.support.records import OWNER
from tests.support.request_records import ASKER
from tests.support.tasks import INSTALLATION, TaskWorld
from tests.support.trick_tasks import TaskScript, completed, failed, working

TITLE = "Save your snack preference"
END = completed({"saved": "fruit"})


def polls(world: TaskWorld) -> int:
    return world.trick.count("tasks/get")


async def test_a_changed_status_text_is_told_in_one_message_and_the_end_in_another(
    tasks_world: TaskWorld,
) -> None:
    steps = (working("Looking"), working("Looking"), working("Wrapping"), END)
    TaskScript(tasks_world.trick, "save_snack", *steps)
    task = await tasks_world.start()

    seen: list[list[str]] = []
    for _ in range(6):
        await tasks_world.round()
        seen.append(tasks_world.speaker.said)

    assert seen[:3] == [[f"{TITLE}: Looking"], [f"{TITLE}: Looking"], [f"{TITLE}: Wrapping"]]
    assert seen[3] == seen[5] == ["-# This has ended.", "completed: {'saved': 'fruit'}"]
    state = await tasks_world.here.calls.state_of(task.id)
    assert state is not None
    assert state.status == "succeeded"
    assert json.loads(state.result or "")["structuredContent"] == {"saved": "fruit"}
    assert ((await tasks_world.row(task)).status, polls(tasks_world)) == ("completed", 4)


async def test_a_poll_tells_the_trick_for_which_call_and_where(tasks_world: TaskWorld) -> None:
    script = TaskScript(tasks_world.trick, "save_snack", working())
    task = await tasks_world.start(channel_id="4711")
    await tasks_world.round()

    (received,) = tasks_world.trick.received("tasks/get")
    assert received.verified
    assert received.params["taskId"] == script.task_id
    assert received.headers["mcp-name"] == script.task_id
    wanted = {"installationId": INSTALLATION, "askerId": ASKER, "channelId": "4711", "callId": task.id}
    assert received.context == wanted | {"settings": {}}
    assert script.task_id not in repr(task) + str(await tasks_world.row(task))


async def test_the_tricks_interval_is_honoured(tasks_world: TaskWorld) -> None:
    TaskScript(tasks_world.trick, "save_snack", working(), pollIntervalMs=30_000)
    await tasks_world.start()
    await tasks_world.round(6)
    await tasks_world.round(29)
    assert polls(tasks_world) == 1
    await tasks_world.round(1)
    assert polls(tasks_world) == 2


async def test_many_tasks_of_one_installation_slow_each_other_down(tasks_world: TaskWorld) -> None:
    for number in range(15):
        TaskScript(tasks_world.trick, "snack_menu", working(), task_id=f"task-{number}", pollIntervalMs=250)
        await tasks_world.start("snack_menu")
        tasks_world.clock.advance(4)
    tasks_world.clock.advance(60)
    before = polls(tasks_world)
    for _ in range(300):
        await tasks_world.round(1)
    assert (polls(tasks_world) - before) <= 31 * 5
    assert min(Counter(r.params["taskId"] for r in tasks_world.trick.received("tasks/get")).values()) >= 7


async def test_polls_above_thirty_a_minute_are_put_off_and_nothing_fails(tasks_world: TaskWorld) -> None:
    for number in range(3):
        TaskScript(tasks_world.trick, "snack_menu", working(), END, task_id=f"task-{number}")
        await tasks_world.start("snack_menu")
    tasks_world.clock.advance(10)
    for _ in range(28):
        tasks_world.here.limiter.take(*poll_limits(INSTALLATION))

    await tasks_world.round(0)
    assert polls(tasks_world) == 2
    await tasks_world.round(59)
    assert polls(tasks_world) == 2
    await tasks_world.round(2)
    assert polls(tasks_world) == 2 + 3
    for _ in range(3):
        await tasks_world.round(60)
    assert len(tasks_world.speaker.said) == 3
    assert await tasks_world.failures() == 0


@pytest.mark.parametrize("code", [-32602, -32601])
async def test_a_task_that_the_trick_does_not_know_is_lost_with_a_sentence(
    tasks_world: TaskWorld, code: int
) -> None:
    script = TaskScript(tasks_world.trick, "save_snack", working())
    task = await tasks_world.start()
    script.fault = trick_answers.rpc_error(code, "who?")
    await tasks_world.round()

    (said,) = tasks_world.speaker.said
    assert said.startswith("lost: ")
    assert "who?" not in said
    state = await tasks_world.here.calls.state_of(task.id)
    assert state is not None
    assert state.status == "unknown"
    assert (await tasks_world.row(task)).status == "lost"
    await tasks_world.round(100)
    assert (polls(tasks_world), len(tasks_world.speaker.said)) == (1, 1)


@pytest.mark.parametrize(
    "step", [failed(-32603, "the trick's own words"), {"status": "cancelled"}], ids=["failed", "cancelled"]
)
async def test_a_failed_task_ends_with_the_fixed_sentence(
    tasks_world: TaskWorld, step: dict[str, object]
) -> None:
    TaskScript(tasks_world.trick, "save_snack", step)
    task = await tasks_world.start()
    await tasks_world.round()
    assert tasks_world.speaker.said == [f"failed: {TaskFailed().sentence}"]
    state = await tasks_world.here.calls.state_of(task.id)
    assert state is not None
    assert (state.status, state.result) == ("failed", None)
    (failure,) = await tasks_world.here.calls.failures(INSTALLATION, 5)
    assert failure.said == ("the trick's own words" if "error" in step else None)


async def test_a_result_with_an_error_is_told_as_a_failure_with_the_fixed_sentence(
    tasks_world: TaskWorld,
) -> None:
    wrong = {"content": [{"type": "text", "text": "no fruit"}], "isError": True}
    TaskScript(tasks_world.trick, "save_snack", {"status": "completed", "result": wrong})
    await tasks_world.start()
    await tasks_world.round()
    assert tasks_world.speaker.said == [f"failed: {ToolFailed('').sentence}"]
    (failure,) = await tasks_world.here.calls.failures(INSTALLATION, 5)
    assert failure.said == "no fruit"


async def test_faults_are_outlived_and_a_success_starts_the_count_anew(tasks_world: TaskWorld) -> None:
    script = TaskScript(tasks_world.trick, "save_snack", working("Looking"), END, pollIntervalMs=2_000)
    await tasks_world.start()
    script.fault = trick_answers.status(503)
    await tasks_world.round(6)
    assert (await tasks_world.failures(), tasks_world.speaker.said) == (1, [])
    await tasks_world.round(3.9)
    assert polls(tasks_world) == 1
    await tasks_world.round(0.1)
    assert (polls(tasks_world), await tasks_world.failures()) == (2, 2)

    script.fault = None
    await tasks_world.round(8)
    await tasks_world.round(2.5)
    assert tasks_world.speaker.said == ["-# This has ended.", "completed: {'saved': 'fruit'}"]
    assert await tasks_world.failures() == 0


async def test_five_faults_in_a_row_pause_the_trick_tell_its_owner_and_end_nothing(
    tasks_world: TaskWorld,
) -> None:
    script = TaskScript(tasks_world.trick, "save_snack", END)
    task = await tasks_world.start()
    script.fault = trick_answers.html()
    for _ in range(7):
        await tasks_world.round(60)
    assert (await tasks_world.state(), polls(tasks_world)) == ("paused", 5)
    (notice,) = tasks_world.notices.told
    assert "paused" in notice
    assert ((await tasks_world.row(task)).status, tasks_world.speaker.said) == ("working", [])

    script.fault = None
    store = Installations(tasks_world.database)
    await store.set_state(INSTALLATION, ["paused"], "enabled", tasks_world.clock.now_ms(), OWNER)
    await tasks_world.round(60)
    assert tasks_world.speaker.said == ["completed: {'saved': 'fruit'}"]


async def test_a_trick_that_stays_silent_until_the_tasks_life_ends_has_lost_it(
    tasks_world: TaskWorld,
) -> None:
    script = TaskScript(tasks_world.trick, "save_snack", working(), ttlMs=60_000)
    task = await tasks_world.start()
    script.fault = trick_answers.status(503)
    for _ in range(4):
        await tasks_world.round(30)
    (said,) = tasks_world.speaker.said
    assert said.startswith("lost: ")
    assert (await tasks_world.row(task)).status == "lost"


async def test_a_task_that_outlives_its_time_is_given_up(tasks_world: TaskWorld) -> None:
    TaskScript(tasks_world.trick, "save_snack", working(), ttlMs=None)
    task = await tasks_world.start()
    await tasks_world.round(86_000)
    assert (await tasks_world.row(task)).status == "working"
    await tasks_world.round(399)
    assert tasks_world.speaker.said == []
    await tasks_world.round(1)
    (said,) = tasks_world.speaker.said
    assert said.startswith("expired: ")
    assert (await tasks_world.row(task)).status == "lost"


async def test_an_end_at_the_last_moment_still_counts(tasks_world: TaskWorld) -> None:
    TaskScript(tasks_world.trick, "save_snack", END, ttlMs=1_000)
    await tasks_world.start()
    await tasks_world.round(3_600)
    assert tasks_world.speaker.said == ["completed: {'saved': 'fruit'}"]


async def test_two_processes_poll_each_task_once(tasks_world: TaskWorld) -> None:
    for number in range(8):
        TaskScript(tasks_world.trick, "snack_menu", working("Looking"), task_id=f"task-{number}")
        await tasks_world.start("snack_menu")
    tasks_world.clock.advance(10)
    other = await Database.open(tasks_world.url)
    try:
        there = tasks_world.process(other)
        await asyncio.gather(tasks_world.here.poller.poll_due(), there.poller.poll_due())
        polled = Counter(r.params["taskId"] for r in tasks_world.trick.received("tasks/get"))
        assert polled == {f"task-{number}": 1 for number in range(8)}

        await asyncio.gather(tasks_world.here.teller.tell_due(), there.teller.tell_due())
        assert len(tasks_world.speaker.said) == 8
    finally:
        await other.close()


async def test_a_task_of_a_process_that_died_is_polled_once_its_lease_has_lapsed(
    tasks_world: TaskWorld,
) -> None:
    TaskScript(tasks_world.trick, "save_snack", END)
    await tasks_world.start()
    tasks_world.clock.advance(10)
    now = tasks_world.clock.now_ms()
    (_,) = await tasks_world.here.tasks.due(now, 10, now + 90_000)  # and dies
    await tasks_world.round(89)
    assert polls(tasks_world) == 0
    await tasks_world.round(1)
    assert tasks_world.speaker.said == ["completed: {'saved': 'fruit'}"]


async def test_a_task_that_breaks_a_poll_holds_up_no_other(
    tasks_world: TaskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(2):
        TaskScript(tasks_world.trick, "snack_menu", END, task_id=f"task-{number}")
    first, second = [await tasks_world.start("snack_menu") for _ in range(2)]
    poll = tasks_world.here.polls.poll

    async def breaking(row: TaskRow, installation: Installation, open_tasks: int = 1) -> Found:
        if row.id == first.id:
            raise RuntimeError("a fault of our own")
        return await poll(row, installation, open_tasks)

    monkeypatch.setattr(tasks_world.here.polls, "poll", breaking)
    await tasks_world.round()
    assert [(await tasks_world.row(each)).status for each in (first, second)] == ["working", "completed"]


async def test_a_task_of_a_deleted_message_is_told_to_nobody(tasks_world: TaskWorld) -> None:
    TaskScript(tasks_world.trick, "save_snack", END)
    task = await tasks_world.start()
    tasks_world.clock.advance(10)
    await tasks_world.here.poller.poll_due()
    await Erase(tasks_world.database).messages_deleted([task.message_id])
    await tasks_world.tell()
    assert tasks_world.speaker.said == []
