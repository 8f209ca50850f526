"""When a write asks and when it runs, as a person meets it: what had the model read when it wrote the call?"""

from typing import Any

import discord
import pytest

from tests.support.journeys import labels
from tests.support.model import ModelServer, say
from tests.support.talks import ask, is_card, texts
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_tools import ToolSpec, default_tools
from tests.support.turns import load, open_to, saved, talking, use
from tests.support.world import World, text_of

RUNS = ["Saved."]


@pytest.fixture
async def trick(make_trick: MakeTrick) -> TrickServer:
    """The usual trick, with a write besides that always asks."""
    return await make_trick(tools=[*default_tools(), ToolSpec("burn", "Burn it", always_ask=True)])


async def save(
    world: World, trick: TrickServer, model: ModelServer, reply_to: discord.Message | None = None
) -> list[Any]:
    """The owner asks, perhaps in reply to something, and the model saves at once: what the bot says."""
    model.script(load(trick), use(trick, "save_snack", snack="fruit"), say("Saved."))
    return await ask(world, "save it", member=world.owner, reply_to=reply_to)


async def test_the_askers_own_words_alone_do_not_ask(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    assert texts(await save(talk, trick, model)) == RUNS
    before = await talk.owner.send(talk.channel, "fruit is good")
    assert texts(await save(talk, trick, model, reply_to=before)) == RUNS
    assert saved(trick) == ["fruit"] * 2


async def test_a_read_in_the_same_message_has_not_steered_the_write(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    both = use(trick, "snack_menu") + use(trick, "save_snack", snack="fruit")
    model.script(load(trick), both, use(trick, "save_snack", snack="popcorn"))
    (card,) = await ask(talk, "look, and save fruit", member=talk.owner)
    assert saved(trick) == ["fruit"]
    assert is_card(card)
    assert "popcorn" in text_of(card)
    assert "the output of a tool" in text_of(card)


async def test_the_bots_earlier_answer_is_outside(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    model.script(say("Fruit is what you want."))
    (said,) = await ask(talk, "what do I want?", member=talk.owner)
    (card,) = await save(talk, trick, model, reply_to=said)
    assert is_card(card)
    assert "an earlier reply of mine" in text_of(card)
    assert saved(trick) == []


async def test_another_member_counts_by_the_tools_access_rule(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    rights = discord.Permissions(manage_guild=True)
    role = talk.guild.create_role("role", permissions=rights)
    inside = talk.guild.add_member(talk.env.create_user("max"), roles=[role])
    theirs = await inside.send(talk.channel, "fruit, please")
    outside = await talk.member.send(talk.channel, "fruit, please")
    assert texts(await save(talk, trick, model, reply_to=theirs)) == RUNS
    (card,) = await save(talk, trick, model, reply_to=outside)
    assert "a message of another member" in text_of(card)
    talk.env.backend.remove_member_role(talk.guild.id, inside.id, role.id)
    (lowered,) = await save(talk, trick, model, reply_to=theirs)
    assert is_card(lowered)
    talk.env.backend.add_member_role(talk.guild.id, inside.id, role.id)
    talk.guild.remove_member(inside)
    (left,) = await save(talk, trick, model, reply_to=theirs)
    assert is_card(left)
    assert saved(trick) == ["fruit"]


async def test_bots_and_webhooks_are_outside_whatever_their_roles(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    rights = discord.Permissions(administrator=True)
    role = talk.guild.create_role("role", permissions=rights)
    robot = talk.guild.add_member(talk.env.create_user("robot", bot=True), roles=[role])
    hook = talk.guild.create_webhook(talk.channel)
    for theirs in (await robot.send(talk.channel, "fruit"), await hook.send("fruit")):
        (card,) = await save(talk, trick, model, reply_to=theirs)
        assert is_card(card)
        assert "a message of a bot or webhook" in text_of(card)
    assert saved(trick) == []


async def test_a_tool_that_is_open_to_everyone_does_not_ask(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    await open_to(sqlite_url, trick, "save_snack", "burn")
    model.script(
        load(trick), use(trick, "snack_menu"), use(trick, "save_snack", snack="fruit"), say("Saved.")
    )
    assert texts(await ask(talk, "save the first")) == RUNS
    model.script(load(trick), use(trick, "burn"))
    (card,) = await ask(talk, "burn it")
    assert labels(card) == ["Do it", "Don't", "Details"]


async def test_a_tool_that_always_asks_does_so_for_the_askers_own_words(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    model.script(load(trick), use(trick, "burn"), say("Burnt."))
    (card,) = await ask(talk, "burn it", member=talk.owner)
    assert labels(card) == ["Do it", "Don't", "Details"]
    assert "This tool always asks before it acts." in text_of(card)
    assert trick.count("tools/call") == 0
    await talk.owner.click(card, label="Do it")
    assert trick.count("tools/call") == 1


async def test_the_instructions_of_another_trick_are_outside(
    sqlite_url: str, model: ModelServer, make_trick: MakeTrick
) -> None:
    one, two = [await make_trick(id=f"trick_{n}", commands=()) for n in (1, 2)]
    async with talking(sqlite_url, model, one, two) as world:
        assert texts(await save(world, one, model)) == RUNS
        together = load(one) + load(two)
        model.script(together, use(one, "save_snack", snack="popcorn"))
        (card,) = await ask(world, "save popcorn", member=world.owner)
        assert is_card(card)
        assert "the instructions of another trick" in text_of(card)
        assert saved(one) == ["fruit"]
