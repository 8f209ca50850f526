"""A tool that asks before it begins: the same call goes again with the answers, as the asker sees it."""

from typing import Any

from bot.errors import OutcomeUnknown
from tests.support import trick_answers
from tests.support.brewing import begin, heard, until, woken
from tests.support.journeys import labels
from tests.support.model import ModelServer
from tests.support.talks import spoken, texts, tick
from tests.support.trick import Answer, TrickServer
from tests.support.trick_requests import Received
from tests.support.trick_tasks import TaskScript, completed, question, working
from tests.support.trick_tools import structured
from tests.support.world import World, text_of

STATE = ' ä "\\u0000"\U0001f680\n%20 '
SURE = {"sure": {"type": "boolean"}}
LAST = "Done:"


class AsksBack:
    """Asks whenever it is called, `times` times, with another state each time; then gives its result."""

    def __init__(self, times: int) -> None:
        self.calls: list[Received] = []
        self._times = times

    async def __call__(self, trick: TrickServer, received: Received, /) -> Answer:
        self.calls.append(received)
        number = len(self.calls)
        if number > self._times:
            return structured({"cups": 2})
        asked = {"k": question(f"Sure, {number}?", SURE)}
        return {"resultType": "input_required", "inputRequests": asked, "requestState": f"{number}{STATE}"}


def pressable(world: World) -> Any:
    """The newest question that is open, None if there is none."""
    return next((each for each in reversed(spoken(world)) if "Skip" in labels(each)), None)


async def press(world: World, label: str) -> None:
    """Wait for a question and press one of its buttons."""
    await until(world, lambda: pressable(world))
    await world.member.click(pressable(world), label=label)


async def test_the_call_goes_again_with_its_answers_and_its_state(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    tool = AsksBack(2)
    brewer.on("tools/call brew", tool)
    await begin(brewing, model)
    await press(brewing, "Yes")
    await press(brewing, "Skip")
    assert text_of(await heard(brewing, LAST)) == 'Done: {"data":{"cups":2}}'
    assert woken(model) == ["question", "question", "result"]
    first, second, third = (call.params for call in tool.calls)
    assert not {"inputResponses", "requestState"} & first.keys()
    assert second["inputResponses"] == {"k": {"action": "accept", "content": {"sure": True}}}
    assert third["inputResponses"] == {"k": {"action": "decline"}}
    assert [call["requestState"] for call in (second, third)] == [f"1{STATE}", f"2{STATE}"]
    assert len({call.call_id for call in tool.calls}) == 1
    assert len({call.json["id"] for call in tool.calls}) == 3
    assert len({call.headers["webhook-id"] for call in tool.calls}) == 3
    assert first["arguments"] == second["arguments"] == third["arguments"]


async def test_after_ten_rounds_it_fails_with_a_sentence(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    tool = AsksBack(99)
    brewer.on("tools/call brew", tool)
    await begin(brewing, model)
    for _ in range(10):
        await press(brewing, "Yes")
    await heard(brewing, "That did not work")
    assert len(tool.calls) == 11
    assert pressable(brewing) is None


async def test_it_may_become_a_task_after_its_question(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    brewer.on("tools/call brew", AsksBack(1))
    await begin(brewing, model)
    await until(brewing, lambda: pressable(brewing))
    script = TaskScript(brewer, "brew", working("grinding"))
    await press(brewing, "Yes")
    await heard(brewing, "So far: grinding")
    script.go_on(completed({"cups": 2}))
    await heard(brewing, LAST)


async def test_a_write_whose_answer_was_lost_is_not_repeated_and_said_so(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    brewer.on("tools/call pour", AsksBack(1))
    await begin(brewing, model, "pour", member=brewing.owner)
    await until(brewing, lambda: pressable(brewing))
    brewer.on("tools/call pour", trick_answers.drop())
    await brewing.owner.click(pressable(brewing), label="Yes")
    await heard(brewing, OutcomeUnknown().sentence)
    brewer.behave()
    brewing.clock.advance(600)
    await tick(brewing)
    assert brewer.count("tools/call") == 2
    assert sum(brewer.effects.values()) == 1
    assert len(texts(spoken(brewing))) == 3
