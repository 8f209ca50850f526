from typing import Any

import pytest

from bot.manifest import Command
from tests.support.manifests import manifest_json, problems, read

OPTION = "commands[0].options[0]"


def with_command(**changes: Any) -> dict[str, Any]:
    return manifest_json(
        commands=[{"name": "snacks", "description": "See snacks", "tool": "snack_menu", **changes}]
    )


def with_option(**changes: Any) -> dict[str, Any]:
    return with_command(options=[option(**changes)])


def option(name: str = "taste", **changes: Any) -> dict[str, Any]:
    return {"name": name, "description": "Which taste", "type": "string", **changes}


def choices(*values: Any) -> list[dict[str, Any]]:
    return [{"name": f"Choice {index}", "value": value} for index, value in enumerate(values)]


def test_a_command_is_private_and_has_both_forms_unless_it_says_otherwise() -> None:
    command = read(with_command()).commands[0]
    assert (command.visibility, command.surfaces, command.options) == ("ephemeral", ("slash", "prefix"), ())
    other = read(with_command(visibility="public", surfaces=["prefix"])).commands[0]
    assert (other.visibility, other.surfaces) == ("public", ("prefix",))


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"name": "Snacks"}, "name"),
        ({"name": "help"}, "name"),
        ({"description": ""}, "description"),
        ({"description": " \t "}, "description"),
        ({"description": "\u200b\u3164"}, "description"),
        ({"description": "x" * 101}, "description"),
        ({"description": "😀" * 51}, "description"),
        ({"description": "two\nlines"}, "description"),
        ({"description": "a\u202eb"}, "description"),
        ({"description": "a\U000e0041b"}, "description"),
        ({"description": "a\x07b"}, "description"),
        ({"tool": "missing"}, "tool"),
        ({"tool": None}, "tool"),
        ({"visibility": "private"}, "visibility"),
        ({"surfaces": []}, "surfaces"),
        ({"surfaces": ["slash", "slash"]}, "surfaces[1]"),
        ({"surfaces": ["menu"]}, "surfaces[0]"),
        ({"surfaces": "slash"}, "surfaces"),
        ({"options": [option(f"o{index}") for index in range(26)]}, "options"),
        ({"options": [option("a"), option("b"), option("a")]}, "options[2].name"),
        ({"options": {}}, "options"),
        ({"options": [None]}, "options[0]"),
        ({"cooldown": 5}, "cooldown"),
    ],
)
def test_a_command_that_discord_or_the_contract_refuses_is_refused_at_its_path(
    change: dict[str, Any], path: str
) -> None:
    assert list(problems(with_command(**change))) == [f"commands[0].{path}"]


@pytest.mark.parametrize("text", ["x" * 100, "😀" * 50, "👩‍👩‍👧 ❤️", "می‌خواهم", "a\u200fb", "🫨\U0001fae9"])
def test_descriptions_up_to_100_characters_with_emoji_and_every_script_are_accepted(text: str) -> None:
    assert read(with_command(description=text)).commands[0].description == text


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"name": "Taste"}, "name"),
        ({"name": "help!"}, "name"),
        ({"description": "  "}, "description"),
        ({"type": "mentionable"}, "type"),
        ({"type": 3}, "type"),
        ({"required": 1}, "required"),
        ({"required": "true"}, "required"),
        ({"required": None}, "required"),
        ({"choices": choices(*map(str, range(26)))}, "choices"),
        ({"choices": [{"name": "a"}]}, "choices[0].value"),
        ({"choices": [{"name": " ", "value": "a"}]}, "choices[0].name"),
        ({"choices": [{"name": "x" * 101, "value": "a"}]}, "choices[0].name"),
        ({"choices": [{"name": "a", "value": "1"}, {"name": "a ", "value": "2"}]}, "choices[1].name"),
        ({"choices": choices("same", "same")}, "choices[1].value"),
        ({"choices": choices("")}, "choices[0].value"),
        ({"choices": choices("x" * 101)}, "choices[0].value"),
        ({"choices": choices("a\nb")}, "choices[0].value"),
        ({"choices": choices(1)}, "choices[0].value"),
        ({"choices": choices(None)}, "choices[0].value"),
        ({"choices": choices([])}, "choices[0].value"),
        ({"type": "integer", "choices": choices("1")}, "choices[0].value"),
        ({"type": "integer", "choices": choices(1.0)}, "choices[0].value"),
        ({"type": "integer", "choices": choices(True)}, "choices[0].value"),
        ({"type": "integer", "choices": choices(2**53)}, "choices[0].value"),
        ({"type": "integer", "choices": choices(10**399)}, "choices[0].value"),
        ({"type": "number", "choices": choices("1")}, "choices[0].value"),
        ({"type": "number", "choices": choices(False)}, "choices[0].value"),
        ({"type": "number", "choices": choices(2**53 + 1)}, "choices[0].value"),
        ({"type": "number", "choices": choices(1e300)}, "choices[0].value"),
        ({"type": "number", "choices": choices(1, 1.0)}, "choices[1].value"),
        *(
            ({"type": kind, "choices": choices("a")}, "choices")
            for kind in ("boolean", "user", "channel", "role")
        ),
    ],
)
def test_an_option_that_discord_or_the_contract_refuses_is_refused_at_its_path(
    change: dict[str, Any], path: str
) -> None:
    assert list(problems(with_option(**change))) == [f"{OPTION}.{path}"]


