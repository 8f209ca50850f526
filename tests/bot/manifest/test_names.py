import pytest

from bot.manifest.names import (
    RESERVED_COMMANDS,
    command_name_problem,
    discord_name_problem,
    identifier_problem,
)
from tests.support.manifests import manifest_json, problems


@pytest.mark.parametrize("name", ["a", "snack_club", "a1", "a_", "a" * 48])
def test_an_identifier_is_a_letter_then_letters_digits_and_underscores(name: str) -> None:
    assert identifier_problem(name) is None


@pytest.mark.parametrize(
    "name", ["", "A", "1a", "_a", "a-b", "a b", "a__b", "é", "aé", "a\n", "a²", "a" * 49]
)
def test_any_other_identifier_is_refused(name: str) -> None:
    assert identifier_problem(name)


def test_id_and_tool_name_together_may_be_64_characters_and_no_more() -> None:
    def with_tool(length: int) -> dict[str, str]:
        return problems(manifest_json(id="a" * 30, tools=[{"name": "b" * length}], commands=[]))

    assert with_tool(32) == {}
    assert list(with_tool(33)) == ["tools[0].name"]


@pytest.mark.parametrize(
    "name", ["snacks", "o'neil", "-a_b", "été", "ß", "数", "नमस्ते", "สวัสดี", "٣", "a" * 32]
)
def test_every_name_that_discord_admits_is_accepted(name: str) -> None:
    assert discord_name_problem(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Snacks",
        "É",
        "a b",
        "a.b",
        "a" * 33,
        "a\n",
        "e\u0301",
        "🍿",
        "\u3164",
        "a\u200d",
        "a\u202e",
        "’",
        "a/b",
    ],
)
def test_a_name_that_discord_refuses_or_that_cannot_be_seen_is_refused(name: str) -> None:
    assert discord_name_problem(name)


def test_kennels_own_command_names_are_taken() -> None:
    assert {"tricks", "prefix", "autoreview", "guidance", "help", "privacy"} == RESERVED_COMMANDS
    assert all("own commands" in (command_name_problem(name) or "") for name in RESERVED_COMMANDS)
    assert all(discord_name_problem(name) is None for name in RESERVED_COMMANDS)


def test_a_name_that_stands_twice_is_told_where_it_stands_again() -> None:
    command = manifest_json()["commands"][0]
    setting = {"key": "size", "label": "Size", "type": "number"}
    tool = {"name": "snack_menu"}
    assert list(
        problems(manifest_json(tools=[tool, tool], commands=[command, command], settings=[setting, setting]))
    ) == ["tools[1].name", "commands[1].name", "settings[1].key"]
