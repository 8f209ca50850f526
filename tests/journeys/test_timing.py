"""Acknowledged before anything else, repeated only when there is time, and never slow to say so."""

import pytest

from tests.support.journeys import answer, said, typed
from tests.support.trick import Answer, TrickServer
from tests.support.trick_answers import drop
from tests.support.trick_requests import Received
from tests.support.world import World


async def test_a_command_and_a_press_are_acknowledged_before_the_trick_is_asked(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    acknowledged: list[str] = []

    async def look(trick: TrickServer, received: Received) -> Answer:
        acknowledged.append(world.env.http_requests[-1].path.rsplit("/", 1)[-1])
        return trick.good_answer(received)

    trick.on("tools/call", look)
    shown = answer(await world.owner.slash(world.channel, "snacks"))
    await world.owner.click(shown, label="Save fruit")
    assert acknowledged == ["callback", "callback"]


async def test_a_press_is_acknowledged_also_after_an_hour_without_any(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    shown = answer(await world.owner.slash(world.channel, "snacks"))
    world.clock.advance(3_600)
    assert "Saved" in said(await world.owner.click(shown, label="Save fruit"))


@pytest.mark.parametrize(("seconds", "attempts"), [(1.8, 2), (2.2, 1)])
async def test_a_read_that_was_lost_is_repeated_within_two_seconds(
    world: World, trick: TrickServer, seconds: float, attempts: int
) -> None:
    await world.install(trick)
    lose = drop()

    async def late(trick: TrickServer, received: Received) -> Answer:
        world.clock.advance(seconds)
        return await lose(trick, received)

    trick.on("tools/call", late)
    assert "did not answer" in await typed(world, "^snacks")
    assert trick.count("tools/call") == attempts


async def test_a_read_whose_second_attempt_comes_through_is_a_success(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    lose = drop()

    async def once(trick: TrickServer, received: Received) -> Answer:
        trick.behave()
        return await lose(trick, received)

    for _ in range(6):
        trick.on("tools/call", once)
        assert "popcorn" in await typed(world, "^snacks")
    assert trick.count("tools/call") == 12
