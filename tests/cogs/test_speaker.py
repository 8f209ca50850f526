"""What the speaker posts, edits and finds, and who the asker is, in a simulated server."""

import asyncio
from dataclasses import replace
from typing import Any

import aiohttp
import discord
import pytest
import simcord

from bot.outbound import Button, Embed, EmbedField, Reply
from bot.speaker import Where
from cogs import replies
from cogs.speaker import DiscordSpeaker
from tests.support.sent import message_bodies
from tests.support.world import World


@pytest.fixture
def speaker(world: World) -> DiscordSpeaker:
    return DiscordSpeaker(world.bot)


async def asked(world: World, **more: Any) -> Where:
    """A message of the member's, and how it is answered."""
    message = await world.member.send(world.channel, "a question")
    return Where(str(world.guild.id), str(world.channel.id), reply_to=str(message.id), **more)


def last_body(world: World) -> dict[str, Any]:
    return message_bodies(world.env.http_requests)[-1]


def room(world: World, **rights: bool | None) -> simcord.ChannelHandle:
    assert world.guild.me is not None
    overwrite = discord.PermissionOverwrite(**rights)
    return world.guild.create_text_channel("room", overwrites={world.guild.me: overwrite})


async def test_a_message_is_a_reply_that_pings_nobody_and_shows_no_preview(
    world: World, speaker: DiscordSpeaker
) -> None:
    where = await asked(world)
    said = await speaker.say(where, Reply(content=f"@everyone <@{world.owner.id}> https://a.example"), "n1")
    posted = world.channel.last_message
    assert posted is not None
    assert said == str(posted.id)
    assert posted.reference is not None
    assert str(posted.reference.message_id) == where.reply_to
    assert posted.flags.suppress_embeds
    body = last_body(world)
    assert body["allowed_mentions"] == {"parse": [], "replied_user": False}
    assert body["nonce"] == "n1"
    assert body["enforce_nonce"] is True
    assert body["message_reference"]["fail_if_not_exists"] is False


async def test_one_member_may_be_pinged_by_the_text_and_by_the_reply(
    world: World, speaker: DiscordSpeaker
) -> None:
    mia = str(world.member.id)
    await speaker.say(await asked(world, ping=mia, notify=True), Reply(content=f"<@{mia}> done"), "n")
    assert last_body(world)["allowed_mentions"] == {
        "parse": [],
        "users": [world.member.id],
        "replied_user": True,
    }
    await speaker.say(await asked(world, ping=mia), Reply(content=f"<@{mia}> done"), "m")
    assert last_body(world)["allowed_mentions"]["replied_user"] is False


async def test_an_embed_is_never_hidden(world: World, speaker: DiscordSpeaker) -> None:
    where = await asked(world)
    card = await speaker.say(where, Reply(content="x", embed=Embed(title="card")), "n")
    assert "flags" not in last_body(world)
    assert card is not None
    assert await speaker.edit(where.channel_id, card, Reply(content="https://a.example"))
    shown = world.channel.last_message
    assert shown is not None
    assert shown.flags.suppress_embeds
    assert shown.embeds == []
    assert await speaker.edit(where.channel_id, card, Reply(embed=Embed(title="card")))
    shown = world.channel.last_message
    assert shown is not None
    assert not shown.flags.suppress_embeds
    assert shown.embeds[0].title == "card"


async def test_an_edit_pings_nobody_but_one_member_and_leaves_no_buttons(
    world: World, speaker: DiscordSpeaker
) -> None:
    where = await asked(world)
    said = await speaker.say(where, Reply(content="x", buttons=(Button("a:do:k", "Do it"),)), "n")
    assert said is not None
    assert await speaker.edit(where.channel_id, said, Reply(content="closed"))
    body = last_body(world)
    assert body["allowed_mentions"] == {"parse": []}
    assert body["components"] == []
    assert await speaker.edit(where.channel_id, said, Reply(content="closed"), ping=str(world.member.id))
    assert last_body(world)["allowed_mentions"] == {"parse": [], "users": [world.member.id]}


async def test_what_discord_refuses_is_no_error(world: World, speaker: DiscordSpeaker) -> None:
    where = await asked(world)
    world.env.inject_error("POST", "/channels/*/messages", status=403, code=50013)
    assert await speaker.say(where, Reply(content="x"), "n") is None
    world.env.inject_error("PATCH", "/channels/*/messages/*", status=404, code=10008)
    assert not await speaker.edit(where.channel_id, "1234567890", Reply(content="x"))
    assert await speaker.say(replace(where, channel_id="99"), Reply(content="x"), "n") is None


