"""Tool definitions: pinned at the first enabling, and compared with the live ones ever after."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.manifest import Manifest, definition_hash
from bot.manifest.fingerprint import ToolDefinition
from bot.mcp.wire import Tool
from bot.strict_json import dump
from storage.records import Pin


@dataclass(frozen=True, slots=True)
class Comparison:
    """How live definitions differ from the pinned ones; names of tools, sorted.

    A tool that is `missing` from the live list or `changed` in it is held back.
    """

    changed: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def held_back(self) -> tuple[str, ...]:
        """The tools that may not be called until the owner accepts."""
        return tuple(sorted({*self.changed, *self.missing}))


def definitions(manifest: Manifest, live: Iterable[Tool]) -> dict[str, ToolDefinition]:
    """The definitions of the manifest's tools: texts and schema from the live list, flags from the manifest."""
    by_name = {tool.name: tool for tool in live}
    found: dict[str, ToolDefinition] = {}
    for tool in manifest.tools:
        live_tool = by_name.get(tool.name)
        if live_tool is not None:
            found[tool.name] = ToolDefinition(
                name=tool.name,
                title=live_tool.title,
                description=live_tool.description,
                input_schema=live_tool.input_schema,
                read_only=tool.read_only,
                always_ask=tool.always_ask,
                thread=tool.thread,
                user_request=tool.user_request,
            )
    return found


def undefined(manifest: Manifest) -> dict[str, ToolDefinition]:
    """The manifest's tools as they are known before there is a live list: by name and flags alone."""
    return {
        tool.name: ToolDefinition(
            name=tool.name,
            title="",
            description="",
            input_schema={},
            read_only=tool.read_only,
            always_ask=tool.always_ask,
            thread=tool.thread,
            user_request=tool.user_request,
        )
        for tool in manifest.tools
    }


def definition_of(pin: Pin) -> ToolDefinition:
    """The definition that was pinned."""
    return ToolDefinition(
        name=pin.tool,
        title=pin.title,
        description=pin.description,
        input_schema=json.loads(pin.input_schema),
        read_only=pin.read_only,
        always_ask=pin.always_ask,
        thread=pin.thread,
        user_request=pin.user_request,
    )


def pins_of(installation_id: str, found: Mapping[str, ToolDefinition], now_ms: int) -> tuple[Pin, ...]:
    """The rows that pin `found`."""
    return tuple(
        Pin(
            installation_id=installation_id,
            tool=definition.name,
            title=definition.title,
            description=definition.description,
            input_schema=dump(definition.input_schema).decode(),
            read_only=definition.read_only,
            always_ask=definition.always_ask,
            thread=definition.thread,
            user_request=definition.user_request,
            definition_hash=definition_hash(definition),
            pinned_at=now_ms,
        )
        for definition in found.values()
    )


def compare(pins: Iterable[Pin], live: Mapping[str, ToolDefinition]) -> Comparison:
    """Compare what is pinned with what the trick serves now."""
    pinned = {pin.tool: pin.definition_hash for pin in pins}
    return Comparison(
        changed=tuple(
            sorted(
                name
                for name, pinned_hash in pinned.items()
                if name in live and definition_hash(live[name]) != pinned_hash
            )
        ),
        missing=tuple(sorted(pinned.keys() - live.keys())),
    )
