"""The protocol's own rules: how a request is read and checked, and how it is refused."""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeAlias, cast

JsonObject: TypeAlias = dict[str, Any]

VERSION = "2026-07-28"  # the revision of MCP spoken here: every request stands for itself, without a session
MCP = "io.modelcontextprotocol/"
TASKS = MCP + "tasks"
# These methods repeat one of their parameters in the header Mcp-Name, so that a proxy can route them.
NAMED = {"tools/call": "name", "tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId"}
_TYPES: dict[str, Any] = {"string": str, "integer": int, "number": (int, float), "boolean": bool}


class RpcError(Exception):
    """A JSON-RPC error: the request cannot be served at all."""

    def __init__(self, code: int, message: str, status: int = 400, **data: Any) -> None:
        super().__init__(message)
        self.body: JsonObject = {"code": code, "message": message} | ({"data": data} if data else {})
        self.status = status


def object_schema(properties: JsonObject, required: Sequence[str]) -> JsonObject:
    """A flat JSON Schema."""
    return {
        "type": "object",
        "properties": properties,
        "required": [*required],
        "additionalProperties": False,
    }


def misfit(schema: JsonObject, values: JsonObject) -> str:
    """The first thing that does not fit a flat schema, as a sentence; empty when all does."""
    for name in schema["required"]:
        if name not in values:
            return f"{name} is missing."
    for name, value in values.items():
        rule = schema["properties"].get(name)
        if rule is None:
            return "There is an argument that is not known."
        if not isinstance(value, _TYPES[rule["type"]]) or isinstance(value, bool) != (
            rule["type"] == "boolean"
        ):
            return f"{name} is of the wrong type."
        if value not in rule.get("enum", [value]):
            return f"{name} is none of the choices."
        if not rule.get("minimum", value) <= value <= rule.get("maximum", value):
            return f"{name} is too small or too large."
    return ""


def as_object(value: Any) -> JsonObject:
    """`value` if it is a JSON object; refuses the request otherwise."""
    if not isinstance(value, dict):
        raise RpcError(-32602, "Something that has to be an object is none.")
    return cast(JsonObject, value)


def as_text(value: Any) -> str:
    """`value` if it is a string that is not empty; refuses the request otherwise."""
    if not isinstance(value, str) or not value:
        raise RpcError(-32602, "Something that has to be a text is none.")
    return value


def parse(body: bytes) -> JsonObject:
    """One JSON object. Refuses the request for anything else, NaN and hostile depth included."""
    try:
        return as_object(json.loads(body.decode(), parse_constant=_no_constant))
    except (ValueError, RecursionError):
        raise RpcError(-32700, "This is not JSON.") from None


def _no_constant(_: str) -> NoReturn:
    raise ValueError("JSON has no such number")


def request_id(message: JsonObject) -> str | int:
    """The id of a JSON-RPC request; refuses what is none."""
    given = message.get("id")
    if message.get("jsonrpc") != "2.0" or not isinstance(given, (str, int)) or isinstance(given, bool):
        raise RpcError(-32600, "This is not a JSON-RPC request.")
    return given


def check_request(message: JsonObject, headers: Mapping[str, str]) -> tuple[str, JsonObject, JsonObject]:
    """The method, `params` and `_meta` of a request that says the same in its headers and its body.

    The signature covers the body alone; this ties the headers to it.
    """
    method, params = as_text(message.get("method")), as_object(message.get("params"))
    meta = as_object(params.get("_meta"))
    as_object(meta.get(MCP + "clientCapabilities"))
    version = as_text(meta.get(MCP + "protocolVersion"))
    expected = {"MCP-Protocol-Version": version, "Mcp-Method": method}
    if method in NAMED:
        expected["Mcp-Name"] = as_text(params.get(NAMED[method]))
    for header, value in expected.items():
        if _decoded(headers.get(header, "")) != value:
            raise RpcError(-32020, f"The header {header} does not say what the body says.")
    if version != VERSION:
        raise RpcError(-32022, "This version is not spoken here.", supported=[VERSION], requested=version)
    return method, params, meta


def _decoded(header: str) -> str | None:
    """What does not fit into a header as it stands comes as `=?base64?…?=`."""
    encoded = re.fullmatch(r"=\?base64\?(.*)\?=", header)
    try:
        return base64.b64decode(encoded[1], validate=True).decode() if encoded else header
    except ValueError:
        return None
