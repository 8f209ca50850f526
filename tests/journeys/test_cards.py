"""Approval cards from Discord: pressed once, by the asker alone, and gone on with wherever it was left."""

from typing import Any

from bot.app import Kennel
from tests.support.cards import post_buttons
from tests.support.journeys import answer, labels, said
from tests.support.model import ModelServer, call, say
from tests.support.talks import ask, is_card, spoken, texts, tick
from tests.support.trick import TrickServer
from tests.support.world import World, text_of

FIFTEEN_MINUTES = 15 * 60


async def opened(world: World, trick: TrickServer, model: ModelServer, *after: Any) -> Any:
    """The card of a write that tool output may have steered; the owner asked, `after` it the model goes on."""
    model.script(
        call("load_trick", trick=trick.id),
        call(f"{trick.id}__snack_menu"),
        call(f"{trick.id}__save_snack", snack="popcorn"),
        *after,
    )
    (card,) = await ask(world, "save what is first", member=world.owner)
    assert is_card(card)
    return card


async def test_nobody_but_the_asker_may_press_or_see_details(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    card = await opened(talk, trick, model)
    for label in labels(card):
        refused = await talk.member.click(card, label=label)
        assert said(refused) == "Only the member who asked can answer this."
        assert refused.ephemeral or refused.followups[-1].ephemeral
    assert trick.count("tools/call") == 1
    (still,) = spoken(talk)
    assert is_card(still)


async def test_details_are_shown_to_the_asker_alone_and_change_nothing(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    card = await opened(talk, trick, model)
    details = await talk.owner.click(card, label="Details")
    assert details.response is not None
    shown = [details.response, *details.followups]
    assert all(each.ephemeral for each in shown)
    assert '"snack": "popcorn"' in "\n".join(texts(shown))
    (still,) = spoken(talk)
    assert is_card(still)


async def test_dont_stops_the_write_and_the_conversation_goes_on(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    card = await opened(talk, trick, model, say("I left it."))
    await talk.owner.click(card, label="Don't")
    folded, last = spoken(talk)
    assert labels(folded) == []
    assert text_of(last) == "I left it."
    assert trick.count("tools/call") == 1


async def test_a_second_press_is_told_that_the_card_is_closed(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    card = await opened(talk, trick, model, say("Saved."))
    custom_id = card.components[0].to_dict()["components"][0]["custom_id"]
    await talk.owner.click(card, label="Do it")
    stale = await post_buttons(talk, "as an old client shows it", {custom_id: "Do it"})
    second = await talk.owner.click(stale, label="Do it")
    assert said(second) == "This is no longer open. Ask again if you still want it."
    assert trick.count("tools/call") == 2


async def test_a_card_works_after_a_restart(talk: World, trick: TrickServer, model: ModelServer) -> None:
    card = await opened(talk, trick, model, say("Saved."))
    await talk.env.restart_bot(Kennel(talk.services, shard_count=1))
    await talk.owner.click(card, label="Do it")
    assert texts(spoken(talk))[1:] == ["Saved."]
    assert trick.count("tools/call") == 2


async def test_after_fifteen_minutes_the_card_closes_by_itself(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    await opened(talk, trick, model, say("Nobody said yes, so I left it."))
    talk.clock.advance(FIFTEEN_MINUTES)
    await tick(talk)
    await tick(talk)
    folded, last = spoken(talk)
    assert labels(folded) == []
    assert text_of(last) == "Nobody said yes, so I left it."
    assert trick.count("tools/call") == 1


async def test_auto_review_runs_the_write_and_is_taken_back_by_autoreview(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    nothing = said(await talk.owner.slash(talk.channel, "autoreview"))
    assert "nothing here that you let me review" in nothing
    card = await opened(talk, trick, model, say("Saved."))
    await talk.owner.click(card, label="Auto-review")
    assert trick.count("tools/call") == 2

    listed = await talk.owner.slash(talk.channel, "autoreview")
    assert "**Save your snack preference** (Snack Club)" in said(listed)
    (option,) = answer(listed).components[0]["components"][0]["options"]
    await talk.owner.select(answer(listed), [option["value"]])
    assert "nothing here that you let me review" in said(listed)
    again = said(await talk.owner.slash(talk.channel, "autoreview"))
    assert "nothing here that you let me review" in again
