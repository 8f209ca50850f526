"""One number for everything that decides what a tool is: what the owner enabled, and consents hang on."""

import hashlib
from dataclasses import dataclass

from bot.strict_json import Json, canonical


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as the live list describes it (title, description, input schema), with the manifest's flags."""

    name: str
    title: str
    description: str
    input_schema: dict[str, Json]
    read_only: bool
    always_ask: bool
    thread: bool
    user_request: bool


def definition_hash(definition: ToolDefinition) -> str:
    """64 hexadecimal digits, the same for equal definitions, however their schema's keys are ordered.

    Raises `NotJson` if a value in the schema is no JSON.
    """
    parts: dict[str, Json] = {
        "name": definition.name,
        "title": definition.title,
        "description": definition.description,
        "inputSchema": definition.input_schema,
        "readOnly": definition.read_only,
        "alwaysAsk": definition.always_ask,
        "thread": definition.thread,
        "userRequest": definition.user_request,
    }
    return hashlib.sha256(canonical(parts)).hexdigest()
