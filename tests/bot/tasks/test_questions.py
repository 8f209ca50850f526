"""What a trick may ask, and what an answer is checked for."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import TaskFailed
from bot.strict_json import Json
from bot.tasks.questions import Question, problems, read_question
from bot.tasks.secret_words import names_secret
from tests.bot.tasks.asking import choice, choices, made, question
from tests.bot.tasks.asking import properties as any_property

TEXT: dict[str, Json] = {"type": "string"}


def failure(*required: str, message: str = "Tell me", **properties: Any) -> str:
    return refusal(properties, *required, message=message)


def refusal(properties: Mapping[str, Any], *required: str, message: str = "Tell me") -> str:
    with pytest.raises(TaskFailed) as caught:
        made(properties, *required, message=message)
    return caught.value.sentence


def test_every_kind_of_field_is_read() -> None:
    asked = question(
        "name",
        name={"type": "string", "title": "Name", "description": "Who?", "minLength": 2, "maxLength": 9.0},
        mail={"type": "string", "format": "email", "default": "a@example.com"},
        share={"type": "number", "minimum": 0, "maximum": 1.5},
        guests={"type": "integer", "default": 2},
        agree={"type": "boolean", "default": False},
        size=choice("S", "M"),
        when=choice(am="Morning", pm="Evening"),
        extras=choices("a", "b", minItems=1, maxItems=2),
    )
    kinds = ["text", "text", "number", "integer", "boolean", "choice", "choice", "choices"]
    assert [each.kind for each in asked.fields] == kinds
    name, mail, share, guests, agree, size, when, extras = asked.fields
    assert (name.label, name.description, name.required, name.least, name.most) == (
        "Name",
        "Who?",
        True,
        2,
        9,
    )
    assert (mail.format, mail.default, mail.required) == ("email", "a@example.com", False)
    assert (share.least, share.most, guests.default, agree.default) == (0, 1.5, 2, False)
    assert [(each.value, each.title) for each in size.choices] == [("S", "S"), ("M", "M")]
    assert [(each.value, each.title) for each in when.choices] == [("am", "Morning"), ("pm", "Evening")]
    assert ([each.value for each in extras.choices], extras.least, extras.most) == (["a", "b"], 1, 2)


@pytest.mark.parametrize(
    "shape",
    [
        {"type": "string", "enum": ["a", "b"], "enumNames": ["Alpha", "Beta"]},
        {"enum": ["a", "b"], "enumNames": ["Alpha", "Beta"]},
        {"type": "string", "oneOf": [{"const": "a", "title": "Alpha"}, {"const": "b", "title": "Beta"}]},
        {
            "type": "array",
            "items": {"anyOf": [{"const": "a", "title": "Alpha"}, {"const": "b", "title": "Beta"}]},
        },
    ],
)
def test_titles_of_choices_are_read_in_every_notation(shape: dict[str, Json]) -> None:
    (only,) = question(a=shape).fields
    assert [(each.value, each.label) for each in only.choices] == [("a", "Alpha"), ("b", "Beta")]


def test_choices_that_look_alike_or_like_nothing_are_numbered() -> None:
    (only,) = question(a={"enum": ["x", "X", "\u200b", "y" * 90]}).fields
    assert [each.label for each in only.choices] == ["x", "2. X", "3. nothing", "y" * 79 + "…"]


def test_one_choice_and_yes_or_no_are_answered_by_buttons() -> None:
    assert [each.label for each in question(size=choice("S", "M")).choices or ()] == ["S", "M"]
    assert question(size=choice("S", "M")).picked(1) == {"size": "M"}
    assert [each.label for each in question(agree={"type": "boolean"}).choices or ()] == ["Yes", "No"]
    assert question(agree={"type": "boolean"}).picked(1) == {"agree": False}
    assert question(size=choice("S", "M")).picked(2) is None
    assert question(size=choice("S", "M")).picked(-1) is None


def test_a_question_without_fields_has_one_button_to_go_on() -> None:
    empty = question()
    assert [each.label for each in empty.choices or ()] == ["OK"]
    assert empty.picked(0) == {}
    assert problems(empty, {}) == ()


@pytest.mark.parametrize(
    "asked",
    [
        question(name=TEXT),
        question(extras=choices("a", "b")),
        question(size=choice("S", "M"), agree={"type": "boolean"}),
        question(n=choice(*map(str, range(25)))),
    ],
)
def test_anything_else_takes_a_form(asked: Question) -> None:
    assert asked.choices is None
    assert asked.picked(0) is None


def test_skip_has_room_beside_twenty_four_choices() -> None:
    assert len(question(n=choice(*map(str, range(24)))).choices or ()) == 24


def test_a_form_has_pages_of_five_fields_and_at_most_ten_fields() -> None:
    read = made({f"f{number}": TEXT for number in range(10)})
    assert [len(page) for page in read.pages] == [5, 5]
    assert "more than 10" in refusal({f"f{number}": TEXT for number in range(11)})


@pytest.mark.parametrize(
    "shape",
    [
        {"type": "object", "properties": {"b": {"type": "string"}}},
        {"type": "array", "items": {"type": "string"}},
        {"type": "array"},
        {"type": "array", "items": {"type": "array", "items": {"enum": ["a"]}}},
        {"type": "null"},
        {"type": ["string", "null"]},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"$ref": "#/properties/b"},
        {"type": "string", "enum": [1, 2]},
        {"type": "string", "enum": []},
        {"type": "string", "oneOf": [{"const": "a"}, True]},
        {"type": "string", "enum": ["a", "a"]},
        {"type": "string", "minLength": 3, "maxLength": 2},
        {"type": "string", "minLength": 4_001},
        {"type": "integer", "minimum": 3, "maximum": 2},
        choices("a", minItems=2),
        {},
        True,
        {"type": "string", "description": "x" * 70_000},
        {"type": "string", "minLength": -1},
    ],
)
def test_a_question_that_cannot_be_shown_or_answered_fails_the_task(shape: Json) -> None:
    assert failure(a=shape).startswith("That did not work: the trick asked ")


def test_a_field_that_is_demanded_but_not_there_fails_the_task() -> None:
    assert "no answer fits" in failure("b", a=TEXT)


@pytest.mark.parametrize(
    "asked",
    [
        {"api_key": TEXT},
        {"a": {"type": "string", "title": "Your password"}},
        {"a": {"type": "string", "description": "The token of your bot"}},
        {"a": {"type": "string", "format": "password"}},
        {"a": {"type": "string", "writeOnly": True}},
        {"a": TEXT, "pin": {"type": "integer"}},
        {"digit": {**choice("1", "2"), "title": "First digit of the PIN"}},
    ],
)
def test_a_form_that_asks_for_a_secret_fails_the_task(asked: dict[str, Json]) -> None:
    assert "password, token or key" in refusal(asked)


def test_the_words_of_the_whole_form_are_judged_too() -> None:
    assert "password, token or key" in failure(message="What is your password?", a=TEXT)
    with pytest.raises(TaskFailed):
        read_question("Tell me", {"type": "object", "title": "Credentials", "properties": {"a": TEXT}})


def test_yes_and_no_give_no_secret_away() -> None:
    assert question(message="Shall I reset the password?", reset_password={"type": "boolean"}).choices


def test_what_is_not_judged_is_not_kept() -> None:
    read = question(message="x " * 3_000 + "password", a=TEXT)
    assert len(read.message) == 4_000
    assert "password" not in read.message


def test_a_default_that_does_not_fit_is_none() -> None:
    read = question(a={"type": "integer", "default": "3"}, b={**choice("x"), "default": "y"})
    assert [asked.default for asked in read.fields] == [None, None]


@pytest.mark.parametrize(
    ("title", "name", "label"),
    [
        ("Your name", "n", "Your name"),
        ("", "guest_count", "guest count"),
        ("\u200b\u3164", "\u2800", "Answer"),
        ("two\nlines\u202e", "n", "two lines"),
        ("t" * 50, "n", "t" * 44 + "…"),
    ],
)
def test_a_label_is_one_legible_line_and_never_empty(title: str, name: str, label: str) -> None:
    (only,) = made({name: {"type": "string", "title": title}}).fields
    assert only.label == label


def test_problems_name_the_label_and_never_the_value() -> None:
    asked = question(
        "n",
        n={"type": "integer", "title": "Guests", "minimum": 1},
        mail={"type": "string", "format": "email"},
        when={"type": "string", "format": "date"},
    )
    told = problems(asked, {"n": 0, "mail": "hunter2", "when": "2026-02-30", "more": "hunter2"})
    assert "`Guests` has to be at least 1." in told
    assert "`mail` has to be an e-mail address." in told
    assert "`when` has to be a date like 2026-07-28." in told
    assert "There is no input `more`." in told
    assert "hunter2" not in " ".join(told)
    assert problems(asked, {}) == ("`Guests` is missing.",)
    assert problems(asked, {"n": 10**400, "when": "2026-02-28"}) == ()


def test_what_cannot_be_sent_is_a_problem() -> None:
    asked = question(a=TEXT, n={"type": "number"})
    assert problems(asked, {"a": "\ud800"})
    assert problems(asked, {"n": float("nan")})


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYWORDS = st.sampled_from(
    [
        *(
            "type",
            "enum",
            "enumNames",
            "oneOf",
            "anyOf",
            "const",
            "title",
            "description",
            "default",
            "format",
        ),
        *("minLength", "maxLength", "minimum", "maximum", "items", "minItems", "maxItems", "$ref", "pattern"),
    ]
)
WORDS = st.sampled_from(
    ["string", "number", "integer", "boolean", "array", "object", "email", "date", "#", "a"]
)
SHAPES = st.recursive(
    ANYTHING | WORDS | st.lists(WORDS, max_size=3),
    lambda inner: st.dictionaries(KEYWORDS, inner | st.lists(inner, max_size=3), max_size=5),
    max_leaves=12,
)


def read(message: str, schema: Any) -> Question | None:
    """The question, or None for a failed task; nothing else may come out."""
    try:
        return read_question(message, schema)
    except TaskFailed:
        return None


@given(
    st.text(max_size=30),
    st.dictionaries(st.text(max_size=5), SHAPES, max_size=12),
    st.just([]) | st.lists(st.text(max_size=5)) | ANYTHING,
)
def test_of_any_json_only_a_question_or_a_failed_task_comes_out(
    message: str, props: Any, required: Any
) -> None:
    found = read(message, {"type": "object", "properties": props, "required": required})
    assert found is None or (len(found.fields) == len(props) <= 10)


@given(st.dictionaries(st.text(max_size=5) | st.sampled_from(["type", "properties"]), ANYTHING))
def test_what_is_no_form_at_all_fails_the_task(schema: Any) -> None:
    assert read("", schema) is None


@given(any_property())
def test_what_fits_and_what_buttons_offer_passes(built: tuple[dict[str, Any], Any]) -> None:
    prop, value = built
    asked = read("?", {"type": "object", "properties": {"a": prop}, "required": ["a"]})
    if asked is None:
        assert any(names_secret(prop.get(keyword, "")) for keyword in ("title", "description"))
        return
    assert problems(asked, {"a": value}) == ()
    for index, each in enumerate(asked.choices or ()):
        assert 0 < len(each.label) <= 80
        assert problems(asked, asked.picked(index) or {}) == ()
