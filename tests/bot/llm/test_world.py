"""A model that the bot asks inside the simulated server: its actors wait for the answer and for nothing after it."""

import asyncio

import discord
from discord.ext import commands

from bot.clock import Clock
from bot.demo.outside import OutsideModel
from bot.errors import ModelFault
from bot.llm.model import Model, UserMessage
from bot.llm.providers import open_model
from tests.support.model import Answer, Asked, ModelServer, hang, raw, say
from tests.support.world import World


class Talkative(commands.Cog):
    """Answers every message with what the model says."""

    def __init__(self, model: Model, seconds: float) -> None:
        self.model = model
        self.seconds = seconds

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        if message.author.bot:
            return
        try:
            completion = await self.model.complete(
                "Be short.", [UserMessage(text=message.content)], seconds=self.seconds
            )
        except ModelFault as fault:
            await message.reply(fault.sentence)
        else:
            await message.reply(completion.message.text)


async def talkative(world: World, server: ModelServer, seconds: float = 60.0) -> Model:
    inner = open_model(server.section, Clock())
    assert inner is not None
    model = OutsideModel(inner)
    await world.bot.add_cog(Talkative(model, seconds))
    return model


def last_words(world: World) -> str:
    """The newest message in the channel."""
    message = world.channel.last_message
    assert message is not None
    return message.content


async def test_an_actor_waits_for_the_models_answer_and_not_for_its_kept_connection(
    world: World, model: ModelServer
) -> None:
    opened = await talkative(world, model)
    model.script(lambda asked: say(asked.last["content"].upper()))
    async with asyncio.timeout(10):
        for words in ("first", "second"):
            await world.member.send(world.channel, words)
            assert last_words(world) == words.upper()
    await opened.aclose()


async def test_an_actor_waits_for_a_slow_model_as_long_as_the_deadline_lets_it(
    world: World, model: ModelServer
) -> None:
    opened = await talkative(world, model)

    let_go = asyncio.Event()

    async def slow(_: Asked) -> Answer:
        await let_go.wait()
        return say("At last.")

    model.script(slow)
    asyncio.get_running_loop().call_later(0.5, let_go.set)
    await world.member.send(world.channel, "hello")
    assert last_words(world) == "At last."
    await opened.aclose()


async def test_a_model_that_hangs_is_given_up_in_the_world(world: World, model: ModelServer) -> None:
    opened = await talkative(world, model, seconds=0.3)
    model.script(hang())
    await world.member.send(world.channel, "hello")
    assert "cannot answer right now" in last_words(world)
    await opened.aclose()


async def test_a_busy_model_is_asked_again_in_the_world(world: World, model: ModelServer) -> None:
    opened = await talkative(world, model)
    model.script(raw(503), say("At last."))
    await world.member.send(world.channel, "hello")
    assert last_words(world) == "At last."
    await opened.aclose()
