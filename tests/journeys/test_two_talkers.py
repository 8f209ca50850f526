"""Two processes on one database see the same messages and presses: each is answered, decided and run once."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.assistant.assistant import Incoming
from bot.config import Config
from bot.demo.sample_trick import JsonObject
from bot.policy.audiences import Asker, Place
from bot.services import Services
from tests.support.death_stories import LEASES, silent_world
from tests.support.deaths import Life, Word, look, mortal_process
from tests.support.journeys import labels, rows_of
from tests.support.talks import is_card, spoken, texts
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_tasks import TaskScript, asking, completed, working
from tests.support.trick_tools import ToolSpec, default_tools
from tests.support.world import World

DONE = "It is done."
LOAD: Word = {"load_trick": {"trick": "snack_club"}}
SHOW: Word = {"snack_club__snack_menu": {}}
SAVE: Word = {"snack_club__save_snack": {"snack": "fruit"}}
ORDER: Word = {"snack_club__order": {}}
CARD = (LOAD, SHOW, SAVE, DONE)
READ = 9
"""After so many steps of `CARD` the tool has been read, and nobody knows it but the database."""
SIZE: JsonObject = {"size": {"type": "string", "enum": ["small", "large"]}}


@dataclass
class Pair:
    """Processes that share a database and the simulated server, and one member's message after the other."""

    world: World
    config: Config
    trick: TrickServer
    url: str
    stack: AsyncExitStack
    processes: list[Services] = field(default_factory=list[Services])

    async def add(self, words: Sequence[Word], life: Life | None = None) -> Services:
        """One more process, whose model says `words`."""
        opening = mortal_process(self.config, self.world.clock, self.world.bot, life or Life(), words)
        self.processes.append(await self.stack.enter_async_context(opening))
        return self.processes[-1]

    async def asked(self) -> Incoming:
        """A new message of the owner's."""
        message = await self.world.owner.send(self.world.channel, "please do it")
        return Incoming(str(message.id), self.asker, self.place, "please do it")

    @property
    def asker(self) -> Asker:
        return Asker(str(self.world.owner.id), str(self.world.guild.id), True, True, frozenset())

    @property
    def place(self) -> Place:
        return Place(str(self.world.channel.id))

    async def both(self, *work: Any) -> list[str]:
        """Do all of this at once; the kinds of what it gave and raised, sorted."""
        results = await asyncio.gather(*work, return_exceptions=True)
        return sorted(type(result).__name__ for result in results)

    async def press(self, services: Services, key: str, verb: Any = "do") -> None:
        """As the cog does."""
        approval = await services.approvals.press(key, verb, self.asker, self.place)
        await services.assistant.advance(approval.request_id)

    async def look_together(self, rounds: int) -> None:
        """All processes look around at the same moments."""
        for _ in range(rounds):
            self.world.clock.advance(LEASES)
            await asyncio.gather(*map(look, self.processes))

    @property
    def said(self) -> list[Any]:
        return spoken(self.world)


@pytest.fixture
async def pair(database_url: str, make_trick: MakeTrick) -> AsyncGenerator[Pair]:
    trick = await make_trick(tools=[*default_tools(), ToolSpec("order")])
    async with silent_world(database_url, trick) as (world, config), AsyncExitStack() as stack:
        yield Pair(world, config, trick, database_url, stack)


def key_of(message: Any) -> str:
    return message.components[0].children[0].custom_id.split(":")[2]


async def test_a_message_that_both_see_again_and_again_is_answered_once(pair: Pair) -> None:
    one, other = await pair.add([DONE]), await pair.add([DONE])
    messages = [await pair.asked() for _ in range(3)]
    for number, incoming in enumerate(messages, start=1):
        starts = [each.assistant.start(incoming) for each in (one, other) * 2]
        assert await pair.both(*starts) == [*["Duplicate"] * 3, "NoneType"]
        assert texts(pair.said) == [DONE] * number
    await pair.look_together(2)
    again = [each.assistant.start(incoming) for each in (one, other) for incoming in messages]
    assert await pair.both(*again) == ["Duplicate"] * 6
    assert len(pair.said) == 3


