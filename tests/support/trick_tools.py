"""The tools of a scripted trick, and the manifest that they make."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bot.demo.sample_trick import JsonObject, object_schema

Result = JsonObject | Callable[[JsonObject], JsonObject]
MENU: JsonObject = {
    "choices": ["popcorn", "fruit"],
    "pup": {
        "fields": [{"label": "Choices", "value": "popcorn, fruit"}],
        "actions": [
            {"id": "save_fruit", "label": "Save fruit", "tool": "save_snack", "arguments": {"snack": "fruit"}}
        ],
    },
}


@dataclass(frozen=True)
class ToolSpec:
    """One tool. `result` is its structured content, or makes it from the arguments."""

    name: str
    title: str = "A tool"
    description: str = "Does something."
    schema: JsonObject = field(default_factory=lambda: object_schema({}, ()))
    read_only: bool = False
    always_ask: bool = False
    thread: bool = False
    user_request: bool = False
    result: Result = field(default_factory=lambda: {"done": True})

    def listed(self) -> JsonObject:
        """Its entry in the manifest."""
        flags = {
            "readOnly": self.read_only,
            "alwaysAsk": self.always_ask,
            "thread": self.thread,
            "userRequest": self.user_request,
        }
        return {"name": self.name, **{name: value for name, value in flags.items() if value}}

    def definition(self) -> JsonObject:
        """Its entry in the tool list."""
        texts = {"name": self.name, "title": self.title, "description": self.description}
        return {**texts, "inputSchema": self.schema}

    def answer(self, arguments: JsonObject) -> JsonObject:
        """The result of a call."""
        return structured(self.result(arguments) if callable(self.result) else self.result)


def structured(data: JsonObject) -> JsonObject:
    """A result with `data` as its structured content, and the same as text."""
    return {"content": [{"type": "text", "text": json.dumps(data)}], "structuredContent": data}


def default_tools() -> list[ToolSpec]:
    """A read tool with a button, and the write tool behind it."""
    snack: JsonObject = {"type": "string", "enum": ["popcorn", "fruit", "pretzels"]}
    return [
        ToolSpec("snack_menu", "See the snacks", "List the snacks there are.", read_only=True, result=MENU),
        ToolSpec(
            "save_snack",
            "Save your snack preference",
            "Save the asker's snack preference.",
            object_schema({"snack": snack}, ["snack"]),
            result=_saved,
        ),
    ]


def default_commands() -> list[JsonObject]:
    """`/snacks` and `/save snack:`."""
    option = {"name": "snack", "description": "Which snack", "type": "string", "required": True}
    return [
        {"name": "snacks", "description": "See the snacks", "tool": "snack_menu"},
        {"name": "save", "description": "Save a snack", "tool": "save_snack", "options": [option]},
    ]


def manifest_of(
    trick_id: str, base: str, tools: list[ToolSpec], events: list[str], **more: Any
) -> JsonObject:
    """A valid manifest whose endpoints are under `base`."""
    paths = ["challenge", "mcp", *(["events"] if events else [])]
    return {
        "manifestVersion": 1,
        "protocolVersion": "2026-07-28",
        "id": trick_id,
        "name": trick_id.replace("_", " ").title(),
        "author": "Example author",
        "description": "List available snacks and save one.",
        "summary": "Read the available snacks, save one.",
        "instructions": "Use snack_menu when asked for the available snacks.",
        "endpoints": {path: f"{base}/{path}" for path in paths},
        "tools": [tool.listed() for tool in tools],
        "commands": [],
        "settings": [],
        "events": events,
        **more,
    }


def _saved(arguments: JsonObject) -> JsonObject:
    return {"saved": arguments.get("snack"), "pup": {"text": f"Saved: {arguments.get('snack')}."}}
