"""A member asks, the assistant loads a trick, calls its tools, asks before it changes something, and answers."""

from typing import Any

import pytest

from bot.errors import KennelError
from bot.tricks.request_calls import RequestCalls
from tests.support.journeys import labels, said
from tests.support.model import ModelServer, call, say
from tests.support.talks import ask, is_card, spoken, texts, tick
from tests.support.trick import TrickServer
from tests.support.world import World, text_of


async def test_a_question_is_answered_with_what_a_tool_returned(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    model.script(
        call("load_trick", trick=trick.id),
        call(f"{trick.id}__snack_menu"),
        say("There is popcorn and fruit."),
    )
    assert texts(await ask(talk, "what snacks are there?")) == ["There is popcorn and fruit."]
    assert trick.count("tools/call") == 1


async def test_tools_come_with_load_trick_and_not_before(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    model.script(call("load_trick", trick=trick.id), say("Loaded."))
    await ask(talk, "hello")
    first, second = model.asked
    assert first.tool_names == ["load_trick"]
    assert second.tool_names == ["load_trick", f"{trick.id}__snack_menu"]
    assert trick.manifest()["summary"] in first.system
    assert trick.manifest()["instructions"] not in first.text


async def test_the_owners_own_wish_runs_and_after_tool_output_a_card_asks(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    model.script(
        call("load_trick", trick=trick.id),
        call(f"{trick.id}__save_snack", snack="fruit"),
        call(f"{trick.id}__snack_menu"),
        call(f"{trick.id}__save_snack", snack="popcorn"),
        say("Both are saved."),
    )
    (card,) = await ask(talk, "save fruit, then whatever is first", member=talk.owner)
    assert is_card(card)
    assert labels(card) == ["Do it", "Auto-review", "Don't", "Details"]
    assert "popcorn" in text_of(card)
    assert trick.count("tools/call") == 2
    await talk.owner.click(card, label="Do it")
    assert trick.count("tools/call") == 3
    folded, answer = spoken(talk)
    assert labels(folded) == []
    assert text_of(answer) == "Both are saved."
    await tick(talk)
    assert len(spoken(talk)) == 2


async def test_help_says_that_one_can_talk_to_the_bot(talk: World) -> None:
    assert "mention me" in said(await talk.member.slash(talk.channel, "help"))


async def test_a_request_that_goes_on_while_discord_is_silent_is_tried_again_later(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    model.script(
        call("load_trick", trick=trick.id),
        call(f"{trick.id}__snack_menu"),
        call(f"{trick.id}__save_snack", snack="fruit"),
        say("It is saved."),
    )
    (card,) = await ask(talk, "save whatever is second", member=talk.owner)
    talk.env.inject_error("GET", "/guilds/*/members/*", status=503)
    await talk.owner.click(card, label="Do it")
    await tick(talk)
    assert trick.count("tools/call") == 1
    await tick(talk, 130)
    assert trick.count("tools/call") == 2
    assert texts(spoken(talk))[-1] == "It is saved."


async def test_a_request_that_fails_leaves_no_card_of_a_call_that_came_later(
    talk: World, trick: TrickServer, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The read breaks inside Kennel at once, while the write beside it is still on its way to a card."""

    async def broken(*_: object) -> None:
        raise RuntimeError("no such thing")

    model.script(
        call("load_trick", trick=trick.id),
        call(f"{trick.id}__snack_menu"),
        call(f"{trick.id}__snack_menu") + call(f"{trick.id}__save_snack", snack="fruit"),
    )
    slow = RequestCalls.run
    runs: list[object] = []

    async def second_breaks(calls: RequestCalls, *arguments: Any) -> object:
        runs.append(arguments)
        return await slow(calls, *arguments) if len(runs) == 1 else await broken()

    monkeypatch.setattr(RequestCalls, "run", second_breaks)
    shown = await ask(talk, "save what is first", member=talk.owner)
    assert not any(is_card(each) for each in shown)
    assert texts(shown)[-1] == KennelError.to_member
