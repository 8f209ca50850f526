"""Two processes on one database follow the same work: it is polled, asked about and told once."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass

import pytest_asyncio

from bot.errors import CardClosed
from bot.outbound import Reply
from bot.services import Services, open_services
from bot.signing import new_key
from cogs.speaker import DiscordSpeaker
from tests.support.brewing import WORKING, LeapingClock, begin, brewing_with, woken
from tests.support.journeys import labels, rows_of
from tests.support.model import ModelServer
from tests.support.talks import spoken, texts
from tests.support.trick import TrickServer
from tests.support.trick_tasks import TaskScript, asking, completed, working
from tests.support.world import World, config_for, outside_model, outside_transport

SURE = {"sure": {"type": "boolean"}}


@dataclass
class Two:
    """A bot in its simulated server, and the services of a second process that speaks there too."""

    world: World
    other: Services

    async def both(self, work: Callable[[Services], Awaitable[object]], seconds: float = 0) -> None:
        """Let both do the same at once, each twice, after a while."""
        self.world.clock.advance(seconds)
        await asyncio.gather(*(work(services) for services in (self.world.services, self.other) * 2))

    async def round(self) -> None:
        """Let both look for everything that is due."""
        await self.both(lambda services: services.poller.poll_due(), 10)
        await self.both(lambda services: services.questions.post_due())
        await self.both(lambda services: services.teller.tell_due())


@pytest_asyncio.fixture
async def two(database_url: str, brewer: TrickServer, model: ModelServer) -> AsyncGenerator[Two]:
    storage = {"url": database_url, "encryption_key": new_key()}
    config = config_for(database_url, brewer, storage=storage, assistant=model.config)
    clock = brewer.clock = LeapingClock()
    async with (
        brewing_with(brewer, config, model, clock) as world,
        open_services(config, clock, outside_transport(config), outside_model(config, clock)) as other,
    ):
        other.line.attach(DiscordSpeaker(world.bot))
        yield Two(world, other)


async def test_each_poll_question_answer_and_end_happens_once(
    two: Two, brewer: TrickServer, model: ModelServer, database_url: str
) -> None:
    script = TaskScript(brewer, "brew", working())
    await begin(two.world, model)
    polls = brewer.count("tasks/get")
    script.go_on(working("grinding"))
    await two.round()
    assert brewer.count("tasks/get") == polls + 1
    assert texts(spoken(two.world)) == [WORKING, "So far: grinding"]

    script.go_on(asking("k1", "Which?", SURE), completed({"cups": 2}))
    await two.round()
    question = spoken(two.world)[-1]
    assert labels(question) == ["Yes", "No", "Skip"]
    assert len(spoken(two.world)) == 3

    [row] = (await rows_of(database_url))["questions"]
    presses = [
        services.questions.press(row["key"], number, str(two.world.member.id))
        for number, services in enumerate((two.world.services, two.other))
    ]
    pressed = await asyncio.gather(*presses, return_exceptions=True)
    assert {type(each) for each in pressed} == {Reply, CardClosed}
    await two.round()
    assert brewer.count("tasks/update") == 1
    assert texts(spoken(two.world))[3:] == ['Done: {"data":{"cups":2}}']
    assert woken(model) == ["progress", "question", "result"]
    await two.round()
    assert len(spoken(two.world)) == 4
