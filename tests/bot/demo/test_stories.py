"""What one can say to the bot in the demo's server: the sample trick and the cards are the real ones."""

import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest_asyncio
import simcord

from bot.demo.world import Server, open_server
from tests.support.browser import PATIENCE
from tests.support.journeys import labels, said


@dataclass
class Told:
    """The demo's server, and who talks there: somebody who may manage it, and somebody who may not."""

    env: simcord.Env
    server: Server

    @property
    def mia(self) -> simcord.MemberActor:
        return self.server.people[1]

    @property
    def tom(self) -> simcord.MemberActor:
        return self.server.people[2]

    def heard(self) -> list[Any]:
        """The bot's messages, oldest first."""
        bot = self.env.backend.bot_user.id
        return [each for each in self.server.channel.history() if each.author.id == bot]

    async def say(self, member: simcord.MemberActor, text: str) -> None:
        """Somebody mentions the bot."""
        await member.send(self.server.channel, f"<@{self.env.backend.bot_user.id}> {text}")

    async def ask(self, member: simcord.MemberActor, text: str) -> Any:
        """The same; the bot's answer."""
        await self.say(member, text)
        return self.heard()[-1]

    async def reply(self, member: simcord.MemberActor, message: Any, text: str) -> Any:
        """Somebody replies to it without a mention; the bot's answer."""
        await member.send(self.server.channel, text, reply_to=message)
        return self.heard()[-1]

    async def until(self, text: str) -> Any:
        """The bot's message that says `text`, while the simulated server's time follows the real one."""
        began = last = time.monotonic()
        while last - began < PATIENCE:
            for each in self.heard():
                if text in each.content:
                    return each
            now = time.monotonic()
            await self.env.advance_time(now - last)
            last = now
        raise AssertionError([each.content for each in self.heard()])


@pytest_asyncio.fixture
async def told(tmp_path: Path) -> AsyncGenerator[Told]:
    async with open_server(tmp_path, pace=0.05) as (env, server):
        yield Told(env, server)


async def test_somebody_has_joined_and_the_trick_welcomed_them_with_a_button_that_works(told: Told) -> None:
    welcome = told.heard()[0]
    ida = next(each for each in told.env.backend.users.values() if each.name == "ida")
    assert f"<@{ida.id}>" in welcome.embeds[0].description
    pressed = await told.tom.click(welcome, label="Save popcorn")
    assert "for members who may manage the server" in said(pressed)
    pressed = await told.mia.click(welcome, label="Save popcorn")
    assert "Saved: popcorn." in said(pressed)


async def test_a_question_is_answered_and_saving_as_a_reply_asks_first(told: Told) -> None:
    answer = await told.ask(told.mia, "what snacks are there?")
    assert "popcorn, fruit, pretzels" in answer.content

    card = await told.reply(told.mia, answer, "save fruit for me")
    assert labels(card) == ["Do it", "Auto-review", "Don't", "Details"]
    refused = await told.server.owner.click(card, label="Do it")
    assert said(refused) == "Only the member who asked can answer this."

    await told.mia.click(card, label="Do it")
    assert told.heard()[-1].content == "Done: fruit is saved for you."
    assert "fruit (1)" in (await told.ask(told.tom, "which snack is popular?")).content


async def test_dont_leaves_everything_as_it_was_and_auto_review_asks_once(told: Told) -> None:
    answer = await told.ask(told.mia, "what snacks are there?")
    await told.mia.click(await told.reply(told.mia, answer, "fruit"), label="Don't")
    assert told.heard()[-1].content == "All right, I left everything as it was."
    await told.mia.click(await told.reply(told.mia, answer, "fruit"), label="Auto-review")
    assert "Done: fruit is saved for you." in told.heard()[-1].content
    reviewed = await told.reply(told.mia, answer, "save pretzels")
    assert "Done: pretzels is saved for you." in reviewed.content
    assert "Auto-reviewed: Save your snack preference" in reviewed.content


async def test_a_wish_of_ones_own_needs_no_card(told: Told) -> None:
    saved = await told.ask(told.mia, "save popcorn for me")
    assert saved.content == "Done: popcorn is saved for you."


async def test_a_member_may_ask_and_not_save(told: Told) -> None:
    answer = await told.ask(told.tom, "what snacks are there?")
    refused = await told.reply(told.tom, answer, "save fruit for me")
    assert refused.content == "I cannot do that for you here."


async def test_a_task_goes_on_by_itself_asks_and_ends(told: Told) -> None:
    await told.say(told.tom, "help me choose a snack")
    await told.until("I am looking into the cupboard")
    question = await told.until("What do you feel like?")
    assert {"sweet", "salty", "Skip"} <= set(labels(question))
    await told.tom.send(told.server.channel, "salty")
    await told.until("I would take popcorn.")


async def test_whatever_it_does_not_know_is_answered_with_what_it_knows(told: Told) -> None:
    answer = await told.ask(told.tom, "what is the meaning of life?")
    assert "what snacks are there?" in answer.content
