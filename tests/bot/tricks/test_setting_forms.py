"""The form of a trick's settings: what each field shows, and what is read from what was filled in."""

from typing import Any

import pytest

from bot.errors import SettingsChanged
from bot.manifest import (
    Setting,
    dump_manifest,
    effective_settings,
    load_manifest,
    missing_settings,
    setting_problem,
)
from bot.outbound import FormField
from bot.strict_json import Json
from bot.tricks.setting_forms import (
    Filled,
    Present,
    form_page,
    mark_of,
    page_of,
    read_page,
    setting_pages,
    typed_of,
)
from bot.tricks.setting_words import labels_in_words, value_in_words
from tests.support.manifests import manifest_json, read

ROOM, GONE, ROLE = "41771983423143938", "41771983423143939", "41771983423143940"
PRESENT = Present(frozenset({ROOM, "41771983423143941"}), frozenset({ROLE}))
CHOICES = [{"label": "Slow", "value": "s"}, {"label": "Fast", "value": "f"}]
KINDS: dict[str, dict[str, Any]] = {
    "boolean": {},
    "text": {},
    "long_text": {},
    "number": {"min": 1, "max": 10},
    "select": {"options": CHOICES},
    "channel": {},
    "channels": {},
    "role": {},
    "roles": {},
}
VALUES: dict[str, tuple[Filled, Json]] = {
    "boolean": (["1"], False),
    "text": (" hi there ", "hi there"),
    "long_text": ("one\r\ntwo", "one\ntwo"),
    "number": ("2.5", 2.5),
    "select": (["1"], "f"),
    "channel": ([ROOM], ROOM),
    "channels": ([ROOM, "41771983423143941"], [ROOM, "41771983423143941"]),
    "role": ([ROLE], ROLE),
    "roles": ([ROLE], [ROLE]),
}


def settings(*raw: dict[str, Any]) -> tuple[Setting, ...]:
    """Settings with keys `a`, `b`, …, read from a manifest."""
    named = [{"key": chr(97 + at), "label": f"Label {at}", **each} for at, each in enumerate(raw)]
    return read(manifest_json(settings=named)).settings


def one(kind: str, **more: Any) -> Setting:
    return settings({"type": kind, **KINDS[kind], **more})[0]


def drawn(setting: Setting, value: Json = None, typed: Filled | None = None) -> FormField:
    """The only field of the form."""
    values = {} if value is None else {"a": value}
    page = form_page("Snacks", [setting], 0, values, PRESENT, None if typed is None else {"a": typed})
    return page.fields[0]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_filled_in_is_read_as_a_value_of_the_settings_kind(kind: str) -> None:
    filled, value = VALUES[kind]
    setting = one(kind)
    assert read_page([setting], {"0": filled}, PRESENT) == ({"a": value}, ())
    assert setting_problem(setting, value) is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_is_shown_so_that_sending_the_form_again_changes_nothing(kind: str) -> None:
    value = VALUES[kind][1]
    field = drawn(one(kind), value)
    picked = [option.position for option in field.options if option.picked] or list(field.picked)
    assert read_page([one(kind)], {"0": field.value or picked}, PRESENT) == ({"a": value}, ())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("nothing", ["", "  ", [], ["  "]])
def test_nothing_filled_in_is_no_value_and_a_problem_only_where_one_is_required(
    kind: str, nothing: Filled
) -> None:
    assert read_page([one(kind)], {"0": nothing}, PRESENT) == ({"a": None}, ())
    assert read_page([one(kind)], {}, PRESENT) == ({"a": None}, ())
    assert read_page([one(kind, required=True)], {"0": nothing}, PRESENT)[1] == ("**Label 0** is missing.",)
    field = drawn(one(kind, required=True))
    assert field.required
    assert field.least == 1


def test_a_required_setting_with_a_default_may_be_left_empty_and_has_the_default() -> None:
    setting = one("text", required=True, default="hello")
    assert not drawn(setting).required
    assert drawn(setting, "hello").value == "hello"
    assert read_page([setting], {"0": ""}, PRESENT) == ({"a": None}, ())
    assert effective_settings([setting], {}) == {"a": "hello"}
    assert missing_settings([setting], {"a": "hello"}) == ()


@pytest.mark.parametrize("default", ["", "   "])
def test_a_required_setting_whose_default_is_blank_is_missing(default: str) -> None:
    setting = one("text", required=True, default=default)
    assert drawn(setting).required
    assert missing_settings([setting], effective_settings([setting], {})) == (setting,)


@pytest.mark.parametrize(("kind", "value"), [("boolean", False), ("number", 0), ("text", "0")])
def test_what_looks_like_nothing_and_is_a_value_is_not_missing(kind: str, value: Json) -> None:
    setting = one(kind, required=True, **({"min": 0} if kind == "number" else {}))
    assert missing_settings([setting], {"a": value}) == ()


