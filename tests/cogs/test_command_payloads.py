"""Slash commands on the wire: what they look like, and that nothing Discord refuses gets past our check."""

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.manifest import Choice, Command, Option, OptionType
from bot.strict_json import Json
from cogs.command_payloads import CommandPayload, OptionPayload, payload_hash, payload_problems, slash_payload
from cogs.options import effective_options
from tests.support.discord_limits import refusals
from tests.support.options import TYPES, command, names, option, schema, wanted


def payload(name: str = "snacks", *options: OptionPayload, description: str = "Lists them") -> CommandPayload:
    return {"type": 1, "name": name, "description": description, "options": list(options)}


def part(**changes: Any) -> OptionPayload:
    usual = {"type": 3, "name": "size", "description": "How large", "required": False}
    return cast("OptionPayload", usual | changes)


def choice(name: str, value: Any) -> dict[str, Any]:
    return {"name": name, "value": value}


def test_a_command_becomes_discords_payload_with_its_required_options_first() -> None:
    options = (
        option("count", "integer", minimum=1, maximum=10),
        option("price", "number", minimum=0.5),
        option("size", required=True, choices=(("Small ", "s"), ("Large", "l")), min_length=1),
        option("who", "user", required=True),
        option("note", min_length=0, max_length=80),
        option("loud", "boolean"),
        option("where", "channel"),
        option("role", "role"),
    )
    shared = {"description": "What it is", "required": False}
    assert slash_payload(command(description=" Lists the snacks "), options) == {
        "type": 1,
        "name": "snacks",
        "description": "Lists the snacks",
        "options": [
            {
                "type": 3,
                "name": "size",
                "description": "What it is",
                "required": True,
                "choices": [{"name": "Small", "value": "s"}, {"name": "Large", "value": "l"}],
            },
            {"type": 6, "name": "who", "description": "What it is", "required": True},
            shared | {"type": 4, "name": "count", "min_value": 1, "max_value": 10},
            shared | {"type": 10, "name": "price", "min_value": 0.5},
            shared | {"type": 3, "name": "note", "min_length": 0, "max_length": 80},
            shared | {"type": 5, "name": "loud"},
            shared | {"type": 7, "name": "where"},
            shared | {"type": 8, "name": "role"},
        ],
    }


@pytest.mark.parametrize(
    "fine",
    [
        payload("o'neil-2_x"),
        payload("नमस्ते"),
        payload("น้ำ"),
        payload("寿司"),
        payload("x" * 32, description="x" * 100),
        payload("a", *(part(name=f"o{number}") for number in range(25))),
        payload("a", part(choices=[choice(str(number), f"{number}") for number in range(25)])),
        payload("a", part(choices=[choice("x" * 100, "y" * 100)])),
        payload("a", part(type=4, min_value=-(2**53) + 1, max_value=2**53 - 1)),
        payload("a", part(type=10, min_value=-(2**53), max_value=2**53)),
        payload("a", part(min_length=0, max_length=6000)),
    ],
)
def test_what_discord_takes_is_no_problem(fine: CommandPayload) -> None:
    assert payload_problems([fine]) == []
    assert refusals([fine]) == []


@pytest.mark.parametrize(
    ("bad", "word"),
    [
        (payload(""), "name"),
        (payload("x" * 33), "name"),
        (payload("two words"), "name"),
        (payload("Snacks"), "name"),
        (payload("a/b"), "name"),
        (payload(description="  "), "description"),
        (payload(description="x" * 101), "description"),
        (payload("a", *(part(name=f"o{number}") for number in range(26))), "25 options"),
        (payload("a", part(), part()), "2 times"),
        (payload("a", part(name="a"), part(name="b", required=True)), "required option behind"),
        (payload("a", part(name="Größe")), "name"),
        (payload("a", part(description="")), "description"),
        (payload("a", part(type=11)), "unknown type"),
        (payload("a", part(choices=[choice(str(n), str(n)) for n in range(26)])), "25 choices"),
        (payload("a", part(choices=[choice(" ", "a")])), "choice whose name"),
        (payload("a", part(choices=[choice("x" * 101, "a")])), "choice whose name"),
        (payload("a", part(choices=[choice("a", "x" * 101)])), "choice whose value"),
        (payload("a", part(choices=[choice("a", 1)])), "choice whose value"),
        (payload("a", part(type=4, choices=[choice("a", 2**53)])), "choice whose value"),
        (payload("a", part(type=4, choices=[choice("a", 1.5)])), "choice whose value"),
        (payload("a", part(type=4, choices=[choice("a", True)])), "choice whose value"),
        (payload("a", part(type=5, choices=[choice("a", 1)])), "choice whose value"),
        (payload("a", part(choices=[choice("a", "a"), choice("a", "b")])), "same name"),
        (payload("a", part(choices=[choice("a", "a"), choice("b", "a")])), "same value"),
        (payload("a", part(type=4, max_value=2**53)), "range"),
        (payload("a", part(type=10, min_value=-(2**53) - 1)), "range"),
        (payload("a", part(type=4, min_value=2, max_value=1)), "above its maximum"),
        (payload("a", part(min_value=2)), "minimum or maximum"),
        (payload("a", part(type=4, min_value=2, choices=[choice("a", 3)])), "minimum or maximum"),
        (payload("a", part(type=4, min_length=2)), "limits of length"),
        (payload("a", part(max_length=0)), "limits of length"),
        (payload("a", part(min_length=6001)), "limits of length"),
        (payload("a", part(min_length=3, max_length=2)), "above its longest"),
        (
            payload("a", *(part(name=f"o{n}", choices=[choice("x" * 99, "y" * 99)] * 2) for n in range(25))),
            "8,000",
        ),
    ],
)
def test_what_discord_refuses_is_told_with_the_commands_name(bad: CommandPayload, word: str) -> None:
    assert refusals([bad])
    found = payload_problems([payload("fine"), bad])
    assert found
    assert all(
        index == 1 and sentence.startswith("`/") and sentence.endswith(".") for index, sentence in found
    )
    assert any(word in sentence for _, sentence in found)


