"""Discord's rules for commands, one broken at a time."""

from typing import Any

import pytest

from tests.support.bridge.command_limits import bulk_command_errors, command_errors, count_problem

LONG_CHOICES = [{"name": f"{number}{'x' * 90}", "value": "y" * 90} for number in range(25)]


def command(**changes: Any) -> dict[str, Any]:
    return {"name": "snacks", "description": "What there is", **changes}


def option(**changes: Any) -> dict[str, Any]:
    return {"name": "count", "description": "How many", "type": 4, **changes}


def codes(tree: dict[str, Any], path: str = "") -> list[tuple[str, str]]:
    """Every error of the tree as (path, code)."""
    found = [(path, error["code"]) for error in tree.get("_errors", [])]
    for key, inner in tree.items():
        if key != "_errors":
            found += codes(inner, f"{path}.{key}".lstrip("."))
    return found


@pytest.mark.parametrize(
    "good",
    [
        command(),
        command(name="x" * 32, description="x" * 100),
        command(name="o'neil-2_ü"),
        command(name="सूची"),
        command(options=[option(name=f"o{number}") for number in range(25)]),
        command(options=[option(required=True), option(name="b")]),
        command(options=[option(choices=[{"name": f"c{n}", "value": n} for n in range(25)])]),
        command(options=[option(min_value=-1, max_value=2**53)]),
        command(options=[option(type=3, min_length=0, max_length=6000)]),
        command(options=[option(type=1, options=[option()])]),
        {"type": 2, "name": "Wave At"},
    ],
)
def test_what_is_allowed(good: dict[str, Any]) -> None:
    assert command_errors(good) == {}


@pytest.mark.parametrize(
    ("bad", "expected"),
    [
        (command(name=""), ("name", "BASE_TYPE_REQUIRED")),
        (command(name="x" * 33), ("name", "BASE_TYPE_BAD_LENGTH")),
        (command(name="Snacks"), ("name", "APPLICATION_COMMAND_INVALID_NAME")),
        (command(name="two words"), ("name", "APPLICATION_COMMAND_INVALID_NAME")),
        (command(description=""), ("description", "BASE_TYPE_REQUIRED")),
        (command(description="x" * 101), ("description", "BASE_TYPE_BAD_LENGTH")),
        (command(options=[option(name=f"o{n}") for n in range(26)]), ("options", "BASE_TYPE_MAX_LENGTH")),
        (command(options=[option(type=12)]), ("options.0.type", "BASE_TYPE_CHOICES")),
        (
            command(options=[option(), option()]),
            ("options.1.name", "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS"),
        ),
        (
            command(options=[option(), option(name="b", required=True)]),
            ("options.1", "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID"),
        ),
        (
            command(options=[option(choices=[{"name": f"c{n}", "value": n} for n in range(26)])]),
            ("options.0.choices", "BASE_TYPE_MAX_LENGTH"),
        ),
        (
            command(options=[option(choices=[{"name": "a", "value": "1"}])]),
            ("options.0.choices.0.value", "APPLICATION_COMMAND_OPTIONS_CHOICE_VALUE_INVALID"),
        ),
        (
            command(options=[option(type=3, choices=[{"name": "a", "value": "x" * 101}])]),
            ("options.0.choices.0.value", "APPLICATION_COMMAND_OPTIONS_CHOICE_VALUE_INVALID"),
        ),
        (
            command(options=[option(choices=[{"name": "a", "value": 1}], autocomplete=True)]),
            ("options.0.choices", "APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID"),
        ),
        (
            command(options=[option(max_length=5)]),
            ("options.0.max_length", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID"),
        ),
        (
            command(options=[option(min_value=3, max_value=2)]),
            ("options.0.min_value", "APPLICATION_COMMAND_OPTIONS_RANGE_INVALID"),
        ),
        (command(options=[option(type=3, max_length=6001)]), ("options.0.max_length", "NUMBER_TYPE_MAX")),
        (command(options=[option(type=3, max_length=0)]), ("options.0.max_length", "NUMBER_TYPE_MIN")),
        (command(options=[option(max_value=2**53 + 1)]), ("options.0.max_value", "NUMBER_TYPE_COERCE")),
        (
            command(options=[option(type=3, name=f"o{n}", choices=LONG_CHOICES) for n in range(2)]),
            ("", "APPLICATION_COMMAND_TOO_LARGE"),
        ),
        (
            {"type": 3, "name": "Keep", "description": "no"},
            ("description", "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_NOT_ALLOWED"),
        ),
    ],
)
def test_what_is_refused(bad: dict[str, Any], expected: tuple[str, str]) -> None:
    assert codes(command_errors(bad)) == [expected]


def test_two_commands_of_one_name_are_refused_by_index() -> None:
    tree = bulk_command_errors([command(), command(), {"type": 2, "name": "snacks"}])
    assert codes(tree) == [("1.name", "APPLICATION_COMMANDS_DUPLICATE_NAME")]


def test_each_kind_has_its_own_number_of_commands() -> None:
    slash = [command(name=f"c{number}") for number in range(100)]
    menus: list[dict[str, Any]] = [{"type": 2, "name": f"m{number}"} for number in range(15)]
    assert count_problem(slash + menus) is None
    assert count_problem([*slash, command()]) == "Maximum number of application commands reached (100)"
    assert count_problem([*menus, {"type": 2, "name": "m"}]) is not None
