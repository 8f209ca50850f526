"""Which messages are for Kennel, and what each of them is: a press, an answer, or a request to the assistant."""

from dataclasses import dataclass, field, replace
from typing import Any, cast

import discord
import pytest
import pytest_asyncio
import simcord
from simcord.enums import MessageType

from bot.assistant.assistant import Incoming
from bot.errors import Duplicate, KennelError, ModelUnavailable, NotYours, TooManyRequests
from bot.tasks.question_desk import WordsOutcome
from cogs.chat import Chat
from tests.support.journeys import deliver_again, replies
from tests.support.world import World, text_of


@dataclass
class Desks:
    """Stands in for the services of a conversation, and records what they are asked."""

    enabled: bool = True
    started: list[Incoming] = field(default_factory=list[Incoming])
    refusal: Exception | None = None
    own_threads: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    cards: dict[str, str] = field(default_factory=dict[str, str])
    pressed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    advanced: list[str] = field(default_factory=list[str])
    questions_at: dict[str, str] = field(default_factory=dict[str, str])
    places: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    outcome: WordsOutcome = field(default_factory=lambda: WordsOutcome("taken"))
    asked: list[tuple[str, str, dict[str, bool]]] = field(
        default_factory=list[tuple[str, str, dict[str, bool]]]
    )

    @property
    def contents(self) -> list[str]:
        return [incoming.content for incoming in self.started]

    async def start(self, incoming: Incoming) -> None:
        if any(each.message_id == incoming.message_id for each in self.started):
            raise Duplicate
        self.started.append(incoming)
        if self.refusal is not None:
            raise self.refusal

    async def advance(self, request_id: str) -> None:
        self.advanced.append(request_id)

    async def is_askers(self, thread_id: str, member_id: str) -> bool:
        return (thread_id, member_id) in self.own_threads

    async def by_card(self, message_id: str) -> Any:
        owner = self.cards.get(message_id)
        return None if owner is None else Card(owner)

    async def press(self, key: str, verb: str, asker: Any, place: Any) -> Any:
        if key != asker.member_id:
            raise NotYours
        self.pressed.append((verb, place.channel_id))
        return Card(key)

    async def to_reply(self, message_id: str, member_id: str) -> Any:
        return message_id if self.questions_at.get(message_id) == member_id else None

    async def newest(self, channel_id: str, member_id: str) -> Any:
        return self.places.get((channel_id, member_id))

    def has(self, channel_id: str, member_id: str) -> bool:
        return (channel_id, member_id) in self.places

    async def words(self, row: str, text: str, **how: bool) -> WordsOutcome:
        self.asked.append((row, text, {name: value for name, value in how.items() if value}))
        return self.outcome


@dataclass
class Card:
    """A card whose key is its asker."""

    key: str
    request_id: str = "request"


@pytest_asyncio.fixture
async def desks(world: World) -> Desks:
    made = Desks()
    stand_in = cast("Any", made)
    world.bot.services = replace(
        world.bot.services,
        assistant=stand_in,
        approvals=stand_in,
        questions=stand_in,
        watch=stand_in,
        threads=stand_in,
    )
    await world.bot.remove_cog("Chat")
    await world.bot.add_cog(Chat(world.bot))
    return made


def mention(world: World) -> str:
    return f"<@{world.env.backend.bot_user.id}>"


async def spoken(
    world: World, channel: simcord.ChannelHandle | None = None, content: str = "hi"
) -> discord.Message:
    """A message of the bot's."""
    backend, bot_id = world.env.backend, world.env.backend.bot_user.id
    backend.create_message((channel or world.channel).id, bot_id, content)
    await world.env.settle()
    last = (channel or world.channel).last_message
    assert last is not None
    return last


def thread(world: World) -> simcord.ChannelHandle:
    made = world.env.backend.create_thread(world.channel.id, "talk", world.owner.id)
    return simcord.builders.ChannelHandle(world.env, world.guild, made)


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
    inside, elsewhere = thread(world), thread(world)
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
    inside = thread(world)
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


@pytest.mark.parametrize(
    ("words", "verb"),
    [("do it", "do"), (" Do It\n", "do"), ("don't", "dont"), ("DON’T", "dont")],
)
async def test_words_in_reply_to_a_card_press_its_button(
    world: World, desks: Desks, words: str, verb: str
) -> None:
    card = await spoken(world)
    desks.cards[str(card.id)] = str(world.member.id)
    await world.member.send(world.channel, words, reply_to=card)
    await deliver_again(world, "MESSAGE_CREATE")
    assert desks.pressed == [(verb, str(world.channel.id))]
    assert desks.advanced == ["request"]
    assert desks.started == []
    assert replies(world) == ["hi"]


