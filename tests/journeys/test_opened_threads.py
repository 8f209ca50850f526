"""Tools that work in a thread: it is opened once, the asker is in it, and everything goes on there."""

from typing import Any

import discord
import pytest
import simcord

from tests.support.journeys import deliver_again, tricks
from tests.support.model import ModelServer, say
from tests.support.talks import ask, is_card, spoken, texts
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_tools import ToolSpec
from tests.support.turns import errors, load, open_to, told, use
from tests.support.world import World

WORK = {"done": True}


@pytest.fixture
async def trick(make_trick: MakeTrick) -> TrickServer:
    """Two tools that work in a thread, one that writes there, and one that works where it is asked."""
    tools = [
        ToolSpec("draw", read_only=True, thread=True, user_request=True),
        ToolSpec("paint", read_only=True, thread=True),
        ToolSpec("carve", "Carve it", thread=True),
        ToolSpec("look", read_only=True),
    ]
    return await make_trick(tools=tools, commands=())


async def asks(world: World, text: str, member: simcord.MemberActor | None = None) -> list[Any]:
    """Ask in the channel; gives what the bot says there, without Discord's own notice of a thread."""
    return [each for each in await ask(world, text, member=member) if not each.is_system()]


def threads(world: World, channel: simcord.ChannelHandle | None = None) -> list[simcord.ChannelHandle]:
    """The threads of a channel."""
    return (channel or world.channel).threads


def room(world: World, **rights: bool) -> simcord.ChannelHandle:
    """A channel in which the bot has, or lacks, these rights."""
    assert world.guild.me is not None
    return world.guild.create_text_channel(
        "room", overwrites={world.guild.me: discord.PermissionOverwrite(**rights)}
    )