@pytest.mark.parametrize(
    ("kind", "filled", "problem"),
    [
        ("number", "many", "has to be a number, like 3 or 2.5."),
        ("number", "2,5", "has to be a number, like 3 or 2.5."),
        ("number", "nan", "has to be a number, like 3 or 2.5."),
        ("number", "0", "must be at least 1."),
        ("number", "9" * 50, "must be between -(2^53) and 2^53."),
        ("text", "a\nb", "must be one line."),
        ("text", "🧀" * 251, "must be at most 500 characters long."),
        ("long_text", "a\u200bb", "must not contain the hidden character U+200B."),
        ("select", ["2"], "has to be one of the choices."),
        ("select", ["0", "1"], "has to be one of the choices."),
        ("boolean", ["yes"], "has to be one of the choices."),
        ("channel", [GONE], "has something chosen that is gone from the server. Choose again."),
        ("role", [ROOM], "has something chosen that is gone from the server. Choose again."),
        ("channels", [ROOM, GONE], "has something chosen that is gone from the server. Choose again."),
    ],
)
def test_what_does_not_fit_is_said_with_the_label(kind: str, filled: Filled, problem: str) -> None:
    values, problems = read_page([one(kind)], {"0": filled}, PRESENT)
    assert values == {}
    assert problems == (f"**Label 0** {problem}",)


def test_all_problems_of_a_page_are_said_at_once_and_labels_format_nothing() -> None:
    asked = settings(
        {"type": "number"}, {"type": "text", "required": True, "label": "*Who*"}, {"type": "text"}
    )
    values, problems = read_page(asked, {"0": "x", "1": "", "2": "fine"}, PRESENT)
    assert values == {"c": "fine"}
    assert problems == (
        "**Label 0** has to be a number, like 3 or 2.5.",
        "**\\*Who\\*** is missing.",
    )


def test_what_was_typed_is_shown_again_as_it_stands() -> None:
    asked = settings({"type": "number"}, {"type": "select", "options": CHOICES}, {"type": "roles"})
    typed: dict[str, Any] = typed_of(asked, {"0": "many", "1": ["1"], "2": [ROLE]})
    page = form_page("Snacks", asked, 0, {"a": 7, "b": "s"}, PRESENT, typed)
    number, select, roles = page.fields
    assert number.value == "many"
    assert [option.picked for option in select.options] == [False, True]
    assert roles.picked == (ROLE,)


@pytest.mark.parametrize("kind", ["channels", "channel"])
def test_a_channel_that_is_gone_is_not_chosen_and_the_field_says_so(kind: str) -> None:
    value: Json = [ROOM, GONE] if kind == "channels" else GONE
    field = drawn(one(kind, description="Where to post"), value)
    assert field.picked == ((ROOM,) if kind == "channels" else ())
    assert field.description == "⚠️ What was chosen is gone from the server. Where to post"
    assert drawn(one(kind, description="Where to post"), None).description == "Where to post"


def test_settings_are_shown_five_to_a_page_and_texts_are_cut() -> None:
    asked = settings(*({"type": "text", "label": "L" * 100, "description": "d" * 500} for _ in range(6)))
    first, second = (form_page("N" * 80, asked, page, {}, PRESENT) for page in (0, 1))
    assert [len(first.fields), len(second.fields)] == [5, 1]
    assert first.title == f"Settings of {'N' * 23}… (1 of 2)"
    assert first.fields[0].label == "L" * 44 + "…"
    assert len(first.fields[0].description) == 100
    assert [len(page) for page in setting_pages(asked)] == [5, 1]
    for wrong in (-1, 2):
        with pytest.raises(SettingsChanged):
            page_of(asked, wrong)


def test_a_page_has_another_mark_once_anything_of_it_is_another() -> None:
    first = settings({"type": "text"}, {"type": "number"})
    assert mark_of(first) == mark_of(settings({"type": "text"}, {"type": "number"}))
    roles = read(manifest_json(settings=[{"key": "a", "label": "A", "type": "roles", "default": [ROLE]}]))
    assert mark_of(roles.settings) == mark_of(load_manifest(dump_manifest(roles)).settings)
    others = [
        settings({"type": "text", "maxLength": 9}, {"type": "number"}),
        settings({"type": "number"}, {"type": "text"}),
        settings({"type": "text"}),
        settings({"type": "text"}, {"type": "roles", "default": [ROLE]}),
    ]
    assert len({mark_of(each) for each in (first, *others)}) == 5


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("boolean", True, "Yes"),
        ("boolean", False, "No"),
        ("text", "a`b", "`aˋb`"),
        ("number", 3, "`3`"),
        ("select", "f", "`Fast`"),
        ("channel", ROOM, f"<#{ROOM}>"),
        ("roles", [ROLE], f"<@&{ROLE}>"),
        ("channels", [], "–"),
        ("text", None, "–"),
    ],
)
def test_a_value_is_said_in_words(kind: str, value: Json, words: str) -> None:
    assert value_in_words(one(kind), value) == words


def test_long_lists_of_labels_and_ids_are_counted() -> None:
    asked = settings(*({"type": "text"} for _ in range(12)))
    assert labels_in_words(asked[:1]) == "**Label 0**"
    assert labels_in_words(asked[:2]) == "**Label 0** and **Label 1**"
    assert labels_in_words(asked).endswith(", **Label 9** and 2 more")
    ids: list[Json] = [str(10**17 + at) for at in range(12)]
    assert value_in_words(one("channels"), ids).endswith(", and 2 more")
