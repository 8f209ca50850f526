"""Who may be pinged by what is drawn, which messages show previews of links, and how an owner is reached."""

import discord
import pytest

from bot.outbound import Embed, Reply
from cogs.messenger import DiscordMessenger, edit_parts, message_parts, pings
from tests.cogs.test_event_posts import forget_server
from tests.support.world import World, text_of


def test_nobody_is_pinged_unless_one_member_is_named() -> None:
    silent: dict[str, list[str]] = {"parse": []}
    for parts in (message_parts(Reply(content="x")), edit_parts(Reply(content="x"))):
        assert parts.get("allowed_mentions", discord.AllowedMentions.all()).to_dict() == silent
    assert pings(None).to_dict() == silent
    assert pings("5").to_dict() == {"parse": [], "users": [5]}
    assert pings("5", author=True).to_dict() == {"parse": [], "users": [5], "replied_user": True}


def test_a_named_member_adds_nobody_else_to_what_the_client_allows() -> None:
    merged = discord.AllowedMentions.all().merge(pings("5"))
    assert merged.to_dict() == {"parse": [], "users": [5]}
    assert discord.AllowedMentions.all().merge(pings(None)).to_dict() == {"parse": []}


def test_links_in_plain_text_show_no_preview_and_no_embed_is_hidden() -> None:
    assert message_parts(Reply(content="https://a.example")).get("suppress_embeds") is True
    assert "suppress_embeds" not in message_parts(Reply(content="x", embed=Embed(title="card")))
    assert "suppress_embeds" not in message_parts(Reply(embed=Embed(title="card")))


async def test_a_process_that_has_not_the_server_in_memory_reaches_its_owner_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    messenger, guild_id = DiscordMessenger(world.bot), str(world.guild.id)
    forget_server(world, monkeypatch)
    assert await messenger.owner_of(guild_id) == str(world.owner.id)
    assert await messenger.tell_owner(guild_id, "By letter.")
    assert [text_of(each) for each in world.guild.owner.dm_channel.history()] == ["By letter."]
    world.env.backend.edit_guild(world.guild.id, {"system_channel_id": world.channel.id})
    assert await messenger.tell_owner(guild_id, "For all to see.")
    assert text_of(world.channel.history()[-1]) == "For all to see."
    world.env.inject_error("POST", "/channels/*/messages", status=403, code=50013)
    assert await messenger.tell_owner(guild_id, "By letter again.")
    assert text_of(world.guild.owner.dm_channel.history()[-1]) == "By letter again."


async def test_in_a_server_that_cannot_be_read_nobody_is_reached(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    messenger, guild_id = DiscordMessenger(world.bot), str(world.guild.id)
    forget_server(world, monkeypatch)
    for _ in range(2):
        world.env.inject_error("GET", "/guilds/*", status=403, code=50001)
    assert not await messenger.tell_owner(guild_id, "Lost.")
    assert await messenger.owner_of(guild_id) is None
