"""Questions of tasks: asked once, answered by buttons, forms and words, and never left without an end."""

import asyncio
import json
from typing import Any, Literal

import pytest

from bot.errors import CardClosed, NotYours
from bot.speaker import Where
from storage.engine import Database
from tests.bot.tasks.asked_tasks import ASKS, END, NAME, SWEET, TASTE, asked, open_question
from tests.support import trick_answers
from tests.support.records import GUILD
from tests.support.request_records import ASKER, CHANNEL
from tests.support.tasks import TaskWorld
from tests.support.trick_tasks import TaskScript, asking, question, working


async def test_a_question_is_asked_once_in_the_bots_words_with_a_button_for_each_choice(
    tasks_world: TaskWorld,
) -> None:
    _, task = await asked(tasks_world)
    for _ in range(3):
        await tasks_world.round()
    (message,) = tasks_world.speaker.messages.values()
    assert (message.text, message.labels) == (ASKS, ["sweet", "salty", "Skip"])
    assert message.where == Where(
        GUILD, CHANNEL, reply_to="message-r1", ping=ASKER, notify=True, after="message-r1"
    )
    row = await tasks_world.question(task)
    ids = [f"q:{what}:{row.key}" for what in ("c0", "c1", "skip")]
    assert [message.key(label) for label in message.labels] == ids
    assert (row.question_id, row.words) == ("posted-1", ASKS)
    assert tasks_world.here.watch.has(CHANNEL, ASKER)


async def test_a_form_is_asked_for_with_one_button(tasks_world: TaskWorld) -> None:
    _, task = await asked(tasks_world, NAME)
    row = await tasks_world.question(task)
    assert tasks_world.speaker.last.labels == ["Answer", "Skip"]
    assert tasks_world.speaker.last.key("Answer") == f"q:form:{row.key}"


async def test_a_press_answers_and_the_trick_has_it_at_once(tasks_world: TaskWorld) -> None:
    script, task = await asked(tasks_world)
    row = await tasks_world.question(task)

    closed = await tasks_world.here.desk.press(row.key, 0, ASKER)
    assert (closed.content, closed.buttons) == (f"{ASKS}\n-# Answered: sweet", ())
    await tasks_world.round(0)

    assert script.answers == {"k1": SWEET}
    assert tasks_world.speaker.said == [closed.content, "completed: {'saved': 'fruit'}"]
    assert (await tasks_world.question(task)).sent


async def test_skip_declines(tasks_world: TaskWorld) -> None:
    script, task = await asked(tasks_world)
    row = await tasks_world.question(task)
    closed = await tasks_world.here.desk.press(row.key, "skip", ASKER)
    assert closed.content == f"{ASKS}\n-# No answer was given."
    await tasks_world.round(0)
    assert script.answers == {"k1": {"action": "decline"}}


async def test_only_the_asker_may_press(tasks_world: TaskWorld) -> None:
    _, task = await asked(tasks_world)
    row = await tasks_world.question(task)
    choices: tuple[int | Literal["skip"], ...] = (0, "skip")
    for choice in choices:
        with pytest.raises(NotYours):
            await tasks_world.here.desk.press(row.key, choice, "somebody else")
    with pytest.raises(NotYours):
        await tasks_world.here.desk.form(row.key, "somebody else")
    assert await tasks_world.here.desk.to_reply("posted-1", "somebody else") is None
    await open_question(tasks_world, task)


async def test_of_two_presses_at_once_in_two_processes_one_counts(tasks_world: TaskWorld) -> None:
    script, task = await asked(tasks_world)
    row = await tasks_world.question(task)
    other = await Database.open(tasks_world.url)
    try:
        there = tasks_world.process(other)
        both = await asyncio.gather(
            tasks_world.here.desk.press(row.key, 0, ASKER),
            there.desk.press(row.key, 1, ASKER),
            return_exceptions=True,
        )
    finally:
        await other.close()
    assert [isinstance(each, CardClosed) for each in both].count(True) == 1
    await tasks_world.round(0)
    assert len(script.answers) == 1


async def test_a_button_that_was_never_there_is_closed(tasks_world: TaskWorld) -> None:
    _, task = await asked(tasks_world)
    row = await tasks_world.question(task)
    for key, choice in ((row.key, 7), ("no such key", 0)):
        with pytest.raises(CardClosed):
            await tasks_world.here.desk.press(key, choice, ASKER)


async def test_after_a_day_a_question_is_declined(tasks_world: TaskWorld) -> None:
    script = TaskScript(tasks_world.trick, "save_snack", asking("k1", "Which?", TASTE), END, ttlMs=None)
    task = await tasks_world.start()
    await tasks_world.round(6)
    row = await tasks_world.question(task)
    tasks_world.clock.advance(86_400)
    with pytest.raises(CardClosed):
        await tasks_world.here.desk.press(row.key, 0, ASKER)
    assert await tasks_world.here.desk.expire_due() == 1
    await tasks_world.round(0)
    assert script.answers == {"k1": {"action": "decline"}}
    assert tasks_world.speaker.said[0] == f"{ASKS}\n-# No answer was given."