@pytest.mark.parametrize("words", ["dont", "do it!", "please do it", "yes", "do  it"])
async def test_any_other_words_press_nothing(world: World, desks: Desks, words: str) -> None:
    card = await spoken(world)
    desks.cards[str(card.id)] = str(world.member.id)
    await world.member.send(world.channel, words, reply_to=card)
    await world.member.send(world.channel, "do it")
    assert desks.pressed == []
    assert desks.contents == [words]


async def test_nobody_else_presses_with_words(world: World, desks: Desks) -> None:
    card = await spoken(world)
    desks.cards[str(card.id)] = str(world.member.id)
    await world.owner.send(world.channel, "do it", reply_to=card)
    await deliver_again(world, "MESSAGE_CREATE")
    assert desks.pressed == []
    assert desks.started == []
    assert replies(world)[1:] == [NotYours().sentence]


async def test_a_reply_to_a_question_is_its_answer(world: World, desks: Desks) -> None:
    question = await spoken(world)
    desks.questions_at[str(question.id)] = str(world.member.id)
    await world.member.send(world.channel, f"{mention(world)} blue", reply_to=question)
    await deliver_again(world, "MESSAGE_CREATE")
    assert desks.asked == [(str(question.id), "blue", {"direct": True})]
    assert desks.started == []
    assert replies(world) == ["hi"]


@pytest.mark.parametrize("kind", ["wrong", "declined"])
async def test_an_answer_that_does_not_fit_is_told_so_in_a_reply(
    world: World, desks: Desks, kind: Any
) -> None:
    question = await spoken(world)
    desks.questions_at[str(question.id)] = str(world.member.id)
    desks.outcome = WordsOutcome(kind, "It has to be a colour.")
    message = await world.member.send(world.channel, "seven", reply_to=question)
    reply = world.channel.last_message
    assert reply is not None
    assert text_of(reply) == "It has to be a colour."
    assert reply.reference is not None
    assert reply.reference.message_id == message.id
    assert desks.started == []


async def test_somebody_elses_reply_to_a_question_is_a_request_of_theirs(world: World, desks: Desks) -> None:
    question = await spoken(world)
    desks.questions_at[str(question.id)] = str(world.member.id)
    await world.owner.send(world.channel, "what is this about?", reply_to=question)
    assert desks.asked == []
    assert desks.contents == ["what is this about?"]


async def test_the_next_message_in_the_channel_may_be_the_answer(world: World, desks: Desks) -> None:
    desks.places[str(world.channel.id), str(world.member.id)] = "question"
    await world.member.send(world.channel, "blue")
    await world.owner.send(world.channel, "blue")
    assert desks.asked == [("question", "blue", {})]
    desks.outcome = WordsOutcome("not_an_answer")
    await world.member.send(world.channel, "anyway, lunch?")
    assert desks.started == []
    assert replies(world) == []


async def test_what_addresses_the_bot_is_an_answer_only_as_it_stands(world: World, desks: Desks) -> None:
    desks.places[str(world.channel.id), str(world.member.id)] = "question"
    await world.member.send(world.channel, f"{mention(world)} 2")
    assert desks.asked == [("question", "2", {"literal_only": True})]
    assert desks.started == []
    desks.outcome = WordsOutcome("not_an_answer")
    await world.member.send(world.channel, f"{mention(world)} something else")
    await world.member.send(world.channel, "about that", reply_to=await spoken(world))
    assert desks.contents == [f"{mention(world)} something else", "about that"]
    assert [how for *_, how in desks.asked[1:]] == [{"literal_only": True}] * 2


async def test_in_the_members_thread_words_are_an_answer_or_a_request(world: World, desks: Desks) -> None:
    inside = thread(world)
    place = (str(inside.id), str(world.member.id))
    desks.own_threads.add(place)
    desks.places[place] = "question"
    await world.member.send(inside, "blue")
    assert desks.asked == [("question", "blue", {"in_thread": True})]
    assert desks.started == []
    desks.outcome = WordsOutcome("not_an_answer")
    await world.member.send(inside, "what do you mean?")
    assert desks.contents == ["what do you mean?"]


async def test_a_bare_mention_answers_no_question(world: World, desks: Desks) -> None:
    desks.places[str(world.channel.id), str(world.member.id)] = "question"
    await world.member.send(world.channel, mention(world))
    assert desks.asked == []
    assert desks.contents == [mention(world)]
