from typing import Any

import pytest

from tests.support.manifests import SNACK_CLUB, manifest_json, problems, read

EVENTS_URL = "https://snacks.example.com/events"


def endpoints(**changes: Any) -> dict[str, Any]:
    return manifest_json(endpoints={**SNACK_CLUB["endpoints"], **changes})


@pytest.mark.parametrize(
    "field", sorted(set(SNACK_CLUB) - {"instructions", "commands", "settings", "events"})
)
def test_every_field_that_a_manifest_must_have_is_missed(field: str) -> None:
    raw = manifest_json()
    del raw[field]
    assert problems(raw)[field] == "This field is missing."


@pytest.mark.parametrize("field", ["instructions", "commands", "settings", "events"])
def test_a_manifest_may_have_no_instructions_commands_settings_and_events(field: str) -> None:
    raw = manifest_json()
    del raw[field]
    assert problems(raw) == {}


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"manifestVersion": 2}, "manifestVersion"),
        ({"manifestVersion": "1"}, "manifestVersion"),
        ({"manifestVersion": 1.0}, "manifestVersion"),
        ({"manifestVersion": True}, "manifestVersion"),
        ({"protocolVersion": "2025-06-18"}, "protocolVersion"),
        ({"protocolVersion": 20260728}, "protocolVersion"),
        ({"id": "Snack-Club"}, "id"),
        ({"id": 5}, "id"),
        ({"name": ""}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"name": "Snack\nClub"}, "name"),
        ({"name": "Snack\u202eClub"}, "name"),
        ({"author": "\u3164"}, "author"),
        ({"author": "x" * 101}, "author"),
        ({"description": "x" * 1_001}, "description"),
        ({"description": "a\0b"}, "description"),
        ({"summary": "x" * 151}, "summary"),
        ({"summary": "two\nlines"}, "summary"),
        ({"summary": "two\u2028lines"}, "summary"),
        ({"summary": "  "}, "summary"),
        ({"instructions": "x" * 2_001}, "instructions"),
        ({"instructions": "Do this.\U000e0049\U000e0067"}, "instructions"),
        ({"instructions": "   "}, "instructions"),
        ({"instructions": None}, "instructions"),
        ({"tools": [], "commands": []}, "tools"),
        ({"tools": [{"name": "snack_menu"}, {"name": "Other"}]}, "tools[1].name"),
        ({"tools": [{"name": "snack_menu", "readOnly": "true"}]}, "tools[0].readOnly"),
        ({"tools": [{"name": "snack_menu", "readOnly": 1}]}, "tools[0].readOnly"),
        ({"tools": [{"name": "snack_menu", "readOnly": None}]}, "tools[0].readOnly"),
        ({"tools": [{"name": "snack_menu", "read_only": True}]}, "tools[0].read_only"),
        ({"tools": [{"name": "snack_menu", "readOnly": True, "alwaysAsk": True}]}, "tools[0].alwaysAsk"),
        ({"tools": [{"name": "snack_menu"}, 5]}, "tools[1]"),
        ({"commands": "none"}, "commands"),
        ({"commands": None}, "commands"),
        ({"events": ["member.joined"]}, "endpoints.events"),
        ({"icon": "https://snacks.example.com/icon.png"}, "icon"),
        ({"manifest_version": 1}, "manifest_version"),
        ({"": 1}, '""'),
    ],
)
def test_what_goes_against_the_contract_is_refused_at_its_path(change: dict[str, Any], path: str) -> None:
    assert list(problems(manifest_json(**change))) == [path]


@pytest.mark.parametrize(
    "change",
    [
        {"name": "x" * 80},
        {"name": "Schnäppchen 🍿"},
        {"author": "x" * 100},
        {"description": "x" * 1_000},
        {"description": "two\r\nlines"},
        {"summary": "x" * 150},
        {"instructions": "x" * 2_000},
        {"instructions": ""},
        {"instructions": "- one\n\t- two\n"},
        {"tools": [{"name": "snack_menu", "alwaysAsk": True, "thread": True, "userRequest": True}]},
    ],
)
def test_everything_up_to_the_limit_is_accepted(change: dict[str, Any]) -> None:
    assert problems(manifest_json(**change)) == {}


def test_100_tools_are_accepted_and_101_are_not() -> None:
    def many(count: int) -> dict[str, Any]:
        return manifest_json(tools=[{"name": f"t{index}"} for index in range(count)], commands=[])

    assert len(read(many(100)).tools) == 100
    assert list(problems(many(101))) == ["tools"]


@pytest.mark.parametrize(
    "url",
    [
        "http://snacks.example.com/mcp",
        "http://localhost:3000/mcp",
        "https://user:secret@snacks.example.com/mcp",
        "https://snacks.example.com/mcp#part",
        "https://2130706433/mcp",
        "//snacks.example.com/mcp",
        "/mcp",
        "",
        "ftp://snacks.example.com/",
        "https://snacks.example.com\\@evil.example/",
    ],
)
@pytest.mark.parametrize("endpoint", ["challenge", "mcp", "events"])
def test_an_endpoint_must_be_plainly_one_https_url(endpoint: str, url: str) -> None:
    found = problems(endpoints(**{endpoint: url}))
    assert list(found) == [f"endpoints.{endpoint}"]
    assert found[f"endpoints.{endpoint}"].startswith("The address ")


def test_a_development_host_may_be_plain_http() -> None:
    raw = endpoints(mcp="http://localhost:3000/mcp", challenge="http://localhost:3001/challenge")
    assert list(problems(raw, ["localhost:3000"])) == ["endpoints.challenge"]
    assert problems(raw, ["localhost:3000", "localhost:3001"]) == {}


def test_events_are_one_or_both_of_two_and_need_an_endpoint() -> None:
    raw = endpoints(events=EVENTS_URL)
    assert read(raw | {"events": ["member.left", "member.joined"]}).events == ("member.left", "member.joined")
    assert read(raw).endpoints.events == EVENTS_URL
    assert list(problems(raw | {"events": ["member.joined", "member.joined"]})) == ["events[1]"]
    assert list(problems(raw | {"events": ["member.banned"]})) == ["events[0]"]
    assert list(problems(raw | {"events": ["member.joined", "member.left", "member.left"]})) == ["events"]
    assert list(problems(endpoints(events=None) | {"events": ["member.left"]})) == ["endpoints.events"]


def test_a_command_may_name_a_tool_whose_entry_is_broken_otherwise() -> None:
    assert list(problems(manifest_json(tools=[{"name": "snack_menu", "readOnly": 1}]))) == [
        "tools[0].readOnly"
    ]
    assert list(problems(manifest_json(tools=None))) == ["tools"]
