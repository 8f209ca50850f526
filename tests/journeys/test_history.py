"""What the assistant gets to read of a conversation."""

import discord
import pytest
import simcord
from simcord.enums import MessageType

from bot.outbound import Embed, Reply
from bot.speaker import Said, Where
from cogs import history
from cogs.speaker import DiscordSpeaker
from tests.support.world import World

Seen = list[tuple[str, str]]


class Talk:
    """A conversation in one channel, and what is read of it."""

    def __init__(self, world: World, channel: simcord.ChannelHandle | None = None) -> None:
        self.world = world
        self.channel = channel or world.channel
        self.speaker = DiscordSpeaker(world.bot)

    async def mia(self, text: str, to: discord.Message | None = None) -> discord.Message:
        return await self.world.member.send(self.channel, text, reply_to=to)

    async def olive(self, text: str, to: discord.Message | None = None) -> discord.Message:
        return await self.world.owner.send(self.channel, text, reply_to=to)

    async def bot(self, text: str, to: discord.Message | None = None, embed: str = "") -> discord.Message:
        where = Where(
            str(self.world.guild.id), str(self.channel.id), reply_to=None if to is None else str(to.id)
        )
        drawn = Embed(description=embed) if embed else None
        await self.speaker.say(where, Reply(content=text, embed=drawn), "n")
        posted = self.channel.last_message
        assert posted is not None
        return posted

    async def said(self, message: discord.Message) -> list[Said]:
        guild_id, mia = str(self.world.guild.id), str(self.world.member.id)
        return list(await self.speaker.history(guild_id, str(self.channel.id), str(message.id), mia))

    async def read(self, message: discord.Message) -> Seen:
        return [(said.author, said.text) for said in await self.said(message)]


async def thread_of(world: World, message: discord.Message | None = None) -> Talk:
    thread = world.env.backend.create_thread(
        world.channel.id, "talk", world.owner.id, message_id=None if message is None else message.id
    )
    await world.env.settle()
    return Talk(world, simcord.builders.ChannelHandle(world.env, world.guild, thread))


async def test_a_reply_chain_is_read_oldest_first_without_the_message_itself(world: World) -> None:
    talk = Talk(world)
    first = await talk.mia(f"<@{world.bot.user.id if world.bot.user else 0}> what is <#1>?")
    await talk.mia("beside the point")
    second = await talk.bot("An answer.", first)
    third = await talk.mia("and then?", second)
    fourth = await talk.bot("Then this.", third)
    last = await talk.mia("thanks", fourth)
    assert await talk.read(last) == [
        ("asker", first.content),
        ("bot", "An answer."),
        ("asker", "and then?"),
        ("bot", "Then this."),
    ]
    said = await talk.said(last)
    assert [each.message_id for each in said] == [str(each.id) for each in (first, second, third, fourth)]
    assert said[0].author_id == str(world.member.id)


async def test_a_message_that_replies_to_nothing_has_no_history(world: World) -> None:
    talk = Talk(world)
    await talk.mia("before")
    await talk.bot("earlier")
    assert await talk.read(await talk.mia("hello")) == []


async def test_others_are_read_only_as_what_the_asker_replies_to(world: World) -> None:
    talk = Talk(world)
    root = await talk.mia("root")
    secret = await talk.olive("between", root)
    own = await talk.mia("own", secret)
    near = await talk.olive("near", own)
    assert await talk.read(await talk.mia("what is that?", near)) == [
        ("asker", "root"),
        ("asker", "own"),
        ("member", "near"),
    ]


async def test_a_bot_or_webhook_is_nobody_inside(world: World) -> None:
    talk = Talk(world)
    robot = world.guild.add_member(world.env.create_user("robot", bot=True))
    webhook = world.guild.create_webhook(world.channel)
    hooked = await webhook.send("from a hook")
    for message, text in ((await robot.send(world.channel, "beep"), "beep"), (hooked, "from a hook")):
        assert await talk.read(await talk.mia("what?", message)) == [("other", text)]


