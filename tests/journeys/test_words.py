"""Words that press a card's button, and words that answer a question."""

from typing import Any

import pytest

from bot.errors import NotYours
from bot.tasks.question_desk import WordsOutcome
from tests.support.desks import Desks, mention, spoken, thread_in
from tests.support.journeys import deliver_again, replies
from tests.support.world import World, text_of


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
    inside = thread_in(world)
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
