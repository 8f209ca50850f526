"""Questions of long work, answered by their buttons and by a form in pages."""

from typing import Any

import pytest

from bot.app import Kennel
from bot.assistant.prompts import continuation_prompt
from tests.support.brewing import begin, find, heard, until, woken
from tests.support.cards import post_buttons
from tests.support.journeys import answer, labels, rows_of, said
from tests.support.model import ModelServer, raw
from tests.support.talks import spoken, texts, tick
from tests.support.trick import TrickServer
from tests.support.trick_tasks import TaskScript, asking, completed, question, working
from tests.support.world import World, text_of

ROASTS = {
    "roast": {"type": "string", "oneOf": [{"const": "l", "title": "Light"}, {"const": "d", "title": "Dark"}]}
}
SURE = {"sure": {"type": "boolean"}}
DONE = completed({"cups": 2})
LAST = "Done:"


async def asked(
    world: World, trick: TrickServer, model: ModelServer, properties: Any, *after: Any, **about: Any
) -> tuple[TaskScript, Any]:
    """Work of the member that asks for `properties`, and its question's message."""
    script = TaskScript(trick, "brew", working(), **about)
    await begin(world, model)
    script.go_on(asking("k1", "Which?", properties), *(after or (DONE,)))
    return script, await heard(world, "Tell me: Which?")


def accepted(**content: Any) -> Any:
    return {"k1": {"action": "accept", "content": content}}


