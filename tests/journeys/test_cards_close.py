"""How approval cards end: by time, by Don't, by words, one after the other, and after a restart."""

from typing import Any

import pytest

from bot.app import Kennel
from bot.demo.outside import OutsideModel
from bot.llm.providers import open_model
from bot.services import open_services
from tests.support.cards import post_buttons
from tests.support.journeys import labels, rows_of, said
from tests.support.model import ModelServer, say
from tests.support.talks import ask, is_card, spoken, texts, tick
from tests.support.trick import TrickServer
from tests.support.turns import (
    carded,
    errors,
    load,
    said_since,
    saved,
    shown,
    statuses,
    told,
    use,
)
from tests.support.world import World, config_for, outside_transport, text_of

CLOSED = "This is no longer open. Ask again if you still want it."


async def closing_time(url: str) -> int:
    """When the only card closes, in ms since the epoch."""
    (row,) = (await rows_of(url))["approvals"]
    assert row["closes_at"] - row["opened_at"] == 15 * 60_000
    return row["closes_at"]


def custom_ids(card: Any) -> dict[str, str]:
    """The custom id of each button by its label."""
    return {each["label"]: each["custom_id"] for each in card.components[0].to_dict()["components"]}


async def test_the_sweep_closes_a_card_at_fifteen_minutes_and_not_before(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (card,) = await carded(talk, trick, model, say("Then not."))
    closes_at = await closing_time(sqlite_url)
    assert f"<t:{closes_at // 1000}:" in text_of(card)
    monkeypatch.setattr(talk.clock, "now_ms", lambda: closes_at - 1)
    await tick(talk)
    assert is_card(shown(talk, card))
    monkeypatch.setattr(talk.clock, "now_ms", lambda: closes_at)
    await tick(talk)
    await tick(talk)
    assert labels(shown(talk, card)) == []
    assert "time ran out" in text_of(shown(talk, card))
    assert said_since(talk, card) == ["Then not."]
    assert told(model.asked[-1])[0] == {
        "kennel": {"not_done": "The asker did not answer in time, so this was not done."}
    }
    assert (saved(trick), await statuses(sqlite_url)) == ([], ["stopped"])


async def test_a_press_counts_until_fifteen_minutes_are_over_and_not_after(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (card,) = await carded(talk, trick, model, say("Then not."))
    closes_at = await closing_time(sqlite_url)
    monkeypatch.setattr(talk.clock, "now_ms", lambda: closes_at)
    late = await talk.owner.click(card, label="Do it")
    assert said(late) == CLOSED
    await tick(talk)
    await tick(talk)
    assert labels(shown(talk, card)) == []
    assert (saved(trick), said_since(talk, card)) == ([], ["Then not."])
    monkeypatch.undo()
    (other,) = await carded(talk, trick, model, say("Saved."))
    row = max((await rows_of(sqlite_url))["approvals"], key=lambda each: each["opened_at"])
    monkeypatch.setattr(talk.clock, "now_ms", lambda: row["closes_at"] - 1)
    await talk.owner.click(other, label="Do it")
    assert (saved(trick), said_since(talk, other)) == (["popcorn"], ["Saved."])


async def test_dont_stops_every_write_of_the_request_and_reads_go_on(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    first, second, third = await carded(
        talk,
        trick,
        model,
        use(trick, "save_snack", snack="fruit") + use(trick, "snack_menu"),
        say("I only looked."),
        snacks=("popcorn", "fruit", "pretzels"),
    )
    await talk.owner.click(second, label="Don't")
    assert "you said Don't" in text_of(shown(talk, second))
    await tick(talk)
    for other in (first, third):
        assert labels(shown(talk, other)) == []
        assert "Closed: stopped" in text_of(shown(talk, other))
    stale = await post_buttons(talk, "an old client", {custom_ids(first)["Do it"]: "Do it"})
    assert said(await talk.owner.click(stale, label="Do it")) == CLOSED
    assert saved(trick) == []
    heard, stopped = model.asked[3:]
    assert [content["kennel"]["not_done"][:20] for content in told(heard)] == [
        "This was not done: t",
        "The asker said Don't",
        "This was not done: t",
    ]
    assert "Nothing more is changed" in errors(stopped)[0]
    assert told(stopped)[1]["data"]["choices"] == ["popcorn", "fruit"]
    assert texts(spoken(talk))[3] == "I only looked."
    assert await statuses(sqlite_url) == ["stopped"]
    model.script(load(trick), use(trick, "save_snack", snack="fruit"), say("Saved."))
    assert texts(await ask(talk, "now save fruit", member=talk.owner)) == ["Saved."]


async def test_cards_are_answered_in_any_order_and_the_model_goes_on_after_the_last(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    first, second, third = await carded(
        talk, trick, model, say("All saved."), snacks=("popcorn", "fruit", "pretzels")
    )
    before = len(model.asked)
    await talk.owner.click(third, label="Do it")
    assert (saved(trick), len(model.asked)) == (["pretzels"], before)
    assert labels(shown(talk, third)) == []
    await talk.owner.click(first, label="Do it")
    assert is_card(shown(talk, second))
    assert (saved(trick), len(model.asked)) == (["pretzels", "popcorn"], before)
    await talk.owner.click(second, label="Do it")
    assert saved(trick) == ["pretzels", "popcorn", "fruit"]
    assert [content["data"]["saved"] for content in told(model.asked[-1])] == ["popcorn", "fruit", "pretzels"]
    assert said_since(talk, max((first, second, third), key=lambda card: card.id)) == ["All saved."]
    assert await statuses(sqlite_url) == ["answered"]


async def test_dont_after_do_it_stops_what_is_left_and_takes_nothing_back(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    first, second = await carded(talk, trick, model, say("One."), snacks=("popcorn", "fruit"))
    await talk.owner.click(first, label="Do it")
    await talk.owner.click(second, label="Don't")
    assert saved(trick) == ["popcorn"]
    assert "Closed: you agreed" in text_of(shown(talk, first))
    assert said_since(talk, max((first, second), key=lambda card: card.id)) == ["One."]


@pytest.mark.parametrize(("words", "runs"), [("do it", ["popcorn"]), ("DON’T ", [])])
async def test_the_words_of_a_button_in_reply_to_the_card_are_a_press(
    talk: World, trick: TrickServer, model: ModelServer, words: str, runs: list[str]
) -> None:
    (card,) = await carded(talk, trick, model, say("Very well."))
    await talk.member.send(talk.channel, words, reply_to=card)
    assert said_since(talk, card) == ["Only the member who asked can answer this."]
    await talk.owner.send(talk.channel, words, reply_to=card)
    assert saved(trick) == runs
    assert labels(shown(talk, card)) == []
    assert said_since(talk, card)[1:] == ["Very well."]
    await talk.owner.send(talk.channel, words, reply_to=card)
    assert said_since(talk, card)[2:] == [CLOSED]
    assert saved(trick) == runs


async def test_a_message_while_a_card_is_open_is_answered_and_the_card_stays(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    (card,) = await carded(talk, trick, model)
    model.script(say("It saves popcorn."))
    await talk.owner.send(talk.channel, "please do it, but what is it?", reply_to=card)
    assert said_since(talk, card) == ["It saves popcorn."]
    assert model.asked[-1].last["content"] == "please do it, but what is it?"
    assert is_card(shown(talk, card))
    model.script(say("Saved."))
    await talk.owner.click(card, label="Do it")
    assert saved(trick) == ["popcorn"]
    assert said_since(talk, card)[1:] == ["Saved."]


async def test_a_card_is_pressed_in_another_process_on_the_same_database(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    (card,) = await carded(talk, trick, model, say("Saved after all."))
    config = config_for(sqlite_url, trick, assistant=model.config)
    talking = open_model(config.assistant, talk.clock)
    assert talking is not None
    async with open_services(config, talk.clock, outside_transport(config), OutsideModel(talking)) as other:
        await talk.env.restart_bot(Kennel(other, shard_count=1))
        await talk.owner.click(card, label="Do it")
        assert saved(trick) == ["popcorn"]
        assert said_since(talk, card) == ["Saved after all."]
        stale = await post_buttons(talk, "an old client", {custom_ids(card)["Do it"]: "Do it"})
        assert said(await talk.owner.click(stale, label="Do it")) == CLOSED
        await tick(talk)
        await talk.env.restart_bot(Kennel(talk.services, shard_count=1))
    assert labels(shown(talk, card)) == []
    assert sum(trick.effects.values()) == 1
    assert await statuses(sqlite_url) == ["answered"]
