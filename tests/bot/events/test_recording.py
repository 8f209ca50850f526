"""From the gateway into the outbox, in order and without a loss."""

import asyncio
from collections.abc import Sequence

import pytest

from bot.events import outbox as recording
from bot.events.outbox import BATCH, EventOutbox, NewEvent
from storage.errors import DatabaseBusy, DatabaseFault, DatabaseUnreachable, StorageError
from storage.outbox import Outbox
from tests.support.clock import TurnedClock
from tests.support.event_records import joined


class Store(Outbox):
    """Keeps what it is given; the `troubles` are raised first, and `cursed` events always fail."""

    def __init__(self, *troubles: StorageError) -> None:
        self.troubles = list(troubles)
        self.kept: list[str] = []
        self.batches: list[int] = []
        self.cursed: set[str] = set()
        self.gate = asyncio.Event()
        self.gate.set()

    async def add(self, events: Sequence[NewEvent]) -> int:
        await self.gate.wait()
        if self.troubles:
            raise self.troubles.pop(0)
        if any(event.event_id in self.cursed for event in events):
            raise DatabaseFault("DataError")
        self.batches.append(len(events))
        self.kept += [event.event_id for event in events]
        return len(events)


def numbered(count: int, first: int = 0) -> list[NewEvent]:
    return [joined(str(number)) for number in range(first, first + count)]


def names(count: int, first: int = 0) -> list[str]:
    return [event.event_id for event in numbered(count, first)]


async def recorded(store: Store, *events: NewEvent) -> int:
    """Record them all, wait, and say how often the worker was nudged."""
    nudges = 0

    def nudge() -> None:
        nonlocal nudges
        nudges += 1

    outbox = EventOutbox(store, TurnedClock(), nudge)
    for event in events:
        outbox.record(event)
    await outbox.idle()
    return nudges


async def test_events_are_stored_in_their_order_and_many_at_once() -> None:
    store = Store()
    nudges = await recorded(store, *numbered(2 * BATCH + 20))
    assert store.kept == names(2 * BATCH + 20)
    assert store.batches == [BATCH, BATCH, 20]
    assert nudges == 3


async def test_what_comes_while_a_batch_is_written_goes_into_the_next_one() -> None:
    store = Store()
    store.gate.clear()
    outbox = EventOutbox(store, TurnedClock(), lambda: None)
    outbox.record(joined("0"))
    await asyncio.sleep(0)
    for event in numbered(3, 1):
        outbox.record(event)
    store.gate.set()
    await outbox.idle()
    assert (store.kept, store.batches) == (names(4), [1, 3])


async def test_a_database_that_is_away_for_a_while_loses_nothing() -> None:
    store = Store(*[DatabaseBusy()] * 20, DatabaseUnreachable())
    assert await recorded(store, *numbered(3)) == 1
    assert store.kept == names(3)


async def test_one_event_that_cannot_be_stored_holds_up_no_other() -> None:
    store = Store()
    store.cursed = {"1"}
    await recorded(store, *numbered(4))
    assert store.kept == ["0", "2", "3"]


async def test_that_one_is_looked_for_again_when_the_database_goes_away_meanwhile() -> None:
    store = Store(DatabaseFault("DataError"), DatabaseBusy(), DatabaseBusy())
    store.cursed = {"1"}
    await recorded(store, *numbered(4))
    assert store.kept == ["0", "2", "3"]


async def test_what_waits_in_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "MOST_WAITING", 3)
    store = Store()
    await recorded(store, *numbered(5))
    assert store.kept == names(3, 2)


async def test_waiting_for_nothing_takes_no_time() -> None:
    await EventOutbox(Store(), TurnedClock(), lambda: None).idle()