async def test_one_card_is_decided_once_and_its_write_runs_once(pair: Pair) -> None:
    one, other = await pair.add(CARD), await pair.add(CARD)
    for verbs, effects in ((("do", "do"), 1), (("do", "dont"), None), (("dont", "dont"), 0)):
        pair.trick.effects.clear()
        incoming, before = await pair.asked(), len(pair.said)
        await pair.both(one.assistant.start(incoming), other.assistant.start(incoming))
        (card,) = pair.said[before:]
        assert is_card(card)
        presses = [
            pair.press(each, key_of(card), verb) for each, verb in zip((one, other), verbs, strict=True)
        ]
        assert await pair.both(*presses) == ["CardClosed", "NoneType"]
        await pair.look_together(2)
        folded, answer = pair.said[before:]
        assert labels(folded) == []
        assert answer.content == DONE
        approval = max((await rows_of(pair.url))["approvals"], key=lambda row: row["opened_at"])
        wanted = int(approval["status"] == "approved") if effects is None else effects
        assert pair.trick.effects.total() == wanted


async def test_a_task_is_polled_asked_about_and_told_by_one_of_them(pair: Pair) -> None:
    one, other = await pair.add([LOAD, ORDER, DONE]), await pair.add([])
    steps = [*[working()] * 4, asking("size", "Which size?", SIZE), completed({"ok": True})]
    script = TaskScript(pair.trick, "order", *steps, pollIntervalMs=4_000)
    await one.assistant.start(await pair.asked())
    for _ in range(2):
        polls = pair.trick.count("tasks/get")
        pair.world.clock.advance(LEASES)
        await pair.both(one.poller.poll_due(), other.poller.poll_due())
        assert pair.trick.count("tasks/get") - polls <= 1
    await pair.look_together(1)
    answer, question = pair.said
    assert labels(question) == ["small", "large", "Skip"]
    presses = [
        each.questions.press(key_of(question), number, pair.asker.member_id)
        for number, each in enumerate((one, other))
    ]
    assert await pair.both(*presses) == ["CardClosed", "Reply"]
    await pair.look_together(4)
    assert texts(pair.said)[1].startswith("In words: question.\n-# Answered: ")
    assert texts(pair.said)[0::2] == [DONE, "In words: result."]
    assert answer.content == DONE
    assert pair.trick.count("tasks/update") == 1
    (row,) = (await rows_of(pair.url))["questions"]
    assert script.answers["size"]["content"] == {"size": "small" if "small" in row["answer"] else "large"}


async def test_what_a_dead_process_began_is_finished_by_one_of_the_others(pair: Pair) -> None:
    life = Life(READ)
    dying = await pair.add(CARD, life)
    with pytest.raises(asyncio.CancelledError):
        await dying.assistant.start(await pair.asked())
    assert life.steps[-1] == "Calls.finish"
    pair.processes.clear()
    one, other = await pair.add(CARD), await pair.add(CARD)
    await pair.both(look(one), look(other))
    assert pair.said == []
    await pair.look_together(1)
    (card,) = pair.said
    await pair.both(*(pair.press(each, key_of(card)) for each in (one, other)))
    await pair.look_together(2)
    assert texts(pair.said)[1:] == [DONE]
    assert pair.trick.effects.total() == 1
    assert pair.trick.count("tools/call") == 2


async def test_who_wakes_after_its_lease_is_over_neither_answers_nor_writes(pair: Pair) -> None:
    class Slow(Life):
        hold = asyncio.Event()
        held = asyncio.Event()

        async def step(self, name: str, do: Any) -> Any:
            done = await super().step(name, do)
            if name == "model: turn" and self.steps.count(name) == 3:
                self.held.set()
                await self.hold.wait()
            return done

    slow_life = Slow()
    slow = await pair.add((LOAD, SHOW, "Too late."), slow_life)
    running = asyncio.create_task(slow.assistant.start(await pair.asked()))
    await asyncio.wait_for(slow_life.held.wait(), 10)
    pair.world.clock.advance(LEASES)
    await look(await pair.add((LOAD, SHOW, DONE)))
    assert texts(pair.said) == [DONE]
    slow_life.hold.set()
    await asyncio.wait_for(running, 10)
    await pair.look_together(2)
    assert texts(pair.said) == [DONE]
    assert [row["status"] for row in (await rows_of(pair.url))["requests"]] == ["answered"]
