"""Commands, buttons, help and the assistant follow what the owner said in `/tricks access`, at once."""

import discord
import simcord

from tests.support.access_panel import AccessPanel
from tests.support.journeys import said, typed
from tests.support.model import ModelServer, say
from tests.support.talks import ask
from tests.support.trick import TrickServer
from tests.support.turns import load
from tests.support.world import World


async def test_a_member_gains_a_command_and_loses_another(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    panel = await AccessPanel.open(world, trick, tool="save_snack")
    await panel.choose("who", "everyone")
    await panel.press("Open to everyone")
    assert "Saved." in panel.text
    assert "I never ask before I use it" in panel.text
    assert "Saved: fruit" in await typed(world, "^save fruit")
    await panel.press("Back")
    await panel.choose("tool", "snack_menu")
    await panel.choose("who", "owner")
    told = said(await world.member.slash(world.channel, "help"))
    assert "/save" in told
    assert "/snacks" not in told
    assert "it is for the server's owner" in await typed(world, "^snacks")
    assert "popcorn" in await typed(world, "^snacks", world.owner)
    assert "/snacks" in said(await world.owner.slash(world.channel, "help"))


async def test_a_trick_is_kept_to_channels_and_threads_follow_their_parent(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    room = world.guild.create_text_channel("snacks-only")
    panel = await AccessPanel.open(world, trick)
    await panel.choose("channels", room)
    assert f"{room.mention} and their threads" in panel.text
    assert panel.preset("channels") == [room.id]
    assert room.mention in await typed(world, "^snacks")
    assert "popcorn" in await typed(world, "^snacks", world.owner)
    assert "popcorn" in said(await world.member.slash(room, "snacks"))
    talk = world.env.backend.create_thread(room.id, "talk", world.member.id)
    inside = simcord.builders.ChannelHandle(world.env, world.guild, talk)
    assert "popcorn" in said(await world.member.slash(inside, "snacks"))
    assert "no commands of tricks" in said(await world.member.slash(world.channel, "help"))
    assert "/snacks" in said(await world.member.slash(inside, "help"))
    await panel.press("All channels")
    assert "In every channel" in panel.text
    assert "All channels" not in panel.buttons
    assert "popcorn" in await typed(world, "^snacks")


async def test_administrators_count_as_members_who_manage_the_server(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    role = world.guild.create_role("admin", permissions=discord.Permissions(administrator=True))
    admin = world.guild.add_member(world.env.create_user("ada"), roles=[role])
    panel = await AccessPanel.open(world, trick, tool="snack_menu")
    await panel.choose("who", "manage_server")
    assert "popcorn" in await typed(world, "^snacks", admin)
    assert "manage the server" in await typed(world, "^snacks")
    await panel.choose("who", "owner")
    assert "You cannot use this here" in await typed(world, "^snacks", admin)


async def test_buttons_of_a_result_follow_the_rule_of_now(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await world.member.send(world.channel, "^snacks")
    shown = world.channel.last_message
    assert shown is not None
    assert "manage the server" in said(await world.member.click(shown, label="Save fruit"))
    panel = await AccessPanel.open(world, trick, tool="save_snack")
    await panel.choose("who", "everyone")
    await panel.press("Open to everyone")
    assert "Saved: fruit" in said(await world.member.click(shown, label="Save fruit"))


async def test_the_assistant_has_only_the_tools_that_the_asker_may_use_now(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    async def loaded(member: simcord.MemberActor) -> set[str]:
        model.script(load(trick), say("Loaded."))
        await ask(talk, "hello", member=member)
        return {*model.asked[-1].tool_names}

    menu, save = "snack_club__snack_menu", "snack_club__save_snack"
    assert await loaded(talk.member) == {"load_trick", menu}
    opened = await AccessPanel.open(talk, trick, tool="save_snack")
    await opened.choose("who", "everyone")
    await opened.press("Open to everyone")
    assert await loaded(talk.member) == {"load_trick", menu, save}
    await (await AccessPanel.open(talk, trick, tool="snack_menu")).choose("who", "owner")
    assert await loaded(talk.member) == {"load_trick", save}
    assert await loaded(talk.owner) == {"load_trick", menu, save}


async def test_deleted_roles_are_shown_and_admit_nobody_but_the_owner(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    baker = world.guild.create_role("baker")
    helper = world.guild.add_member(world.env.create_user("hal"), roles=[baker])
    panel = await AccessPanel.open(world, trick, tool="snack_menu")
    await panel.choose("who", "roles")
    await panel.choose("roles", baker)
    assert "popcorn" in await typed(world, "^snacks", helper)
    world.env.backend.delete_role(world.guild.id, baker.id)
    await world.env.settle()
    for member in (helper, world.member):
        assert "You cannot use this here" in await typed(world, "^snacks", member)
    assert "popcorn" in await typed(world, "^snacks", world.owner)
    assert "roles were deleted" in (await AccessPanel.open(world, trick)).text
    panel = await AccessPanel.open(world, trick, tool="snack_menu")
    assert "roles were deleted" in panel.text
    assert panel.preset("roles") == []
    await panel.choose("who", "roles")
    assert "You cannot use this here" in await typed(world, "^snacks", helper)


async def test_when_its_channels_are_deleted_a_trick_is_closed_everywhere_and_the_panel_says_so(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    room, hall = (world.guild.create_text_channel(name) for name in ("room", "hall"))
    panel = await AccessPanel.open(world, trick)
    await panel.choose("channels", room, hall)
    world.env.backend.delete_channel(room.id)
    await world.env.settle()
    panel = await AccessPanel.open(world, trick)
    assert "and 1 deleted channel" in panel.text
    assert panel.preset("channels") == [hall.id]
    world.env.backend.delete_channel(hall.id)
    await world.env.settle()
    panel = await AccessPanel.open(world, trick)
    assert "Nowhere, because every channel that you chose was deleted" in panel.text
    assert panel.preset("channels") == []
    assert "cannot be used in this channel" in await typed(world, "^snacks")
    assert "popcorn" in await typed(world, "^snacks", world.owner)
    await panel.choose("channels", world.channel)
    assert "popcorn" in await typed(world, "^snacks")
