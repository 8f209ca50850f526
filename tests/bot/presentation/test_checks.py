import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.presentation.checks import find_presentation, plain_presentation, present, read_presentation
from bot.presentation.models import Action, Presentation, PresentationField, PresentationLink
from bot.text import length

TOOLS = frozenset({"save_snack", "snack_menu"})
SAVE: dict[str, Any] = {"id": "save", "label": "Save", "tool": "save_snack", "arguments": {"snack": "fruit"}}


def read(raw: Any) -> tuple[Presentation, tuple[str, ...]]:
    return read_presentation(raw, TOOLS)


def result(structured: object, texts: list[str]) -> tuple[Presentation, tuple[str, ...]]:
    return present(structured, texts, TOOLS)


def test_a_whole_presentation_is_read_with_nothing_dropped() -> None:
    presentation, dropped = read(
        {
            "text": "Pick one",
            "fields": [{"label": "Choices", "value": "fruit, popcorn"}],
            "links": [{"label": "Menu", "url": "https://snacks.example/menu"}],
            "actions": [SAVE],
        }
    )
    assert dropped == ()
    assert presentation == Presentation(
        text="Pick one",
        fields=(PresentationField("Choices", "fruit, popcorn"),),
        links=(PresentationLink("Menu", "https://snacks.example/menu"),),
        actions=(Action("save", "Save", "save_snack", {"snack": "fruit"}),),
    )


def test_unknown_keys_and_nulls_are_ignored() -> None:
    raw = {"text": "Hi", "colour": 3, "fields": None, "links": None, "actions": [{**SAVE, "style": "red"}]}
    presentation, dropped = read(raw)
    assert (presentation.text, len(presentation.actions), dropped) == ("Hi", 1, ())


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"text": 3}, "pup.text"),
    ({"fields": {"label": "a"}}, "pup.fields"),
    ({"fields": ["a"]}, "pup.fields[0]"),
    ({"fields": [{"label": 1, "value": "x"}]}, "pup.fields[0].label"),
    ({"fields": [{"value": "x"}]}, "pup.fields[0].label"),
    ({"fields": [{"label": "a", "value": {}}]}, "pup.fields[0].value"),
    ({"fields": [{"label": "a", "value": None}]}, "pup.fields[0].value"),
    ({"links": [{"label": "a", "url": 1}]}, "pup.links[0].url"),
    ({"links": "https://a.example"}, "pup.links"),
    ({"actions": [{**SAVE, "id": ""}]}, "pup.actions[0].id"),
    ({"actions": [{**SAVE, "id": 1}]}, "pup.actions[0].id"),
    ({"actions": [{**SAVE, "label": None}]}, "pup.actions[0].label"),
    ({"actions": [{**SAVE, "tool": "delete_all"}]}, "pup.actions[0].tool"),
    ({"actions": [{**SAVE, "arguments": []}]}, "pup.actions[0].arguments"),
]


@pytest.mark.parametrize(("part", "path"), BROKEN)
def test_a_broken_part_is_dropped_and_named_by_its_path(part: dict[str, Any], path: str) -> None:
    presentation, dropped = read(part)
    assert presentation.is_empty
    assert dropped == (path,)


def test_what_stands_beside_a_broken_part_is_kept() -> None:
    fields = [{"label": "a", "value": "1"}, 7, {"label": "b", "value": "2"}]
    presentation, dropped = read({"text": [], "fields": fields, "actions": [SAVE]})
    assert [field.label for field in presentation.fields] == ["a", "b"]
    assert len(presentation.actions) == 1
    assert dropped == ("pup.text", "pup.fields[1]")


def test_the_second_action_of_an_id_is_dropped() -> None:
    presentation, dropped = read({"actions": [SAVE, {**SAVE, "label": "Again"}]})
    assert [action.label for action in presentation.actions] == ["Save"]
    assert dropped == ("pup.actions[1].id",)


def test_an_id_stays_free_when_its_first_action_was_broken() -> None:
    presentation, _ = read({"actions": [{**SAVE, "tool": "nope"}, SAVE]})
    assert [action.id for action in presentation.actions] == ["save"]


