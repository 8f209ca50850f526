"""What a process that stops still does."""

import asyncio
from typing import Any

import pytest

from tests.support.trick import Answer, TrickServer
from tests.support.trick_answers import status
from tests.support.trick_requests import Received
from tests.support.world import World, text_of


async def test_an_owner_still_hears_what_the_last_delivery_ended_in(
    world: World, trick: TrickServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.install(trick)
    asked, may_answer = asyncio.Event(), asyncio.Event()

    async def wants_no_more(trick: TrickServer, received: Received) -> Answer:
        asked.set()
        await may_answer.wait()
        return await status(410)(trick, received)

    create_dm = world.bot.create_dm

    async def slowly(user: Any) -> Any:
        await asyncio.sleep(0.1)
        return await create_dm(user)

    trick.on("events", wants_no_more)
    monkeypatch.setattr(world.bot, "create_dm", slowly)
    world.guild.add_member(world.env.create_user("nina"))
    await asyncio.wait_for(asked.wait(), 10)
    draining = asyncio.create_task(world.bot.drain())
    await asyncio.sleep(0)
    may_answer.set()
    await draining
    (notice,) = world.guild.owner.dm_channel.history()
    assert "wants no more events" in text_of(notice)
