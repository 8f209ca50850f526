"""Answers to questions of tasks: in words, by forms, and what is no answer."""

import pytest

from bot.errors import CardClosed
from bot.strict_json import Json
from bot.tasks.question_desk import WordsOutcome
from tests.bot.tasks.asked_tasks import ASKS, COUNT, END, NAME, SWEET, TASTE, asked, open_question
from tests.support.request_records import ASKER, CHANNEL
from tests.support.tasks import TaskWorld
from tests.support.trick_tasks import TaskScript, asking, question


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
