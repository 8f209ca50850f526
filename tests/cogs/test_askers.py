"""Who asks and where, read from Discord each time."""

import discord
import pytest

from bot.errors import DiscordUnavailable
from cogs.speaker import DiscordSpeaker
from tests.support.world import World


@pytest.fixture
def speaker(world: World) -> DiscordSpeaker:
    return DiscordSpeaker(world.bot)


async def test_the_asker_is_the_member_as_they_are_now(world: World, speaker: DiscordSpeaker) -> None:
    guild_id, mia = str(world.guild.id), str(world.member.id)
    before = await speaker.asker(guild_id, mia)
    assert before is not None
    assert (before.member_id, before.guild_id, before.is_owner, before.manage_server) == (
        mia,
        guild_id,
        False,
        False,
    )
    owner = await speaker.asker(guild_id, str(world.owner.id))
    assert owner is not None
    assert owner.is_owner
    manager = world.guild.create_role("manager", permissions=discord.Permissions(manage_guild=True))
    world.env.backend.edit_member(world.guild.id, world.member.id, {"role_ids": [manager.id]})
    await world.env.settle()
    after = await speaker.asker(guild_id, mia)
    assert after is not None
    assert after.manage_server
    assert str(manager.id) in after.role_ids
    world.guild.remove_member(world.member)
    assert await speaker.asker(guild_id, mia) is None


async def test_bots_are_nobody_who_asks(world: World, speaker: DiscordSpeaker) -> None:
    robot = world.guild.add_member(world.env.create_user("robot", bot=True))
    webhook = world.guild.create_webhook(world.channel)
    for stranger in (robot.id, webhook.id):
        assert await speaker.asker(str(world.guild.id), str(stranger)) is None
    world.env.inject_error("GET", "/guilds/*/members/*", status=403, code=50001)
    assert await speaker.asker(str(world.guild.id), str(world.member.id)) is None


async def test_a_member_of_whom_discord_says_nothing_has_not_left(
    world: World, speaker: DiscordSpeaker
) -> None:
    world.env.inject_error("GET", "/guilds/*/members/*", status=503)
    with pytest.raises(DiscordUnavailable):
        await speaker.asker(str(world.guild.id), str(world.member.id))


async def test_a_place_is_a_channel_or_a_thread_with_its_parent(
    world: World, speaker: DiscordSpeaker
) -> None:
    guild_id = str(world.guild.id)
    thread = world.env.backend.create_thread(world.channel.id, "talk", world.member.id)
    await world.env.settle()
    assert (await speaker.place(guild_id, str(world.channel.id))).parent_id is None
    assert (await speaker.place(guild_id, str(thread.id))).parent_id == str(world.channel.id)
    gone = await speaker.place(guild_id, "99")
    assert (gone.channel_id, gone.parent_id) == ("99", None)
