"""A form's pages drawn as modals within Discord's limits, and read back by the names of their fields."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import TaskFailed
from bot.outbound import FormPage
from bot.strict_json import Json
from bot.tasks.forms import page
from bot.tasks.questions import Question, read_question
from cogs.forms import modal, values_of
from tests.support.modal_limits import modal_problems

FIELDS: dict[str, Json] = {
    "note": {"type": "string", "title": "Your note", "description": "Anything", "maxLength": 900},
    "day": {"type": "string", "format": "date", "default": "2026-07-28"},
    "snack": {"type": "string", "enum": ["a", "b"], "enumNames": ["Apple", "Bread"], "default": "b"},
    "sides": {"type": "array", "items": {"type": "string", "enum": ["x", "y", "z"]}, "minItems": 2},
    "sure": {"type": "boolean"},
    "count": {"type": "integer", "minimum": 1},
}


def question(properties: dict[str, Json], *required: str) -> Question:
    return read_question("Well?", {"type": "object", "properties": properties, "required": [*required]})


def submitted(form: FormPage, *controls: dict[str, Any]) -> dict[str, Any]:
    """An interaction's data for a submit of the modal."""
    return {"components": [{"type": 18, "component": control} for control in controls]}


async def test_a_page_is_drawn_with_what_is_filled_in() -> None:
    drawn = modal(page(question(FIELDS, "note"), 0, {"note": "typed before"}), "q:page0:key").to_dict()

    assert (drawn["title"], drawn["custom_id"]) == ("Your answer (1 of 2)", "q:page0:key")
    labels = drawn["components"]
    assert [each["label"] for each in labels] == ["Your note", "day", "snack", "sides", "sure"]
    note, day, snack, sides, sure = (each["component"] for each in labels)
    assert labels[0]["description"] == "Anything"
    assert (note["style"], note["value"], note["required"], note["max_length"]) == (
        2,
        "typed before",
        True,
        900,
    )
    assert (day["style"], day["value"], day["required"]) == (1, "2026-07-28", False)
    assert [(each["label"], each["default"]) for each in snack["options"]] == [
        ("Apple", False),
        ("Bread", True),
    ]
    assert (sides["min_values"], sides["max_values"], sides["required"]) == (0, 3, False)
    assert [each["label"] for each in sure["options"]] == ["Yes", "No"]
    assert list(modal_problems(drawn)) == []


async def test_a_modal_that_was_drawn_is_not_kept_by_the_library() -> None:
    assert modal(page(question(FIELDS), 1, {}), "q:page1:key").is_finished()


async def test_what_was_submitted_is_read_by_the_fields_names() -> None:
    form = page(question(FIELDS), 0, {})
    data = submitted(
        form,
        {"type": 4, "custom_id": "0", "value": "hello"},
        {"type": 3, "custom_id": "3", "values": ["0", "2"]},
        {"type": 4, "custom_id": "7", "value": "of no field"},
        {"type": 10},
    )

    assert values_of(form, data) == {"note": "hello", "sides": ["0", "2"]}
    assert values_of(form, {}) == {}


_texts = st.text(max_size=120) | st.sampled_from(["", " ", "\u200b", "🧀" * 60, "a\nb", "x" * 200])
_limit = st.integers(0, 5_000)
_one: st.SearchStrategy[dict[str, Any]] = (
    st.fixed_dictionaries(
        {"type": st.just("string")},
        optional={
            "title": _texts,
            "description": _texts,
            "default": _texts,
            "maxLength": _limit,
            "minLength": _limit,
        },
    )
    | st.fixed_dictionaries(
        {"type": st.just("string"), "enum": st.lists(_texts, min_size=1, max_size=40, unique=True)},
        optional={"title": _texts, "default": _texts},
    )
    | st.fixed_dictionaries(
        {
            "type": st.just("array"),
            "items": st.dictionaries(
                st.just("enum"), st.lists(_texts, min_size=1, max_size=40, unique=True), min_size=1
            ),
        },
        optional={"minItems": st.integers(0, 40), "maxItems": st.integers(0, 40)},
    )
    | st.fixed_dictionaries(
        {"type": st.sampled_from(["boolean", "integer", "number"])}, optional={"title": _texts}
    )
)


@pytest.mark.asyncio
@given(st.dictionaries(_texts, _one, min_size=1, max_size=10), st.data())
async def test_any_form_fits_into_modals(properties: dict[str, Json], data: st.DataObject) -> None:
    required = data.draw(st.lists(st.sampled_from(sorted(properties)), unique=True))
    draft = data.draw(st.dictionaries(st.sampled_from(sorted(properties)), _texts | st.lists(st.just("0"))))
    try:
        asked = question(properties, *required)
    except TaskFailed:
        return
    for number in range(len(asked.pages)):
        drawn = modal(page(asked, number, draft), f"q:page{number}:abcdefghijklmnop").to_dict()
        assert list(modal_problems(drawn)) == []
