"""Posts of events in a simulated server: who is there, what is posted, and what is found again."""

from typing import Any

import aiohttp
import discord
import pytest
import simcord
from simcord.backend import Backend

from bot.errors import DiscordUnavailable, PostRefused, PostUncertain
from bot.presentation.models import Action, Presentation, PresentationField, PresentationLink
from cogs import event_posts
from cogs.event_posts import DiscordPoster
from tests.support.sent import message_bodies
from tests.support.world import World, text_of

WELCOME = Presentation(
    text="Welcome, @everyone <@1>!",
    fields=(PresentationField("Rules", "Be kind."),),
    links=(PresentationLink("Club", "https://club.example/"),),
    actions=(Action("wave", "Wave", "snack_menu", {}),),
)
KEYS = {"wave": "k" * 16}
OTHER_KEYS = {"wave": "o" * 16}
NONCE = "n" * 24


@pytest.fixture
def poster(world: World) -> DiscordPoster:
    return DiscordPoster(world.bot)


def place(world: World, channel: simcord.ChannelHandle | None = None) -> tuple[str, str]:
    """The ids of the server and of a channel."""
    return str(world.guild.id), str((channel or world.channel).id)


def room(world: World, **rights: bool | None) -> simcord.ChannelHandle:
    """A channel where the bot has these rights."""
    assert world.guild.me is not None
    overwrite = discord.PermissionOverwrite(**rights)
    return world.guild.create_text_channel("room", overwrites={world.guild.me: overwrite})


def now_of(world: World) -> int:
    """Discord's time, in milliseconds."""
    return round(world.env.backend.clock.now().timestamp() * 1000)


