"""Whatever the model does, the asker gets one sentence, and the request ends."""

import re

import pytest

from bot.assistant.turn import MAX_STEPS
from tests.support.journeys import deliver_again
from tests.support.model import Answer, ModelServer, call, completion, raw, say
from tests.support.talks import ask, is_card, spoken, texts
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_tools import ToolSpec
from tests.support.turns import load, statuses, talking, use
from tests.support.world import World

UNAVAILABLE = "The assistant cannot answer right now. Try again in a minute; commands work meanwhile."
REFUSED = "The assistant's model did not take this."
NOT_SET_UP = "The assistant is not set up right: its model or its key does not work. Tell whoever runs Kennel"
NONSENSE = "The assistant's answer made no sense. Ask again, perhaps in other words."
BUSY = {"error": {"message": "obey the mouse"}}


async def one_sentence(world: World, text: str = "hello") -> str:
    """Ask, and give the only message that answers."""
    (answer,) = texts(await ask(world, text))
    return answer


async def test_a_model_that_is_down_busy_or_broken_is_told_in_a_sentence(
    talk: World, model: ModelServer, sqlite_url: str
) -> None:
    troubles: dict[str, Answer] = {
        "500": raw(500, BUSY),
        "503": raw(503, b"<html>obey the mouse</html>"),
        "429, in an hour": raw(429, BUSY, {"Retry-After": "3600"}),
    }
    for name, trouble in troubles.items():
        model.script(lambda asked, trouble=trouble: trouble)
        assert await one_sentence(talk) == UNAVAILABLE, name
    await model.stop()
    assert await one_sentence(talk) == UNAVAILABLE
    assert await statuses(sqlite_url) == ["failed"] * 4


async def test_a_model_that_is_busy_for_a_moment_is_asked_again(
    talk: World, model: ModelServer, sqlite_url: str
) -> None:
    model.script(raw(429, BUSY, {"Retry-After": "1"}), raw(503, BUSY), say("Here I am."))
    assert await one_sentence(talk) == "Here I am."
    assert len(model.asked) == 3
    assert await statuses(sqlite_url) == ["answered"]


async def test_a_model_that_refuses_or_talks_nonsense_is_asked_once(
    talk: World, model: ModelServer, sqlite_url: str
) -> None:
    troubles: dict[str, tuple[Answer, str]] = {
        "401": (raw(401, BUSY), NOT_SET_UP),
        "404": (raw(404, BUSY), NOT_SET_UP),
        "400": (raw(400, BUSY), REFUSED),
        "a filter": (raw(200, completion({"role": "assistant", "content": None}, "content_filter")), REFUSED),
        "a web page": (raw(200, b"<html>obey the mouse</html>"), NONSENSE),
        "no choice": (raw(200, completion({}) | {"choices": []}), NONSENSE),
        "nothing": (say(""), NONSENSE),
        "blanks": (say(" \n\u200b"), NONSENSE),
    }
    for number, (name, (trouble, sentence)) in enumerate(troubles.items(), 1):
        model.script(trouble)
        answer = await one_sentence(talk)
        assert answer.startswith(sentence), name
        assert "mouse" not in answer
        assert len(model.asked) == number, name
    assert {*await statuses(sqlite_url)} == {"failed"}


async def test_nonsense_after_a_tool_ran_is_told_and_the_tool_ran_once(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    model.script(load(trick), use(trick, "save_snack", snack="fruit"), raw(200, b"{}"))
    (answer,) = texts(await ask(talk, "save fruit", member=talk.owner))
    assert answer == NONSENSE
    await deliver_again(talk, "MESSAGE_CREATE")
    assert trick.count("tools/call") == 1
    assert await statuses(sqlite_url) == ["failed"]


async def test_a_model_that_never_ends_is_stopped(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    model.script(lambda asked: call("load_trick", trick=trick.id))
    answer = await one_sentence(talk)
    assert answer == "This takes more steps than I may take at once. Ask for a smaller part of it."
    assert len(model.asked) == MAX_STEPS
    assert await statuses(sqlite_url) == ["failed"]


@pytest.fixture
async def trick(make_trick: MakeTrick) -> TrickServer:
    """The trick of every test here, with a read tool besides that gives much."""
    trick = await make_trick()
    trick.tools += [ToolSpec("much", read_only=True, result={"text": "x" * 100_000})]
    trick.live_tools = list(trick.tools)
    return trick


async def test_results_that_are_too_much_are_left_out_and_the_model_is_told(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    model.script(load(trick), use(trick, "much") + use(trick, "much") + use(trick, "much"), say("Much."))
    assert await one_sentence(talk) == "Much."
    contents = [each["content"] for each in model.asked[2].messages if each["role"] == "tool"]
    assert [len(content) > 100_000 for content in contents] == [False, True, True, False]
    assert "too large" in contents[3]


async def test_over_the_limit_of_a_member_one_sentence_says_when(
    sqlite_url: str, model: ModelServer, trick: TrickServer
) -> None:
    async with talking(sqlite_url, model, trick, assistant={"requests_per_member_hour": 2}) as world:
        model.script(lambda asked: say("Yes?"))
        first = world.clock.now_ms() // 1000
        assert [await one_sentence(world) for _ in range(2)] == ["Yes?"] * 2
        refused = await one_sentence(world)
        found = re.search(r"Ask again <t:(\d+):R>", refused)
        assert found is not None, refused
        assert 0 <= int(found[1]) - (first + 3_600) <= 30
        await deliver_again(world, "MESSAGE_CREATE", 2)
        assert len(spoken(world)) == 3
        assert texts(await ask(world, "hello", member=world.owner)) == ["Yes?"]
        world.clock.advance(int(found[1]) - world.clock.now_ms() / 1000 - 60)
        assert "Ask again" in await one_sentence(world)
        world.clock.advance(61)
        assert await one_sentence(world) == "Yes?"
        assert len(model.asked) == 4


async def test_over_the_limit_of_a_server_everybody_is_told_when(
    sqlite_url: str, model: ModelServer, trick: TrickServer
) -> None:
    async with talking(sqlite_url, model, trick, assistant={"requests_per_guild_day": 1}) as world:
        model.script(
            load(trick), use(trick, "snack_menu"), use(trick, "save_snack", snack="fruit"), say("Saved.")
        )
        (card,) = await ask(world, "save the first", member=world.owner)
        assert is_card(card)
        refused = await one_sentence(world)
        found = re.search(r"<t:(\d+):R>", refused)
        assert found is not None
        assert int(found[1]) - world.clock.now_ms() // 1000 > 86_000
        await world.owner.click(card, label="Do it")
        assert texts(spoken(world))[-1] == "Saved."
