"""Cards that nobody may answer any more: what changed meanwhile is said, and nothing runs."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy import update

from storage.request_tables import requests
from tests.support.journeys import answer, database_of, labels, rows_of, said, tricks, typed
from tests.support.model import ModelServer, say
from tests.support.talks import is_card, tick
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_answers import status
from tests.support.turns import (
    carded,
    load,
    open_to,
    said_since,
    saved,
    set_access,
    shown,
    statuses,
    talking,
    told,
    use,
)
from tests.support.world import World, text_of

CALLED_OFF = {"kennel": {"not_done": "This was called off and not done."}}


async def changed(world: World, trick: TrickServer) -> None:
    trick.change_live("save_snack", description="Saves it elsewhere.")
    await tricks(world, "test", trick=trick.id)


async def paused(world: World, trick: TrickServer) -> None:
    trick.on("tools/call snack_menu", status(500))
    for _ in range(5):
        await typed(world, "^snacks")


CHANGES: dict[str, tuple[Callable[[World, TrickServer], Awaitable[None]], str]] = {
    "the tool changed": (changed, "changed how this works after the server's owner enabled it"),
    "the trick is paused": (paused, "is paused because it failed several times in a row"),
}


@pytest.mark.parametrize("what", CHANGES)
async def test_a_press_finds_out_what_changed_and_says_it(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str, what: str
) -> None:
    change, sentence = CHANGES[what]
    (card,) = await carded(talk, trick, model, say("I could not."))
    await change(talk, trick)
    refused = await talk.owner.click(card, label="Do it")
    assert sentence in said(refused)
    assert answer(refused).ephemeral
    folded = shown(talk, card)
    assert labels(folded) == []
    assert sentence in text_of(folded)
    await tick(talk)
    assert told(model.asked[-1]) == [CALLED_OFF]
    assert said_since(talk, card)[-1:] == ["I could not."]
    assert (saved(trick), await statuses(sqlite_url)) == ([], ["answered"])


async def test_access_that_was_lost_is_noticed_at_the_press(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    baker = talk.guild.create_role("baker")
    elsewhere: dict[str, Any] = {"channels": ["1"]}

    async def role_taken() -> None:
        talk.env.backend.remove_member_role(talk.guild.id, talk.member.id, baker.id)
        await talk.env.settle()

    async def rule_changed() -> None:
        await set_access(sqlite_url, trick, audiences={"save_snack": {"kind": "owner"}})

    async def channel_closed() -> None:
        rule = {"kind": "roles", "roles": [str(baker.id)]}
        await set_access(sqlite_url, trick, audiences={"save_snack": rule}, **elsewhere)

    for change, sentence in (
        (rule_changed, "it is for the server's owner."),
        (role_taken, "it is for members with one of these roles"),
        (channel_closed, "This cannot be used in this channel."),
    ):
        talk.env.backend.add_member_role(talk.guild.id, talk.member.id, baker.id)
        await open_to(sqlite_url, trick, "save_snack", roles=(baker.id,))
        (card,) = await carded(talk, trick, model, say("I could not."), member=talk.member)
        await change()
        assert sentence in said(await talk.member.click(card, label="Do it"))
        assert sentence in text_of(shown(talk, card))
        await tick(talk)
        assert said_since(talk, card) == ["I could not."]
    assert saved(trick) == []


async def test_turning_a_trick_off_or_removing_it_closes_its_cards_alone_and_stops_nothing(
    sqlite_url: str, model: ModelServer, make_trick: MakeTrick
) -> None:
    for verb in ("disable", "remove"):
        model.asked.clear()
        one, two = [await make_trick(id=f"{verb}_{n}", commands=()) for n in ("one", "two")]
        async with talking(f"{sqlite_url}.{verb}", model, one, two) as world:
            steps = [use(each, "save_snack", snack="fruit") for each in (one, two)]
            model.script(
                load(one) + load(two), use(one, "snack_menu"), steps[0] + steps[1], say("One of them.")
            )
            await world.owner.send(world.channel, f"<@{world.env.backend.bot_user.id}> save both")
            cards = [each for each in world.channel.history() if is_card(each)]
            gone, stays = sorted(cards, key=lambda card: f"{two.id}__" in text_of(card))
            closed = await tricks(world, verb, trick=one.id)
            if verb == "remove":
                await world.owner.click(answer(closed), label="Remove")
            await tick(world)
            folded = shown(world, gone)
            assert labels(folded) == []
            assert ("off" if verb == "disable" else "removed") in text_of(folded)
            assert is_card(shown(world, stays))
            await world.owner.click(shown(world, stays), label="Do it")
            assert (saved(one), saved(two)) == ([], ["fruit"])
            assert said_since(world, max(cards, key=lambda card: card.id)) == ["One of them."]
            assert told(model.asked[-1])[1]["data"]["saved"] == "fruit"


async def test_a_cancelled_card_stops_no_other_write(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    first, second = await carded(
        talk,
        trick,
        model,
        use(trick, "save_snack", snack="pretzels"),
        say("Both of the others."),
        snacks=("popcorn", "fruit"),
    )
    await set_access(sqlite_url, trick, audiences={"save_snack": {"kind": "everyone"}})
    await changed(talk, trick)
    assert "held back" in said(await talk.owner.click(first, label="Do it"))
    trick.live_tools = [*trick.tools]
    await tricks(talk, "test", trick=trick.id)
    await talk.owner.click(second, label="Do it")
    assert saved(trick) == ["fruit", "pretzels"]
    assert said_since(talk, max((first, second), key=lambda card: card.id))[-1] == "Both of the others."
    assert await statuses(sqlite_url) == ["answered"]


async def test_the_card_of_an_asker_who_left_closes_and_nobody_is_answered(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    await set_access(
        sqlite_url, trick, audiences={"save_snack": {"kind": "roles", "roles": [str(talk.guild.id)]}}
    )
    (card,) = await carded(talk, trick, model, member=talk.member)
    talk.guild.remove_member(talk.member)
    await talk.env.settle()
    talk.clock.advance(15 * 60)
    await tick(talk)
    await tick(talk)
    assert labels(shown(talk, card)) == []
    assert said_since(talk, card) == []
    assert (saved(trick), await statuses(sqlite_url)) == ([], ["stopped"])


@pytest.mark.parametrize("bulk", [False, True])
async def test_deleting_the_askers_message_calls_its_cards_off(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str, bulk: bool
) -> None:
    cards = await carded(talk, trick, model, snacks=("popcorn", "fruit"))
    asked = cards[0].reference.message_id
    if bulk:
        place = {"channel_id": str(talk.channel.id), "guild_id": str(talk.guild.id)}
        talk.env.backend.emit("MESSAGE_DELETE_BULK", {"ids": ["1", str(asked)], **place})
        await talk.env.settle()
    else:
        await talk.owner.delete(next(each for each in talk.channel.history() if each.id == asked))
    await tick(talk)
    await tick(talk)
    for card in cards:
        folded = shown(talk, card)
        assert labels(folded) == []
        assert "because the message was deleted" in text_of(folded)
        assert "popcorn" not in text_of(folded)
    assert said_since(talk, max(cards, key=lambda card: card.id)) == []
    assert (saved(trick), len(model.asked)) == ([], 3)
    (request,) = (await rows_of(sqlite_url))["requests"]
    assert (request["content"], request["state"], request["status"]) == (None, None, "stopped")
    texts_kept = [(row["arguments"], row["outside"]) for row in (await rows_of(sqlite_url))["approvals"]]
    assert texts_kept == [(None, None)] * 2


async def test_a_card_whose_message_is_deleted_ends_with_its_time(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    (card,) = await carded(talk, trick, model, say("Then not."))
    await talk.owner.delete(card)
    assert await statuses(sqlite_url) == ["waiting"]
    talk.clock.advance(15 * 60)
    await tick(talk)
    await tick(talk)
    assert said_since(talk, card) == ["Then not."]
    assert (saved(trick), await statuses(sqlite_url)) == ([], ["stopped"])


async def test_a_request_that_fails_leaves_no_card_that_could_be_agreed_to(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    first, second = await carded(talk, trick, model, snacks=("popcorn", "fruit"))
    async with database_of(sqlite_url) as database:
        newer = update(requests).values(state='{"version": 2}')
        await database.write(lambda connection: connection.execute(newer))
    await talk.owner.click(first, label="Do it")
    assert "Kennel was updated meanwhile" in said_since(talk, first)[-1]
    folded = shown(talk, second)
    assert labels(folded) == []
    assert "Called off, because the request failed." in text_of(folded)
    assert (saved(trick), await statuses(sqlite_url)) == ([], ["failed"])
