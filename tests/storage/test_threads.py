"""Threads, and for whom they were opened."""

import asyncio

from storage.engine import Database
from storage.threads import Threads
from tests.support.records import GUILD, NOW
from tests.support.request_records import ASKER
from tests.support.storing import counts


async def test_a_thread_is_its_askers_and_nobody_elses(database: Database) -> None:
    store = Threads(database)
    await store.add("900", ASKER, GUILD, NOW)
    assert await store.is_askers("900", ASKER)
    assert not await store.is_askers("900", "somebody else")
    assert not await store.is_askers("901", ASKER)


async def test_a_thread_may_serve_several_askers(database: Database) -> None:
    store = Threads(database)
    await store.add("900", ASKER, GUILD, NOW)
    await store.add("900", "somebody else", GUILD, NOW + 1)
    assert await store.is_askers("900", ASKER)
    assert await store.is_askers("900", "somebody else")


async def test_a_thread_that_is_added_again_and_at_once_is_kept_once(database: Database) -> None:
    store = Threads(database)
    await asyncio.gather(*(store.add("900", ASKER, GUILD, NOW + n) for n in range(8)))
    assert (await counts(database))["threads"] == 1
