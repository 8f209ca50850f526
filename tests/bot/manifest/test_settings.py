from typing import Any, get_args

import pytest

from bot.manifest import Setting, SettingType, effective_settings, setting_problem
from bot.strict_json import Json
from tests.support.manifests import manifest_json, problems, read

SELECT = [{"label": "Sweet", "value": "sweet"}, {"label": "Salty", "value": "salty"}]
GOOD_VALUES: dict[str, list[Json]] = {
    "boolean": [True, False],
    "text": ["", "hello", "x" * 500],
    "long_text": ["two\nlines", "x" * 4_000],
    "number": [0, -1, 1.5, 2**53],
    "select": ["sweet", "salty"],
    "channel": ["123456789012345678"],
    "channels": [[], ["1", "2"]],
    "role": ["123456789012345678"],
    "roles": [[], ["1", "2"]],
}
BAD_VALUES: dict[str, list[Json]] = {
    "boolean": [1, "true", [], None],
    "text": [1, True, ["a"], "x" * 501, "two\nlines", "a\u202eb", None],
    "long_text": [1, ["a"], "x" * 4_001, "a\0b"],
    "number": ["1", True, [], 2**53 + 1, -(10**399), 1e300],
    "select": ["sour", "", 1, True, ["sweet"]],
    "channel": [123456789012345678, "general", "", "0", "-1", ["1"], "1" * 21, "١"],
    "channels": ["1", [1], ["general"], ["1", "1"], [str(n) for n in range(1, 27)], {"a": "b"}],
    "role": [1, "@everyone", []],
    "roles": ["1", [None], ["1", "1"]],
}


def setting(kind: str = "text", **changes: Any) -> dict[str, Any]:
    options = {"options": SELECT} if kind == "select" else {}
    return {"key": "one", "label": "One", "type": kind, **options, **changes}


def read_setting(raw: dict[str, Any]) -> Setting:
    return read(manifest_json(settings=[raw])).settings[0]


def paths(raw: dict[str, Any]) -> list[str]:
    return list(problems(manifest_json(settings=[raw])))


@pytest.mark.parametrize(("kind", "value"), [(k, v) for k, values in GOOD_VALUES.items() for v in values])
def test_a_value_of_the_settings_kind_is_a_good_default_and_reaches_the_trick(kind: str, value: Json) -> None:
    assert effective_settings([read_setting(setting(kind, default=value))], {}) == {"one": value}
    assert effective_settings([read_setting(setting(kind))], {"one": value}) == {"one": value}


@pytest.mark.parametrize(("kind", "value"), [(k, v) for k, values in BAD_VALUES.items() for v in values])
def test_a_value_of_another_kind_is_no_default_and_does_not_reach_the_trick(kind: str, value: Json) -> None:
    assert paths(setting(kind, default=value)) == ["settings[0].default"]
    assert setting_problem(read_setting(setting(kind)), value)
    assert effective_settings([read_setting(setting(kind))], {"one": value}) == {}


def test_the_nine_kinds_are_all_tried_here() -> None:
    assert set(get_args(SettingType)) == set(GOOD_VALUES) == set(BAD_VALUES)


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (setting(key="One"), "key"),
        (setting(key="a__b"), "key"),
        (setting(label=" "), "label"),
        (setting(label="x" * 101), "label"),
        (setting(description="x" * 501), "description"),
        (setting(description=None), "description"),
        (setting("secret"), "type"),
        (setting(required="yes"), "required"),
        (setting(secret=True), "secret"),
        (setting("select", options=[]), "options"),
        (setting("select", options=[{"label": f"{n}", "value": f"{n}"} for n in range(26)]), "options"),
        (setting("select", options=[*SELECT, {"label": "Other", "value": "sweet"}]), "options[2].value"),
        (setting("select", options=[*SELECT, {"label": "Sweet ", "value": "x"}]), "options[2].label"),
        (setting("select", options=[{"label": "", "value": "x"}]), "options[0].label"),
        (setting("select", options=[{"label": "x", "value": 1}]), "options[0].value"),
        (setting("select", options=["sweet"]), "options[0]"),
        (setting("text", options=SELECT), "options"),
        (setting("number", min=2, max=1), "min"),
        (setting("number", min="1"), "min"),
        (setting("number", min=True), "min"),
        (setting("number", max=None), "max"),
        (setting("number", max=2**53 + 1), "max"),
        (setting("number", min=1, default=0), "default"),
        (setting("number", max=1, default=1.5), "default"),
        (setting("number", maxLength=5), "maxLength"),
        (setting("text", min=1), "min"),
        (setting("channels", max=3), "max"),
        (setting(maxLength=0), "maxLength"),
        (setting(maxLength=4_001), "maxLength"),
        (setting(maxLength=10**399), "maxLength"),
        (setting(maxLength=5.0), "maxLength"),
        (setting(maxLength=True), "maxLength"),
        (setting(maxLength=None), "maxLength"),
        (setting(maxLength=3, default="four"), "default"),
        (setting("boolean", maxLength=3), "maxLength"),
    ],
)
def test_what_does_not_go_with_a_setting_is_refused_at_its_path(raw: dict[str, Any], path: str) -> None:
    assert paths(raw) == [f"settings[0].{path}"]


@pytest.mark.parametrize(
    "raw",
    [
        setting(description=""),
        setting(description="Two\nlines"),
        setting(maxLength=4_000, default="x" * 4_000),
        setting("number", min=1, max=1, default=1),
        setting("number", min=-0.5, max=0.5),
        setting("select", default="salty", required=True),
    ],
)
def test_limits_that_go_with_the_kind_are_accepted(raw: dict[str, Any]) -> None:
    assert paths(raw) == []


def test_a_text_may_have_500_characters_and_a_long_text_4000_unless_the_setting_says_otherwise() -> None:
    assert read_setting(setting("text")).length_limit == 500
    assert read_setting(setting("long_text")).length_limit == 4_000
    assert read_setting(setting("text", maxLength=700)).length_limit == 700
    assert read_setting(setting("long_text", maxLength=9)).length_limit == 9


def test_a_trick_may_have_25_settings_and_no_more() -> None:
    def many(count: int) -> dict[str, Any]:
        return manifest_json(settings=[setting(key=f"s{index}") for index in range(count)])

    assert problems(many(25)) == {}
    assert list(problems(many(26))) == ["settings"]


def test_stored_values_win_over_defaults_and_what_has_neither_has_no_key() -> None:
    settings = [
        read_setting(setting(key="stored", default="default")),
        read_setting(setting(key="default", default="default")),
        read_setting(setting(key="unset")),
        read_setting(setting("roles", key="roles", default=["1"])),
    ]
    stored: dict[str, Json] = {"stored": "mine", "unset": None, "gone": "from an older manifest"}
    assert effective_settings(settings, stored) == {"stored": "mine", "default": "default", "roles": ["1"]}


def test_false_zero_and_the_empty_list_are_values() -> None:
    settings = [
        read_setting(setting("boolean", key="a", default=True)),
        read_setting(setting("number", key="b", default=1)),
        read_setting(setting("channels", key="c", default=["1"])),
    ]
    assert effective_settings(settings, {"a": False, "b": 0, "c": []}) == {"a": False, "b": 0, "c": []}


def test_a_stored_value_that_the_changed_setting_no_longer_takes_gives_way_to_the_default() -> None:
    changed = read_setting(setting("select", default="sweet"))
    assert effective_settings([changed], {"one": "bitter"}) == {"one": "sweet"}
