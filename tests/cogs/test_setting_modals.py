"""Forms of settings drawn as modals: every kind of field, and within Discord's limits whatever a manifest says."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.manifest import Setting
from bot.strict_json import Json
from bot.tricks.setting_forms import Present, form_page, mark_of, read_page, setting_pages
from cogs.forms import modal, numbered_values
from tests.support.manifests import manifest_json, problems, read
from tests.support.modal_limits import modal_problems

ROOM, HALL, ROLE = "41771983423143938", "41771983423143939", "41771983423143940"
PRESENT = Present(frozenset({ROOM, HALL}), frozenset({ROLE}))
CHOICES = [{"label": "Slow", "value": "s"}, {"label": "Fast", "value": "f"}]


def settings(*raw: dict[str, Any]) -> tuple[Setting, ...]:
    named = [{"key": f"k{at}", "label": f"Label {at}", **each} for at, each in enumerate(raw)]
    return read(manifest_json(settings=named)).settings


def drawn(asked: tuple[Setting, ...], number: int = 0, **values: Json) -> dict[str, Any]:
    return modal(form_page("Snacks", asked, number, values, PRESENT), "s:new0:mark:id").to_dict()


async def test_each_kind_is_drawn_as_its_control_with_what_is_stored() -> None:
    first = settings(
        {"type": "boolean"},
        {"type": "text", "required": True},
        {"type": "long_text", "maxLength": 900},
        {"type": "number", "min": 1, "max": 10},
        {"type": "select", "options": CHOICES},
    )
    form = drawn(first, k0=False, k1="hi", k2="a\nb", k3=2.5, k4="f")
    boolean, text, long_text, number, select = (each["component"] for each in form["components"])
    assert [(each["label"], each["default"]) for each in boolean["options"]] == [("Yes", False), ("No", True)]
    assert (text["style"], text["value"], text["required"], text["max_length"]) == (1, "hi", True, 500)
    assert (long_text["style"], long_text["value"], long_text["max_length"]) == (2, "a\nb", 900)
    assert (number["value"], number["placeholder"]) == ("2.5", "A number from 1 up to 10")
    assert [(each["label"], each["default"]) for each in select["options"]] == [
        ("Slow", False),
        ("Fast", True),
    ]
    assert list(modal_problems(form)) == []


async def test_channels_and_roles_are_picked_from_those_of_the_server() -> None:
    asked = settings(
        {"type": "channel"}, {"type": "channels", "required": True}, {"type": "role"}, {"type": "roles"}
    )
    form = drawn(asked, k0=ROOM, k1=[ROOM, HALL], k2=ROLE)
    channel, channels, role, roles = (each["component"] for each in form["components"])
    assert [each["type"] for each in (channel, channels, role, roles)] == [8, 8, 6, 6]
    assert channel["default_values"] == [{"id": int(ROOM), "type": "channel"}]
    assert (channel["min_values"], channel["max_values"], channel["required"]) == (0, 1, False)
    assert [each["id"] for each in channels["default_values"]] == [int(ROOM), int(HALL)]
    assert (channels["min_values"], channels["max_values"], channels["required"]) == (1, 25, True)
    assert role["default_values"] == [{"id": int(ROLE), "type": "role"}]
    assert not roles.get("default_values")
    assert not {10, 11, 12}.intersection(channel["channel_types"])  # threads
    assert list(modal_problems(form)) == []


def test_what_was_submitted_is_read_by_the_fields_numbers() -> None:
    data = {
        "components": [
            {"type": 18, "component": {"type": 8, "custom_id": "0", "values": [ROOM]}},
            {"type": 18, "component": {"type": 4, "custom_id": "1", "value": "7"}},
            {"type": 10},
        ]
    }
    assert numbered_values(data) == {"0": [ROOM], "1": "7"}
    asked = settings({"type": "channel"}, {"type": "number"})
    assert read_page(asked, numbered_values(data), PRESENT) == ({"k0": ROOM, "k1": 7}, ())


_texts = st.text(min_size=1, max_size=120) | st.sampled_from(["🧀" * 50, "a", "x" * 100])
_ids = st.sampled_from([ROOM, HALL, ROLE, "41771983423143999"])
_common = {"label": _texts}
_optional = {"description": _texts, "required": st.booleans()}


def _kind(*kinds: str, **more: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({**_common, "type": st.sampled_from(kinds)}, optional={**_optional, **more})


_select = st.fixed_dictionaries(
    {
        **_common,
        "type": st.just("select"),
        "options": st.lists(
            st.fixed_dictionaries({"label": _texts, "value": _texts}), min_size=1, max_size=25
        ),
    },
    optional=_optional,
)
_setting = (
    _kind("boolean", default=st.booleans())
    | _kind("text", "long_text", default=_texts, maxLength=st.integers(1, 4_000))
    | _kind("number", default=st.integers(-5, 5) | st.floats(-5, 5), min=st.integers(-5, 5))
    | _kind("channel", "role", default=_ids)
    | _kind("channels", "roles", default=st.lists(_ids))
    | _select
)


@pytest.mark.asyncio
@given(st.lists(_setting, min_size=1, max_size=12))
async def test_the_form_of_any_manifest_fits_into_modals(raw: list[dict[str, Any]]) -> None:
    named = [{"key": f"k{at}", **each} for at, each in enumerate(raw)]
    manifest = manifest_json(settings=named)
    if problems(json.loads(json.dumps(manifest))):
        return
    asked = read(manifest).settings
    values: dict[str, Any] = {f"k{at}": each["default"] for at, each in enumerate(raw) if "default" in each}
    for number, page in enumerate(setting_pages(asked)):
        custom_id = f"s:next{number}:{mark_of(page)}:{'0' * 32}"
        form = modal(form_page("N" * 80, asked, number, values, PRESENT), custom_id).to_dict()
        assert list(modal_problems(form)) == []
