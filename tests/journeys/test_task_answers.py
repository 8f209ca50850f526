"""Questions of long work, answered in words: by a reply, or by the asker's next message."""

import json
from typing import Any

import pytest

from tests.support.brewing import READ_ANSWER, WORKING, begin, find, heard
from tests.support.journeys import labels
from tests.support.model import Answer, Asked, ModelServer, say
from tests.support.talks import mention, spoken, texts, tick
from tests.support.trick import TrickServer
from tests.support.trick_tasks import TaskScript, asking, completed, question, working
from tests.support.world import World, text_of

SIZES = {"size": {"type": "string", "enum": ["s", "m", "l"], "enumNames": ["Small", "Middling", "Large"]}}
CUPS = {"cups": {"type": "integer", "minimum": 1, "maximum": 5}}
NAME = {"name": {"type": "string", "maxLength": 10}}
LAST = "Done:"
ALONE: dict[str, Any] = {}


async def asked(
    world: World,
    trick: TrickServer,
    model: ModelServer,
    properties: Any,
    tool: str = "brew",
    more: dict[str, Any] = ALONE,
) -> TaskScript:
    """Work of the member that asks for `properties`, and `more` (key: request) beside it, once it is asked."""
    script = TaskScript(trick, tool, working(), ttlMs=None)
    await begin(world, model, tool)
    script.go_on(asking("k1", "Which?", properties, **more), completed({"poured": True}))
    if tool == "brew":
        await heard(world, "Tell me: Which?")
    return script


def reads(content: Any) -> Any:
    """A model that reads every message as this answer; None for no answer."""

    def read(asked: Asked) -> Answer:
        assert asked.tool_names == []
        given = {"answers": False} if content is None else {"answers": True, "content": content}
        return say(json.dumps(given))

    return read


def accepted(**content: Any) -> Any:
    return {"k1": {"action": "accept", "content": content}}


@pytest.mark.parametrize(
    ("words", "value"), [("Middling", "m"), (" LARGE.", "l"), ("s", "s"), ("3", "l"), ("{me} 2", "m")]
)
async def test_the_next_message_answers_by_value_title_or_number(
    brewing: World, brewer: TrickServer, model: ModelServer, words: str, value: str
) -> None:
    script = await asked(brewing, brewer, model, SIZES)
    before = len(model.asked)
    await brewing.owner.send(brewing.channel, "Small")
    await brewing.member.send(brewing.channel, words.format(me=mention(brewing)))
    assert len(model.asked) == before
    assert labels(find(brewing, "Answered: ")) == []
    await heard(brewing, LAST)
    assert script.answers == accepted(size=value)


async def test_the_newest_question_is_answered_first_and_others_by_replies(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    more = {"k2": question("How many?", CUPS), "k3": question("For whom?", NAME)}
    script = await asked(brewing, brewer, model, SIZES, more=more)
    name = await heard(brewing, "Tell me: For whom?")
    await brewing.member.send(brewing.channel, "Mia L.", reply_to=name)
    await brewing.member.send(brewing.channel, "3")
    await brewing.member.send(brewing.channel, "3")
    await heard(brewing, LAST)
    assert script.answers == accepted(size="l") | {
        "k2": {"action": "accept", "content": {"cups": 3}},
        "k3": {"action": "accept", "content": {"name": "Mia L."}},
    }
    assert model.asked_of(READ_ANSWER) == []


async def test_the_model_says_what_other_words_mean_and_what_is_no_answer_is_left_alone(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    script = await asked(brewing, brewer, model, SIZES)
    said = len(spoken(brewing))
    model.on(READ_ANSWER, reads(None))
    for words in ("what a day", "lunch?", "see you", "bye"):
        await brewing.member.send(brewing.channel, words)
    model.script(say("It is noon."))
    await brewing.member.send(brewing.channel, f"{mention(brewing)} what time is it?")
    assert texts(spoken(brewing)[said:]) == ["It is noon."]
    assert len(model.asked_of(READ_ANSWER)) == 4

    model.on(READ_ANSWER, reads({"size": "l"}))
    await brewing.member.send(brewing.channel, "as much as fits in")
    await heard(brewing, LAST)
    assert script.answers == accepted(size="l")


async def test_three_replies_that_do_not_fit_end_the_question_kindly(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    script = await asked(brewing, brewer, model, CUPS)
    message = find(brewing, "Tell me: Which?")
    model.on(READ_ANSWER, reads({"cups": 90}))
    for words in ("9", "ninety"):
        await brewing.member.send(brewing.channel, words, reply_to=message)
        told = text_of(spoken(brewing)[-1])
        assert "`cups`" in told
        assert "Try again" in told
        assert "90" not in told
    model.on(READ_ANSWER, reads(None))
    await brewing.member.send(brewing.channel, "whatever", reply_to=message)
    assert "there is no answer" in text_of(spoken(brewing)[-1])
    assert labels(find(brewing, "Tell me: Which?")) == []
    await heard(brewing, LAST)
    assert script.answers == {"k1": {"action": "decline"}}


async def test_after_fifteen_minutes_only_a_reply_is_an_answer(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    script = await asked(brewing, brewer, model, SIZES)
    message = find(brewing, "Tell me: Which?")
    brewing.clock.advance(15 * 60)
    await tick(brewing)
    await brewing.member.send(brewing.channel, "Small")
    await tick(brewing)
    assert (script.answers, texts(spoken(brewing))) == ({}, [WORKING, "Tell me: Which?"])
    model.on(READ_ANSWER, reads({"size": "m"}))
    await brewing.member.send(brewing.channel, "not too big", reply_to=message)
    await heard(brewing, LAST)
    assert script.answers == accepted(size="m")


async def test_in_the_bots_thread_any_message_is_a_reply(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    script = await asked(brewing, brewer, model, SIZES, "brew_aside")
    [thread] = brewing.channel.threads
    message = await heard(brewing, "Tell me: Which?", thread)
    assert [each.id for each in message.mentions] == [brewing.member.id]
    model.on(READ_ANSWER, reads(None))
    for _ in range(2):
        await brewing.member.send(thread, "hm")
        assert "Try again" in text_of(spoken(brewing, thread)[-1])
    await brewing.member.send(thread, "hm")
    assert "there is no answer" in text_of(spoken(brewing, thread)[-1])
    await heard(brewing, LAST, thread)
    assert script.answers == {"k1": {"action": "decline"}}
