"""Questions of tasks: asked once, answered by buttons, forms and words, and never left without an end."""

import asyncio
import json
from typing import Any, Literal

import pytest

from bot.errors import CardClosed, NotYours
from bot.speaker import Where
from bot.strict_json import Json
from bot.tasks.question_desk import WordsOutcome
from storage.engine import Database
from storage.request_records import QuestionRow, TaskRow
from tests.support import trick_answers
from tests.support.records import GUILD
from tests.support.request_records import ASKER, CHANNEL
from tests.support.tasks import TaskWorld
from tests.support.trick_tasks import TaskScript, asking, completed, question, working

TASTE: dict[str, Any] = {"taste": {"type": "string", "enum": ["sweet", "salty"]}}
NAME: dict[str, Any] = {"name": {"type": "string", "maxLength": 5}}
COUNT: dict[str, Any] = {"count": {"type": "integer", "minimum": 1, "maximum": 9}}
END = completed({"saved": "fruit"})
SWEET = {"action": "accept", "content": {"taste": "sweet"}}
ASKS = "Save your snack preference asks: Which?"


async def asked(world: TaskWorld, properties: dict[str, Any] = TASTE) -> tuple[TaskScript, TaskRow]:
    """A task whose question was just posted."""
    script = TaskScript(world.trick, "save_snack", asking("k1", "Which?", properties), END, ttlMs=None)
    task = await world.start()
    await world.round()
    return script, task


async def open_question(world: TaskWorld, task: TaskRow) -> QuestionRow:
    row = await world.question(task)
    assert row.status == "open"
    return row


async def test_a_question_is_asked_once_in_the_bots_words_with_a_button_for_each_choice(
    tasks_world: TaskWorld,
) -> None:
    _, task = await asked(tasks_world)
    for _ in range(3):
        await tasks_world.round()
    (message,) = tasks_world.speaker.messages.values()
    assert (message.text, message.labels) == (ASKS, ["sweet", "salty", "Skip"])
    assert message.where == Where(GUILD, CHANNEL, reply_to="message-r1", ping=ASKER, notify=True)
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


@pytest.mark.parametrize("text", ["sweet", "1", "SWEET."])
async def test_values_and_numbers_are_understood_without_a_model(tasks_world: TaskWorld, text: str) -> None:
    script, task = await asked(tasks_world)
    row = await tasks_world.here.desk.newest(CHANNEL, ASKER)
    assert row is not None
    outcome = await tasks_world.here.desk.words(row, text, direct=False)
    assert (outcome, tasks_world.narrator.read) == (WordsOutcome("taken"), [])
    assert tasks_world.speaker.said == [f"{ASKS}\n-# Answered: sweet"]
    await tasks_world.round(0)
    assert script.answers == {"k1": SWEET}
    assert (await tasks_world.row(task)).status == "completed"


async def test_the_model_says_what_other_words_mean_and_its_answer_is_checked(tasks_world: TaskWorld) -> None:
    script, task = await asked(tasks_world)
    tasks_world.narrator.readings = {
        "the sugary one": {"taste": "sweet"},
        "the sour one": {"taste": "sour"},
    }
    row = await tasks_world.question(task)
    wrong = await tasks_world.here.desk.words(row, "the sour one", direct=True)
    assert wrong.kind == "wrong"
    assert "sour" not in wrong.sentence
    assert (await tasks_world.here.desk.words(row, "the sugary one", direct=True)).kind == "taken"
    await tasks_world.round(0)
    assert script.answers == {"k1": SWEET}


async def test_a_direct_reply_is_the_answer_to_free_text_as_it_stands(tasks_world: TaskWorld) -> None:
    script, task = await asked(tasks_world, NAME)
    row = await tasks_world.here.desk.to_reply("posted-1", ASKER)
    assert row is not None
    assert (await tasks_world.here.desk.words(row, "Mia Longname", direct=True)).kind == "wrong"
    assert (await tasks_world.here.desk.words(row, "Mia", direct=True)).kind == "taken"
    assert tasks_world.narrator.read == []
    await tasks_world.round(0)
    assert script.answers == {"k1": {"action": "accept", "content": {"name": "Mia"}}}
    assert (await tasks_world.row(task)).status == "completed"


async def test_another_message_that_is_no_answer_is_left_alone(tasks_world: TaskWorld) -> None:
    _, task = await asked(tasks_world)
    row = await tasks_world.question(task)
    for _ in range(4):
        outcome = await tasks_world.here.desk.words(row, "what a day", direct=False)
        assert outcome == WordsOutcome("not_an_answer")
    assert (await open_question(tasks_world, task)).wrong == 0


