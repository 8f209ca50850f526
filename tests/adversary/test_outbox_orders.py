"""Whatever happens to members, and however late or often processes are told: each event is delivered once."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from typing import Literal, NamedTuple

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.events.outbox import EventOutbox, EventType, NewEvent
from storage.engine import Database
from storage.event_tables import deliveries
from storage.outbox import Outbox
from storage.tables import installations
from tests.support.clock import TurnedClock
from tests.support.event_records import claimed, delivered, hearing
from tests.support.records import GUILD

PROCESSES = 2
MEMBERS = ("71", "72", "73")


class Moves(NamedTuple):
    """A member comes or goes, whichever they can (`moves`)."""

    member: str
    seconds: float


class Hears(NamedTuple):
    """A process is told the next thing that it has not been told, or the last one `again`."""

    process: int
    again: bool


class Writes(NamedTuple):
    """A process has written down all that it was told."""

    process: int


Step = Moves | Hears | Writes
STEPS = st.lists(
    st.one_of(
        st.builds(Moves, st.sampled_from(MEMBERS), st.sampled_from([0.0, 0.4, 30.0])),
        st.builds(Hears, st.integers(0, PROCESSES - 1), st.booleans()),
        st.builds(Hears, st.integers(0, PROCESSES - 1), st.just(False)),
        st.builds(Writes, st.integers(0, PROCESSES - 1)),
    ),
    max_size=40,
)
HERE: dict[str, bool] = dict.fromkeys(MEMBERS, False) | {"72": True}
"""Who is a member before anybody listens."""

Kind = Literal["member.joined", "member.left"]


class Occurrence(NamedTuple):
    """One thing that happened: what, to whom, and when they joined."""

    kind: Kind
    member: str
    joined_at: int


class Process:
    """Hears what happened in its order, at its own pace."""

    def __init__(self, database: Database, clock: TurnedClock, number: int) -> None:
        self.outbox = EventOutbox(Outbox(database), clock, on_stored=lambda: None)
        self.heard = 0
        self._clock, self._number, self._ids = clock, number, count()

    def tell(self, what: Occurrence) -> None:
        """As `cogs/members.py` does."""
        event_id = f"{self._number}x{next(self._ids)}"
        kind: EventType = what.kind
        moment = what.joined_at if kind == "member.joined" else event_id
        self.outbox.record(
            NewEvent(
                event_id=event_id,
                guild_id=GUILD,
                member_id=what.member,
                type=kind,
                occurrence=f"{kind[7]}:{what.member}:{moment}",
                occurred_at=self._clock.now_ms(),
                screening=False,
            )
        )


class History:
    """What happened, and the processes that hear of it."""

    def __init__(self, database: Database) -> None:
        self.clock = TurnedClock()
        self.processes = [Process(database, self.clock, number) for number in range(PROCESSES)]
        self.happened: list[Occurrence] = []
        self._here = dict(HERE)
        self._joins = count(1)

    async def take(self, step: Step) -> None:
        """Let one thing happen."""
        match step:
            case Moves(member, seconds):
                self.clock.advance(seconds)
                self._here[member] = not self._here[member]
                kind: Kind = "member.joined" if self._here[member] else "member.left"
                self.happened.append(Occurrence(kind, member, next(self._joins)))
            case Hears(number, again):
                self._hear(self.processes[number], again)
            case Writes(number):
                await self.processes[number].outbox.idle()

    def _hear(self, process: Process, again: bool) -> None:
        if again and process.heard:
            process.tell(self.happened[process.heard - 1])
        elif process.heard < len(self.happened):
            process.tell(self.happened[process.heard])
            process.heard += 1

    async def end(self) -> None:
        """Everybody hears all of it."""
        for process in self.processes:
            while process.heard < len(self.happened):
                self._hear(process, again=False)
        await asyncio.gather(*(process.outbox.idle() for process in self.processes))


async def play(url: str, steps: Sequence[Step]) -> tuple[list[Occurrence], dict[str, list[str]]]:
    """Let it happen, and deliver; gives what happened, and what was delivered of each member in order."""
    database = await Database.open(url)
    try:
        await database.write(_empty)
        await hearing(database)
        history = History(database)
        for step in steps:
            await history.take(step)
        await history.end()
        return history.happened, await _deliver(database, history.clock)
    finally:
        await database.close()


async def _empty(connection: AsyncConnection) -> None:
    await connection.execute(delete(installations))


async def _deliver(database: Database, clock: TurnedClock) -> dict[str, list[str]]:
    told: defaultdict[str, list[str]] = defaultdict(list)
    while rows := await claimed(database, now=clock.now_ms(), lease_until=clock.now_ms() + 1):
        assert len({row.member_id for row in rows}) == len(rows)
        for row in rows:
            told[row.member_id].append(row.type)
        await Outbox(database).finish([delivered(row) for row in rows], clock.now_ms())
    assert await database.all(select(deliveries).where(deliveries.c.status == "pending")) == []
    return dict(told)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(steps=[Moves("72", 0), Moves("72", 1), Hears(0, False), Hears(0, False), Writes(0)])
@given(steps=STEPS)
def test_each_coming_and_going_is_delivered_once_and_in_its_order(
    database_url: str, steps: Sequence[Step]
) -> None:
    happened, told = asyncio.run(play(database_url, steps))
    expected: defaultdict[str, list[str]] = defaultdict(list)
    for each in happened:
        expected[each.member].append(each.kind)
    assert told == dict(expected)
