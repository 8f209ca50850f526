"""Who sees an answer and how it looks: private or public, embed or text, and where nothing may be said."""

import discord
import simcord

from bot.demo.sample_trick import JsonObject
from tests.support.journeys import answer, labels, replies, said, tricks, typed
from tests.support.sent import message_bodies
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_answers import data
from tests.support.trick_tools import default_commands
from tests.support.world import World, config_for, open_world, text_of


def room(world: World, **rights: bool | None) -> simcord.ChannelHandle:
    """A channel in which the bot has these rights."""
    assert world.guild.me is not None
    return world.guild.create_text_channel(
        "room", overwrites={world.guild.me: discord.PermissionOverwrite(**rights)}
    )


def posted(world: World) -> int:
    """How many messages the bot has sent or edited so far."""
    return len(message_bodies(world.env.http_requests))


async def test_a_command_is_private_unless_its_manifest_says_public(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    first, second = default_commands()
    trick = await make_trick(commands=[first, {**second, "visibility": "public"}])
    async with open_world(config_for(sqlite_url, trick)) as world:
        await world.install(trick)
        private = await world.owner.slash(world.channel, "snacks")
        assert private.ephemeral
        assert replies(world) == []
        public = await world.owner.slash(world.channel, "save", snack="fruit")
        assert not public.ephemeral
        assert replies(world) == [said(public)]
        refused = await world.member.slash(world.channel, "save", snack="fruit")
        assert refused.response is None
        assert answer(refused).ephemeral
        assert len(replies(world)) == 1
        assert "popcorn" in await typed(world, "^snacks")


async def test_a_reply_refers_to_the_message_and_pings_nobody(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    text = f"<@{world.member.id}> @everyone @here <@&{world.guild.id}> [x](https://evil.example)"
    trick.on(
        "tools/call", data({"pup": {"text": text, "fields": [{"label": "@everyone", "value": "@here"}]}})
    )
    message = await world.member.send(world.channel, "^snacks")
    reply = world.channel.last_message
    assert reply is not None
    assert reply.reference is not None
    assert reply.reference.message_id == message.id
    assert reply.mentions == []
    assert not reply.mention_everyone


async def test_without_embed_links_an_answer_is_plain_text_with_its_buttons(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    plain = room(world, embed_links=False)
    shown = answer(await world.member.slash(plain, "snacks"))
    await world.member.send(plain, "^snacks")
    reply = plain.last_message
    assert reply is not None
    for message in (shown, reply):
        assert message.embeds == []
        assert "popcorn, fruit" in message.content
        assert labels(message) == ["Save fruit"]
    pressed = answer(await world.owner.click(reply, label="Save fruit"))
    assert pressed.embeds == []
    assert "Save your snack preference" in pressed.content


async def test_without_send_messages_nothing_is_run(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    silent = room(world, send_messages=False)
    before = posted(world)
    for content in (
        "^snacks",
        "^save fruit",
        "^help",
        "^prefix !",
        f"<@{world.env.backend.bot_user.id}> hello",
    ):
        await world.owner.send(silent, content)
    assert posted(world) == before
    assert not trick.received("tools/call")
    assert "popcorn" in said(await world.owner.slash(silent, "snacks"))


async def test_in_a_thread_the_right_to_speak_in_threads_counts(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    for rights, count in (({"send_messages": False}, 1), ({"send_messages_in_threads": False}, 0)):
        parent = room(world, **rights)
        thread = world.env.backend.create_thread(parent.id, "talk", world.member.id)
        inside = simcord.builders.ChannelHandle(world.env, world.guild, thread)
        await world.member.send(inside, "^snacks")
        assert len(replies(world, inside)) == count, rights


async def test_without_the_history_an_answer_stands_alone(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    blind = room(world, read_message_history=False)
    await world.member.send(blind, "^snacks")
    reply = blind.last_message
    assert reply is not None
    assert "popcorn" in text_of(reply)
    assert reply.reference is None


async def test_bots_webhooks_and_direct_messages_start_nothing(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    before = posted(world)
    robot = world.guild.add_member(world.env.create_user("robot", bot=True))
    webhook = world.guild.create_webhook(world.channel)
    for content in (
        "^snacks",
        "^save fruit",
        "^help",
        "^prefix",
        f"<@{world.env.backend.bot_user.id}> hello",
    ):
        await robot.send(world.channel, content)
        await webhook.send(content)
        await world.member.send_dm(content)
        await world.owner.send_dm(content)
    assert posted(world) == before
    assert not trick.received("tools/call")
    assert world.member.user.available_commands() == ()


async def test_an_answer_whose_message_is_gone_is_not_posted_to_nobody(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    world.env.inject_error("POST", f"/channels/{world.channel.id}/messages", status=404, code=10003)
    assert await typed(world, "^save fruit", world.owner) == ""
    assert sum(trick.effects.values()) == 1
    assert "popcorn" in await typed(world, "^snacks")


async def test_an_answer_that_discord_refuses_is_not_asked_for_again(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    world.env.inject_error("PATCH", "/webhooks/*/*/messages/@original", status=500)
    await world.owner.slash(world.channel, "save", snack="fruit")
    assert sum(trick.effects.values()) == 1


async def test_the_answer_to_a_press_names_the_tool_and_has_working_buttons_of_its_own(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    again: JsonObject = {"id": "again", "label": "Again", "tool": "snack_menu", "arguments": {}}
    trick.on("tools/call save_snack", data({"pup": {"text": "saved", "actions": [again]}}))
    shown = answer(await world.owner.slash(world.channel, "snacks"))
    pressed = await world.owner.click(shown, label="Save fruit")
    assert pressed.ephemeral
    assert "Save your snack preference" in said(pressed)
    further = await world.owner.click(answer(pressed), label="Again")
    assert "See the snacks" in said(further)
    assert "popcorn" in said(further)


async def test_two_people_may_press_the_same_button(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    again: JsonObject = {"id": "again", "label": "Again", "tool": "snack_menu", "arguments": {}}
    trick.on("tools/call", data({"pup": {"text": "menu", "actions": [again]}}))
    await world.member.send(world.channel, "^snacks")
    reply = world.channel.last_message
    assert reply is not None
    for actor in (world.owner, world.member):
        assert "menu" in said(await actor.click(reply, label="Again"))
        assert "runs only once" in said(await actor.click(reply, label="Again"))
    askers = [call.context["askerId"] for call in trick.received("tools/call")[1:]]
    assert askers == [str(world.owner.id), str(world.member.id)]


async def test_a_button_works_in_its_own_message_alone(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await world.owner.send(world.channel, "^snacks")
    first = world.channel.last_message
    shown = answer(await world.owner.slash(world.channel, "snacks"))
    panel = answer(await tricks(world, "list"))
    assert first is not None
    for source in (first.id, shown.id):
        stored = world.env.backend.get_message(world.channel.id, source)
        forged = world.env.backend.get_message(world.channel.id, panel.id)
        forged.components[:] = stored.components
        pressed = await world.owner.click(panel, label="Save fruit")
        assert "expired" in said(pressed)
    assert not trick.effects


async def test_buttons_go_with_their_message(world: World, trick: TrickServer) -> None:
    first, second = default_commands()
    trick.commands = [{**first, "visibility": "public"}, second]
    await world.install(trick)
    panel = answer(await tricks(world, "list"))
    public = answer(await world.owner.slash(world.channel, "snacks"))
    await world.owner.send(world.channel, "^snacks")
    reply = world.channel.last_message
    assert reply is not None
    for message in (public, reply):
        components = world.env.backend.get_message(world.channel.id, message.id).components
        await world.owner.delete(message)
        world.env.backend.get_message(world.channel.id, panel.id).components[:] = components
        assert "expired" in said(await world.owner.click(panel, label="Save fruit"))
    assert not trick.effects


async def test_a_button_whose_arguments_do_not_fit_is_refused(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    wrong = {"id": "wrong", "label": "Wrong", "tool": "save_snack", "arguments": {"snack": "gravel"}}
    trick.on("tools/call", data({"pup": {"text": "menu", "actions": [wrong]}}))
    shown = answer(await world.owner.slash(world.channel, "snacks"))
    assert "snack" in said(await world.owner.click(shown, label="Wrong"))
    assert not trick.effects
