"""A model opened on the scripted server, and what the tests of its adapter say to it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from bot.clock import Clock
from bot.config import AssistantSection
from bot.llm.model import Model, ToolSpec, UserMessage
from bot.llm.providers import open_model
from tests.support.clock import TurnedClock
from tests.support.model import ModelServer

HELLO = (UserMessage(text="hello"),)

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Saving",
    "type": "object",
    "properties": {
        "snack": {"$ref": "#/$defs/Snack", "description": "What to save."},
        "note": {"oneOf": [{"type": "string", "pattern": "^(?=.)"}, {"type": "null"}], "default": None},
        "tags": {"type": "array"},
    },
    "required": ["snack"],
    "$defs": {"Snack": {"title": "Snack", "type": "object", "additionalProperties": True}},
}
"""Everything that adapters like to rewrite: references, titles, unions, defaults, open objects."""

SAVE = ToolSpec("snack_club__save", "Saves a snack.", SCHEMA)


@asynccontextmanager
async def opened(server: ModelServer, clock: Clock | None = None, **changes: Any) -> AsyncGenerator[Model]:
    """The model that the configuration of `server`, with `changes`, names; on a clock that only a test turns."""
    section = AssistantSection.model_validate(server.config | changes)
    model = open_model(section, clock or TurnedClock())
    assert model is not None
    try:
        yield model
    finally:
        await model.aclose()
