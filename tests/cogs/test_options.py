"""A command's options, what Discord sends for them, and the line that shows how to type them."""

import pytest

from bot.errors import BadArguments
from bot.manifest import Option
from bot.strict_json import Json
from cogs.command_payloads import payload_problems, slash_payload
from cogs.options import OptionSpec, effective_options, slash_arguments, usage_line
from tests.support.options import command, option, schema, wanted


def test_options_keep_their_order_and_take_limits_and_choices_from_the_schema() -> None:
    asked = command(wanted("size"), wanted("count", "integer"), wanted("note"), wanted("who", "user"))
    found = effective_options(
        asked,
        schema(
            size={"enum": ["small", "large"]},
            count={"type": "integer", "minimum": 1, "exclusiveMaximum": 11},
            note={"maxLength": 80},
            who={"type": "string", "minLength": 1},
        ),
    )
    assert found == (
        option("size", choices=(("small", "small"), ("large", "large"))),
        option("count", "integer", minimum=1, maximum=10),
        option("note", max_length=80),
        option("who", "user"),
    )


def test_the_manifests_choices_win_over_the_schemas() -> None:
    asked = command(wanted("size", "string", ("Small", "s"), ("Huge", "xxl")))
    (found,) = effective_options(asked, schema(size={"enum": ["s", "m", "l"]}))
    assert found.choices == (("Small", "s"),)


def test_the_schemas_values_are_offered_when_it_takes_none_of_the_manifests_choices() -> None:
    asked = command(wanted("size", "string", ("Huge", "xxl")))
    (found,) = effective_options(asked, schema(size={"enum": ["s", "m"]}))
    assert found.choices == (("s", "s"), ("m", "m"))


@pytest.mark.parametrize("found", [{}, {"properties": []}, {"properties": {"size": True}}])
def test_a_schema_that_says_nothing_about_an_option_leaves_it_as_it_is(found: dict[str, Json]) -> None:
    asked = Option(name="size", description="How large", type="string", required=True)
    assert effective_options(command(asked), found) == (
        OptionSpec("size", "How large", "string", required=True),
    )


def test_values_are_offered_only_while_the_command_has_room_for_their_text() -> None:
    names = [f"option{number}" for number in range(25)]
    long_list: Json = {"enum": [f"{number:02}{'x' * 90}" for number in range(25)]}
    asked = command(*(wanted(name) for name in names))
    found = effective_options(asked, schema(**dict.fromkeys(names, long_list)))
    assert [bool(each.choices) for each in found] == [True] + [False] * 24
    assert payload_problems([slash_payload(asked, found)]) == []


def test_values_from_discord_become_arguments_unchanged() -> None:
    options = (
        option("who", "user"),
        option("count", "integer"),
        option("price", "number"),
        option("loud", "boolean"),
    )
    given = [
        {"name": "who", "type": 6, "value": "1915883588174806058"},
        {"name": "count", "type": 4, "value": 2**53 - 1},
        {"name": "price", "type": 10, "value": 2.5},
        {"name": "loud", "type": 5, "value": False},
    ]
    assert slash_arguments(options, given) == {
        "who": "1915883588174806058",
        "count": 9007199254740991,
        "price": 2.5,
        "loud": False,
    }


def test_an_option_that_is_gone_is_left_out() -> None:
    assert slash_arguments((option("a"),), [{"name": "old", "type": 3, "value": "x"}]) == {}


def test_a_command_that_changed_under_the_members_hands_is_refused() -> None:
    options = (option("who", "user"), option("note", required=True))
    with pytest.raises(BadArguments) as told:
        slash_arguments(options, [{"name": "who", "type": 3, "value": "anybody"}])
    assert told.value.problems == ["`who` has just changed. Type the command again.", "`note` is missing."]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ((), "^snacks"),
        ((option("who", "user", required=True), option("note", required=True)), "^snacks <who> <note…>"),
        ((option("note", required=True), option("who", "user", required=True)), "^snacks <note> <who>"),
        (
            (
                option("loud", "boolean"),
                option("count", "integer"),
                option("note", required=True),
                option("to", "channel"),
            ),
            "^snacks <note…> [--loud] [--count=number] [--to=#channel]",
        ),
    ],
)
def test_the_usage_line_shows_how_to_type_a_command(options: tuple[OptionSpec, ...], line: str) -> None:
    assert usage_line("^", command(), options) == line


def test_the_usage_line_fits_between_two_backticks() -> None:
    line = usage_line("``", command(), [option(f"{'x' * 30}{number}") for number in range(25)])
    assert "`" not in line
    assert len(line) == 500
