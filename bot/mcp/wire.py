"""The results of `server/discover`, `tools/list` and `tools/call` (MCP 2026-07-28), read strictly.

A result comes in as the dictionary that JSON gave and goes out as small frozen values. Whatever does not
fit is a `ProtocolFailure` with a sentence of ours, except in a tool list: there it costs only its tool.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias, cast

from bot.errors import ProtocolFailure
from bot.manifest.names import identifier_problem
from bot.mcp.headers import annotation_problem
from bot.mcp.jsonrpc import JsonObject
from bot.strict_json import Json
from bot.text import clamp, one_line, printable

ResultType: TypeAlias = Literal["complete", "input_required", "task"]


class Missing(enum.Enum):
    """The type of `MISSING`: a key that is not there, where null would be a value."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


@dataclass(frozen=True, slots=True)
class TextContent:
    """A text block."""

    type: ClassVar[Literal["text"]] = "text"
    text: str


@dataclass(frozen=True, slots=True)
class OtherContent:
    """A block that Kennel shows to nobody: a picture, sound, a resource, or a kind it does not know.

    `note` says in brackets what it was, without anything of its content.
    """

    type: ClassVar[Literal["other"]] = "other"
    note: str


ContentBlock: TypeAlias = TextContent | OtherContent


@dataclass(frozen=True, slots=True)
class CallToolResult:
    """What a tool gave. `structured_content` may be any JSON, null included, or `MISSING`."""

    content: tuple[ContentBlock, ...]
    structured_content: "Json | Missing"
    is_error: bool
    raw: JsonObject = field(repr=False)

    def to_stored(self) -> JsonObject:
        """The result as it came, as JSON, for the record of the call."""
        return self.raw


@dataclass(frozen=True, slots=True)
class Elicitation:
    """A question as a form: `message`, and the flat schema of the answer as it came."""

    message: str
    requested_schema: JsonObject


@dataclass(frozen=True, slots=True)
class UnsupportedInput:
    """An input request that Kennel never said it could serve; it cannot be answered."""

    method: str


InputRequests: TypeAlias = dict[str, Elicitation | UnsupportedInput]


@dataclass(frozen=True, slots=True)
class InputRequiredResult:
    """Questions instead of a result: the call is sent again with the answers and exactly this state."""

    input_requests: InputRequests
    request_state: str | None


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of the live list; title and description are empty when the trick gave none."""

    name: str
    title: str
    description: str
    input_schema: JsonObject


class Dropped(NamedTuple):
    """An entry of the live list that cannot be used: its name, made safe to show, and a sentence why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class ToolPage:
    """One page of `tools/list`."""

    tools: tuple[Tool, ...]
    dropped: tuple[Dropped, ...]
    next_cursor: str | None
    ttl_ms: int


@dataclass(frozen=True, slots=True)
class ToolList:
    """The live tools in the trick's order, and what was dropped. `ttl_ms` is that of the shortest page.

    `complete` is false when the trick had more pages than were wanted, or gave the same cursor twice.
    """

    tools: tuple[Tool, ...]
    dropped: tuple[Dropped, ...]
    pages: int
    ttl_ms: int
    complete: bool


@dataclass(frozen=True, slots=True)
class DiscoverResult:
    """What a server says of itself: protocol versions, and the identifiers of its extensions."""

    supported_versions: tuple[str, ...]
    extensions: frozenset[str]


def result_type(result: JsonObject, allowed: frozenset[str]) -> str:
    """The kind of `result`; absent means `complete`. Raises `ProtocolFailure` unless it is in `allowed`."""
    kind = result.get("resultType", "complete")
    if not isinstance(kind, str) or kind not in allowed:
        raise ProtocolFailure("The result is of a kind that is not allowed here.")
    return kind


def read_call_result(result: JsonObject) -> CallToolResult:
    """A complete result of `tools/call`.

    `content` may be absent where there is structured content: some servers leave it out, and nothing is lost.
    """
    content = result.get("content", MISSING)
    structured = result.get("structuredContent", MISSING)
    if content is MISSING and structured is not MISSING:
        content = []
    if not isinstance(content, list):
        raise ProtocolFailure("The result of the tool has no list of content blocks.")
    is_error = result.get("isError", False)
    if not isinstance(is_error, bool):
        raise ProtocolFailure("`isError` of the result is not a boolean.")
    return CallToolResult(tuple([_read_block(block) for block in content]), structured, is_error, result)


