"""What is told about arguments that do not fit the schema of a tool."""

from typing import Any

import pytest

from bot.mcp.schemas import ArgumentChecker, argument_problems


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("rule", "value", "sentence"),
    [
        ({"type": "integer"}, "x", "`a` has to be a whole number."),
        ({"type": ["boolean", "null"]}, "x", "`a` has to be true or false or nothing."),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "x", "`a` has to be a whole number or nothing."),
        ({"enum": ["red", "green"]}, "blue", "`a` has to be one of `red`, `green`."),
        ({"enum": list(range(50))}, 99, "`a` has to be one of the tool's choices."),
        ({"const": 5}, 6, "`a` has to be `5`."),
        ({"minimum": 2}, 1, "`a` has to be at least 2."),
        ({"maximum": 2}, 3, "`a` has to be at most 2."),
        ({"exclusiveMinimum": 0}, 0, "`a` has to be more than 0."),
        ({"exclusiveMaximum": 1.5}, 2, "`a` has to be less than 1.5."),
        ({"multipleOf": 5}, 7, "`a` has to be a multiple of 5."),
        ({"minLength": 3}, "xy", "`a` has to have at least 3 characters."),
        ({"maxLength": 1}, "xy", "`a` has to have at most 1 characters."),
        ({"pattern": "^y"}, "xy", "`a` does not have the right form."),
        ({"minItems": 2}, [], "`a` has to have at least 2 entries."),
        ({"maxItems": 0}, [1], "`a` has to have at most 0 entries."),
        ({"uniqueItems": True}, [1, 1], "`a` has the same entry more than once."),
        ({"items": {"type": "string"}}, ["x", 1], "`a[1]` has to be text."),
        ({"properties": {"b": {"type": "array"}}}, {"b": 1}, "`a.b` has to be a list."),
        ({"required": ["b"]}, {}, "`a.b` is missing."),
        ({"not": {"const": 1}}, 1, "`a` does not fit what the tool takes."),
        (False, 1, "`a` is not taken."),
        ({"type": "integer", "maximum": 10}, 10**399, "`a` has to be at most 10."),
    ],
)
def test_what_is_wrong_is_one_sentence_about_the_property(rule: Any, value: Any, sentence: str):
    assert argument_problems(of(a=rule), {"a": value}) == (sentence,)


def test_an_unknown_input_is_named():
    schema = {**of(a=True), "additionalProperties": False}
    assert argument_problems(schema, {"b": 1}) == ("There is no input `b`.",)


def test_at_most_five_problems_are_told():
    schema = of(**{f"p{n}": {"type": "string"} for n in range(20)})
    assert len(argument_problems(schema, {f"p{n}": n for n in range(20)})) == 5


def test_names_are_safe_to_show():
    schema = {**of(), "additionalProperties": False}
    (problem,) = argument_problems(schema, {"`@everyone\n\u202e" + "x" * 500: 1})
    assert len(problem) < 100
    assert problem.isprintable()
    assert problem.count("`") == 2


def test_formats_are_checked_where_it_is_asked_for():
    schema = of(a={"type": "string", "format": "email"})
    assert argument_problems(schema, {"a": "nobody"}) == ()
    assert argument_problems(schema, {"a": "nobody"}, formats=True) == ("`a` has to be an e-mail address.",)


def test_the_checker_judges_as_the_function_does_and_forgets_the_oldest():
    checker = ArgumentChecker(capacity=2)
    rules = {name: of(a={"type": name}) for name in ("string", "integer", "boolean")}
    for _ in range(3):
        for name, schema in rules.items():
            for value in ("x", 1, True):
                expected = argument_problems(schema, {"a": value})
                assert checker.argument_problems(schema, {"a": value}) == expected
                assert checker.argument_problems(schema, {"a": value}, key=name) == expected
