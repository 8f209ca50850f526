"""Which messages are for Kennel, and start a request."""

from typing import cast

import discord
import pytest
from simcord.enums import MessageType

from bot.errors import KennelError, ModelUnavailable, TooManyRequests
from bot.tasks.question_desk import WordsOutcome
from tests.support.desks import Desks, mention, spoken, thread_in
from tests.support.journeys import deliver_again, replies
from tests.support.world import World


async def test_a_mention_starts_a_request_with_its_words_as_they_are(world: World, desks: Desks) -> None:
    text = f"{mention(world)}  what is <#{world.channel.id}>?"
    message = await world.member.send(world.channel, text)
    [incoming] = desks.started
    assert incoming.content == text
    assert incoming.message_id == str(message.id)
    assert incoming.asker.member_id == str(world.member.id)
    assert incoming.place.channel_id == str(world.channel.id)
    assert replies(world) == []


async def test_the_bots_own_role_is_the_bot(
    world: World, desks: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    role, other = world.guild.create_role("Kennel"), world.guild.create_role("other")
    monkeypatch.setattr(
        discord.Guild, "self_role", property(lambda guild: cast("discord.Guild", guild).get_role(role.id))
    )
    await world.member.send(world.channel, f"{other.mention} hello")
    assert desks.contents == []
    await world.member.send(world.channel, f"{role.mention} hello")
    assert desks.contents == [f"{role.mention} hello"]


async def test_a_reply_to_the_bot_is_for_it_with_or_without_a_ping(world: World, desks: Desks) -> None:
    await world.member.send(world.channel, "and now?", reply_to=await spoken(world))
    answered = await world.member.slash(world.channel, "help")
    assert answered.response is not None
    webhooked = await spoken(world)
    world.env.backend.get_message(world.channel.id, webhooked.id).webhook_id = world.bot.application_id
    await world.member.send(world.channel, "and then?", reply_to=webhooked)
    assert desks.contents == ["and now?", "and then?"]


async def test_a_reply_to_somebody_else_or_a_forward_is_not_for_it(world: World, desks: Desks) -> None:
    other = await world.owner.send(world.channel, "hi")
    await world.member.send(world.channel, "and now?", reply_to=other)
    await world.member.forward(await spoken(world), world.channel)
    await world.member.send(world.channel, "just talking")
    assert desks.contents == []


async def test_in_a_thread_of_theirs_a_member_need_not_mention_the_bot(world: World, desks: Desks) -> None:
    inside, elsewhere = thread_in(world), thread_in(world)
    desks.own_threads.add((str(inside.id), str(world.member.id)))
    await world.member.send(inside, "and now?")
    await world.owner.send(inside, "not for you")
    await world.member.send(elsewhere, "nor this")
    await world.member.send(inside, "", attachments=[("x.txt", b"x")])
    [incoming] = desks.started
    assert incoming.content == "and now?"
    assert incoming.place.parent_id == str(world.channel.id)


async def test_what_is_no_member_starts_nothing(world: World, desks: Desks) -> None:
    robot = world.guild.add_member(world.env.create_user("robot", bot=True))
    webhook = world.guild.create_webhook(world.channel)
    for content in (f"{mention(world)} hello", "hello"):
        await robot.send(world.channel, content, reply_to=await spoken(world))
        await webhook.send(content)
        await world.member.send_dm(content)
        world.env.backend.create_message(
            world.channel.id, world.member.id, content, message_type=MessageType.THREAD_CREATED
        )
    await world.env.settle()
    assert desks.started == []


async def test_a_typed_command_is_no_conversation(world: World, desks: Desks) -> None:
    inside = thread_in(world)
    desks.own_threads.add((str(inside.id), str(world.member.id)))
    desks.places[str(inside.id), str(world.member.id)] = "question"
    desks.outcome = WordsOutcome("not_an_answer")
    await world.member.send(inside, f"^help {mention(world)}")
    assert (desks.started, desks.asked) == ([], [])
    await world.member.send(inside, "^_^ thanks")
    assert desks.contents == ["^_^ thanks"]


async def test_an_edited_message_starts_nothing(world: World, desks: Desks) -> None:
    message = await world.member.send(world.channel, "hello")
    await world.member.edit(message, f"{mention(world)} hello")
    assert desks.started == []


async def test_a_message_delivered_twice_is_one_request(world: World, desks: Desks) -> None:
    await world.member.send(world.channel, f"{mention(world)} hello")
    await deliver_again(world, "MESSAGE_CREATE", 2)
    assert len(desks.started) == 1
    assert replies(world) == []


async def test_where_the_bot_may_not_speak_nothing_is_started(world: World, desks: Desks) -> None:
    assert world.guild.me is not None
    silent = discord.PermissionOverwrite(send_messages=False)
    muted = world.guild.create_text_channel("quiet", overwrites={world.guild.me: silent})
    await world.member.send(muted, f"{mention(world)} hello")
    assert desks.started == []


@pytest.mark.parametrize("error", [TooManyRequests(1_700_000_000), ModelUnavailable(), KennelError()])
async def test_a_request_that_is_refused_is_answered_once(
    world: World, desks: Desks, error: KennelError
) -> None:
    desks.refusal = error
    await world.member.send(world.channel, f"{mention(world)} hello")
    desks.started.clear()
    await deliver_again(world, "MESSAGE_CREATE")
    assert len(replies(world)) == 1
    assert error.sentence in replies(world)[0]


async def test_a_restarting_process_says_so_to_those_who_address_it(world: World, desks: Desks) -> None:
    world.bot.draining = True
    desks.places[str(world.channel.id), str(world.member.id)] = "question"
    await world.member.send(world.channel, "blue")
    assert replies(world) == []
    await world.member.send(world.channel, f"{mention(world)} hello")
    await deliver_again(world, "MESSAGE_CREATE")
    assert ["restarting" in reply for reply in replies(world)] == [True]
    assert (desks.started, desks.asked) == ([], [])
    world.bot.draining = False


async def test_without_a_model_only_a_mention_is_told_so(world: World, desks: Desks) -> None:
    desks.enabled = False
    await world.member.send(world.channel, "thanks", reply_to=await spoken(world))
    assert replies(world) == ["hi"]
    await world.member.send(world.channel, f"{mention(world)} hello")
    await deliver_again(world, "MESSAGE_CREATE")
    assert len(replies(world)) == 2
    assert "commands work" in replies(world)[1]
    assert desks.started == []
