"""What stays of an owner's choices when a manifest takes the place of another one."""

import json
from typing import Any

import pytest

from bot.manifest import Manifest
from bot.tricks.installed import read_access
from bot.tricks.replacing import access_differences, kept_access, kept_settings
from tests.support.manifests import manifest_json, read

EVERYONE = {"kind": "everyone"}
OWNER = {"kind": "owner"}


def tools(**flags: dict[str, bool]) -> Manifest:
    """A manifest with these tools and flags, and no commands."""
    listed = [{"name": name, **given} for name, given in flags.items()]
    return read(manifest_json(tools=listed, commands=[]))


READ, WRITE, ASKS = {"readOnly": True}, {"readOnly": False}, {"alwaysAsk": True}


def rules(**audiences: Any) -> str:
    return json.dumps({"audiences": audiences, "channels": ["5"]})


@pytest.mark.parametrize(
    ("was", "now", "kept"),
    [
        (READ, READ, True),
        (WRITE, WRITE, True),
        (WRITE, READ, True),
        (WRITE, ASKS, True),
        (READ, ASKS, True),
        (READ, WRITE, False),
        (ASKS, WRITE, False),
    ],
)
def test_open_to_everyone_stays_unless_calls_would_now_run_that_were_harmless_or_asked_about(
    was: dict[str, bool], now: dict[str, bool], kept: bool
) -> None:
    stored = rules(a=EVERYONE)
    left = read_access(kept_access(stored, tools(a=was), tools(a=now)))
    assert ("a" in left.audiences) == kept
    assert left.channel_ids == {"5"}
    told = access_differences(read_access(stored), tools(a=was), tools(a=now))
    assert any("was open to everyone" in line for line in told) != kept


def test_other_rules_stay_and_those_of_tools_that_are_gone_or_new_go() -> None:
    stored = rules(a=OWNER, gone=OWNER, new=EVERYONE)
    left = read_access(kept_access(stored, tools(a=READ, gone=READ), tools(a=WRITE, new=WRITE)))
    assert set(left.audiences) == {"a"}


def test_nothing_to_take_out_leaves_the_stored_text_as_it_is() -> None:
    for stored in ("{}", rules(a=OWNER)):
        assert kept_access(stored, tools(a=READ), tools(a=WRITE)) == stored


def test_it_is_said_for_whom_new_tools_and_tools_with_another_nature_are() -> None:
    old, new = tools(a=WRITE, b=WRITE, c=READ), tools(a=READ, b=READ, c=READ, d=WRITE)
    assert access_differences(read_access(rules(b=OWNER)), old, new) == (
        "• `a` is for everyone now, as you have set nothing else.",
        "• `b` stays for the server's owner, as you have set it.",
        "• `d` is for members who may manage the server.",
    )


def test_it_is_said_what_the_owner_had_set_for_a_tool_that_is_gone() -> None:
    stored = read_access(rules(gone=OWNER, never=OWNER))
    assert access_differences(stored, tools(a=READ, gone=READ, unset=READ), tools(a=READ)) == (
        "• `gone` was for the server's owner, as you had set it. That is forgotten with it.",
    )


def test_settings_stay_that_the_new_manifest_has_and_takes() -> None:
    settings = [{"key": "a", "label": "A", "type": "text"}, {"key": "b", "label": "B", "type": "number"}]
    manifest = read(manifest_json(settings=settings))
    assert json.loads(kept_settings('{"a": "x", "b": "no number", "c": 1}', manifest)) == {"a": "x"}
    assert kept_settings('{ "a":"x" }', manifest) == '{ "a":"x" }'
