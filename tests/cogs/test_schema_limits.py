"""What an input schema leaves of an option."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.manifest import OptionType
from bot.manifest.commands import ChoiceValue
from bot.strict_json import Json
from cogs.schema_limits import Choices, Limits, Narrowing, narrowing
from tests.support.options import TYPES, schema

json_values: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "enum",
                    "const",
                    "anyOf",
                    "oneOf",
                    "allOf",
                    "$ref",
                    "type",
                    "title",
                    "minimum",
                    "maximum",
                    "exclusiveMinimum",
                    "exclusiveMaximum",
                    "minLength",
                    "maxLength",
                    "properties",
                    "x",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


def narrow(property_schema: Json, kind: OptionType) -> Narrowing:
    return narrowing(schema(x=property_schema), "x", kind)


def values(choices: Choices) -> list[ChoiceValue]:
    return [value for _, value in choices]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"minimum": 1, "maximum": 9}, Limits(1, 9)),
        ({"exclusiveMinimum": 1, "exclusiveMaximum": 9}, Limits(2, 8)),
        ({"minimum": 1.5, "maximum": 8.5}, Limits(2, 8)),
        ({"exclusiveMinimum": 1.5, "exclusiveMaximum": 8.5}, Limits(2, 8)),
        ({"minimum": 0, "exclusiveMinimum": 3}, Limits(4, None)),
        ({"minimum": -(2**60), "maximum": 10**399}, Limits(-(2**53) + 1, 2**53 - 1)),
        ({"allOf": [{"minimum": 2}, {"maximum": 5}], "minimum": 1}, Limits(2, 5)),
        ({"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]}, Limits(3, None)),
        ({"oneOf": [{"type": ["integer", "null"], "maximum": 3}, {"const": None}]}, Limits(None, 3)),
        ({"anyOf": [{"minimum": 3}, {"maximum": 1}]}, Limits()),
        ({"minimum": 9, "maximum": 1}, Limits()),
        ({"minimum": "1", "maximum": True, "exclusiveMinimum": True}, Limits()),
        ({"minLength": 3, "maxLength": 5}, Limits()),
        (True, Limits()),
        (None, Limits()),
    ],
)
def test_an_integer_takes_its_limits_from_the_schema(found: Json, expected: Limits) -> None:
    assert narrow(found, "integer").limits == expected


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"minimum": 0.5, "maximum": 9}, Limits(0.5, 9)),
        ({"exclusiveMinimum": 0.5, "exclusiveMaximum": 9}, Limits(0.5, 9)),
        ({"minimum": -1e300, "maximum": 1e300}, Limits(-(2**53), 2**53)),
    ],
)
def test_a_number_takes_its_limits_from_the_schema(found: Json, expected: Limits) -> None:
    assert narrow(found, "number").limits == expected


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"minLength": 2, "maxLength": 5}, Limits(min_length=2, max_length=5)),
        ({"minLength": 0, "maxLength": 0}, Limits(min_length=0, max_length=1)),
        ({"minLength": -3, "maxLength": 10**20}, Limits(min_length=0, max_length=6000)),
        ({"minLength": 5, "maxLength": 2}, Limits()),
        ({"minimum": 5}, Limits()),
    ],
)
def test_a_string_takes_its_lengths_from_the_schema(found: Json, expected: Limits) -> None:
    assert narrow(found, "string").limits == expected


@pytest.mark.parametrize("kind", ["boolean", "user", "channel", "role"])
def test_types_without_limits_take_none(kind: OptionType) -> None:
    assert narrow({"enum": ["1"], "minLength": 3, "minimum": 2}, kind) == Narrowing(kind)


@pytest.mark.parametrize(
    ("found", "kind", "expected"),
    [
        ({"enum": ["red", "green"]}, "string", (("red", "red"), ("green", "green"))),
        ({"enum": ["red", None, 3, "red"]}, "string", (("red", "red"),)),
        ({"enum": [1, 2.0, True, 2.5, "3"]}, "integer", (("1", 1), ("2", 2))),
        ({"enum": [0.5, 1]}, "number", (("0.5", 0.5), ("1", 1))),
        ({"const": "red"}, "string", (("red", "red"),)),
        ({"const": "red", "title": "Red like wine"}, "string", (("Red like wine", "red"),)),
        ({"oneOf": [{"const": 1, "title": "One"}, {"const": 2}]}, "integer", (("One", 1), ("2", 2))),
        (
            {"anyOf": [{"const": "a", "title": "X"}, {"const": "b", "title": "X "}]},
            "string",
            (("a", "a"), ("b", "b")),
        ),
        ({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, "string", (("a", "a"),)),
        ({"anyOf": [{"const": "a"}, {"type": "string"}]}, "string", ()),
        ({"enum": ["a", "b", "c"], "allOf": [{"enum": ["c", "a"]}]}, "string", (("a", "a"), ("c", "c"))),
        ({"enum": ["a", "bbb"], "minLength": 2}, "string", (("bbb", "bbb"),)),
        ({"enum": [1, 5, 9], "exclusiveMinimum": 1, "maximum": 5}, "integer", (("5", 5),)),
        ({"enum": []}, "string", ()),
    ],
)
def test_the_values_that_a_schema_lists_are_offered(found: Json, kind: OptionType, expected: Choices) -> None:
    assert narrow(found, kind).offered() == expected


@pytest.mark.parametrize(
    "listed",
    [
        [str(number) for number in range(26)],
        ["a", ""],
        ["a", "b" * 101],
        ["a", " b"],
        ["a", "b\nc"],
        ["a", "b\u200bc"],
    ],
)
def test_a_list_is_not_offered_when_one_of_its_values_cannot_be_a_choice(listed: list[Json]) -> None:
    assert narrow({"enum": listed}, "string").offered() == ()


def test_twenty_five_values_are_offered() -> None:
    assert len(narrow({"enum": [str(number) for number in range(25)]}, "string").offered()) == 25


def test_numbers_beyond_what_discord_takes_are_not_offered() -> None:
    assert narrow({"enum": [1, 2**53]}, "integer").offered() == ()


def test_a_local_reference_is_followed() -> None:
    root = schema(x={"$ref": "#/$defs/A~1B~0%20"})
    root["$defs"] = {"A/B~ ": {"enum": ["red"]}}
    assert narrowing(root, "x", "string").offered() == (("red", "red"),)


@pytest.mark.parametrize("reference", ["#/$defs/none", "#/type/x", "https://example.com/a", "#", 3])
def test_a_reference_that_leads_nowhere_narrows_nothing(reference: Json) -> None:
    assert narrow({"$ref": reference}, "string") == Narrowing("string")


def test_references_in_a_circle_end() -> None:
    again: list[Json] = [{"$ref": "#/properties/x"}] * 20
    assert narrow({"allOf": again, "enum": ["a"]}, "string").offered() == (("a", "a"),)


def test_the_manifests_choices_are_kept_as_far_as_the_schema_takes_them() -> None:
    own = (("Red", "red"), ("Blue", "blue"), ("Nothing", ""))
    assert values(narrow({"enum": ["red", "green"]}, "string").admitted(own)) == ["red"]
    assert values(narrow({"minLength": 4}, "string").admitted(own)) == ["blue"]
    assert narrow({}, "string").admitted(own) == own


@given(json_values, json_values, st.sampled_from(TYPES))
def test_any_schema_narrows_to_something_that_discord_takes(
    node: Json, definition: Json, kind: OptionType
) -> None:
    found = narrowing(schema(x=node) | {"x": definition}, "x", kind)
    limits, choices = found.limits, found.offered()
    assert len(choices) <= 25
    assert len(set(values(choices))) == len({name.strip() for name, _ in choices}) == len(choices)
    assert all(limits.admit(value) for value in values(choices))
    for low, high in ((limits.minimum, limits.maximum), (limits.min_length, limits.max_length)):
        assert low is None or high is None or low <= high