@pytest.mark.parametrize(
    "change",
    [
        {"name": "o'clock"},
        {"choices": []},
        {"choices": choices(*map(str, range(25)))},
        {"choices": [{"name": "n" * 100, "value": "v" * 100}]},
        {"type": "integer", "choices": choices(2**53 - 1, -(2**53 - 1), 0)},
        {"type": "number", "choices": choices(2**53, -(2**53), 0.5, 2)},
        {"type": "user", "choices": []},
        *({"type": kind} for kind in ("boolean", "user", "channel", "role")),
    ],
)
def test_everything_at_discords_limit_is_accepted(change: dict[str, Any]) -> None:
    assert problems(with_option(**change)) == {}


def test_choice_values_keep_the_type_that_the_manifest_gave() -> None:
    read_choices = read(with_option(type="number", choices=choices(1, 2.0))).commands[0].options[0].choices
    assert [type(choice.value) for choice in read_choices] == [int, float]


def test_required_options_come_first_and_otherwise_keep_the_manifests_order() -> None:
    wanted = [option("a"), option("b", required=True), option("c"), option("d", required=True)]
    command = read(with_command(options=wanted)).commands[0]
    assert [one.name for one in command.options] == ["b", "d", "a", "c"]


def test_the_text_of_a_command_may_be_8000_characters_in_all_and_no_more() -> None:
    def with_text(total: int) -> dict[str, Any]:
        full = [{"name": f"{digit}" * 100, "value": f"{digit}" * 100} for digit in range(9)]
        rest = total - len("snacks" + "See snacks") - 4 * (len("o0" + "Which taste") + 1_800)
        rest -= len("p" + "Which taste") + 600 + 40
        last = option("p", choices=[*full[:3], {"name": "last" * 10, "value": "x" * rest}])
        return with_command(options=[*(option(f"o{index}", choices=full) for index in range(4)), last])

    assert problems(with_text(7_990)) == {}
    assert problems(with_text(8_000)) == {}
    assert list(problems(with_text(8_001))) == ["commands[0]"]


def test_100_commands_are_accepted_and_101_are_not() -> None:
    def many(count: int) -> dict[str, Any]:
        names = [f"c{index}" for index in range(count)]
        return manifest_json(commands=[{"name": n, "description": "d", "tool": "snack_menu"} for n in names])

    assert len(read(many(100)).commands) == 100
    assert list(problems(many(101))) == ["commands"]


def test_a_command_cannot_be_changed() -> None:
    command = Command(name="a", description="b", tool="c")
    with pytest.raises(ValueError, match="frozen"):
        command.name = "x"  # pyright: ignore[reportAttributeAccessIssue]
