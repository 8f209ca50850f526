"""However long work ends, its asker reads how, and nothing of what a trick says in an error."""

import pytest

from bot.assistant.prompts import continuation_prompt
from bot.tasks.ends import EXPIRED, LOST, UNREACHABLE
from tests.support.brewing import WORKING, begin, heard, until, woken
from tests.support.journeys import rows_of
from tests.support.model import ModelServer, call, raw, say
from tests.support.talks import ask, spoken, texts, tick
from tests.support.trick import TrickServer
from tests.support.trick_answers import status
from tests.support.trick_tasks import TaskScript, completed, failed, working
from tests.support.world import World, text_of

SECRET = "the reason is nobody's business"


async def last_words(world: World, messages: int = 2) -> str:
    """Wait until the bot has said so much, and give the last of it."""
    await until(world, lambda: len(spoken(world)) >= messages)
    assert len(spoken(world)) == messages
    return text_of(spoken(world)[-1])


@pytest.mark.parametrize("how", ["failed", "cancelled", "isError"])
async def test_failed_work_ends_with_the_fixed_sentence(
    brewing: World, brewer: TrickServer, model: ModelServer, sqlite_url: str, how: str
) -> None:
    script = TaskScript(brewer, "brew", working())
    await begin(brewing, model)
    wrong = {"content": [{"type": "text", "text": SECRET}], "isError": True}
    end = {
        "failed": failed(message=SECRET),
        "cancelled": {"status": "cancelled", "statusMessage": SECRET},
        "isError": {"status": "completed", "result": wrong},
    }
    script.go_on(end[how])
    assert (await last_words(brewing)).startswith("That did not work")
    assert SECRET not in "".join([*texts(spoken(brewing)), *(asked.text for asked in model.asked)])
    assert woken(model) == []
    [recorded] = (await rows_of(sqlite_url))["calls"]
    assert recorded["status"] == "failed"
    assert recorded["said"] == (None if how == "cancelled" else SECRET)


async def test_work_that_fails_within_the_turn_is_answered_there(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    TaskScript(brewer, "brew", working(SECRET), failed(message=SECRET))
    model.script(
        call("load_trick", trick="brewer"),
        call("brewer__brew"),
        lambda asked: say("It did not work." if "error" in asked.last["content"] else "It worked."),
    )
    assert texts(await ask(brewing, "brew it")) == ["It did not work."]
    await tick(brewing)
    assert texts(spoken(brewing)) == ["It did not work."]
    assert SECRET not in "".join(asked.text for asked in model.asked)


async def test_work_that_the_trick_does_not_know_any_more_is_lost(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    script = TaskScript(brewer, "brew", working("grinding"))
    await begin(brewing, model)
    progress = await heard(brewing, "So far: grinding")
    script.lost = True
    assert await last_words(brewing, 3) == LOST
    assert spoken(brewing)[-1].reference.message_id == progress.reference.message_id
    assert "has ended" in text_of(spoken(brewing)[1])
    polls = brewer.count("tasks/get")
    brewing.clock.advance(600)
    await tick(brewing)
    assert (brewer.count("tasks/get"), woken(model)) == (polls, ["progress"])


async def test_work_that_outlives_its_time_is_given_up(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    TaskScript(brewer, "brew", working(), ttlMs=60_000)
    await begin(brewing, model)
    brewing.clock.advance(50)
    await tick(brewing)
    assert texts(spoken(brewing)) == [WORKING]
    brewing.clock.advance(10)
    assert await last_words(brewing) == EXPIRED


async def test_work_of_a_trick_that_stays_silent_ends_too(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    script = TaskScript(brewer, "brew", working(), ttlMs=15_000)
    await begin(brewing, model)
    script.fault = status(503)
    assert await last_words(brewing) == UNREACHABLE


async def test_a_result_that_the_model_finds_no_words_for_is_told_all_the_same(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    script = TaskScript(brewer, "brew", working())
    await begin(brewing, model)
    model.on(continuation_prompt(), lambda _: raw(400, {"error": {"message": "no"}}))
    script.go_on(completed({"cups": 2}))
    assert "The work is done" in await last_words(brewing)