@pytest.mark.parametrize("direct", [True, False])
async def test_the_third_reply_that_does_not_fit_declines_kindly(
    tasks_world: TaskWorld, direct: bool
) -> None:
    script, task = await asked(tasks_world)
    row = await tasks_world.question(task)
    outcomes = [
        await tasks_world.here.desk.words(row, f"what {number}", direct=direct, in_thread=not direct)
        for number in range(3)
    ]
    assert [outcome.kind for outcome in outcomes] == ["wrong", "wrong", "declined"]
    assert all(outcome.sentence for outcome in outcomes)
    with pytest.raises(CardClosed):
        await tasks_world.here.desk.words(row, "sweet", direct=True)
    await tasks_world.round(0)
    assert script.answers == {"k1": {"action": "decline"}}


async def test_addressed_to_the_assistant_only_an_answer_as_it_stands_counts(tasks_world: TaskWorld) -> None:
    _, task = await asked(tasks_world, COUNT)
    row = await tasks_world.question(task)
    tasks_world.narrator.readings = {"three of them": {"count": 3}}
    for text in ("three of them", "12", "what is new?"):
        outcome = await tasks_world.here.desk.words(row, text, direct=False, literal_only=True)
        assert outcome == WordsOutcome("not_an_answer")
    assert (await open_question(tasks_world, task)).wrong == 0
    assert tasks_world.narrator.read == []
    outcome = await tasks_world.here.desk.words(row, "3", direct=False, literal_only=True)
    assert outcome.kind == "taken"


async def test_after_fifteen_minutes_only_buttons_forms_and_direct_replies_answer(
    tasks_world: TaskWorld,
) -> None:
    script = TaskScript(tasks_world.trick, "save_snack", asking("k1", "Which?", TASTE), END, ttlMs=None)
    task = await tasks_world.start()
    await tasks_world.round()
    tasks_world.clock.advance(15 * 60 - 1)
    assert await tasks_world.here.desk.newest(CHANNEL, ASKER) is not None
    tasks_world.clock.advance(1)
    assert await tasks_world.here.desk.newest(CHANNEL, ASKER) is None
    row = await tasks_world.here.desk.to_reply("posted-1", ASKER)
    assert row is not None
    await tasks_world.here.desk.press(row.key, 0, ASKER)
    await tasks_world.round(0)
    assert script.answers == {"k1": SWEET}
    assert (await tasks_world.row(task)).status == "completed"


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


async def test_several_questions_are_answered_one_by_one_the_newest_first_in_words(
    tasks_world: TaskWorld,
) -> None:
    ask = asking("k1", "Which?", TASTE, k2=question("How many?", COUNT))
    script = TaskScript(tasks_world.trick, "save_snack", ask, END)
    task = await tasks_world.start()
    await tasks_world.round()
    assert len(tasks_world.speaker.said) == 2

    for text in ("3", "sweet"):
        row = await tasks_world.here.desk.newest(CHANNEL, ASKER)
        assert row is not None
        assert (await tasks_world.here.desk.words(row, text, direct=False)).kind == "taken"
        await tasks_world.round(0)
    assert script.answers == {"k1": SWEET, "k2": {"action": "accept", "content": {"count": 3}}}
    assert (await tasks_world.row(task)).status == "completed"


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


async def test_a_form_of_two_pages_keeps_what_was_filled_in(tasks_world: TaskWorld) -> None:
    fields = {f"f{number}": {"type": "integer", "minimum": 1} for number in range(6)}
    script, task = await asked(tasks_world, fields)
    key = (await tasks_world.question(task)).key
    desk = tasks_world.here.desk

    page = await desk.form(key, ASKER)
    assert (page.number, page.count, len(page.fields)) == (0, 2, 5)
    first = {f"f{number}": str(number + 1) for number in range(5)}
    wrong = await desk.submit(key, ASKER, 0, first | {"f2": "many"})
    assert (wrong.page, len(wrong.problems)) == (0, 1)
    assert [field.value for field in (await desk.form(key, ASKER)).fields] == ["1", "2", "many", "4", "5"]

    outcome = await desk.submit(key, ASKER, 0, first)
    assert (outcome.page, outcome.problems) == (1, ())
    again = await desk.submit(key, ASKER, 1, {"f5": "0"})
    assert (again.page, len(again.problems)) == (1, 1)
    done = await desk.submit(key, ASKER, 1, {"f5": "6"})
    assert done.page is None
    with pytest.raises(CardClosed):
        await desk.submit(key, ASKER, 1, {"f5": "7"})

    await tasks_world.round(0)
    content: dict[str, Json] = {f"f{number}": number + 1 for number in range(6)}
    assert script.answers == {"k1": {"action": "accept", "content": content}}
    assert (await tasks_world.question(task)).wrong == 0


async def test_a_last_page_that_comes_first_leads_back_to_what_is_missing(tasks_world: TaskWorld) -> None:
    fields = {f"f{number}": {"type": "integer"} for number in range(6)}
    _, task = await asked(tasks_world, fields)
    key = (await tasks_world.question(task)).key
    outcome = await tasks_world.here.desk.submit(key, ASKER, 1, {"f5": "6"})
    assert outcome.page == 0
    assert len(outcome.problems) == 5


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
