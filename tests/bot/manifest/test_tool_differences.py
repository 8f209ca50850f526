"""The difference between tools in words: what they are called, say, take, and may do."""

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.manifest.fingerprint import ToolDefinition, definition_hash
from bot.manifest.tool_differences import tool_differences

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"snack": {"type": "string", "enum": ["fruit"]}, "many": {"type": "integer"}},
    "required": ["snack"],
}
MENU = ToolDefinition("menu", "The menu", "Shows it.", SCHEMA, True, False, False, False)
SAVE = ToolDefinition("save", "Save it", "Saves it.", {}, False, False, False, False)


def told(**changes: Any) -> list[str]:
    """What is said of the menu when it becomes another one."""
    return list(tool_differences({"menu": MENU}, {"menu": dataclasses.replace(MENU, **changes)}).lines)


def schema(**changes: Any) -> dict[str, Any]:
    return {**SCHEMA, **changes}


def test_equal_tools_have_no_difference_and_nothing_has_to_be_read() -> None:
    reordered = dict(reversed(SCHEMA.items()))
    found = tool_differences({"menu": MENU}, {"menu": dataclasses.replace(MENU, input_schema=reordered)})
    assert (found.lines, found.to_read) == ((), ())


def test_new_tools_and_changed_ones_have_to_be_read_and_those_that_are_gone_not() -> None:
    other = dataclasses.replace(MENU, description="Shows more.")
    found = tool_differences({"menu": MENU, "old": SAVE}, {"menu": other, "save": SAVE})
    assert found.lines == (
        "• `save` is new: write.",
        "• `old` is gone.",
        "• `menu` has another description, which stands below.",
    )
    assert found.to_read == (SAVE, other)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"title": "Menu *2*"}, "• `menu` is called “Menu \\*2\\*” now (was “The menu”)."),
        ({"read_only": False}, "• `menu` is a write now (was read)."),
        ({"thread": True}, "• `menu` works in a thread now."),
        ({"user_request": True}, "• `menu` is given the asker's message word for word now."),
    ],
)
def test_titles_and_flags_are_told(changes: dict[str, Any], line: str) -> None:
    assert told(**changes) == [line]


def test_a_write_that_no_longer_asks_is_told_and_so_is_one_that_only_reads() -> None:
    asks = dataclasses.replace(SAVE, always_ask=True)
    assert tool_differences({"save": asks}, {"save": SAVE}).lines == (
        "• `save` no longer always asks first.",
    )
    assert tool_differences({"save": SAVE}, {"save": asks}).lines == ("• `save` always asks first now.",)
    read = dataclasses.replace(SAVE, read_only=True)
    assert tool_differences({"save": SAVE}, {"save": read}).lines == (
        "• `save` only reads now (was a write).",
    )


@pytest.mark.parametrize(
    ("new", "lines"),
    [
        (
            schema(properties={"snack": SCHEMA["properties"]["snack"]}),
            ["• `menu` does not take `many` any more."],
        ),
        (
            schema(properties={**SCHEMA["properties"], "loud": True}, required=["snack", "loud"]),
            ["• `menu` takes `loud` now, and has to be given it."],
        ),
        (
            schema(properties={**SCHEMA["properties"], "snack": {"type": "string", "maxLength": 9}}),
            ["• `menu` takes something else as `snack` now (`enum`, `maxLength`)."],
        ),
        (schema(properties={**SCHEMA["properties"], "many": False}), ["(all of it)"]),
        (schema(required=[]), ["• `menu` need not be given `snack` now."]),
        (schema(required=["snack", "many"]), ["• `menu` has to be given `many` now."]),
        (schema(required=["snack", "x"]), ["• `menu` has other rules for what it takes (`required`)."]),
        (
            schema(additionalProperties=False, title="T"),
            ["• `menu` has other rules for what it takes (`additionalProperties`, `title`)."],
        ),
        (schema(required=["snack", "snack"]), ["• `menu` says in another way what it takes."]),
        ({"properties": 3, "required": 4, "type": "object"}, ["does not take `snack`", "not take `many`"]),
    ],
)
def test_what_a_tool_takes_is_told_by_the_names_of_the_properties(
    new: dict[str, Any], lines: list[str]
) -> None:
    found = told(input_schema=new)
    assert len(found) == len(lines)
    assert all(line in said for line, said in zip(lines, found, strict=True)), found


def test_hidden_characters_in_names_are_shown_and_endless_changes_are_counted() -> None:
    names: dict[str, Any] = {f"a\u200b{n}": {} for n in range(60)}
    found = told(input_schema=schema(properties={**SCHEMA["properties"], **names}))
    assert len(found) == 41
    assert "a\\u{200b}0" in found[0]
    assert found[-1] == "• `menu` has 20 more changes of what it takes."


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
words = st.sampled_from(["properties", "required", "type", "x"])
schemas = st.dictionaries(words, json_values | st.lists(st.text(max_size=3), max_size=3), max_size=4)
tools = st.builds(
    ToolDefinition,
    st.just("menu"),
    st.text(max_size=3),
    st.text(max_size=3),
    schemas,
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)


@given(tools, tools)
def test_whatever_changes_the_fingerprint_is_told_and_nothing_else_is(
    old: ToolDefinition, new: ToolDefinition
) -> None:
    found = tool_differences({"menu": old}, {"menu": new})
    assert bool(found.lines) == (definition_hash(old) != definition_hash(new)) == bool(found.to_read)