async def test_one_choice_is_a_button_for_each_title_that_the_asker_alone_may_press(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    script, message = await asked(brewing, brewer, model, ROASTS)
    assert labels(message) == ["Light", "Dark", "Skip"]
    assert [each.id for each in message.mentions] == [brewing.member.id]
    for label in labels(message):
        refused = await brewing.owner.click(message, label=label)
        assert said(refused) == "Only the member who asked can answer this."
        assert answer(refused).ephemeral
    await brewing.env.restart_bot(Kennel(brewing.services, shard_count=1))
    await brewing.member.click(message, label="Dark")
    folded = find(brewing, "Tell me: Which?")
    assert (folded.id, labels(folded)) == (message.id, [])
    assert "Answered: Dark" in text_of(folded)
    await heard(brewing, LAST)
    assert script.answers == accepted(roast="d")
    assert brewer.count("tasks/update") == 1
    assert woken(model) == ["question", "result"]


async def test_yes_or_no_are_buttons_and_skip_declines(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    script, message = await asked(
        brewing, brewer, model, SURE, asking("k2", "Really?", SURE), completed({"cups": 0})
    )
    assert labels(message) == ["Yes", "No", "Skip"]
    await brewing.member.click(message, label="No")
    second = await heard(brewing, "Tell me: Really?")
    await brewing.member.click(second, label="Skip")
    assert "No answer was given" in text_of(find(brewing, "Tell me: Really?"))
    await heard(brewing, LAST)
    assert script.answers == accepted(sure=False) | {"k2": {"action": "decline"}}


FORM = {
    "name": {"type": "string", "title": "For whom", "maxLength": 10, "default": "Mia"},
    "cups": {"type": "integer", "minimum": 1, "maximum": 5},
    "mail": {"type": "string", "format": "email"},
    "with": {
        "type": "array",
        "minItems": 1,
        "maxItems": 2,
        "items": {"anyOf": [{"const": "m", "title": "Milk"}, {"const": "s", "title": "Sugar"}]},
    },
    "hot": {"type": "boolean"},
    **ROASTS,
}
PAGE = {"0": "Mia", "1": "2", "2": "mia@example.com", "3": ["1", "0"], "4": ["0"]}


async def test_a_form_has_pages_keeps_what_was_typed_and_says_what_is_wrong(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    script, message = await asked(brewing, brewer, model, FORM)
    assert labels(message) == ["Answer", "Skip"]
    refused = await brewing.owner.click(message, label="Answer")
    assert refused.modal is None
    assert "Only the member who asked" in said(refused)

    form = await brewing.member.click(message, label="Answer")
    assert form.modal is not None
    assert form.modal["title"] == "Your answer (1 of 2)"
    fields = form.modal["components"]
    assert [field["label"] for field in fields] == ["For whom", "cups", "mail", "with", "hot"]
    assert fields[0]["component"]["value"] == "Mia"
    assert [option["label"] for option in fields[3]["component"]["options"]] == ["Milk", "Sugar"]

    wrong = await brewing.member.submit_modal(form, PAGE | {"1": "9", "2": "nobody"})
    assert answer(wrong).ephemeral
    assert "`cups`" in said(wrong)
    assert "`mail`" in said(wrong)
    again = await brewing.member.click(answer(wrong), label="Correct it")
    assert again.modal is not None
    assert again.modal["components"][1]["component"]["value"] == "9"
    first = await brewing.member.submit_modal(again, PAGE)
    second = await brewing.member.click(answer(first), label="Next page")
    assert second.modal is not None
    assert second.modal["title"] == "Your answer (2 of 2)"
    last = await brewing.member.submit_modal(second, {"0": ["1"]})
    assert "pass that on" in said(last)
    folded = find(brewing, "Tell me: Which?")
    assert labels(folded) == []
    assert folded.content.endswith("-# Answered.")
    await heard(brewing, LAST)
    content = {"name": "Mia", "cups": 2, "mail": "mia@example.com", "hot": True, "roast": "d"}
    assert script.answers["k1"]["content"].pop("with") in (["m", "s"], ["s", "m"])
    assert script.answers == accepted(**content)


async def test_after_a_day_a_question_is_declined_and_until_then_its_buttons_answer(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    script, message = await asked(
        brewing, brewer, model, SURE, asking("k2", "Really?", SURE), DONE, ttlMs=None
    )
    brewing.clock.advance(12 * 3_600)
    await tick(brewing)
    await brewing.member.click(message, label="Yes")
    await heard(brewing, "Tell me: Really?")
    brewing.clock.advance(11 * 3_600)
    await tick(brewing)
    assert script.answers == accepted(sure=True)
    brewing.clock.advance(13 * 3_600)
    await until(brewing, lambda: len(spoken(brewing)) == 4)
    assert labels(find(brewing, "Tell me: Really?")) == []


@pytest.mark.parametrize("how", ["lost", "disabled", "deleted"])
async def test_a_question_ends_with_its_work(
    brewing: World, brewer: TrickServer, model: ModelServer, how: str
) -> None:
    script, message = await asked(brewing, brewer, model, ROASTS)
    custom_id = message.components[0].children[0].custom_id
    if how == "lost":
        script.lost = True
    elif how == "disabled":
        await brewing.owner.slash(brewing.channel, "tricks disable", trick="brewer")
    else:
        await brewing.member.delete(message.reference.resolved)
    folded = await heard(brewing, "The work has ended")
    assert (folded.id, labels(folded)) == (message.id, [])
    await until(brewing, lambda: len(spoken(brewing)) == (2 if how == "deleted" else 3))
    stale = await post_buttons(brewing, "as an old client shows it", {custom_id: "Light"})
    late = await brewing.member.click(stale, label="Light")
    assert "no longer open" in said(late)
    assert script.answers == {}


async def test_a_long_question_that_the_model_finds_no_words_for_is_quoted_whole_or_cut_in_its_block(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    sizes = {"size": {"type": "string", "enum": [f"{number} " + "x" * 60 for number in range(24)]}}
    script = TaskScript(brewer, "brew", working())
    await begin(brewing, model)
    model.on(continuation_prompt(), lambda _: raw(400, {"error": {"message": "no"}}))
    script.go_on(asking("k1", "Which? " * 500, sizes), DONE)
    message = await heard(brewing, "a question has to be answered")
    assert len(labels(message)) == 25
    assert message.content.count("```") == 4
    assert message.content.endswith("reply to this message in your own words.")
    await brewing.member.click(message, label=labels(message)[0])
    folded = find(brewing, "Answered: 0 xx")
    assert folded.content.count("```") == 4


async def test_a_key_with_the_tasks_id_comes_back_as_it_was_and_is_not_stored(
    brewing: World, brewer: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    task_id = "hard-to-guess-1234567890"
    script = TaskScript(brewer, "brew", working(), task_id=task_id)
    await begin(brewing, model)
    script.go_on(asking(f"{task_id}:a/{task_id}", "Which?", SURE), DONE)
    message = await heard(brewing, "Tell me: Which?")
    assert task_id not in str(await rows_of(sqlite_url))
    await brewing.member.click(message, label="Yes")
    await heard(brewing, LAST)
    assert [*script.answers] == [f"{task_id}:a/{task_id}"]
    assert brewer.count("tasks/update") == 1


@pytest.mark.parametrize(
    ("properties", "why"),
    [
        ({"password": {"type": "string", "title": "Your password"}}, "password"),
        ({"at": {"type": "object", "properties": {}}}, "cannot be shown"),
        ({f"f{number}": {"type": "string"} for number in range(11)}, "more than 10"),
    ],
    ids=["secret", "nested", "eleven"],
)
async def test_a_form_that_is_put_to_nobody_fails_the_work_with_a_sentence(
    brewing: World, brewer: TrickServer, model: ModelServer, properties: Any, why: str
) -> None:
    script = TaskScript(brewer, "brew", working())
    await begin(brewing, model)
    script.go_on({"status": "input_required", "inputRequests": {"k1": question("Well?", properties)}})
    last = await heard(brewing, "That did not work")
    assert why in text_of(last)
    assert (labels(last), woken(model)) == ([], [])
    polls = brewer.count("tasks/get")
    brewing.clock.advance(60)
    await tick(brewing)
    assert brewer.count("tasks/get") == polls
    assert len(texts(spoken(brewing))) == 2
