"""A process dies at any step of a conversation: the next one finishes it, and does nothing twice."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import replace

import pytest

from bot.demo.sample_trick import JsonObject
from bot.errors import ModelRefused
from tests.support.death_stories import Stage, Story, Told, silent_world
from tests.support.journeys import database_of
from tests.support.trick import Answer, MakeTrick, TrickServer
from tests.support.trick_requests import Received
from tests.support.trick_tasks import TaskScript, asking, completed, question, working
from tests.support.trick_tools import ToolSpec, default_tools

DONE = "It is done."
LONG = DONE + " word" * 600
ASKED, RESULT = "In words: question.\n-# Answered: small", "In words: result."
LOAD = {"load_trick": {"trick": "snack_club"}}
SHOW: dict[str, dict[str, str]] = {"snack_club__snack_menu": {}}
SAVE = {"snack_club__save_snack": {"snack": "fruit"}}
ORDER: dict[str, dict[str, str]] = {"snack_club__order": {}}
TALK: dict[str, dict[str, str]] = {"snack_club__talk": {}}
CARD = Story([LOAD, SHOW, SAVE, LONG])
SIZE: JsonObject = {"size": {"type": "string", "enum": ["small", "large"]}}

LEFT_OUT = ("Calls.abandoned", "Meta.keep")
"""Steps of every process, with or without conversations."""

POLLING = ("Tasks.due", "trick: tasks/get", "Tasks.rest")

SENDING = ("Calls.begin_plain", "trick: tools/call", "Tasks.mark", "Questions.sent")
"""Who dies behind these cannot know what became of a call, and says so instead of sending it again."""


def long_order(trick: TrickServer, task_id: str) -> None:
    """A task that outlives its turn, reports, asks and ends."""
    steps = [working()] * 5 + [
        working("Packing."),
        asking("size", "Which size?", SIZE),
        completed({"ok": True}),
    ]
    TaskScript(trick, "order", *steps, task_id=task_id, pollIntervalMs=4_000)


def short_order(trick: TrickServer, task_id: str) -> None:
    TaskScript(trick, "order", working(), completed({"ok": True}), task_id=task_id)


def order_that_asks_first(trick: TrickServer, _task_id: str) -> None:
    async def answer(trick: TrickServer, received: Received) -> Answer:
        if "inputResponses" in received.params:
            return trick.good_answer(received)
        asked = {"size": question("Which size?", SIZE)}
        return {"resultType": "input_required", "inputRequests": asked, "requestState": "s"}

    trick.on("tools/call order", answer)


@pytest.fixture
async def stage(sqlite_url: str, make_trick: MakeTrick) -> AsyncGenerator[Stage]:
    tools = [*default_tools(), ToolSpec("order"), ToolSpec("talk", thread=True)]
    trick = await make_trick(tools=tools)
    async with silent_world(sqlite_url, trick) as (world, config), database_of(sqlite_url) as database:
        yield Stage(world, trick, config, database)


async def tell_with_every_death(
    stage: Stage, story: Story, first: str, *, ends: tuple[str, ...] = ("answered",), also: Sequence[str] = ()
) -> Told:
    """Tell the story once without a death and once with each of those from the step `first` on.

    `also` may be said instead where the process died in the middle of a poll.
    """
    whole = await stage.tell(story)
    check(whole, ends, [whole.said])
    for number in deaths_in(whole.steps, whole.steps.index(first)):
        told = await stage.tell(story, number + 1)
        in_poll = told.last in ("Calls.hand_over", "trick: tasks/get")
        try:
            check(told, ends, [whole.said, list(also)] if in_poll else [whole.said])
            assert told.effects == whole.effects or told.is_unknown
        except AssertionError as error:
            error.add_note(f"the process died after step {number + 1}: {told.steps}")
            raise
    return whole


def deaths_in(steps: list[str], begun: int) -> Iterator[int]:
    """The steps to die after, from number `begun` on. Polls that find nothing new are all alike."""
    known: set[tuple[str, ...]] = set()
    for number in range(begun, len(steps)):
        around = tuple(steps[number - 1 : number + 2])
        if steps[number] in LEFT_OUT or (steps[number] in POLLING and around in known):
            continue
        known.add(around)
        yield number


def check(told: Told, ends: tuple[str, ...], said: list[list[str]]) -> None:
    """Nothing is done twice, nothing is lost, and nothing hangs."""
    rows = told.rows
    assert [row["status"] in ends for row in rows["requests"]] == [True], rows["requests"]
    assert told.buttons == []
    assert told.effects <= 1
    assert not {"sent", "working"} & {row["status"] for row in rows["calls"]}
    assert all(row["status"] != "open" and row["folded"] for row in rows["approvals"] + rows["questions"])
    if told.is_unknown:
        assert told.last in SENDING
        assert sum(each.startswith(DONE) for each in told.said) == 1
    else:
        assert told.said in said


async def test_a_write_that_a_card_asks_about(stage: Stage) -> None:
    """Whether the member presses at once after the death or only after the next process has looked around."""
    whole = await tell_with_every_death(stage, CARD, "Requests.open")
    assert len(whole.said) == 3
    patient = replace(CARD, patient=True)
    for number in deaths_in(whole.steps, whole.steps.index("Approvals.open")):
        if whole.steps[number] in ("Approvals.open", "discord: say", "Approvals.decide"):
            check(await stage.tell(patient, number + 1), ("answered",), [whole.said])
    assert {"Approvals.open", "Approvals.set_card", "Approvals.decide", "Requests.end"} < {*whole.steps}


async def test_a_write_that_is_reviewed_automatically(stage: Stage) -> None:
    reviewed = Story([LOAD, SHOW, SAVE, DONE], verb="auto")
    await stage.tell(reviewed)
    whole = await tell_with_every_death(stage, reviewed, "Approvals.auto_approved")
    assert whole.said == [f"{DONE}\n-# Auto-reviewed: Save your snack preference"]


async def test_a_thread(stage: Stage) -> None:
    whole = await tell_with_every_death(stage, Story([LOAD, TALK, DONE]), "discord: open_thread")
    assert DONE in whole.said


async def test_a_task_that_outlives_its_turn_reports_asks_and_ends(stage: Stage) -> None:
    """A status text that a dying process read is not told: the trick has another one by then."""
    story = Story([LOAD, ORDER, DONE], before=long_order)
    whole = await tell_with_every_death(stage, story, "Calls.hand_over", also=[ASKED, RESULT, DONE])
    assert whole.said == ["-# This has ended.", ASKED, RESULT, DONE]


async def test_a_task_that_ends_within_its_turn(stage: Stage) -> None:
    """Whose process dies while it waits is told of the task's end by itself."""
    story = Story([LOAD, ORDER, DONE], before=short_order)
    await tell_with_every_death(stage, story, "Calls.hand_over", also=[RESULT, DONE])


async def test_a_call_that_asks_back(stage: Stage) -> None:
    story = Story([LOAD, ORDER, DONE], before=order_that_asks_first)
    whole = await tell_with_every_death(stage, story, "Calls.hand_over")
    assert whole.said == [ASKED, RESULT, DONE]


async def test_a_failure(stage: Stage) -> None:
    story = Story([LOAD, ModelRefused()])
    whole = await tell_with_every_death(stage, story, "Requests.open", ends=("failed", "answered"))
    assert whole.said == [ModelRefused.to_member]
