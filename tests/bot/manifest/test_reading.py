import json
from typing import Any

import pytest

from bot.errors import ManifestInvalid, UrlRefused
from bot.manifest import dump_manifest, foreign_origins, load_manifest, read_manifest
from tests.support.manifests import SNACK_CLUB, manifest_json, problems, read

MANIFEST_URL = "https://snacks.example.com/manifest.json"


def whole_file_problem(data: bytes) -> str:
    with pytest.raises(ManifestInvalid) as caught:
        read_manifest(data)
    (problem,) = caught.value.problems
    assert problem.path == "manifest"
    return problem.message


def test_the_example_of_the_contract_is_accepted_unchanged() -> None:
    manifest = read(SNACK_CLUB)
    assert (manifest.id, manifest.manifest_version, manifest.protocol_version) == (
        "snack_club",
        1,
        "2026-07-28",
    )
    assert manifest.endpoints.mcp == "https://snacks.example.com/mcp"
    assert manifest.endpoints.events is None
    (tool,) = manifest.tools
    assert (tool.name, tool.read_only, tool.always_ask, tool.thread, tool.user_request) == (
        "snack_menu",
        True,
        False,
        False,
        False,
    )
    assert manifest.commands[0].tool == "snack_menu"
    assert (manifest.settings, manifest.events) == ((), ())


def test_one_byte_order_mark_may_stand_before_it() -> None:
    data = json.dumps(SNACK_CLUB).encode()
    assert read_manifest(b"\xef\xbb\xbf" + data) == read_manifest(data)
    assert "JSON" in whole_file_problem(b"\xef\xbb\xbf\xef\xbb\xbf" + data)


def test_a_file_of_1_mib_is_read_and_a_byte_more_is_not() -> None:
    data = json.dumps(SNACK_CLUB).encode()
    assert read_manifest(data.ljust(1_048_576)) == read(SNACK_CLUB)
    assert "1 MiB" in whole_file_problem(data.ljust(1_048_577))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"null",
        b'"text"',
        b"<html>",
        b"\xff\xfe",
        b"{} {}",
        b'{"id": "a", "id": "b"}',
        b'{"id": NaN}',
        b'{"id": "\\ud800"}',
        b'{"a":' * 100 + b"1" + b"}" * 100,
        b"[" * 100_000,
        b'{"id": ' + b"9" * 5_000 + b"}",
    ],
)
def test_what_is_not_one_strict_json_object_is_one_problem_of_the_whole_file(data: bytes) -> None:
    assert whole_file_problem(data).endswith(".")


def test_a_stored_manifest_comes_back_as_it_was() -> None:
    raw = manifest_json(
        endpoints={**SNACK_CLUB["endpoints"], "events": "https://snacks.example.com/events"},
        events=["member.joined", "member.left"],
        settings=[
            {"key": "size", "label": "Größe", "type": "number", "default": 1.0, "min": 1, "max": 3},
            {"key": "on", "label": "On", "type": "boolean", "default": False},
            {"key": "where", "label": "Where", "type": "channels", "default": ["1", "2"]},
        ],
        commands=[
            {
                "name": "snacks",
                "description": "d",
                "tool": "snack_menu",
                "options": [
                    {
                        "name": "n",
                        "description": "d",
                        "type": "number",
                        "choices": [{"name": "a", "value": 1}],
                    },
                    {"name": "s", "description": "d", "type": "string", "required": True},
                ],
            }
        ],
    )
    manifest = read(raw)
    stored = dump_manifest(manifest)
    assert load_manifest(stored) == manifest
    assert dump_manifest(load_manifest(stored)) == stored
    assert type(load_manifest(stored).settings[0].default) is float
    assert load_manifest(stored).settings[1].default is False
    assert read_manifest(stored.encode()) == manifest


def test_equal_manifests_are_stored_as_equal_text() -> None:
    reordered = dict(reversed(SNACK_CLUB.items()))
    explicit = manifest_json(tools=[{"name": "snack_menu", "readOnly": True, "alwaysAsk": False}])
    assert dump_manifest(read(reordered)) == dump_manifest(read(SNACK_CLUB)) == dump_manifest(read(explicit))


def test_what_was_stored_stays_readable_when_a_rule_has_become_stricter() -> None:
    stored = json.loads(dump_manifest(read(SNACK_CLUB)))
    stored["summary"] = "x" * 200
    stored["commands"][0]["name"] = "help"
    assert load_manifest(json.dumps(stored)).summary == "x" * 200


def test_endpoints_on_the_manifests_own_origin_need_no_confirmation() -> None:
    assert foreign_origins(read(SNACK_CLUB), MANIFEST_URL) == ()
    assert foreign_origins(read(SNACK_CLUB), "https://SNACKS.example.com:443/other/manifest.json") == ()


def test_every_other_origin_is_named_once() -> None:
    endpoints = {
        "challenge": "https://api.example.com/challenge",
        "mcp": "https://api.example.com:443/mcp",
        "events": "https://snacks.example.com:8443/events",
    }
    manifest = read(manifest_json(endpoints=endpoints))
    assert foreign_origins(manifest, MANIFEST_URL) == (
        "https://api.example.com",
        "https://snacks.example.com:8443",
    )


def test_plain_http_on_a_development_host_is_an_origin_of_its_own() -> None:
    endpoints = {"challenge": "http://localhost:3000/challenge", "mcp": "http://localhost:3000/mcp"}
    manifest = read(manifest_json(endpoints=endpoints), ["localhost:3000"])
    assert foreign_origins(manifest, "http://localhost:3000/manifest.json") == ()
    assert foreign_origins(manifest, "https://localhost:3000/manifest.json") == ("http://localhost:3000",)


def test_a_manifest_address_that_kennel_does_not_read_has_no_origin() -> None:
    with pytest.raises(UrlRefused):
        foreign_origins(read(SNACK_CLUB), "https://user@snacks.example.com/")


def test_names_of_the_stored_form_are_those_of_the_wire() -> None:
    stored: dict[str, Any] = json.loads(dump_manifest(read(SNACK_CLUB)))
    assert stored["tools"][0] == {
        "name": "snack_menu",
        "readOnly": True,
        "alwaysAsk": False,
        "thread": False,
        "userRequest": False,
    }
    assert problems(stored) == {}
