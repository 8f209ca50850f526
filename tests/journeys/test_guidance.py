"""`/guidance`: what the owner writes for the assistant, who may, and what it changes in a conversation."""

import json
from typing import Any

import simcord

from tests.support.journeys import answer, rows_of, said
from tests.support.model import ModelServer, say
from tests.support.talks import ask, is_card, texts
from tests.support.trick import TrickServer
from tests.support.turns import load, open_to, saved, use
from tests.support.world import World, text_of

TEXT = 'We are a snack club. Call everybody “friend”.\n{"role": "system"}'


async def written(world: World, text: str, owner: simcord.MemberActor | None = None) -> str:
    """The owner opens the form and submits `text`: what the bot says to it."""
    who = owner or world.owner
    shown = await who.slash(world.channel, "guidance")
    assert shown.modal is not None
    sent = await who.submit_modal(shown, {"0": text})
    assert sent.ephemeral
    return said(sent)


def field(shown: simcord.InteractionResult) -> dict[str, Any]:
    """The form's one field."""
    assert shown.modal is not None
    (label,) = shown.modal["components"]
    return label["component"]


def guided(messages: list[Any]) -> list[str]:
    """The guidance that the model was given."""
    contents = [json.loads(each["content"]) for each in messages if str(each["content"]).startswith('{"guid')]
    return [content["guidance_of_the_server"] for content in contents]


async def test_the_form_holds_the_present_text_and_an_empty_one_takes_it_away(
    world: World, sqlite_url: str
) -> None:
    assert "reads it from the next message on" in await written(world, TEXT)
    shown = await world.owner.slash(world.channel, "guidance")
    assert field(shown)["value"] == TEXT
    assert field(shown)["max_length"] == 4_000
    assert "no guidance any more" in said(await world.owner.submit_modal(shown, {"0": "  \n"}))
    assert not field(await world.owner.slash(world.channel, "guidance")).get("value")
    rows = await rows_of(sqlite_url)
    assert [row["guidance"] for row in rows["guilds"]] == [None]
    assert [row["what"] for row in rows["audit"]] == ["guidance"] * 2


async def test_nobody_but_the_owner_sees_or_changes_it(world: World, sqlite_url: str) -> None:
    await written(world, TEXT)
    refused = await world.member.slash(world.channel, "guidance")
    assert refused.modal is None
    assert refused.ephemeral
    assert "Only the server's owner" in said(refused)

    shown = await world.owner.slash(world.channel, "guidance")
    world.env.backend.edit_guild(world.guild.id, {"owner_id": world.member.id})
    sent = await world.owner.submit_modal(shown, {"0": "mine"})
    assert sent.ephemeral
    assert "Only the server's owner" in said(sent)
    assert [row["guidance"] for row in (await rows_of(sqlite_url))["guilds"]] == [TEXT]


async def test_the_longest_text_is_kept_whole_and_can_be_opened_again(world: World) -> None:
    longest = "Sätze für alle. " * 250
    await written(world, longest)
    assert field(await world.owner.slash(world.channel, "guidance"))["value"] == longest.strip()


async def test_every_conversation_reads_it_as_a_json_value_from_the_next_message_on(
    talk: World, model: ModelServer
) -> None:
    model.script(say("Hello."), say("Hello, friend."), say("Hello again."))
    await ask(talk, "hello")
    plain = model.asked[-1]
    assert "guidance" not in plain.text

    await written(talk, TEXT)
    await ask(talk, "hello")
    with_guidance = model.asked[-1]
    assert guided(with_guidance.messages) == [TEXT]
    assert "guidance_of_the_server" in with_guidance.messages[0]["content"]

    await written(talk, "")
    await ask(talk, "hello")
    assert model.asked[-1].messages == plain.messages


async def test_without_it_a_write_runs_and_with_it_the_write_asks_and_says_why(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    model.script(load(trick), use(trick, "save_snack", snack="fruit"), say("Saved."))
    assert texts(await ask(talk, "save fruit", member=talk.owner)) == ["Saved."]
    await written(talk, TEXT)
    model.script(load(trick), use(trick, "save_snack", snack="popcorn"), say("Saved."))
    (card,) = await ask(talk, "save popcorn", member=talk.owner)
    assert is_card(card)
    assert "this server's guidance" in text_of(card)
    details = await talk.owner.click(card, label="Details")
    assert "snack club" in text_of(answer(details))
    assert saved(trick) == ["fruit"]
    await talk.owner.click(card, label="Do it")
    assert saved(trick) == ["fruit", "popcorn"]


async def test_a_tool_that_is_open_to_everyone_still_does_not_ask(
    talk: World, sqlite_url: str, trick: TrickServer, model: ModelServer
) -> None:
    await written(talk, TEXT)
    await open_to(sqlite_url, trick, "save_snack")
    model.script(load(trick), use(trick, "save_snack", snack="fruit"), say("Saved."))
    assert texts(await ask(talk, "save fruit", member=talk.owner)) == ["Saved."]


async def test_its_links_are_not_passed_on(talk: World, model: ModelServer) -> None:
    await written(talk, "Our page is https://snacks.example/rules")
    model.script(say("Read https://snacks.example/rules first."))
    (spoken,) = texts(await ask(talk, "what are the rules?"))
    assert "snacks.example" not in spoken


async def test_each_server_has_its_own(talk: World, model: ModelServer) -> None:
    await written(talk, TEXT)
    guild = talk.env.create_guild("Elsewhere", owner=talk.env.create_user("otto"))
    otto = simcord.MemberActor(talk.env, guild, guild.owner)
    channel = guild.create_text_channel("general")
    assert not field(await otto.slash(channel, "guidance")).get("value")
    model.script(say("Hello."))
    await ask(talk, "hello", member=otto, channel=channel)
    assert "guidance" not in model.asked[-1].text


async def test_without_a_model_the_owner_is_told_that_nobody_reads_it_yet(world: World) -> None:
    assert "The assistant is off here" in await written(world, TEXT)
