"""A tool with `userRequest` gets the asker's message as it is; no other tool does, and no other way of calling."""

from typing import Any

import pytest

from tests.support.model import Answer, Asked, ModelServer, say
from tests.support.talks import ask, is_card, mention, texts
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_requests import Received
from tests.support.trick_tools import ToolSpec
from tests.support.turns import load, open_to, use
from tests.support.world import World


@pytest.fixture
async def trick(make_trick: MakeTrick) -> TrickServer:
    """One tool that gets the words, one that gets none, and a writing one that gets them."""
    tools = [
        ToolSpec("words", read_only=True, user_request=True),
        ToolSpec("plain", read_only=True),
        ToolSpec("write", user_request=True),
    ]
    commands = [{"name": "words", "description": "Words", "tool": "words"}]
    return await make_trick(tools=tools, commands=commands)


def contexts(trick: TrickServer) -> dict[str, dict[str, Any]]:
    """The signed context of the newest call of each tool."""
    return {received.tool: received.context for received in trick.received("tools/call")}


async def test_only_the_tool_that_wants_it_gets_the_message_word_for_word(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    role = talk.guild.create_role("loud")
    words = (
        f"  tell {talk.owner.mention} {role.mention} {talk.channel.mention} @everyone:\n*“hi”* 🐾 <b>&amp;  "
    )
    model.script(load(trick), use(trick, "words") + use(trick, "plain"), say("Told."))
    first = await talk.member.send(talk.channel, f"{mention(talk)} and this is not it")
    model.script(load(trick), use(trick, "words") + use(trick, "plain"), say("Told."))
    asked = await talk.member.send(talk.channel, f"{mention(talk)}{words}", reply_to=first)
    got = contexts(trick)
    assert got["words"]["userRequest"] == {
        "messageId": str(asked.id),
        "channelId": str(talk.channel.id),
        "content": f"{mention(talk)}{words}",
    }
    assert "userRequest" not in got["plain"]
    for context in got.values():
        assert context["channelId"] == str(talk.channel.id)
        assert context["askerId"] == str(talk.member.id)
    assert b"this is not it" not in b"".join(each.body for each in trick.received("tools/call")[2:])
    assert all(each.verified for each in trick.received("tools/call"))


async def test_a_command_of_the_same_tool_carries_no_message(talk: World, trick: TrickServer) -> None:
    await talk.member.send(talk.channel, "^words")
    await talk.member.slash(talk.channel, "words")
    calls = trick.received("tools/call")
    assert len(calls) == 2
    assert all("userRequest" not in each.context for each in calls)
    assert all(each.context["channelId"] == str(talk.channel.id) for each in calls)


async def test_after_a_card_it_is_the_message_that_asked_and_not_the_words_that_press(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    model.script(load(trick), use(trick, "plain"), use(trick, "write"), say("Written."))
    (card,) = await ask(talk, "write it down", member=talk.owner)
    assert is_card(card)
    model.script(say("Written."))
    await talk.owner.send(talk.channel, "Do it", reply_to=card)
    sent = contexts(trick)["write"]["userRequest"]
    assert sent["content"] == f"{mention(talk)} write it down"
    assert sent["messageId"] == str(card.reference.message_id)


async def test_what_is_sent_is_the_message_as_it_was_when_it_came(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    def meanwhile(_: Asked) -> Answer:
        message = next(each for each in talk.channel.history() if each.author.id == talk.member.id)
        talk.env.backend.edit_message(talk.channel.id, message.id, {"content": f"{mention(talk)} write that"})
        model.script(say("Written."))
        return use(trick, "write")

    await open_to(sqlite_url, trick, "write")
    model.script(load(trick), meanwhile)
    assert texts(await ask(talk, "write this")) == ["Written."]
    (sent,) = trick.received("tools/call")
    assert sent.context["userRequest"]["content"] == f"{mention(talk)} write this"


def bodies(received: list[Received]) -> bytes:
    """All that was sent."""
    return b"".join(each.body for each in received)


async def test_no_transcript_and_no_names_are_sent(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    role = talk.guild.create_role("hidden-role")
    guest = talk.guild.add_member(talk.env.create_user("hidden-name"), roles=[role])
    model.script(say("An earlier answer."))
    (earlier,) = await ask(talk, "an earlier question", member=guest)
    model.script(load(trick), use(trick, "words"), say("Done."))
    await guest.send(talk.channel, "now this", reply_to=earlier)
    (sent,) = trick.received("tools/call")
    assert sent.context["userRequest"]["content"] == "now this"
    assert b"earlier" not in sent.body
    assert b"hidden" not in bodies(trick.requests)
