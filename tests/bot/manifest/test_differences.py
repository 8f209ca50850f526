"""The difference between two manifests in words: every field counts, and equal ones say nothing."""

import copy
from typing import Any

import pytest

from bot.manifest import dump_manifest
from bot.manifest.differences import Section, manifest_differences
from bot.strict_json import Json
from tests.support.manifests import SNACK_CLUB, read

OPTION = {
    "name": "kind",
    "description": "Which kind",
    "type": "string",
    "required": True,
    "choices": [{"name": "Sweet", "value": "sweet"}],
}
COMMANDS = [
    {
        "name": "snacks",
        "description": "See them",
        "tool": "snack_menu",
        "options": [OPTION, {"name": "many", "description": "How many", "type": "integer", "required": True}],
    },
    {"name": "more", "description": "See more", "tool": "snack_menu"},
]
SETTINGS = [
    {
        "key": "shelf",
        "label": "Shelf",
        "type": "text",
        "description": "Which",
        "default": "low",
        "maxLength": 9,
    },
    {"key": "most", "label": "Most", "type": "number", "min": 1, "max": 5},
    {"key": "taste", "label": "Taste", "type": "select", "options": [{"label": "Sweet", "value": "sweet"}]},
]
WHOLE: dict[str, Any] = {
    **SNACK_CLUB,
    "tools": [{"name": "snack_menu", "readOnly": True}, {"name": "save_snack"}],
    "commands": COMMANDS,
    "settings": SETTINGS,
    "events": ["member.joined"],
    "endpoints": {**SNACK_CLUB["endpoints"], "events": "https://snacks.example.com/events"},
}
NEW_OPTION = {"name": "loud", "description": "Loudly", "type": "boolean"}
CHANGES: list[tuple[tuple[str | int, ...], Any, str]] = [
    (("name",), "Snack Bar", "Its name is now “Snack Bar” (was “Snack Club”)"),
    (("author",), "Somebody", "Its author is now “Somebody”"),
    (("summary",), "Other", "summary, which the assistant always sees, is now “Other”"),
    (("description",), "Line one\nLine two", "> Line two"),
    (("instructions",), "Obey\n[me](https://x.example)", "> \\[me\\]\\(https\\://x.example\\)"),
    (("instructions",), "", "no instructions any more"),
    (
        ("endpoints", "mcp"),
        "https://snacks.example.com/v2",
        "Tools are called at `https://snacks.example.com/v2`",
    ),
    (("endpoints", "challenge"), "https://snacks.example.com/c", "connection is tested at"),
    (("endpoints", "events"), "https://snacks.example.com/e", "Joins and leaves are told at"),
    (("events",), ["member.joined", "member.left"], "It is told who leaves from now on"),
    (("events",), [], "It is no longer told who joins"),
    (("commands",), COMMANDS[:1], "`more` is gone"),
    (("commands", 1, "name"), "most", "`most` (/ and ^) is new and runs `snack_menu`: “See more”"),
    (("commands",), COMMANDS[::-1], "They stand in another order"),
    (("commands", 0, "description"), "Look", "`snacks` is described as “Look”"),
    (("commands", 0, "tool"), "save_snack", "`snacks` runs `save_snack` now (was `snack_menu`)"),
    (("commands", 0, "visibility"), "public", "`snacks` answers for everybody to see now"),
    (("commands", 0, "surfaces"), ["prefix"], "`snacks` is typed with ^ now (was / and ^)"),
    (("commands", 0, "options"), [OPTION, NEW_OPTION], "`snacks` has no option `many` any more"),
    (("commands", 0, "options", 1), NEW_OPTION, "has a new option `loud` (boolean): “Loudly”"),
    (("commands", 0, "options"), COMMANDS[0]["options"][::-1], "takes its options in another order"),
    (("commands", 0, "options", 0, "required"), False, "an option `kind` that is optional now"),
    (("commands", 0, "options", 0, "description"), "What", "an option `kind` that is described as “What”"),
    (("commands", 0, "options", 0, "choices"), [], "an option `kind` that may be anything now"),
    (("commands", 0, "options", 0, "choices", 0, "name"), "Sour", "an option `kind` that offers “Sour” now"),
    (("commands", 0, "options", 0, "choices", 0, "value"), "x", "an option `kind` that offers “Sweet” now"),
    (("commands", 0, "options", 1, "type"), "number", "an option `many` that is number now (was integer)"),
    (("settings",), SETTINGS[1:], "`shelf` is gone, and what you set for it is erased"),
    (("settings", 0, "key"), "board", "“Shelf” (`board`) is new: text"),
    (("settings",), SETTINGS[::-1], "They stand in another order"),
    (("settings", 0, "label"), "Board", "`shelf` is called “Board” now (was “Shelf”)"),
    (("settings", 0, "type"), "long_text", "`shelf` is long_text now (was text)"),
    (("settings", 0, "required"), True, "`shelf` is required now"),
    (("settings", 0, "description"), "That", "`shelf` is described as “That”"),
    (("settings", 0, "default"), "high", "`shelf` has another default"),
    (("settings", 0, "maxLength"), 3, "What you set for `shelf` does not fit any more and is erased"),
    (("settings", 0, "maxLength"), 300, "`shelf` has other limits"),
    (("settings", 1, "min"), 0, "`most` has other limits"),
    (("settings", 1, "max"), 6, "`most` has other limits"),
    (("settings", 2, "options", 0, "label"), "Sour", "`taste` offers “Sour” now"),
    (("settings", 2, "options", 0, "value"), "sour", "`taste` offers “Sweet” now"),
]
STORED: dict[str, Json] = {"shelf": "upper"}


def changed(place: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """The whole manifest with one field replaced."""
    raw = copy.deepcopy(WHOLE)
    part: Any = raw
    for step in place[:-1]:
        part = part[step]
    part[place[-1]] = value
    return raw


def differences(raw: dict[str, Any], *addresses: str) -> tuple[Section, ...]:
    return manifest_differences(read(WHOLE), read(raw), STORED, addresses)


@pytest.mark.parametrize(("place", "value", "told"), CHANGES)
def test_each_field_of_a_manifest_is_told_in_words(
    place: tuple[str | int, ...], value: Any, told: str
) -> None:
    found = differences(changed(place, value))
    lines = [line for section in found for line in section.lines]
    assert len(found) == 1
    assert any(told in line for line in lines), lines
    assert lines[0].startswith("• ")


def test_equal_manifests_have_no_difference() -> None:
    assert differences(WHOLE) == ()
    assert differences(changed(("commands", 0, "surfaces"), ["slash", "prefix"])) == ()


def test_every_difference_of_the_stored_text_is_told_but_for_the_order_of_tools_and_surfaces() -> None:
    silent = changed(("tools",), WHOLE["tools"][::-1])
    assert dump_manifest(read(silent)) != dump_manifest(read(WHOLE))
    assert differences(silent) == ()


def test_addresses_to_confirm_stand_first_among_the_addresses() -> None:
    raw = changed(("endpoints", "mcp"), "https://elsewhere.example/mcp")
    (section,) = differences(raw, "https://elsewhere.example")
    assert section.title == "Addresses"
    assert section.lines[0] == "⚠️ `https://elsewhere.example` is another address than the manifest's own."


def test_whatever_somebody_else_wrote_is_escaped_and_bounded() -> None:
    raw = changed(("instructions",), "<@1> " * 390)
    (section,) = differences(raw)
    assert all(len(line) < 2_000 for line in section.lines)
    assert "<@1>" not in "".join(section.lines)
    assert "".join(section.lines).count("\\<\\@1\\>") >= 388
