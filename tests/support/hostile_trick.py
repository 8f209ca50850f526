"""A trick all of whose texts are one flavour of hostile, as large as a manifest may be."""

from typing import Any

from bot.demo.sample_trick import object_schema
from tests.support.hostile import LINES, UNSEEN, filled
from tests.support.trick import TrickServer
from tests.support.trick_tools import ToolSpec


def make_hostile(
    trick: TrickServer, text: str, *, tools: int = 4, settings: int = 25, commands: int = 4
) -> None:
    """Fill everything that the trick says with `text`."""
    trick.tools = [_tool(text, n, 25_000 // max(tools, 50)) for n in range(tools)]
    trick.live_tools = list(trick.tools)
    trick.commands = [_command(text, n, trick.tools[n % tools].name) for n in range(commands)]
    trick.settings = [_setting(text, n) for n in range(settings)]
    trick.manifest_changes |= {
        "name": filled(text, 80),
        "author": filled(text, 100),
        "summary": filled(text, 150),
        "description": filled(f"{text}\n{LINES}", 1_000),
        "instructions": filled(f"{LINES}\n{text}", 2_000),
    }


def _tool(text: str, n: int, size: int) -> ToolSpec:
    keys = {f"{text}{n}": {"type": "string", "title": text}, "who": {"type": "string"}}
    return ToolSpec(
        f"tool_{'t' * 30}_{n:02}",
        filled(text, size // 4),
        filled(f"{text}\n{LINES}\n{UNSEEN}", size * 3 // 4),
        object_schema(keys, ()),
        read_only=n % 2 == 0,
        always_ask=n % 4 == 3,
    )


def _command(text: str, n: int, tool: str) -> dict[str, Any]:
    option = {"name": "who", "description": filled(text, 100), "type": "string"}
    return {"name": f"c{n:02}", "description": filled(text, 100), "tool": tool, "options": [option]}


def _setting(text: str, n: int) -> dict[str, Any]:
    kinds = ("text", "select", "long_text", "number", "channels", "roles", "boolean", "channel", "role")
    kind = kinds[n % len(kinds)]
    setting: dict[str, Any] = {
        "key": f"key_{n}",
        "label": filled(text, 100),
        "description": filled(f"{text}\n{LINES}", 500),
        "type": kind,
        "required": n > 4,
    }
    if kind == "select":
        setting["options"] = [
            {"label": f"{n} {filled(text, 90)}", "value": f"{n}{text}"[:100]} for n in range(25)
        ]
        setting["default"] = setting["options"][3]["value"]
    if kind in ("text", "long_text"):
        setting["default"] = filled(text, 400)
    return setting
