"""Words that are understood as they stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.strict_json import Json
from bot.tasks.literals import literal
from bot.tasks.questions import Question
from bot.typed import number
from tests.bot.tasks.asking import choice, choices, question

SIZES = question(size=choice(s="Small", m="Medium", l="Large"))
AGREE = question(agree={"type": "boolean"})
COUNT = question(n={"type": "integer"})
SHARE = question(n={"type": "number"})
NAME = question(name={"type": "string"})
EXTRAS = question(extras=choices("cheese", "ham", "salt, pepper"))


@pytest.mark.parametrize(
    "text", ["m", " M ", "medium", "Medium.", '"Medium"', "`m`", "“medium.”", "2", "2.", "'2'"]
)
def test_value_title_and_number_of_a_choice_are_understood(text: str) -> None:
    assert literal(SIZES, text, direct=False) == {"size": "m"}


@pytest.mark.parametrize("text", ["", ".", "0", "4", "-1", "2 or 3", "the medium one", "XL", "99999999", "²"])
def test_what_is_no_choice_is_left_to_the_model(text: str) -> None:
    assert literal(SIZES, text, direct=True) is None


def test_a_value_wins_over_a_title_and_a_title_over_a_number() -> None:
    asked = question(n=choice(**{"3": "one", "b": "3", "c": "1", "d": "four"}))
    assert literal(asked, "3", direct=False) == {"n": "3"}
    assert literal(asked, "1", direct=False) == {"n": "c"}
    assert literal(asked, "4", direct=False) == {"n": "d"}


def test_what_means_two_choices_alike_means_none_but_the_exact_one_is_meant() -> None:
    asked = question(n={"enum": ["a", "A", "b", "c"], "enumNames": ["x", "y", "same", "Same"]})
    assert literal(asked, "A", direct=False) == {"n": "A"}
    assert literal(asked, "'a'", direct=False) is None
    assert literal(asked, "SAME", direct=False) is None
    assert literal(asked, "Same", direct=False) == {"n": "c"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("yes", True), ("Yes.", True), ("Y", True), ("true", True), ("1", True), ("yeah", True)),
        *(("no", False), ("NO", False), ("nope", False), ("false", False), ("2", False), ('"no".', False)),
    ],
)
def test_yes_and_no_are_understood(text: str, value: bool) -> None:
    assert literal(AGREE, text, direct=False) == {"agree": value}


@pytest.mark.parametrize("text", ["maybe", "yes and no", "0", "3", "not really"])
def test_neither_yes_nor_no_is_left_to_the_model(text: str) -> None:
    assert literal(AGREE, text, direct=True) is None


def test_a_question_without_fields_is_agreed_to() -> None:
    assert literal(question(), "OK.", direct=False) == {}
    assert literal(question(), "no", direct=True) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(
            ("5", 5),
            ("5.", 5),
            ("+5", 5),
            ("-5", -5),
            ("−5", -5),
            (" `12` ", 12),
            ("9" * 400, int("9" * 400)),
        ),
        *(("2.5", 2.5), (".5", 0.5), ("3.0", 3), ("1e3", 1000), ("1e300", 1e300), ("５", 5)),
    ],
)
def test_numbers_are_understood(text: str, value: float) -> None:
    assert number(text) == value
    assert literal(SHARE, text, direct=False) == {"n": value}
    assert isinstance(number("3.0"), int)


@pytest.mark.parametrize(
    "text", ["five", "1,000", "3,5", "5 guests", "0x10", "1e999", "nan", "inf", "10²", "9" * 401, "1_0"]
)
def test_what_is_no_plain_number_is_left_to_the_model(text: str) -> None:
    assert literal(COUNT, text, direct=True) is None


def test_several_choices_stand_between_commas() -> None:
    assert literal(EXTRAS, "Ham, cheese,", direct=False) == {"extras": ["ham", "cheese"]}
    assert literal(EXTRAS, "2; 1\n2", direct=False) == {"extras": ["ham", "cheese"]}
    assert literal(EXTRAS, "salt, pepper", direct=False) == {"extras": ["salt, pepper"]}
    assert literal(EXTRAS, "ham, jam", direct=False) is None
    assert literal(EXTRAS, ",", direct=True) is None


def test_free_text_is_the_answer_only_in_a_direct_reply() -> None:
    assert literal(NAME, "  My “Cat”.\n", direct=True) == {"name": "My “Cat”."}
    assert literal(NAME, "My Cat", direct=False) is None
    assert literal(NAME, "  ", direct=True) is None


def test_a_text_of_a_format_is_taken_where_it_has_it() -> None:
    asked = question(mail={"type": "string", "format": "email"})
    assert literal(asked, "`a@example.com`.", direct=True) == {"mail": "a@example.com"}
    assert literal(asked, "a@example.com", direct=False) is None
    assert literal(asked, "it is a@example.com", direct=True) is None


def test_a_form_of_several_fields_is_left_to_the_model() -> None:
    assert literal(question(a=choice("x"), b=choice("x")), "x", direct=True) is None


ASKED: list[Question] = [SIZES, AGREE, COUNT, SHARE, NAME, EXTRAS, question()]


@given(st.sampled_from(ASKED), st.text(max_size=40), st.booleans())
def test_any_text_is_understood_or_is_not(asked: Question, text: str, direct: bool) -> None:
    found = literal(asked, text, direct)
    assert found is None or set(found) == {field.name for field in asked.fields}


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8), min_size=1, unique=True
    )
)
def test_every_value_written_exactly_is_understood(values: list[str]) -> None:
    asked = question(a=choice(*values))
    stripped = [value.strip() for value in values]
    for value in values:
        if value.strip() and stripped.count(value.strip()) == 1:
            assert literal(asked, value, direct=False) == {"a": value}


def test_a_great_many_choices_are_searched_at_once() -> None:
    values = [f"v{number}" for number in range(5_000)]
    text = ", ".join(values)[:4_000].rpartition(",")[0]
    found = literal(question(a=choices(*values)), text, direct=False)
    expected: list[Json] = [*text.split(", ")]
    assert found == {"a": expected}