def test_an_action_without_arguments_has_none() -> None:
    action = {"id": "menu", "label": "Menu", "tool": "snack_menu"}
    presentation, dropped = read({"actions": [action]})
    assert presentation.actions == (Action("menu", "Menu", "snack_menu", {}),)
    assert dropped == ()


def test_numbers_and_booleans_as_values_are_shown_as_json_spells_them() -> None:
    values = [42, 1.5, True, False, 1915883588174806058]
    raw = {"fields": [{"label": "a", "value": value} for value in values]}
    presentation, dropped = read(raw)
    assert [field.value for field in presentation.fields] == [
        "42",
        "1.5",
        "true",
        "false",
        "1915883588174806058",
    ]
    assert dropped == ()


def test_what_is_too_long_is_shortened_with_an_ellipsis() -> None:
    presentation, dropped = read(
        {
            "text": "x" * 4_001,
            "fields": [{"label": "l" * 300, "value": "v" * 2_000}],
            "actions": [{**SAVE, "label": "b" * 81}],
        }
    )
    assert presentation.text == "x" * 3_999 + "…"
    assert length(presentation.fields[0].label) == 256
    assert presentation.fields[0].value == "v" * 1_023 + "…"
    assert presentation.actions[0].label == "b" * 79 + "…"
    assert dropped == ()


def test_what_is_just_long_enough_stays_whole() -> None:
    assert read({"text": "😀" * 2_000})[0].text == "😀" * 2_000


def test_what_is_too_many_is_left_out_and_named_once() -> None:
    presentation, dropped = read(
        {
            "fields": [{"label": "a", "value": "b"}] * 40,
            "links": [{"label": "a", "url": "https://a.example"}] * 11,
            "actions": [{**SAVE, "id": f"a{number}"} for number in range(7)],
        }
    )
    assert [len(part) for part in (presentation.fields, presentation.links, presentation.actions)] == [
        25,
        10,
        5,
    ]
    assert dropped == ("pup.fields[25:]", "pup.links[10:]", "pup.actions[5:]")


def test_exactly_as_many_as_allowed_are_all_kept() -> None:
    raw = {"fields": [{"label": "a", "value": "b"}] * 25}
    presentation, dropped = read(raw)
    assert (len(presentation.fields), dropped) == (25, ())


def test_the_paths_of_a_thousand_broken_parts_are_not_all_told() -> None:
    assert len(read({"fields": [0] * 1_000})[1]) == 50


@pytest.mark.parametrize("raw", [None, 3, "text", [], True])
def test_a_pup_that_is_no_object_gives_nothing(raw: Any) -> None:
    assert read(raw) == (Presentation(), ("pup",))


def test_the_structured_content_is_looked_at_first() -> None:
    text = json.dumps({"pup": {"text": "from the block"}})
    assert find_presentation({"pup": {"text": "structured"}}, [text]) == {"text": "structured"}


@pytest.mark.parametrize("structured", [None, [], "x", {"answer": 42}, object()])
def test_else_the_first_text_block_that_is_json_is_taken(structured: object) -> None:
    texts = ["hello", "{broken", '{"other": 1}', ' {"pup": {"text": "from the block"}}']
    assert find_presentation(structured, texts) == {"text": "from the block"}


def test_a_pup_that_is_an_object_is_preferred_to_one_that_is_not() -> None:
    assert find_presentation({"pup": "broken"}, ['{"pup": {"text": "whole"}}']) == {"text": "whole"}
    assert find_presentation({"pup": "broken"}, []) == "broken"


def test_without_any_pup_there_is_none() -> None:
    assert find_presentation({"answer": 42, "pup": None}, ["text", "[1]"]) is None


def test_text_blocks_come_before_scalars() -> None:
    assert plain_presentation({"answer": 42}, ["One.", " ", "Two."]) == Presentation(text="One.\n\nTwo.")


