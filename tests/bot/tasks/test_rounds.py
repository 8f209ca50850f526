"""Calls that ask back before they begin: asked, answered, sent again; ten rounds at most."""

import pytest

from bot.demo.sample_trick import JsonObject
from bot.errors import OutcomeUnknown, RpcFailure, TaskFailed
from storage.installations import Installations
from storage.request_records import TaskRow
from tests.support import trick_answers
from tests.support.request_records import ASKER, CHANNEL
from tests.support.tasks import INSTALLATION, TaskWorld
from tests.support.trick import Answer, Handler, TrickServer
from tests.support.trick_requests import Received
from tests.support.trick_tasks import TaskScript, completed, question
from tests.support.trick_tools import structured

TASTE: JsonObject = {"taste": {"type": "string", "enum": ["sweet", "salty"]}}
SWEET: JsonObject = {"action": "accept", "content": {"taste": "sweet"}}
TOLD = "completed: {'saved': 'fruit'}"


def ask_back(state: str | None, **asked: JsonObject) -> JsonObject:
    given = {} if state is None else {"requestState": state}
    return {"resultType": "input_required", "inputRequests": asked, **given}


class Rounds:
    """A tool that answers its calls by a script; the last answer stays."""

    def __init__(self, world: TaskWorld, *answers: JsonObject | Handler, tool: str = "save_snack") -> None:
        self._answers = list(answers)
        self.calls: list[Received] = []
        world.trick.on(f"tools/call {tool}", self)

    async def __call__(self, trick: TrickServer, received: Received, /) -> Answer:
        self.calls.append(received)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return await answer(trick, received) if callable(answer) else answer

    @property
    def responses(self) -> list[JsonObject]:
        return [call.params.get("inputResponses", {}) for call in self.calls[1:]]


async def begun(world: TaskWorld, tool: str = "save_snack") -> TaskRow:
    """A call that asked back, and whose turn has given it to the poller."""
    task = await world.start(tool)
    assert await world.here.waiting.wait(task) is None
    await world.tell()
    return task


async def pressed(world: TaskWorld, task: TaskRow, at: int = 0) -> None:
    row = await world.question(task, at)
    await world.here.desk.press(row.key, 0, ASKER)


async def test_an_answered_question_sends_the_same_call_again_and_its_end_is_told(
    tasks_world: TaskWorld,
) -> None:
    ask = ask_back("opaque\n", k1=question("Which?", TASTE))
    script = Rounds(tasks_world, ask, structured({"saved": "fruit"}))
    task = await begun(tasks_world)
    for _ in range(3):
        await tasks_world.round(100)
    assert tasks_world.speaker.said == ["Save your snack preference asks: Which?"]
    assert len(script.calls) == 1

    await pressed(tasks_world, task)
    await tasks_world.round(0)

    first, second = script.calls
    assert second.params["inputResponses"] == {"k1": SWEET}
    assert second.params["requestState"] == "opaque\n"
    for same in ("name", "arguments"):
        assert first.params[same] == second.params[same]
    assert second.context["callId"] == task.id
    assert second.context["userRequest"] == {
        "messageId": "message-r1",
        "channelId": CHANNEL,
        "content": "two pretzels, please",
    }
    assert first.json["id"] != second.json["id"]
    assert first.headers["webhook-id"] != second.headers["webhook-id"]
    assert tasks_world.speaker.last.text == TOLD
    assert (await tasks_world.row(task)).status == "completed"


async def test_the_call_waits_for_the_last_of_its_questions(tasks_world: TaskWorld) -> None:
    ask = ask_back(None, k1=question("Which?", TASTE), k2=question("Now?", {"now": {"type": "boolean"}}))
    script = Rounds(tasks_world, ask, structured({"saved": "fruit"}))
    task = await begun(tasks_world)
    await tasks_world.round(10)
    await pressed(tasks_world, task, 0)
    await tasks_world.round(1)
    assert len(script.calls) == 1
    row = await tasks_world.question(task, 1)
    await tasks_world.here.desk.press(row.key, "skip", ASKER)
    await tasks_world.round(1)
    assert len(script.calls) == 2
    assert sorted(script.responses[0]) == ["k1", "k2"]
    assert {"action": "decline"} in script.responses[0].values()
    assert "requestState" not in script.calls[1].params


async def test_ten_rounds_are_the_most(tasks_world: TaskWorld) -> None:
    script = Rounds(tasks_world, ask_back("again", k1=question("Which?", TASTE)))
    task = await begun(tasks_world)
    for number in range(10):
        await pressed(tasks_world, task, number)
        for _ in range(2):  # one sends the call again, one asks anew
            await tasks_world.round(30)
    assert len(script.calls) == 11
    assert script.responses == [{"k1": SWEET}] * 10
    assert (await tasks_world.row(task)).status == "failed"
    assert tasks_world.speaker.last.text == f"failed: {TaskFailed().sentence}"