async def test_a_question_ends_with_its_task(tasks_world: TaskWorld) -> None:
    script, task = await asked(tasks_world)
    script.lost = True
    await tasks_world.round()
    first, second = tasks_world.speaker.messages.values()
    assert first.labels == []
    assert "ended" in first.text
    assert second.text.startswith("lost: ")
    row = await tasks_world.question(task)
    with pytest.raises(CardClosed):
        await tasks_world.here.desk.press(row.key, 0, ASKER)
    assert await tasks_world.here.desk.to_reply("posted-1", ASKER) is None
    assert await tasks_world.here.desk.newest(CHANNEL, ASKER) is None


async def test_an_answer_is_sent_again_until_the_trick_has_it(tasks_world: TaskWorld) -> None:
    script, task = await asked(tasks_world)
    script.update_fault = trick_answers.status(503)
    row = await tasks_world.question(task)
    await tasks_world.here.desk.press(row.key, 0, ASKER)
    await tasks_world.round(0)
    assert not (await tasks_world.question(task)).sent
    script.update_fault = None
    await tasks_world.round()
    assert script.answers == {"k1": SWEET}
    assert tasks_world.trick.count("tasks/update") == 2


@pytest.mark.parametrize(
    "request_",
    [
        question("Your password?", {"password": {"type": "string"}}),
        question("Where?", {"at": {"type": "object", "properties": {}}}),
        question("All of it?", {f"f{number}": {"type": "string"} for number in range(11)}),
        {"method": "sampling/createMessage", "params": {}},
    ],
    ids=["secret", "nested", "too many", "another kind"],
)
async def test_what_cannot_be_asked_fails_the_task_with_a_sentence(
    tasks_world: TaskWorld, request_: dict[str, Any]
) -> None:
    step = {"status": "input_required", "inputRequests": {"k1": request_}}
    TaskScript(tasks_world.trick, "save_snack", step)
    task = await tasks_world.start()
    await tasks_world.round()
    (said,) = tasks_world.speaker.said
    assert said.startswith("failed: ")
    assert len(said) > 20
    assert (await tasks_world.row(task)).status == "failed"


async def test_more_questions_at_once_than_anybody_would_answer_fail_the_task(tasks_world: TaskWorld) -> None:
    many = {f"k{number}": question("Which?", TASTE) for number in range(26)}
    TaskScript(tasks_world.trick, "save_snack", {"status": "input_required", "inputRequests": many})
    task = await tasks_world.start()
    await tasks_world.round()
    assert (await tasks_world.row(task)).status == "failed"
    assert len(tasks_world.speaker.said) == 1


async def test_a_question_whose_post_was_cut_off_is_looked_for_before_it_is_posted_again(
    tasks_world: TaskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    TaskScript(tasks_world.trick, "save_snack", asking("k1", "Which?", TASTE), END)
    task = await tasks_world.start()
    tasks_world.clock.advance(10)
    await tasks_world.here.poller.poll_due()

    async def dies(*_: object) -> None:
        raise RuntimeError("killed between posting and storing")

    with monkeypatch.context() as killed:
        killed.setattr(tasks_world.here.questions, "posted", dies)
        await tasks_world.tell()
    tasks_world.speaker.last.nonce = "which Discord has forgotten"
    await tasks_world.round(120)
    assert len(tasks_world.speaker.said) == 1
    assert (await tasks_world.question(task)).question_id == "posted-1"


async def test_a_question_that_discord_refuses_for_an_hour_is_declined(tasks_world: TaskWorld) -> None:
    tasks_world.speaker.refuses = True
    script, _ = await asked(tasks_world)
    await tasks_world.round(3_000)
    assert script.answers == {}
    await tasks_world.round(700)
    await tasks_world.round(0)
    assert script.answers == {"k1": {"action": "decline"}}


async def test_what_a_trick_asks_again_under_another_key_is_another_question(tasks_world: TaskWorld) -> None:
    steps = (asking("k1", "Which?", TASTE), working("Mixing"), asking("k2", "Which?", TASTE), END)
    script = TaskScript(tasks_world.trick, "save_snack", *steps)
    task = await tasks_world.start()
    await tasks_world.round()
    await tasks_world.here.desk.press((await tasks_world.question(task)).key, 0, ASKER)
    for _ in range(2):
        await tasks_world.round()
    await tasks_world.here.desk.press((await tasks_world.question(task, 1)).key, 0, ASKER)
    await tasks_world.round()
    assert script.answers == {"k1": SWEET, "k2": SWEET}
    assert (await tasks_world.row(task)).status == "completed"


async def test_an_answer_is_stored_as_json_that_was_checked(tasks_world: TaskWorld) -> None:
    _, task = await asked(tasks_world)
    await tasks_world.here.desk.press((await tasks_world.question(task)).key, 1, ASKER)
    assert json.loads((await tasks_world.question(task)).answer or "") == {"taste": "salty"}
