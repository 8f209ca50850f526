"""One turn of the assistant with two tool calls: Kennel's CPU against a hand-written loop.

Model and trick answer at once, in another process; a stand-in takes the place of Discord. The hand-written loop
makes the same requests to the model through the same provider class and `pydantic_ai.direct`, sends the same two
calls with `SignedSender` (which costs less than httpx), and stores as many transactions, each a statement of
SQLAlchemy Core, in an SQLite file with Kennel's settings. It checks nothing.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from bot.assistant.assistant import Incoming
from bot.policy.audiences import Asker, Place
from bot.services import open_services
from tests.bench.counting import Counted, counted
from tests.bench.filling import config_of, install, open_filled
from tests.bench.handwritten import Handwritten
from tests.bench.model_answers import ANSWER
from tests.bench.quiet import log_to_nowhere
from tests.bench.report import Figure, ratio
from tests.bench.trick_process import trick_process
from tests.support.clock import ShiftedClock
from tests.support.records import GUILD
from tests.support.speaker import HeardSpeaker

ROUNDS, WARM, TURNS = 5, 5, 25
PAUSE = 10.0  # seconds of the bot's clock between turns: limits are for people
TRICKS = 5  # installed in the server; one of them is used
Use = Callable[[int], Awaitable[Any]]


def run() -> list[Figure]:
    """The ratio of CPU, and how many transactions and reads one turn takes."""
    log_to_nowhere()
    with trick_process() as port:
        return asyncio.run(_measure(port))


async def _measure(port: int) -> list[Figure]:
    ours: list[float] = []
    theirs: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            kennel = await stack.enter_async_context(_kennel(f"sqlite:///{folder}/kennel.db", port))
            with counted() as counts:
                await kennel(0)
            peer = await stack.enter_async_context(
                Handwritten.open(f"{folder}/peer.db", port, counts.transactions)
            )
            for first in range(0, ROUNDS * (WARM + TURNS), WARM + TURNS):
                ours.append(await _seconds(kennel, first + 1))
                theirs.append(await _seconds(peer.turn, first + 1))
    print(f"turn: {min(ours) * 1000:.2f} ms against {min(theirs) * 1000:.2f} ms of CPU")
    return [
        Figure(
            "turn: CPU of two tool calls against a hand-written loop",
            ratio(ours, theirs),
            2.5,
            at_least=False,
        ),
        *_counts(counts),
    ]


def _counts(counts: Counted) -> list[Figure]:
    return [
        Figure("turn: write transactions", counts.transactions, 10, at_least=False, unit=""),
        Figure("turn: reads", counts.reads, 7, at_least=False, unit=""),
    ]


async def _seconds(turn: Use, first: int) -> float:
    """CPU seconds of one turn, after a few that are not counted."""
    for number in range(first, first + WARM):
        await turn(number)
    started = time.process_time()
    for number in range(first + WARM, first + WARM + TURNS):
        await turn(number)
    return (time.process_time() - started) / TURNS


@asynccontextmanager
async def _kennel(url: str, port: int) -> AsyncGenerator[Use]:
    clock = ShiftedClock()
    database = await open_filled(url)
    await install(database, port, "i0")
    for number in range(1, TRICKS):
        await install(database, port, f"i{number}", f"other_trick_{number}")
    await database.close()
    speaker = HeardSpeaker()
    async with open_services(config_of(url, port), clock) as services:
        services.line.attach(speaker)

        async def turn(number: int) -> None:
            clock.advance(PAUSE)
            asker = Asker(f"member-{number}", GUILD, False, False, frozenset())
            message = Incoming(f"message-{number}", asker, Place("channel"), "What is there? Save mine.")
            await services.assistant.start(message)
            assert speaker.said == [ANSWER], speaker.said
            speaker.messages.clear()

        yield turn
