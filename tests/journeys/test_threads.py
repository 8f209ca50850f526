"""Where a request goes on: a thread from the asker's message, the one it was written in, or the channel."""

from typing import Any

import aiohttp
import discord
import pytest
import simcord

from bot.errors import ThreadRefused
from bot.speaker import ThreadPlace
from cogs.speaker import DiscordSpeaker
from tests.support.world import World


async def opened(
    world: World, channel: simcord.ChannelHandle, message: discord.Message | None = None
) -> ThreadPlace:
    """The place for a message of the member's, by default a new one."""
    message = message or await world.member.send(channel, "please @everyone")
    place = await DiscordSpeaker(world.bot).open_thread(
        str(world.guild.id), str(channel.id), str(message.id), str(world.member.id)
    )
    await world.env.settle()
    return place


def creations(world: World) -> int:
    posts = (request for request in world.env.http_requests if request.method == "POST")
    return sum(request.path.endswith("/threads") for request in posts)


def inside(world: World, parent: simcord.ChannelHandle) -> simcord.ChannelHandle:
    thread = world.env.backend.create_thread(parent.id, "talk", world.owner.id)
    return simcord.builders.ChannelHandle(world.env, world.guild, thread)


def room(world: World, **rights: bool | None) -> simcord.ChannelHandle:
    assert world.guild.me is not None
    overwrite = discord.PermissionOverwrite(**rights)
    return world.guild.create_text_channel("room", overwrites={world.guild.me: overwrite})


async def test_a_thread_hangs_on_the_askers_message_and_has_the_asker_in_it(world: World) -> None:
    for channel in (world.channel, world.guild.create_news_channel("news")):
        message = await world.member.send(channel, "please @everyone")
        assert await opened(world, channel, message) == ThreadPlace(str(message.id))
        [thread] = channel.threads
        assert thread.id == message.id
        assert world.member.id in world.env.backend.get_thread(thread.id).thread_members


async def test_a_threads_name_holds_nobodys_words(world: World) -> None:
    message = await world.member.send(world.channel, "secret <@&1> @everyone")
    await opened(world, world.channel, message)
    [thread] = world.channel.threads
    assert thread.name == f"Kennel, {message.created_at:%Y-%m-%d %H:%M} UTC"


async def test_a_second_time_the_same_thread_is_used(world: World) -> None:
    message = await world.member.send(world.channel, "please")
    first = await opened(world, world.channel, message)
    assert await opened(world, world.channel, message) == first
    assert creations(world) == 1


async def test_a_thread_that_somebody_else_opened_first_is_used(world: World) -> None:
    message = await world.member.send(world.channel, "please")
    world.env.backend.create_thread(world.channel.id, "x", world.owner.id, message_id=message.id)
    cached = world.bot.get_channel(message.id)
    assert isinstance(cached, discord.Thread)
    await cached.edit(archived=True)
    await world.env.settle()
    assert world.bot.get_channel(message.id) is None
    world.env.inject_error("POST", "/channels/*/messages/*/threads", status=400, code=160004)
    assert await opened(world, world.channel, message) == ThreadPlace(str(message.id))
    assert creations(world) == 1


@pytest.mark.parametrize("failure", [OSError("reset"), aiohttp.ServerDisconnectedError()])
async def test_a_thread_whose_creation_was_not_answered_is_found(
    world: World, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    message = await world.member.send(world.channel, "please")
    create = world.bot.http.start_thread_with_message

    async def unanswered(*args: Any, **options: Any) -> None:
        await create(*args, **options)
        raise failure

    monkeypatch.setattr(world.bot.http, "start_thread_with_message", unanswered)
    assert await opened(world, world.channel, message) == ThreadPlace(str(message.id))


async def test_inside_a_thread_or_a_forums_post_that_one_is_used(world: World) -> None:
    for parent in (world.channel, world.guild.create_forum_channel("forum")):
        thread = inside(world, parent)
        assert await opened(world, thread) == ThreadPlace(str(thread.id))
        assert world.member.id in world.env.backend.get_thread(thread.id).thread_members
    assert creations(world) == 0


async def test_a_voice_or_stage_channel_is_used_itself(world: World) -> None:
    for channel in (world.guild.create_voice_channel("voice"), world.guild.create_stage_channel("stage")):
        assert await opened(world, channel) == ThreadPlace(str(channel.id), stays=True)
    assert creations(world) == 0


@pytest.mark.parametrize(
    ("right", "shown"),
    [
        ("create_public_threads", "Create Public Threads"),
        ("send_messages_in_threads", "Send Messages in Threads"),
    ],
)
async def test_a_missing_permission_is_named(world: World, right: str, shown: str) -> None:
    with pytest.raises(ThreadRefused) as refused:
        await opened(world, room(world, **{right: False}))
    assert refused.value.permission == shown
    assert shown in refused.value.sentence
    assert creations(world) == 0


async def test_a_permission_that_goes_missing_meanwhile_is_named_too(world: World) -> None:
    world.env.inject_error("POST", "/channels/*/messages/*/threads", status=403, code=50013)
    with pytest.raises(ThreadRefused) as refused:
        await opened(world, world.channel)
    assert refused.value.permission == "Create Public Threads"


@pytest.mark.parametrize("code", [160006, 160007, 20016, 10008])
async def test_where_there_can_be_no_thread_it_goes_on_in_the_channel(world: World, code: int) -> None:
    world.env.inject_error("POST", "/channels/*/messages/*/threads", status=400, code=code)
    assert await opened(world, world.channel) == ThreadPlace(str(world.channel.id), stays=True)


async def test_a_locked_thread_is_not_written_in(world: World) -> None:
    message = await world.member.send(world.channel, "please")
    world.env.backend.create_thread(world.channel.id, "x", world.owner.id, message_id=message.id)
    cached = world.bot.get_channel(message.id)
    assert isinstance(cached, discord.Thread)
    await cached.edit(locked=True)
    await world.env.settle()
    assert await opened(world, world.channel, message) == ThreadPlace(str(world.channel.id), stays=True)


@pytest.mark.parametrize(("status", "code"), [(403, 50001), (403, 50013), (400, 30033)])
async def test_an_asker_who_cannot_be_added_finds_the_thread_alone(
    world: World, status: int, code: int
) -> None:
    world.env.inject_error("PUT", "/channels/*/thread-members/*", status=status, code=code)
    message = await world.member.send(world.channel, "please")
    assert await opened(world, world.channel, message) == ThreadPlace(str(message.id))


async def test_a_channel_that_is_hidden_is_named_as_that(world: World) -> None:
    with pytest.raises(ThreadRefused) as refused:
        await DiscordSpeaker(world.bot).open_thread(str(world.guild.id), "99", "98", str(world.member.id))
    assert refused.value.permission == "View Channel"
