"""How problems are told: together, each at its place, in words of ours, foreign names quoted short."""

import pytest

from bot.errors import ManifestInvalid
from bot.text import visible
from tests.support.manifests import manifest_json, problems, read


def test_problems_of_every_sort_are_told_together() -> None:
    raw = manifest_json(
        id="Snacks",
        colour="red",
        tools=[{"name": "snack-menu", "readOnly": "yes"}, {"name": "other", "icon": 1}],
        commands=[
            {
                "name": "Snacks",
                "description": "See snacks",
                "tool": "missing",
                "options": [
                    {
                        "name": "a",
                        "description": "d",
                        "type": "user",
                        "choices": [{"name": "x", "value": "x"}],
                    },
                    {"name": "B", "description": "d", "type": "string"},
                ],
            }
        ],
        settings=[{"key": "size", "label": "Size", "type": "number", "default": "big"}],
        events=["member.joined"],
    )
    raw["endpoints"]["mcp"] = "http://snacks.example.com/mcp"
    del raw["name"]
    assert set(problems(raw)) == {
        "id",
        "name",
        "colour",
        "tools[0].name",
        "tools[0].readOnly",
        "tools[1].icon",
        "commands[0].name",
        "commands[0].tool",
        "commands[0].options[0].choices",
        "commands[0].options[1].name",
        "settings[0].default",
        "endpoints.mcp",
        "endpoints.events",
    }


@pytest.mark.parametrize(
    "name", ["\u202eevil\nname", "x" * 100_000, "`@everyone`", "a.b[0]", "\U000e0041" * 50]
)
def test_foreign_names_are_quoted_short_on_one_line_with_everything_visible(name: str) -> None:
    tool = {"name": "snack_menu", name: 1}
    command = {"name": "snacks", "description": "d", "tool": name}
    found = problems(manifest_json(tools=[tool], commands=[command]))
    (path,) = set(found) - {"commands[0].tool"}
    for told in (path, found["commands[0].tool"]):
        assert len(told) < 80
        assert visible(told) == told
        assert len(told.splitlines()) == 1


def test_at_most_25_problems_are_told_and_the_rest_is_counted() -> None:
    with pytest.raises(ManifestInvalid) as caught:
        read(manifest_json(**{f"extra{index}": 1 for index in range(40)}))
    told = caught.value.problems
    assert [problem.path for problem in told] == [*(f"extra{index}" for index in range(25)), "manifest"]
    assert told[-1].message == "Has 15 more problems."


def test_something_that_is_no_manifest_at_all_is_told_in_one_sentence() -> None:
    found = problems(manifest_json(**{f"k{index}": 1 for index in range(2_000)}))
    assert found == {"manifest": "Has more than 1,000 problems, so it is no manifest."}


def test_nothing_of_the_input_hangs_on_the_error() -> None:
    with pytest.raises(ManifestInvalid) as caught:
        read(manifest_json(name=["secret"]))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert "secret" not in caught.value.sentence