def _read_block(block: Json) -> ContentBlock:
    if not isinstance(block, dict):
        raise ProtocolFailure("A content block is not an object.")
    kind = block.get("type")
    if kind == "text":
        text = block.get("text")
        if not isinstance(text, str):
            raise ProtocolFailure("A text block has no text.")
        return TextContent(text)
    if not isinstance(kind, str):
        raise ProtocolFailure("A content block has no type.")
    return OtherContent(_NOTES.get(kind, "[content of an unknown kind]"))


_NOTES: Final[Mapping[str, str]] = {
    "image": "[an image]",
    "audio": "[a sound recording]",
    "resource_link": "[a link to a resource]",
    "resource": "[a resource]",
}


def read_input_required(result: JsonObject) -> InputRequiredResult:
    """A result that asks back."""
    state = result.get("requestState")
    if state is not None and not isinstance(state, str):
        raise ProtocolFailure("`requestState` is not a string.")
    requests = read_input_requests(result.get("inputRequests"))
    if not requests and state is None:
        raise ProtocolFailure("The trick asks for input but says neither what nor in which state.")
    return InputRequiredResult(requests, state)


def read_input_requests(requests: Json) -> InputRequests:
    """The outstanding questions by their keys; null or absent is none."""
    if requests is None:
        return {}
    if not isinstance(requests, dict):
        raise ProtocolFailure("`inputRequests` is not an object.")
    return {key: _read_input_request(request) for key, request in requests.items()}


def _read_input_request(request: Json) -> Elicitation | UnsupportedInput:
    method = request.get("method") if isinstance(request, dict) else None
    if not isinstance(request, dict) or not isinstance(method, str):
        raise ProtocolFailure("An input request has no method.")
    params = request.get("params")
    if method != "elicitation/create":
        return UnsupportedInput(clamp(one_line(method[:200]), 60))
    if not isinstance(params, dict):
        raise ProtocolFailure("A question has no parameters.")
    if params.get("mode", "form") != "form":
        return UnsupportedInput(method)
    message, schema = params.get("message"), params.get("requestedSchema")
    if not isinstance(message, str) or not isinstance(schema, dict):
        raise ProtocolFailure("A question has no message or no schema.")
    return Elicitation(message, schema)


def read_tool_page(result: JsonObject) -> ToolPage:
    """One page of the tool list, entry by entry: a bad one is dropped with a reason."""
    entries, cursor = result.get("tools"), result.get("nextCursor")
    if not isinstance(entries, list):
        raise ProtocolFailure("The tool list has no list of tools.")
    if cursor is not None and not isinstance(cursor, str):
        raise ProtocolFailure("The cursor of the tool list is not a string.")
    tools: list[Tool] = []
    dropped: list[Dropped] = []
    for entry in entries:
        read = _read_tool(entry)
        if isinstance(read, Tool):
            tools.append(read)
        else:
            dropped.append(read)
    ttl = result.get("ttlMs")
    usable = isinstance(ttl, int | float) and not isinstance(ttl, bool) and ttl > 0
    return ToolPage(
        tuple(tools), tuple(dropped), cursor, min(int(cast(float, ttl)), _DAY_MS) if usable else 0
    )


_DAY_MS: Final = 86_400_000


def _read_tool(entry: Json) -> Tool | Dropped:
    name = entry.get("name") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(name, str):
        return Dropped("?", "An entry of the tool list has no name.")
    shown = clamp(one_line(name[:200]), 48)
    problem = identifier_problem(name)
    if problem:
        return Dropped(shown, f"Its name is not allowed. {problem}")
    title, description, schema = entry.get("title"), entry.get("description"), entry.get("inputSchema")
    if not isinstance(title, str | None) or not isinstance(description, str | None):
        return Dropped(shown, "Its title or description is not a text.")
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return Dropped(shown, 'Its input schema is not an object with `"type": "object"`.')
    problem = annotation_problem(schema)
    if problem:
        return Dropped(shown, problem)
    return Tool(name, printable(title or ""), printable(description or ""), schema)


def read_discover_result(result: JsonObject) -> DiscoverResult:
    """The result of `server/discover`."""
    versions, capabilities = result.get("supportedVersions"), result.get("capabilities")
    if not isinstance(versions, list) or not isinstance(capabilities, dict):
        raise ProtocolFailure("The trick's description of itself lacks its versions or capabilities.")
    extensions = capabilities.get("extensions")
    return DiscoverResult(
        tuple(version for version in versions if isinstance(version, str)),
        frozenset(extensions) if isinstance(extensions, dict) else frozenset(),
    )
