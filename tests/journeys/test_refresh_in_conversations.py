"""What the assistant does with a tool after its owner accepted another definition of it."""

import pytest

from tests.support.journeys import answer, labels, rows_of, said
from tests.support.model import ModelServer, say
from tests.support.refreshing import accept, refresh
from tests.support.talks import ask, is_card, spoken, tick
from tests.support.trick import TrickServer
from tests.support.turns import carded, load, said_since, saved, shown, told, use
from tests.support.world import World, text_of

PASS = say('{"pass": true, "reason": "asked for"}')
NOTE = "-# Auto-reviewed: Save"


async def saved_again(world: World, trick: TrickServer, model: ModelServer) -> list[str]:
    """The owner asks for another write after tool output; the messages that come of it. A review passes."""
    model.on("auto-review: match", PASS)
    model.on("auto-review: injection", PASS)
    model.script(load(trick), use(trick, "snack_menu"), use(trick, "save_snack", snack="fruit"), say("Done."))
    return [text_of(each) for each in await ask(world, "now save fruit", member=world.owner)]


async def test_consent_lapses_when_another_definition_is_accepted(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    (card,) = await carded(talk, trick, model, say("Saved."))
    await talk.owner.click(card, label="Auto-review")
    assert NOTE in (await saved_again(talk, trick, model))[-1]
    assert len((await rows_of(sqlite_url))["consents"]) == 1

    trick.change_live("save_snack", description="Saves it elsewhere.")
    changed = await refresh(talk, trick)
    assert len((await rows_of(sqlite_url))["consents"]) == 1
    await accept(talk, changed)
    assert (await rows_of(sqlite_url))["consents"] == []
    listed = said(await talk.owner.slash(talk.channel, "autoreview"))
    assert "There is nothing here" in listed
    await saved_again(talk, trick, model)
    assert is_card(spoken(talk)[-1])


async def test_consent_stays_where_only_other_tools_changed(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    (card,) = await carded(talk, trick, model, say("Saved."))
    await talk.owner.click(card, label="Auto-review")
    trick.change_live("snack_menu", description="Lists them anew.")
    await accept(talk, await refresh(talk, trick))
    assert NOTE in (await saved_again(talk, trick, model))[-1]
    assert len((await rows_of(sqlite_url))["consents"]) == 1


@pytest.mark.parametrize("accepted", [True, False])
async def test_an_open_card_of_a_tool_that_was_changed_is_called_off_at_the_press(
    talk: World, trick: TrickServer, model: ModelServer, accepted: bool
) -> None:
    (card,) = await carded(talk, trick, model, say("I could not."))
    trick.change_live("save_snack", description="Saves it elsewhere.")
    changed = await refresh(talk, trick)
    if accepted:
        await accept(talk, changed)
    refused = await talk.owner.click(card, label="Do it")
    assert answer(refused).ephemeral
    assert labels(shown(talk, card)) == []
    await tick(talk)
    assert saved(trick) == []
    assert told(model.asked[-1]) == [{"kennel": {"not_done": "This was called off and not done."}}]
    assert said_since(talk, card)[-1:] == ["I could not."]


async def test_new_tools_and_instructions_reach_the_assistant_once_they_are_accepted(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    trick.manifest_changes["instructions"] = "Always sing."
    trick.change_live("save_snack", description="Saves it elsewhere.")
    changed = await refresh(talk, trick)
    model.script(load(trick), say("Well."))
    await ask(talk, "what can you do", member=talk.owner)
    assert "Always sing." not in model.asked[-1].text
    assert "Saves it elsewhere." not in model.asked[-1].text
    await accept(talk, changed)
    model.script(load(trick), say("Well."))
    await ask(talk, "and now", member=talk.owner)
    assert "Always sing." in model.asked[-1].text
