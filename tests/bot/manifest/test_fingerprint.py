from dataclasses import replace
from typing import Any

import pytest

from bot.manifest import ToolDefinition, definition_hash

DEFINITION = ToolDefinition(
    name="snack_menu",
    title="Snack menu",
    description="List the snacks.",
    input_schema={"type": "object", "properties": {"count": {"type": "integer", "maximum": 5}}},
    read_only=True,
    always_ask=False,
    thread=False,
    user_request=False,
)


def test_equal_definitions_have_equal_fingerprints_however_their_schema_is_ordered() -> None:
    reordered = replace(
        DEFINITION,
        input_schema={"properties": {"count": {"maximum": 5, "type": "integer"}}, "type": "object"},
    )
    assert definition_hash(reordered) == definition_hash(DEFINITION)
    assert len(definition_hash(DEFINITION)) == 64


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"title": "Snack menu "},
        {"title": "Snack\u200b menu"},
        {"description": "List all snacks."},
        {"title": "List the snacks.", "description": "Snack menu"},
        {"input_schema": {"type": "object"}},
        {"input_schema": {"type": "object", "properties": {"count": {"type": "integer", "maximum": 50}}}},
        {"read_only": False},
        {"always_ask": True},
        {"thread": True},
        {"user_request": True},
    ],
)
def test_every_change_of_a_definition_changes_its_fingerprint(change: dict[str, Any]) -> None:
    assert definition_hash(replace(DEFINITION, **change)) != definition_hash(DEFINITION)


def test_the_fingerprint_stays_the_same_over_versions_of_kennel() -> None:
    assert definition_hash(DEFINITION) == "cd24b2d8761318178748392ea489c5ba4fbc3bd632620ef50f64993a24561123"