def test_every_problem_of_a_command_is_told() -> None:
    assert payload_problems([payload("Bad", part(description=""), description="")]) == [
        (0, "`/Bad` has a name that Discord does not allow."),
        (0, "`/Bad` needs a description of 1 to 100 characters."),
        (0, "`/Bad` has an option `size` whose description is not of 1 to 100 characters."),
    ]


def test_the_second_command_of_a_name_and_the_hundred_and_first_are_left_out() -> None:
    many = [payload(f"c{number}") for number in range(99)]
    assert payload_problems([*many, payload("c0"), payload("x"), payload("y")]) == [
        (99, "`/c0` has the name of another command."),
        (101, "`/y` is one more than the 100 commands that a server has room for."),
    ]


def test_a_refused_command_takes_neither_a_name_nor_a_place() -> None:
    bad = payload("c0", description="")
    found = payload_problems([bad, *(payload(f"c{number}") for number in range(100))])
    assert {index for index, _ in found} == {0}


def test_the_hash_changes_with_the_commands_and_not_with_their_order() -> None:
    first, second = payload("a"), payload("b", part(type=4, min_value=1))
    assert payload_hash([first, second]) == payload_hash([second, first])
    assert payload_hash([first, second]) != payload_hash([first])
    assert payload_hash([payload("a", part())]) != payload_hash([payload("a", part(required=True))])
    assert payload_hash([]) == "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"


texts = st.sampled_from(["", " ", "x", "x" * 100, "x" * 101, "Wörter", "😀" * 51]) | st.text(max_size=12)
labels = names | st.sampled_from(["", "x" * 33, "Upper", "a b", "ß", "o'neil", "नमस्ते"])
numbers = st.sampled_from([0, 1, -1, 2**53 - 1, 2**53, 2**53 + 1, -(2**53), 0.5, 1e300]) | st.integers(-9, 9)


@st.composite
def option_payloads(draw: st.DrawFn) -> OptionPayload:
    made = part(
        type=draw(st.integers(2, 11)),
        name=draw(labels),
        description=draw(texts),
        required=draw(st.booleans()),
    )
    if draw(st.booleans()):
        listed = st.builds(choice, texts, texts | numbers | st.booleans())
        made["choices"] = draw(st.lists(listed, max_size=27))  # pyright: ignore[reportGeneralTypeIssues]
    keys = draw(st.sets(st.sampled_from(["min_value", "max_value", "min_length", "max_length"]), max_size=2))
    lengths = st.integers(-1, 6001)
    extra = {key: draw(numbers if key.endswith("value") else lengths) for key in sorted(keys)}
    return cast("OptionPayload", made | extra)


@st.composite
def command_payloads(draw: st.DrawFn) -> CommandPayload:
    options = draw(st.lists(option_payloads(), max_size=3))
    return payload(draw(labels), *options, description=draw(texts))


@given(st.lists(command_payloads(), max_size=5))
def test_without_the_commands_that_have_problems_discord_takes_the_rest(made: list[CommandPayload]) -> None:
    bad = {index for index, _ in payload_problems(made)}
    kept = [each for index, each in enumerate(made) if index not in bad]
    assert refusals(kept) == []
    assert payload_problems(kept) == []


@st.composite
def manifest_options(draw: st.DrawFn, kind: OptionType) -> Option:
    found = wanted(draw(names), kind)
    if kind not in ("string", "integer", "number"):
        return found
    values = (
        st.text("abc ", min_size=1, max_size=100).filter(str.strip)
        if kind == "string"
        else st.integers(-9, 9)
    )
    listed = draw(st.lists(values, max_size=25, unique=True))
    choices = tuple(Choice(name=f"{index} {value}"[:100], value=value) for index, value in enumerate(listed))
    return found.model_copy(update={"choices": choices, "required": draw(st.booleans())})


manifest_commands = st.lists(
    st.sampled_from(TYPES).flatmap(manifest_options), max_size=8, unique_by=lambda found: found.name
).map(lambda options: Command(name="snacks", description="Lists them", tool="menu", options=tuple(options)))

property_schemas = st.fixed_dictionaries(
    {},
    optional={
        "enum": st.lists(texts | numbers, max_size=27),
        "minimum": numbers,
        "exclusiveMaximum": numbers,
        "minLength": st.integers(-1, 7000),
        "maxLength": st.integers(-1, 7000),
        "oneOf": st.lists(st.fixed_dictionaries({"const": texts | numbers, "title": texts}), max_size=4),
    },
)


@given(manifest_commands, st.lists(property_schemas, min_size=8, max_size=8))
def test_any_command_with_any_schema_makes_a_payload_that_discord_takes(
    made: Command, found: list[Json]
) -> None:
    properties: dict[str, Json] = {each.name: node for each, node in zip(made.options, found, strict=False)}
    written = slash_payload(made, effective_options(made, schema(**properties)))
    assert payload_problems([written]) == []
    assert refusals([written]) == []
