"""The headers that mirror parts of the body: `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*`."""

import base64
import re
from collections.abc import Mapping
from typing import Final

from bot.errors import BadArguments
from bot.mcp.schema_positions import subschemas
from bot.strict_json import Json
from bot.text import inline_code

PROTOCOL_VERSION: Final = "2026-07-28"
ANNOTATION: Final = "x-mcp-header"
MAX_VALUE = 2_048
MAX_INTEGER = 2**53 - 1

_PLAIN = re.compile(r"(?! )[ -~]*(?<! )")
_ENCODED = re.compile(r"=\?base64\?.*\?=")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TYPES = frozenset({"string", "integer", "boolean"})
_FIXED = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": PROTOCOL_VERSION}


def routing_headers(method: str, name: str | None = None) -> dict[str, str]:
    """The headers of a request for `method`; `name` is that of the tool, or the id of the task."""
    headers = {**_FIXED, "Mcp-Method": method}
    if name is not None:
        headers["Mcp-Name"] = encode_value(name)
    return headers


def encode_value(text: str) -> str:
    """`text` as it stands in a header: itself if it survives there, else Base64 in `=?base64?…?=`."""
    if _PLAIN.fullmatch(text) and not _ENCODED.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def annotation_problem(schema: Json) -> str | None:
    """What is wrong with the `x-mcp-header` annotations of an input schema, as a sentence; None if nothing.

    A tool with a wrong one has to be left out of the list (MCP 2026-07-28, custom headers).
    """
    seen: set[str] = set()
    stack: list[tuple[bool, Json]] = [(False, schema)]
    while stack:
        reachable, node = stack.pop()
        if isinstance(node, dict) and ANNOTATION in node:
            problem = _problem_of(node, seen) if reachable else "stands where it is not allowed"
            if problem:
                return f"An `x-mcp-header` in its input schema {problem}."
        below = reachable or node is schema
        stack += [(below and keyword == "properties", inner) for keyword, _, inner in subschemas(node)]
    return None


def _problem_of(node: dict[str, Json], seen: set[str]) -> str | None:
    token = node[ANNOTATION]
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        return "is not a header name"
    kind = node.get("type")
    if not isinstance(kind, str) or kind not in _TYPES:
        return "belongs to something else than a string, an integer or a boolean"
    if token.lower() in seen:
        return "is there twice"
    seen.add(token.lower())
    return None


def parameter_headers(schema: Json, arguments: Mapping[str, Json]) -> dict[str, str]:
    """The `Mcp-Param-*` headers of a call with `arguments` to a tool with the input schema `schema`.

    An argument that is absent or null has none. Raises `BadArguments` for a value that no header can carry:
    more than 2 KiB, or an integer beyond 2**53 - 1.
    """
    headers: dict[str, str] = {}
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return headers
    for name, value in arguments.items():
        node = properties.get(name)
        if isinstance(node, dict):
            if ANNOTATION in node and value is not None:
                headers[f"Mcp-Param-{node[ANNOTATION]}"] = _mirrored(name, value)
            elif isinstance(value, dict):
                headers |= parameter_headers(node, value)
    return headers


def _mirrored(name: str, value: Json) -> str:
    match value:
        case bool():
            text = "true" if value else "false"
        case int() | float() if isinstance(value, int) or value.is_integer():
            if abs(value) > MAX_INTEGER:
                raise BadArguments((f"{inline_code(name)} is too large a number for this tool.",))
            text = str(int(value))
        case str():
            text = encode_value(value)
        case _:
            raise BadArguments((f"{inline_code(name)} has the wrong type.",))
    if len(text) > MAX_VALUE:
        raise BadArguments((f"{inline_code(name)} is too long for this tool.",))
    return text