async def test_of_a_message_only_its_content_is_read(world: World) -> None:
    talk = Talk(world)
    card = await talk.bot("", embed="a secret in an embed")
    both = await talk.bot("content", card, embed="more")
    assert await talk.read(await talk.mia("what?", both)) == [("bot", "content")]
    file = await world.member.send(world.channel, "", attachments=[("x.txt", b"secret")])
    assert await talk.read(await talk.mia("what?", file)) == []


async def test_a_forwarded_message_is_no_reply_and_its_text_is_not_read(world: World) -> None:
    talk = Talk(world)
    source = await talk.olive("forwarded words")
    forwarded = await world.member.forward(source, world.channel)
    assert await talk.read(forwarded) == []
    assert await talk.read(await talk.mia("see?", forwarded)) == []


async def test_a_deleted_link_ends_the_chain(world: World) -> None:
    talk = Talk(world)
    first = await talk.mia("first")
    second = await talk.bot("second", first)
    third = await talk.mia("third", second)
    last = await talk.mia("last", third)
    await world.owner.delete(second)
    assert await talk.read(last) == [("asker", "third")]
    await world.owner.delete(third)
    assert await talk.read(last) == []


async def test_at_most_twenty_links_are_followed(world: World) -> None:
    talk = Talk(world)
    message = await talk.mia("0")
    for number in range(1, 26):
        message = await talk.mia(str(number), message)
    assert [text for _, text in await talk.read(message)] == [str(n) for n in range(5, 25)]
    fetched = [
        r for r in world.env.http_requests if r.method == "GET" and f"{world.channel.id}/messages/" in r.path
    ]
    assert len(fetched) <= 11


async def test_what_may_not_be_read_is_left_out(world: World) -> None:
    talk = Talk(world)
    first = await talk.mia("first")
    last = await talk.mia("last", first)
    world.env.inject_error("GET", "/channels/*/messages/*", status=403, code=50001, times=None)
    assert await talk.read(last) == []


async def test_the_newest_are_kept_when_it_is_too_much(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MAX_CHARACTERS", 25)
    talk = Talk(world)
    message = await talk.mia("a" * 10)
    for letter in "bcd":
        message = await talk.mia(letter * 10, message)
    assert [text[0] for _, text in await talk.read(message)] == ["b", "c"]
    inside = await thread_of(world)
    near = await inside.olive("o" * 10)
    for letter in "xyz":
        await inside.mia(letter * 10)
    assert [text[0] for _, text in await inside.read(await inside.mia("what?", near))] == ["o", "z"]


async def test_in_a_thread_the_askers_and_the_bots_messages_are_read(world: World) -> None:
    talk = await thread_of(world)
    await talk.mia("one")
    near = await talk.olive("said by another")
    await talk.olive("not read")
    await talk.bot("two")
    world.env.backend.create_message(
        talk.channel.id, world.member.id, "a thread's name", message_type=MessageType.THREAD_CREATED
    )
    last = await talk.mia("three")
    await talk.mia("after it")
    assert await talk.read(last) == [("asker", "one"), ("bot", "two")]
    reply = await talk.mia("four", near)
    assert await talk.read(reply) == [
        ("asker", "one"),
        ("member", "said by another"),
        ("bot", "two"),
        ("asker", "three"),
        ("asker", "after it"),
    ]


async def test_the_message_that_a_thread_hangs_on_belongs_to_it(world: World) -> None:
    outside = Talk(world)
    await outside.mia("somewhere else")
    talk = await thread_of(world, await outside.mia("the beginning"))
    await talk.bot("working")
    assert await talk.read(await talk.mia("and?")) == [("asker", "the beginning"), ("bot", "working")]
    others = await thread_of(world, await outside.olive("another's"))
    assert await others.read(await others.mia("and?")) == []


async def test_of_a_long_thread_the_newest_fifty_are_read(world: World) -> None:
    talk = await thread_of(world)
    backend = world.env.backend
    for number in range(60):
        backend.create_message(talk.channel.id, world.member.id, f"m{number}", broadcast=False)
    assert [text for _, text in await talk.read(await talk.mia("last"))] == [f"m{n}" for n in range(10, 60)]
