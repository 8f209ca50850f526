"""A question in fixed words, and as data."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.errors import TaskFailed
from bot.strict_json import dump
from bot.tasks.wording import describe, for_model
from bot.text import length
from tests.bot.tasks.asking import choice, choices, made, question
from tests.bot.tasks.asking import properties as any_property


def test_the_tricks_words_are_quoted_in_a_code_block_that_they_cannot_leave() -> None:
    told = describe(question(message="```\n@everyone **now** <@1>", a={"type": "string"}))
    outside = "".join(told.split("```")[::2])
    assert told.count("```") == 4
    assert "everyone" not in outside
    assert "@everyone" in told
    assert outside.startswith("Before this can go on, a question has to be answered:")


def test_choices_are_listed_with_their_numbers() -> None:
    told = describe(question(size=choice(s="Small", m="Medium")))
    assert "1. Small\n2. Medium" in told


def test_the_fields_of_a_form_are_listed() -> None:
    told = describe(
        question(
            "n", n={"type": "integer", "title": "Guests", "description": "All\nof you"}, b={"type": "string"}
        )
    )
    assert "Guests: All of you\nb (optional)" in told


def test_a_question_without_words_is_still_one() -> None:
    assert describe(question(message=" \u200b\n")).startswith("An answer is needed first.")


def test_the_model_gets_exact_names_and_values() -> None:
    asked = question(
        "size",
        message="Which\u200b one?",
        size=choice(s="Small", m="Medium"),
        extras={**choices("a", "b", maxItems=2), "default": ["a"]},
        mail={"type": "string", "format": "email", "maxLength": 9},
    )
    assert for_model(asked) == {
        "message": "Which one?",
        "fields": [
            {
                "name": "size",
                "kind": "choice",
                "required": True,
                "choices": [{"value": "s", "title": "Small"}, {"value": "m", "title": "Medium"}],
            },
            {
                "name": "extras",
                "kind": "choices",
                "required": False,
                "default": ["a"],
                "maxItems": 2,
                "choices": [{"value": "a", "title": "a"}, {"value": "b", "title": "b"}],
            },
            {"name": "mail", "kind": "text", "required": False, "format": "email", "maxLength": 9},
        ],
    }


@given(
    st.text(max_size=40) | st.text(max_size=3).map(lambda piece: piece * 2_000),
    st.lists(any_property(), max_size=10),
)
def test_whatever_is_asked_can_be_told(message: str, built: list[tuple[dict[str, Any], Any]]) -> None:
    try:
        asked = made({f"f{number}": prop for number, (prop, _) in enumerate(built)}, message=message)
    except TaskFailed:
        return
    told = describe(asked)
    assert 0 < length(told) <= 1_500
    assert told.endswith("in your own words.")
    assert dump(for_model(asked))
