"""`kennel run` is killed in the middle of a conversation, and another process goes on."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import discord
import pytest
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.request_tables import requests
from tests.support.bridge import BotProcess, Bridge
from tests.support.journeys import database_of, labels
from tests.support.kennel_process import Kennels
from tests.support.model import Answer, Asked, ModelServer, call, say
from tests.support.trick import TrickServer
from tests.support.trick_answers import Hang
from tests.support.world import text_of

DONE = "It is done."


class Steps:
    """A model that says the same at the same place of a conversation, and hangs at `hang_at` until it is None."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = answers
        self.hang_at: int | None = None
        self.hangs = asyncio.Event()

    async def __call__(self, asked: Asked) -> Answer:
        place = sum(each["role"] == "assistant" for each in asked.messages)
        if place == self.hang_at:
            self.hangs.set()
            await asyncio.Event().wait()
        return self._answers[place]


def card_script(trick: TrickServer) -> tuple[Answer, ...]:
    return (
        call("load_trick", trick=trick.id),
        call(f"{trick.id}__snack_menu"),
        call(f"{trick.id}__save_snack", snack="fruit"),
        say(DONE),
    )


@pytest.fixture
async def kennels(tmp_path: Path, trick: TrickServer) -> AsyncIterator[Kennels]:
    async with Bridge() as bridge:
        yield Kennels(bridge, tmp_path, trick)


def process(kennels: Kennels, model: ModelServer) -> BotProcess:
    """`kennel run` with the assistant on."""
    section = model.config
    return kennels.process(
        KENNEL_ASSISTANT__BASE_URL=section["base_url"],
        KENNEL_ASSISTANT__MODEL=section["model"],
        KENNEL_ASSISTANT__API_KEY=section["api_key"],
    )


async def ask(kennels: Kennels) -> discord.Message:
    mention = f"<@{kennels.bridge.world.backend.bot_user.id}>"
    return await kennels.bridge.send(kennels.owner, kennels.channel, f"{mention} please do it")


def said(kennels: Kennels) -> list[str]:
    """What the bot's messages say that are no cards."""
    history: list[Any] = kennels.channel.history()
    return [each.content for each in history if each.author.bot and each.content]


async def the_card(kennels: Kennels) -> discord.Message:
    return await kennels.bridge.wait_for_message(kennels.channel, lambda message: "Do it" in labels(message))


async def answer_of(kennels: Kennels) -> str:
    """The answer, once it stands there."""
    message = await kennels.bridge.wait_for_message(
        kennels.channel, lambda message: message.author.bot and message.content.startswith(DONE), 30
    )
    return message.content


async def kill(process: BotProcess) -> None:
    process.kill()
    assert await process.exit_status() == -9


async def let_leases_end(kennels: Kennels) -> None:
    """As if the two minutes were over for which nobody touches what a process had begun."""

    async def work(connection: AsyncConnection) -> None:
        await connection.execute(update(requests).where(requests.c.status == "running").values(lease_until=1))

    async with database_of(kennels.url) as database:
        await database.write(work)


async def test_a_card_survives_the_process_that_posted_it_and_the_one_that_ran_its_write(
    kennels: Kennels, trick: TrickServer, model: ModelServer
) -> None:
    """Killed while the card is open; then after its write, while the model words the answer."""
    steps = Steps(*card_script(trick))
    model.script(steps)
    async with process(kennels, model) as first:
        await kennels.install(trick)
        await ask(kennels)
        card = await the_card(kennels)
        await kill(first)
    await let_leases_end(kennels)
    steps.hang_at = 3
    async with process(kennels, model) as second:
        await kennels.bridge.wait_ready()
        await kennels.bridge.click(kennels.owner, card, label="Do it")
        await asyncio.wait_for(steps.hangs.wait(), 20)
        await kill(second)
    assert trick.effects.total() == 1
    assert said(kennels) == []
    steps.hang_at = None
    await let_leases_end(kennels)
    async with process(kennels, model):
        assert await answer_of(kennels) == DONE
    assert trick.effects.total() == 1
    assert len(said(kennels)) == 1


async def test_a_write_whose_process_is_killed_before_the_answer_came_is_never_sent_again(
    kennels: Kennels, trick: TrickServer, model: ModelServer
) -> None:
    model.script(
        Steps(call("load_trick", trick=trick.id), call(f"{trick.id}__save_snack", snack="fruit"), say(DONE))
    )
    held = Hang()
    async with process(kennels, model) as first:
        await kennels.install(trick)
        trick.on("tools/call", held)
        await ask(kennels)
        await trick.next_call(20)
        await kill(first)
    held.release()
    trick.behave()
    await let_leases_end(kennels)
    async with process(kennels, model):
        assert "unknown whether this happened" in await answer_of(kennels)
    assert trick.count("tools/call") == 1
    assert len(said(kennels)) == 1


async def test_two_processes_answer_a_mention_once_also_when_it_is_delivered_again(
    kennels: Kennels, trick: TrickServer, model: ModelServer
) -> None:
    """It comes while both are disconnected, with their RESUME, and once more after that."""
    bridge = kennels.bridge
    model.script(Steps(say(DONE)))
    async with process(kennels, model):
        await bridge.wait_ready()
        async with process(kennels, model):
            await bridge.wait_ready(2)
            with bridge.gateway.down():
                await ask(kennels)
            await answer_of(kennels)
            bridge.redeliver("MESSAGE_CREATE")
            await bridge.send(kennels.owner, kennels.channel, "^help")
            await bridge.wait_for_message(
                kennels.channel, lambda message: message.author.bot and "What you can use" in text_of(message)
            )
    assert said(kennels) == [DONE]
    assert len(model.asked) == 1
