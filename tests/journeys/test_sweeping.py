"""Requests that go on by themselves, beside one whose model takes its time."""

import asyncio

import pytest

from tests.support.journeys import database_of
from tests.support.request_records import asked, request
from tests.support.talks import tick
from tests.support.world import World


async def test_a_request_with_a_slow_model_holds_up_no_other(
    talk: World, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    over, begun = asyncio.Event(), 0

    async def sweep() -> None:
        nonlocal begun
        begun += 1
        if begun == 1:
            await talk.env.external_wait(over.wait(), reason="a model that takes its time")

    monkeypatch.setattr(talk.services.assistant, "sweep", sweep)
    async with database_of(sqlite_url) as database:
        await asked(database, request())
    await tick(talk)
    await tick(talk)
    try:
        assert begun > 1
    finally:
        over.set()
