"""Whatever bytes a trick serves: a manifest, or problems that each have a path and a plain sentence."""

import copy
import json
from collections.abc import Sequence
from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import ManifestInvalid, Problem
from bot.manifest import dump_manifest, load_manifest, read_manifest
from bot.text import visible
from tests.support.manifests import SNACK_CLUB

FULL: dict[str, Any] = {
    **SNACK_CLUB,
    "endpoints": {**SNACK_CLUB["endpoints"], "events": "https://snacks.example.com/events"},
    "tools": [{"name": "snack_menu", "readOnly": True}, {"name": "save", "alwaysAsk": True}],
    "commands": [
        {
            "name": "snacks",
            "description": "See snacks",
            "tool": "snack_menu",
            "visibility": "public",
            "surfaces": ["slash"],
            "options": [
                {
                    "name": "count",
                    "description": "How many",
                    "type": "integer",
                    "required": True,
                    "choices": [{"name": "One", "value": 1}],
                },
                {"name": "who", "description": "For whom", "type": "user"},
            ],
        }
    ],
    "settings": [
        {"key": "size", "label": "Size", "type": "number", "min": 1, "max": 9, "default": 2},
        {"key": "motto", "label": "Motto", "type": "text", "maxLength": 20, "default": "Yum"},
        {
            "key": "taste",
            "label": "Taste",
            "type": "select",
            "options": [{"label": "Sweet", "value": "sweet"}],
            "default": "sweet",
        },
        {"key": "rooms", "label": "Rooms", "type": "channels", "default": ["1"]},
    ],
    "events": ["member.joined"],
}

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(
        [0, 1, -1, 2**53, 10**399, 1.0, 1e308, "", " ", "a", "string", "\u202e", "\u3164", "x" * 5_000]
    )
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
)
UNHURRIED = settings(deadline=None, max_examples=150)
"""How long one example takes depends on what else the machine does."""

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


def problems_of(data: bytes) -> Sequence[Problem]:
    try:
        manifest = read_manifest(data)
    except ManifestInvalid as invalid:
        assert invalid.problems  # noqa: PT017
        return invalid.problems
    assert load_manifest(dump_manifest(manifest)) == manifest
    return ()


def told_well(data: bytes) -> None:
    problems = problems_of(data)
    assert len(problems) <= 26
    for problem in problems:
        assert 0 < len(problem.path) < 120
        for told in (problem.path, problem.message):
            assert visible(told) == told
            assert len(told.splitlines()) == 1
        assert problem.message.endswith(".")
        assert problem.message[:1].isupper()
        assert problem.message != "Cannot be read."
        assert len(problem.message) < 160
        assert "Input" not in problem.message
        assert "http://" not in problem.message


def containers(value: Any) -> list[dict[str, Any] | list[Any]]:
    """Every object and list in `value`, itself included."""
    if isinstance(value, dict):
        own = cast("dict[str, Any]", value)
        return [own, *(inner for child in own.values() for inner in containers(child))]
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return [items, *(inner for child in items for inner in containers(child))]
    return []


def mutate(data: st.DataObject, place: dict[str, Any] | list[Any]) -> None:
    """Replace, remove, add or double one thing in `place`."""
    action = data.draw(st.sampled_from(["replace", "remove", "add", "double"]))
    if isinstance(place, dict):
        key = data.draw(st.sampled_from(sorted(place)) if place and action != "add" else NAMES)
        if action == "remove":
            place.pop(key, None)
        else:
            place[key] = data.draw(JSON)
    elif action == "add" or not place:
        place.append(data.draw(JSON))
    else:
        index = data.draw(st.integers(0, len(place) - 1))
        if action == "double":
            place.append(copy.deepcopy(place[index]))
        elif action == "remove":
            del place[index]
        else:
            place[index] = data.draw(JSON)


@UNHURRIED
@given(st.binary())
def test_arbitrary_bytes(data: bytes) -> None:
    told_well(data)


@UNHURRIED
@given(JSON)
def test_arbitrary_json(value: Any) -> None:
    told_well(json.dumps(value).encode())


@UNHURRIED
@given(st.dictionaries(st.sampled_from(sorted(SNACK_CLUB)), JSON))
def test_an_object_with_the_right_names_and_anything_in_them(changes: dict[str, Any]) -> None:
    told_well(json.dumps({**SNACK_CLUB, **changes}).encode())


@UNHURRIED
@given(st.data())
def test_a_valid_manifest_with_any_parts_replaced_removed_added_or_doubled(data: st.DataObject) -> None:
    raw = copy.deepcopy(FULL)
    for _ in range(data.draw(st.integers(1, 4))):
        mutate(data, data.draw(st.sampled_from(containers(raw))))
    told_well(json.dumps(raw).encode())


@UNHURRIED
@given(st.data())
def test_a_valid_manifest_cut_or_damaged_anywhere(data: st.DataObject) -> None:
    valid = bytearray(json.dumps(FULL).encode())
    at = data.draw(st.integers(0, len(valid) - 1))
    valid[at : at + data.draw(st.integers(0, 5))] = data.draw(st.binary(max_size=5))
    told_well(bytes(valid))
    told_well(bytes(valid[:at]))


def test_the_full_manifest_is_valid_as_it_stands() -> None:
    assert read_manifest(json.dumps(FULL).encode()).settings[3].default == ("1",)