async def test_a_state_without_questions_is_sent_again_at_once(tasks_world: TaskWorld) -> None:
    script = Rounds(tasks_world, ask_back("wait"), structured({"saved": "fruit"}))
    await begun(tasks_world)
    await tasks_world.round(0)
    assert len(script.calls) == 2
    assert script.calls[1].params["requestState"] == "wait"
    assert "inputResponses" not in script.calls[1].params
    assert tasks_world.speaker.said == [TOLD]


async def test_a_call_may_go_on_as_a_task_after_its_questions(tasks_world: TaskWorld) -> None:
    TaskScript(tasks_world.trick, "save_snack", completed({"saved": "fruit"}))
    created: JsonObject = {"resultType": "task", "taskId": "task-1", "status": "working", "ttlMs": None}
    script = Rounds(tasks_world, ask_back("s", k1=question("Which?", TASTE)), created)
    task = await begun(tasks_world)
    await pressed(tasks_world, task)
    await tasks_world.round(10)
    assert (await tasks_world.row(task)).task_id is not None
    await tasks_world.round(10)
    assert tasks_world.speaker.last.text == TOLD
    assert len(script.calls) == 2
    assert tasks_world.trick.count("tasks/update") == 0


async def test_a_write_whose_answer_was_lost_is_not_sent_again(tasks_world: TaskWorld) -> None:
    ask = ask_back("s", k1=question("Which?", TASTE))
    script = Rounds(tasks_world, ask, trick_answers.drop(), structured({"saved": "fruit"}))
    task = await begun(tasks_world)
    await pressed(tasks_world, task)
    for _ in range(3):
        await tasks_world.round(60)
    assert len(script.calls) == 2
    assert tasks_world.speaker.last.text == f"lost: {OutcomeUnknown().sentence}"
    state = await tasks_world.here.calls.state_of(task.id)
    assert state is not None
    assert state.status == "unknown"
    assert await tasks_world.failures() == 1


async def test_a_read_whose_answer_was_lost_is_sent_again_later(tasks_world: TaskWorld) -> None:
    ask = ask_back("s", k1=question("Which?", TASTE))
    script = Rounds(tasks_world, ask, trick_answers.html(), structured({"saved": "fruit"}), tool="snack_menu")
    task = await begun(tasks_world, "snack_menu")
    await pressed(tasks_world, task)
    await tasks_world.round(0)
    assert (len(script.calls), await tasks_world.failures()) == (2, 1)
    await tasks_world.round(60)
    assert tasks_world.speaker.last.text == TOLD
    assert await tasks_world.failures() == 0


async def test_a_refused_answer_fails_the_call(tasks_world: TaskWorld) -> None:
    ask = ask_back("s", k1=question("Which?", TASTE))
    script = Rounds(tasks_world, ask, trick_answers.rpc_error(-32602, "tampered"))
    task = await begun(tasks_world)
    await pressed(tasks_world, task)
    for _ in range(2):
        await tasks_world.round(60)
    assert len(script.calls) == 2
    assert tasks_world.speaker.last.text == f"failed: {RpcFailure(-32602, '').sentence}"
    (failure,) = await tasks_world.here.calls.failures(INSTALLATION, 5)
    assert failure.said == "tampered"
    assert (await tasks_world.row(task)).status == "failed"


async def test_a_tool_that_was_changed_meanwhile_is_not_called_again(tasks_world: TaskWorld) -> None:
    script = Rounds(tasks_world, ask_back("s", k1=question("Which?", TASTE)))
    task = await begun(tasks_world)
    await Installations(tasks_world.database).set_held_back(INSTALLATION, ["save_snack"])
    await pressed(tasks_world, task)
    await tasks_world.round(0)
    assert len(script.calls) == 1
    assert "held back" in tasks_world.speaker.last.text
    assert (await tasks_world.row(task)).status == "failed"


async def test_a_question_that_cannot_be_asked_fails_the_call_within_the_turn(tasks_world: TaskWorld) -> None:
    Rounds(tasks_world, ask_back("s", k1=question("Your API key?", {"key": {"type": "string"}})))
    task = await tasks_world.start()
    with pytest.raises(TaskFailed):
        await tasks_world.here.waiting.wait(task)
    await tasks_world.round(100)
    assert tasks_world.speaker.said == []
    assert (await tasks_world.row(task)).status == "failed"


async def test_a_turn_that_died_leaves_the_questions_to_the_poller(tasks_world: TaskWorld) -> None:
    Rounds(tasks_world, ask_back("s", k1=question("Which?", TASTE)))
    await tasks_world.start()
    await tasks_world.round(6)
    assert tasks_world.speaker.said == ["Save your snack preference asks: Which?"]


async def test_nobody_answers_for_a_day(tasks_world: TaskWorld) -> None:
    script = Rounds(tasks_world, ask_back("s", k1=question("Which?", TASTE)), structured({"saved": None}))
    task = await begun(tasks_world)
    await tasks_world.round(10)
    tasks_world.clock.advance(86_400)
    await tasks_world.here.desk.expire_due()
    await tasks_world.round(0)
    assert script.responses == [{"k1": {"action": "decline"}}]
    assert (await tasks_world.row(task)).status == "completed"