async def test_the_thread_hangs_on_the_askers_message_and_everything_goes_on_there(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    model.script(load(trick), use(trick, "look"), use(trick, "draw"), use(trick, "paint"), say("Drawn."))
    assert await asks(talk, "draw a cat") == []
    (thread,) = threads(talk)
    asked = next(each for each in talk.channel.history() if each.author.id == talk.member.id)
    assert thread.id == asked.id
    assert talk.member.id in talk.env.backend.get_thread(thread.id).thread_members
    assert texts(spoken(talk, thread)) == ["Drawn."]
    look, draw, paint = trick.received("tools/call")
    assert look.context["channelId"] == str(talk.channel.id)
    assert draw.context["channelId"] == paint.context["channelId"] == str(thread.id)
    assert draw.context["userRequest"]["channelId"] == str(talk.channel.id)

    model.script(load(trick), use(trick, "look"), say("A cat."))
    await talk.member.send(thread, "what is it?")
    assert texts(spoken(talk, thread)) == ["Drawn.", "A cat."]
    contents = [each["content"] for each in model.asked[5].messages]
    assert contents[0].endswith("draw a cat")
    assert contents[1:] == ["Drawn.", "what is it?"]
    assert trick.received("tools/call")[3].context["channelId"] == str(thread.id)
    await deliver_again(talk, "MESSAGE_CREATE")
    await talk.owner.send(thread, "not for you")
    assert len(spoken(talk, thread)) == 2

    model.script(load(trick), use(trick, "draw"), say("Drawn again."))
    await talk.member.send(thread, "once more")
    assert len(threads(talk)) == 1
    assert trick.received("tools/call")[4].context["channelId"] == str(thread.id)
    assert texts(spoken(talk, thread))[2:] == ["Drawn again."]


async def test_two_thread_tools_at_once_open_one_thread(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    model.script(load(trick), use(trick, "draw") + use(trick, "paint"), say("Both."))
    assert await asks(talk, "draw and paint") == []
    (thread,) = threads(talk)
    assert {each.context["channelId"] for each in trick.received("tools/call")} == {str(thread.id)}
    posts = [each for each in talk.env.http_requests if each.method == "POST"]
    assert sum(each.path.endswith("/threads") for each in posts) == 1
    assert texts(spoken(talk, thread)) == ["Both."]


async def test_in_a_thread_already_that_one_is_used(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    inside = simcord.builders.ChannelHandle(
        talk.env, talk.guild, talk.env.backend.create_thread(talk.channel.id, "talk", talk.owner.id)
    )
    model.script(load(trick), use(trick, "draw"), say("Drawn."), say("Yes?"))
    assert texts(await ask(talk, "draw a cat", channel=inside)) == ["Drawn."]
    await talk.member.send(inside, "are you there?")
    await talk.owner.send(inside, "I did not ask")
    assert texts(spoken(talk, inside)) == ["Drawn.", "Yes?"]
    (sent,) = trick.received("tools/call")
    assert sent.context["channelId"] == str(inside.id)
    assert len(threads(talk)) == 1


async def test_in_a_voice_channel_it_goes_on_there_and_says_so(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    voice = talk.guild.create_voice_channel("voice")
    model.script(load(trick), use(trick, "draw") + use(trick, "paint"), say("Drawn."))
    (answer,) = texts(await ask(talk, "draw a cat", channel=voice))
    assert answer == "Drawn.\n-# No thread could be opened here, so this goes on in the channel."
    assert {each.context["channelId"] for each in trick.received("tools/call")} == {str(voice.id)}
    assert trick.count("tools/call") == 2
    model.script(say("No."))
    await talk.member.send(voice, "need I mention you?")
    assert len(spoken(talk, voice)) == 1
    model.script()


async def test_a_missing_permission_is_named_and_the_call_is_not_made(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    for right, shown in (
        ("create_public_threads", "Create Public Threads"),
        ("send_messages_in_threads", "Send Messages in Threads"),
    ):
        closed = room(talk, **{right: False})
        model.script(load(trick), use(trick, "draw") + use(trick, "look"), say("I could not draw."))
        before, asked = trick.count("tools/call"), len(model.asked)
        (answer,) = texts(await ask(talk, "draw a cat", channel=closed))
        assert f"I lack the permission {shown} here" in answer
        assert trick.count("tools/call") == before + 1
        assert trick.received("tools/call")[-1].tool == "look"
        assert shown in errors(model.asked[asked + 2])[0]
        assert told(model.asked[asked + 2])[1]["data"] == WORK
        assert threads(talk, closed) == []


async def test_before_an_approval_there_is_no_thread_and_the_card_stands_where_it_was_asked(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    model.script(load(trick), use(trick, "look"), use(trick, "carve"), say("Carved."))
    (card,) = await ask(talk, "carve what you see", member=talk.owner)
    assert is_card(card)
    assert threads(talk) == []
    await talk.owner.click(card, label="Do it")
    (thread,) = threads(talk)
    assert texts(spoken(talk, thread)) == ["Carved."]
    assert trick.received("tools/call")[1].context["channelId"] == str(thread.id)
    assert [each.id for each in spoken(talk) if not each.is_system()] == [card.id]


async def test_when_the_asker_says_dont_no_thread_is_opened(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    model.script(load(trick), use(trick, "look"), use(trick, "carve"), say("Then not."))
    (card,) = await ask(talk, "carve what you see", member=talk.owner)
    await talk.owner.click(card, label="Don't")
    assert threads(talk) == []
    assert texts(spoken(talk))[1:] == ["Then not."]


async def test_a_later_card_of_the_request_stands_with_the_askers_message(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    model.script(load(trick), use(trick, "draw"), use(trick, "carve"), say("Carved."))
    (card,) = await asks(talk, "draw, then carve", talk.owner)
    assert is_card(card)
    (thread,) = threads(talk)
    await talk.owner.click(card, label="Do it")
    assert texts(spoken(talk, thread)) == ["Carved."]
    model.script(load(trick), use(trick, "carve"), say("Carved again."))
    await open_to(sqlite_url, trick, "carve")
    await talk.owner.send(thread, "once more")
    assert texts(spoken(talk, thread)) == ["Carved.", "Carved again."]
    await tricks(talk, "disable", trick=trick.id)
    model.script(say("I have nothing to draw with."))
    await talk.owner.send(thread, "and again")
    assert model.asked[-1].tool_names == []
