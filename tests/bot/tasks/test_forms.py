"""The pages of a question's form, and what is read from them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import CardClosed, TaskFailed
from bot.outbound import FormField
from bot.strict_json import Json
from bot.tasks.form_reading import draft_of, read_form, read_page
from bot.tasks.forms import page
from bot.tasks.questions import Question, problems
from bot.text import length
from tests.bot.tasks.asking import choice, choices, made, question
from tests.bot.tasks.asking import properties as any_property

MANY = [f"v{number}" for number in range(30)]


def drawn(prop: dict[str, Any], *, required: bool = False, **draft: Json) -> FormField:
    asked = question(*(["a"] if required else []), a=prop)
    return page(asked, 0, draft).fields[0]


def picked(field: FormField) -> list[str]:
    return [option.label for option in field.options if option.picked]


def test_pages_are_counted_and_one_that_is_not_there_is_closed() -> None:
    asked = made({f"f{number}": {"type": "string"} for number in range(7)})
    first, second = page(asked, 0, {}), page(asked, 1, {})
    assert (first.title, first.number, first.count, len(first.fields)) == ("Your answer (1 of 2)", 0, 2, 5)
    assert [field.name for field in second.fields] == ["f5", "f6"]
    assert page(question(a={"type": "string"}), 0, {}).title == "Your answer"
    for number in (2, -1):
        with pytest.raises(CardClosed):
            page(asked, number, {})
        with pytest.raises(CardClosed):
            read_page(asked, number, {})


def test_a_text_is_typed_within_its_limits() -> None:
    short = drawn({"type": "string", "minLength": 2, "maxLength": 50}, required=True)
    assert (short.control, short.required, short.least, short.most) == ("line", True, 2, 50)
    long = drawn({"type": "string", "minLength": 2, "maxLength": 9_000, "description": "d" * 200})
    assert (long.control, long.required, long.least, long.most) == ("paragraph", False, 0, 4_000)
    assert len(long.description) == 100


@pytest.mark.parametrize(
    ("prop", "hint"),
    [
        ({"type": "string", "format": "date"}, "2026-07-28"),
        ({"type": "integer", "minimum": 1, "maximum": 10}, "A whole number from 1 up to 10"),
        ({"type": "number", "maximum": 0.5}, "A number up to 0.5"),
        ({"type": "string"}, ""),
    ],
)
def test_a_line_says_what_it_takes(prop: dict[str, Json], hint: str) -> None:
    assert drawn(prop).placeholder == hint


def test_choices_are_a_select_that_honours_how_many() -> None:
    one = drawn(choice("S", "M"), required=True)
    assert (one.control, one.required, one.least, one.most) == ("select", True, 1, 1)
    assert [(option.position, option.label) for option in one.options] == [("0", "S"), ("1", "M")]
    some = drawn(choices("a", "b", "c", minItems=2, maxItems=9), required=True)
    assert (some.required, some.least, some.most) == (True, 2, 3)
    free = drawn(choices("a", "b", "c", minItems=2))
    assert (free.required, free.least, free.most) == (False, 0, 3)
    assert [option.label for option in drawn({"type": "boolean"}).options] == ["Yes", "No"]


def test_more_choices_than_a_select_holds_are_typed() -> None:
    typed = drawn(choice(*MANY))
    assert (typed.control, typed.options) == ("line", ())
    assert typed.placeholder.startswith("v0, v1, ")
    assert drawn(choices(*MANY)).control == "paragraph"
    asked = question(a=choice(*MANY), b=choices(*MANY))
    assert read_form(asked, {"a": "V29", "b": "v1, 3"}) == ({"a": "v29", "b": ["v1", "v2"]}, ())
    assert read_form(asked, {"a": "x", "b": "v1, x"})[1] == (
        "`a` has to be one of the choices.",
        "`b` has to be some of the choices, with commas between them.",
    )


def test_defaults_are_filled_in_and_what_was_typed_comes_before_them() -> None:
    assert drawn({"type": "string", "default": "x"}).value == "x"
    assert drawn({"type": "integer", "default": 3}).value == "3"
    assert drawn({"type": "integer", "default": 3}, a="three").value == "three"
    assert drawn({"type": "integer", "default": 3}, a="").value == ""
    assert picked(drawn({"type": "boolean", "default": False})) == ["No"]
    assert picked(drawn({**choice("S", "M"), "default": "M"})) == ["M"]
    assert picked(drawn({**choice("S", "M"), "default": "M"}, a=["0"])) == ["S"]
    assert picked(drawn({**choices("a", "b", "c"), "default": ["a", "c"]})) == ["a", "c"]
    assert drawn({**choices(*MANY), "default": ["v1", "v2"]}).value == "v1, v2"


def test_every_problem_of_a_page_is_told_at_once_and_what_fits_is_read() -> None:
    asked = question(
        "name",
        "size",
        name={"type": "string", "title": "Name"},
        guests={"type": "integer", "maximum": 5},
        when={"type": "string", "format": "date"},
        size=choice("S", "M"),
        ok={"type": "boolean"},
    )
    content, told = read_page(asked, 0, {"guests": "9", "when": "soon", "size": ["7"], "ok": ["1"]})
    assert content == {"ok": False}
    assert told == (
        "`Name` is missing.",
        "`guests` has to be at most 5.",
        "`when` has to be a date like 2026-07-28.",
        "`size` has to be one of the choices.",
    )
    assert read_page(asked, 0, {"name": " \n", "size": ["0", "1"], "guests": "2.5"})[1] == (
        "`Name` is missing.",
        "`guests` has to be a whole number.",
        "`size` has to be one of the choices.",
    )


def test_what_was_filled_in_becomes_the_content() -> None:
    asked = question(
        "name",
        "extras",
        name={"type": "string"},
        guests={"type": "integer"},
        share={"type": "number"},
        ok={"type": "boolean"},
        extras=choices("a", "b"),
        note={"type": "string"},
    )
    values: dict[str, Json] = {"name": " Ann ", "guests": "9" * 300, "share": "2.5", "ok": ["0"], "note": ""}
    assert read_form(asked, values) == (
        {"name": "Ann", "guests": int("9" * 300), "share": 2.5, "ok": True, "extras": []},
        (),
    )


def test_a_draft_keeps_what_was_typed_and_nothing_else() -> None:
    asked = question(a={"type": "integer"}, b=choices("x", "y"))
    assert draft_of(asked, {"a": " three ", "b": ["1"], "c": "?"}) == {"a": " three ", "b": ["1"]}
    assert draft_of(asked, {"a": 3, "b": ()}) == {"a": [], "b": []}


def test_the_whole_form_is_checked_against_the_whole_schema() -> None:
    asked = question(a={"type": "string"}, b={"type": "string"})
    asked = Question(asked.message, asked.fields, {**asked.schema, "minProperties": 2})
    assert read_page(asked, 0, {"a": "x"})[1] == ()
    assert read_form(asked, {"a": "x"})[1] != ()
    assert read_form(asked, {"a": "x", "b": "y"})[1] == ()


def is_drawable(field: FormField) -> bool:
    texts = (
        0 < length(field.label) <= 45
        and length(field.description) <= 100
        and length(field.placeholder) <= 100
    )
    if field.control == "select":
        counts = 1 <= len(field.options) <= 25 and 0 <= field.least <= field.most <= len(field.options)
        labels = all(0 < length(option.label) <= 100 and option.label.strip() for option in field.options)
        return texts and counts and field.most >= 1 and labels and len(picked(field)) <= field.most
    fits = length(field.value) <= field.most
    return texts and fits and 0 <= field.least <= field.most <= 4_000 and field.most >= 1


DRAFTS = (
    st.none()
    | st.integers()
    | st.text(max_size=9)
    | st.lists(st.text(max_size=3) | st.integers(), max_size=3)
)


@given(any_property(), st.booleans(), st.dictionaries(st.just("a"), DRAFTS))
def test_whatever_is_asked_or_drafted_can_be_drawn(
    built: tuple[dict[str, Any], Any], required: bool, draft: dict[str, Any]
) -> None:
    try:
        asked = question(*(["a"] if required else []), a=built[0])
    except TaskFailed:
        return  # a random text may name a secret
    (field,) = page(asked, 0, draft).fields
    assert is_drawable(field)
    assert field.least == 0 or field.required
    content, told = read_form(asked, draft)
    assert told or problems(asked, content) == ()


@given(any_property())
def test_an_answer_that_fits_can_be_given_by_the_form(built: tuple[dict[str, Any], Any]) -> None:
    prop, value = built
    try:
        asked = question("a", a=prop)
    except TaskFailed:
        return
    choices = asked.fields[0].choices
    wanted: list[Any] = value if prop.get("type") == "array" else [value]
    places = {each.value: str(index) for index, each in enumerate(choices)}
    filled = {"a": [places[each] for each in wanted] if choices else str(value)}
    assert read_page(asked, 0, filled) == ({"a": value}, ())