async def test_a_lost_connection_is_no_error(
    world: World, speaker: DiscordSpeaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lost(*_: Any, **__: Any) -> None:
        raise aiohttp.ServerDisconnectedError

    where = await asked(world)
    monkeypatch.setattr(world.bot.http, "send_message", lost)
    assert await speaker.say(where, Reply(content="x"), "n") is None


async def test_where_the_history_may_not_be_read_a_message_stands_alone(
    world: World, speaker: DiscordSpeaker
) -> None:
    blind = room(world, read_message_history=False)
    message = await world.member.send(blind, "a question")
    where = Where(str(world.guild.id), str(blind.id), reply_to=str(message.id))
    assert await speaker.say(where, Reply(content="x"), "n") is not None
    assert "message_reference" not in last_body(world)


async def test_a_reply_that_discord_refuses_as_one_stands_alone(
    world: World, speaker: DiscordSpeaker
) -> None:
    where = await asked(world)
    world.env.inject_error("POST", "/channels/*/messages", status=403, code=160002)
    assert await speaker.say(where, Reply(content="x"), "n") is not None
    assert "message_reference" not in last_body(world)


async def test_without_embed_links_a_card_is_plain_text_with_its_buttons(
    world: World, speaker: DiscordSpeaker
) -> None:
    plain = room(world, embed_links=False)
    embed = Embed(
        title="Save a snack?",
        description="It asks.",
        fields=(EmbedField("snack", "```\nfruit\n```"),),
        footer="It closes.",
    )
    card = Reply(embed=embed, buttons=(Button("a:do:k", "Do it"),))
    where = Where(str(world.guild.id), str(plain.id))
    said = await speaker.say(where, card, "n")
    shown = plain.last_message
    assert shown is not None
    assert shown.embeds == []
    for part in ("Save a snack?", "It asks.", "snack", "fruit", "It closes."):
        assert part in shown.content
    assert len(shown.components) == 1
    assert await speaker.find(where, card) == said


async def test_a_message_that_stands_there_is_found_by_what_it_says(
    world: World, speaker: DiscordSpeaker
) -> None:
    where = await asked(world)
    card = Reply(embed=Embed(title="Save?", description="it "), buttons=(Button("a:do:one", "Do it"),))
    other = replace(card, buttons=(Button("a:do:two", "Do it"),))
    assert await speaker.find(where, card) is None
    said = await speaker.say(where, card, "n")
    await world.member.send(world.channel, "done")
    assert await speaker.find(where, card) == said
    assert await speaker.find(where, other) is None
    assert await speaker.find(where, Reply(content="done")) is None


async def test_an_answer_to_another_message_is_not_taken_for_this_one(
    world: World, speaker: DiscordSpeaker
) -> None:
    earlier, where = await asked(world), await asked(world)
    await speaker.say(earlier, Reply(content="Done."), "n")
    assert await speaker.find(where, Reply(content="Done.")) is None
    later = await asked(world)
    said = await speaker.say(where, Reply(content="Done."), "m")
    assert await speaker.find(where, Reply(content="Done.")) == said
    assert await speaker.find(later, Reply(content="Done.")) is None


async def test_where_nothing_is_replied_to_what_stood_there_before_is_not_taken_for_this_one(
    world: World, speaker: DiscordSpeaker
) -> None:
    thread = replace(await asked(world), reply_to=None)
    await speaker.say(thread, Reply(content="Done."), "n")
    where = replace(thread, after=(await asked(world)).reply_to)
    assert await speaker.find(where, Reply(content="Done.")) is None
    said = await speaker.say(where, Reply(content="Done."), "m")
    assert await speaker.find(where, Reply(content="Done.")) == said


async def test_a_card_is_found_by_its_buttons_when_its_texts_were_erased(
    world: World, speaker: DiscordSpeaker
) -> None:
    where = await asked(world)
    card = Reply(embed=Embed(title="Save?", description="fruit"), buttons=(Button("a:do:one", "Do it"),))
    said = await speaker.say(where, card, "n")
    assert await speaker.find(where, replace(card, embed=Embed(title="Save?"))) == said


async def test_what_may_not_be_read_is_not_found(world: World, speaker: DiscordSpeaker) -> None:
    where = await asked(world)
    await speaker.say(where, Reply(content="Done."), "n")
    world.env.inject_error("GET", "/channels/*/messages", status=403, code=50001)
    assert await speaker.find(where, Reply(content="Done.")) is None


def typings(world: World) -> int:
    return sum(request.path.endswith("/typing") for request in world.env.http_requests)


async def some_turns() -> None:
    for _ in range(100):
        await asyncio.sleep(0)


async def test_typing_is_shown_again_until_the_block_ends(
    world: World, speaker: DiscordSpeaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replies, "TYPING_AFTER", 0.0)
    monkeypatch.setattr(replies, "TYPING_EVERY", 0.0)
    running = asyncio.all_tasks()
    async with speaker.typing(str(world.channel.id)):
        await some_turns()
        assert typings(world) >= 2
    await asyncio.wait(asyncio.all_tasks() - running, timeout=5)
    shown = typings(world)
    with pytest.raises(ValueError, match="inside"):
        async with speaker.typing(str(world.channel.id)):
            raise ValueError("inside")
    await world.env.settle()
    assert typings(world) == shown
    assert asyncio.all_tasks() <= running


async def test_where_typing_is_refused_the_work_goes_on(
    world: World, speaker: DiscordSpeaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replies, "TYPING_AFTER", 0.0)
    monkeypatch.setattr(replies, "TYPING_EVERY", 0.0)
    world.env.inject_error("POST", "/channels/*/typing", status=403, code=50013, times=None)
    async with speaker.typing(str(world.channel.id)):
        await some_turns()
    assert typings(world) == 1


def nothing(_: int) -> None:
    """Memory in which nothing is found."""


async def test_a_process_that_has_not_the_server_in_memory_speaks_there_too(
    world: World, speaker: DiscordSpeaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = world.env.backend.create_thread(world.channel.id, "talk", world.member.id)
    where = await asked(world)
    for unknown in ("get_guild", "get_channel"):
        monkeypatch.setattr(world.bot, unknown, nothing)
    assert await speaker.say(where, Reply(embed=Embed(title="card")), "n") is not None
    owner = await speaker.asker(where.guild_id, str(world.owner.id))
    assert owner is not None
    assert owner.is_owner
    place = await speaker.place(where.guild_id, str(thread.id))
    assert place.parent_id == where.channel_id
    assert [each.author for each in await speaker.history(where.guild_id, where.channel_id, "1", "2")] == []