def test_top_level_scalars_become_fields() -> None:
    structured = {"answer": 42, "name": "fruit", "saved": True, "none": None, "list": [1], "pup": "broken"}
    assert plain_presentation(structured, []).fields == (
        PresentationField("answer", "42"),
        PresentationField("name", "fruit"),
        PresentationField("saved", "true"),
    )


def test_a_text_block_that_repeats_the_structured_content_is_not_shown() -> None:
    structured = {"answer": 42, "list": [1]}
    plain = plain_presentation(structured, ['{ "list": [1], "answer": 42 }'])
    assert plain == Presentation(fields=(PresentationField("answer", "42"),))


def test_other_json_in_a_text_block_is_text() -> None:
    assert plain_presentation({"answer": 42}, ['{"answer": 43}']).text == '{"answer": 43}'
    assert plain_presentation({"answer": True}, ['{"answer": 1}']).text == '{"answer": 1}'
    assert plain_presentation(None, ['{"answer": 43}']).text == '{"answer": 43}'


def test_without_anything_it_says_done() -> None:
    nothing: list[Any] = [None, {}, {"list": []}, [1], "text"]
    for structured in nothing:
        assert plain_presentation(structured, []) == Presentation(text="Done.")


@pytest.mark.parametrize("pup", ["nonsense", 3, [], {"text": 7}, {"fields": [1]}, {}, {"text": " "}])
def test_a_useless_pup_falls_back_to_the_plain_result_without_the_raw_pup(pup: Any) -> None:
    structured = {"answer": 42, "pup": pup}
    for texts in ([], [json.dumps(structured)]):
        presentation, _ = result(structured, texts)
        assert presentation == Presentation(fields=(PresentationField("answer", "42"),))
    presentation, _ = result(None, [json.dumps(structured)])
    assert presentation == Presentation(fields=(PresentationField("answer", "42"),))


def test_what_was_dropped_is_told_for_a_useless_pup_too() -> None:
    assert result({"pup": {"text": 7}}, []) == (Presentation(text="Done."), ("pup.text",))
    assert result({"pup": 7}, []) == (Presentation(text="Done."), ("pup",))


def test_a_useful_pup_hides_text_blocks() -> None:
    assert result({"pup": {"text": "shown"}}, ["not shown"]) == (Presentation(text="shown"), ())


NO_ARGUMENTS: dict[str, Any] = {}
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(JSON_VALUES, st.lists(st.text()))
def test_any_result_at_all_gives_something_to_show(structured: Any, texts: list[str]) -> None:
    presentation, _ = result(structured, texts)
    assert length(presentation.text) <= 4_000
    assert len(presentation.fields) <= 25
    assert presentation.text or presentation.fields or presentation.links or presentation.actions


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "text": JSON_VALUES,
            "fields": st.lists(
                st.dictionaries(st.sampled_from(["label", "value", "x"]), JSON_VALUES), max_size=30
            ),
            "links": st.lists(st.dictionaries(st.sampled_from(["label", "url"]), JSON_VALUES), max_size=12),
            "actions": st.lists(
                st.dictionaries(st.sampled_from(["id", "label", "tool", "arguments"]), JSON_VALUES)
                | st.fixed_dictionaries(
                    {
                        "id": st.text(max_size=2),
                        "label": st.text(),
                        "tool": st.sampled_from(["save_snack", "other"]),
                        "arguments": st.just(NO_ARGUMENTS),
                    }
                ),
                max_size=8,
            ),
        },
    )
)
def test_whatever_a_pup_holds_the_limits_are_kept(raw: Any) -> None:
    presentation, dropped = read(raw)
    assert len(presentation.fields) <= 25
    assert len(presentation.links) <= 10
    assert len(presentation.actions) <= 5
    ids = [action.id for action in presentation.actions]
    assert len(ids) == len(set(ids))
    assert all(action.tool in TOOLS for action in presentation.actions)
    assert all(length(field.value) <= 1_024 and length(field.label) <= 256 for field in presentation.fields)
    kept = len(presentation.fields) + len(presentation.links) + len(presentation.actions)
    offered = sum(len(raw.get(key, [])) for key in ("fields", "links", "actions"))
    assert kept + len(dropped) >= min(offered, 1)