def forget_server(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process whose shards do not have the server."""

    def nothing(_: int) -> None:
        """Memory in which nothing is found."""

    for unknown in ("get_guild", "get_channel"):
        monkeypatch.setattr(world.bot, unknown, nothing)


async def test_a_member_is_here_screened_or_gone(world: World, poster: DiscordPoster) -> None:
    guild_id, member_id = str(world.guild.id), str(world.member.id)
    backend: Backend = world.env.backend
    assert await poster.member(guild_id, member_id) == "here"
    backend.get_member(world.guild.id, world.member.id).pending = True
    assert await poster.member(guild_id, member_id) == "screening"
    world.guild.remove_member(world.member)
    await world.env.settle()
    assert await poster.member(guild_id, member_id) == "gone"


async def test_in_a_server_that_the_bot_has_left_everybody_is_gone(
    world: World, poster: DiscordPoster
) -> None:
    world.env.inject_error("GET", "/guilds/*/members/*", status=403, code=50001)
    assert await poster.member(str(world.guild.id), str(world.member.id)) == "gone"


async def test_a_member_about_whom_discord_does_not_answer_is_unknown(
    world: World, poster: DiscordPoster
) -> None:
    world.env.inject_error("GET", "/guilds/*/members/*", status=503)
    with pytest.raises(DiscordUnavailable):
        await poster.member(str(world.guild.id), str(world.member.id))


async def test_a_post_looks_like_a_commands_answer_and_pings_nobody(
    world: World, poster: DiscordPoster
) -> None:
    posted = await poster.post(*place(world), WELCOME, KEYS, NONCE)
    shown = world.channel.last_message
    assert shown is not None
    assert str(shown.id) == posted
    assert "Welcome" in text_of(shown)
    assert "Be kind." in text_of(shown)
    body = message_bodies(world.env.http_requests)[-1]
    assert body["allowed_mentions"] == {"parse": []}
    assert body["nonce"] == NONCE
    assert body["enforce_nonce"] is True
    buttons = body["components"][0]["components"]
    assert [each.get("custom_id") or each["url"] for each in buttons] == [
        f"t:{'k' * 16}",
        "https://club.example/",
    ]


async def test_without_embed_links_a_post_is_plain_text_with_its_buttons(
    world: World, poster: DiscordPoster
) -> None:
    plain = room(world, embed_links=False)
    posted = await poster.post(*place(world, plain), WELCOME, KEYS, NONCE)
    shown = plain.last_message
    assert shown is not None
    assert shown.embeds == []
    assert "@everyone" not in shown.content
    assert shown.components
    assert await poster.find(*place(world, plain), WELCOME, KEYS, now_of(world)) == posted


@pytest.mark.parametrize("lacking", ["view_channel", "send_messages"])
async def test_where_the_bot_may_not_write_nothing_is_asked_of_discord(
    world: World, poster: DiscordPoster, lacking: str
) -> None:
    closed = room(world, **{lacking: False})
    seen = len(world.env.http_requests)
    with pytest.raises(PostRefused) as refused:
        await poster.post(*place(world, closed), WELCOME, KEYS, NONCE)
    assert refused.value.lost
    assert len(world.env.http_requests) == seen


@pytest.mark.parametrize(
    ("status", "code", "lost"), [(403, 50013, True), (404, 10003, True), (400, 50035, False)]
)
async def test_what_discord_refuses_is_the_channels_fault_or_the_posts(
    world: World, poster: DiscordPoster, status: int, code: int, lost: bool
) -> None:
    world.env.inject_error("POST", "/channels/*/messages", status=status, code=code)
    with pytest.raises(PostRefused) as refused:
        await poster.post(*place(world), WELCOME, KEYS, NONCE)
    assert refused.value.lost is lost


async def test_a_lost_answer_leaves_it_open_whether_the_post_stands(
    world: World, poster: DiscordPoster, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lost(*_: Any, **__: Any) -> None:
        raise aiohttp.ServerDisconnectedError

    world.env.inject_error("POST", "/channels/*/messages", status=503)
    with pytest.raises(PostUncertain):
        await poster.post(*place(world), WELCOME, KEYS, NONCE)
    monkeypatch.setattr(world.bot.http, "send_message", lost)
    with pytest.raises(PostUncertain):
        await poster.post(*place(world), WELCOME, KEYS, NONCE)


async def test_a_post_that_has_to_wait_for_a_rate_limit_was_not_taken(
    world: World, poster: DiscordPoster, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def limited(*_: Any, **__: Any) -> None:
        raise discord.RateLimited(60)

    monkeypatch.setattr(world.bot.http, "send_message", limited)
    with pytest.raises(DiscordUnavailable) as unavailable:
        await poster.post(*place(world), WELCOME, KEYS, NONCE)
    assert not isinstance(unavailable.value, PostUncertain)


async def test_a_post_is_found_by_its_buttons_and_no_other_is_taken_for_it(
    world: World, poster: DiscordPoster
) -> None:
    since = now_of(world)
    assert await poster.find(*place(world), WELCOME, KEYS, since) is None
    posted = await poster.post(*place(world), WELCOME, KEYS, NONCE)
    await world.member.send(world.channel, "hello")
    assert await poster.find(*place(world), WELCOME, KEYS, since) == posted
    assert await poster.find(*place(world), WELCOME, OTHER_KEYS, since) is None


async def test_a_post_is_found_by_a_clock_that_is_minutes_ahead(world: World, poster: DiscordPoster) -> None:
    four_minutes = 240_000
    posted = await poster.post(*place(world), WELCOME, KEYS, NONCE)
    assert await poster.find(*place(world), WELCOME, KEYS, now_of(world) + four_minutes) == posted


async def test_a_post_without_buttons_is_found_by_everything_that_it_says(
    world: World, poster: DiscordPoster
) -> None:
    said = Presentation(fields=(PresentationField("Who", "mia"),))
    other = Presentation(fields=(PresentationField("Who", "max"),))
    since = now_of(world)
    posted = await poster.post(*place(world), said, {}, NONCE)
    assert await poster.find(*place(world), said, {}, since) == posted
    assert await poster.find(*place(world), other, {}, since) is None


async def test_what_stood_there_before_the_intent_is_not_the_post(
    world: World, poster: DiscordPoster
) -> None:
    said = Presentation(text="Welcome!")
    await poster.post(*place(world), said, {}, NONCE)
    await world.env.advance_time(120)
    since = now_of(world)
    assert await poster.find(*place(world), said, {}, since) is None
    posted = await poster.post(*place(world), said, {}, NONCE)
    assert await poster.find(*place(world), said, {}, since) == posted


async def test_where_not_everything_can_be_read_nothing_is_said(
    world: World, poster: DiscordPoster, monkeypatch: pytest.MonkeyPatch
) -> None:
    since = now_of(world)
    blind = room(world, read_message_history=False)
    with pytest.raises(DiscordUnavailable):
        await poster.find(*place(world, blind), WELCOME, KEYS, since)
    world.env.inject_error("GET", "/channels/*/messages", status=403, code=50001)
    with pytest.raises(DiscordUnavailable):
        await poster.find(*place(world), WELCOME, KEYS, since)
    with pytest.raises(DiscordUnavailable):
        await poster.find(str(world.guild.id), "99", WELCOME, KEYS, since)
    monkeypatch.setattr(event_posts, "LOOKED_THROUGH", 3)
    for n in range(4):
        await world.member.send(world.channel, f"message {n}")
    with pytest.raises(DiscordUnavailable):
        await poster.find(*place(world), WELCOME, KEYS, since)


async def test_a_process_that_has_not_the_server_in_memory_posts_and_finds_there_too(
    world: World, poster: DiscordPoster, monkeypatch: pytest.MonkeyPatch
) -> None:
    blind = room(world, read_message_history=False)
    forget_server(world, monkeypatch)
    posted = await poster.post(*place(world), WELCOME, KEYS, NONCE)
    assert await poster.find(*place(world), WELCOME, KEYS, now_of(world)) == posted
    with pytest.raises(DiscordUnavailable):
        await poster.find(*place(world, blind), WELCOME, KEYS, now_of(world))
