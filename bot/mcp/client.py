"""The MCP client: one request, one signed POST, one answer. No handshake, no session, nothing remembered."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from bot import strict_json
from bot.clock import Clock
from bot.errors import BadArguments, DeadlineExceeded, ProtocolFailure, RpcFailure
from bot.mcp.context import CONTEXT_KEY, InvocationContext
from bot.mcp.framing import read_answer
from bot.mcp.headers import PROTOCOL_VERSION, parameter_headers, routing_headers
from bot.mcp.jsonrpc import HEADER_MISMATCH, ErrorResponse, JsonObject
from bot.mcp.tasks_wire import TASKS_EXTENSION, CreateTaskResult, Task, read_created_task, read_task
from bot.mcp.wire import (
    CallToolResult,
    DiscoverResult,
    Dropped,
    InputRequiredResult,
    Tool,
    ToolList,
    UnsupportedInput,
    read_call_result,
    read_discover_result,
    read_input_required,
    read_tool_page,
    result_type,
)
from bot.strict_json import Json
from bot.transport import Endpoint, SignedSender

CallReply: TypeAlias = CallToolResult | InputRequiredResult | CreateTaskResult
Relist: TypeAlias = Callable[[], Awaitable[JsonObject | None]]

MAX_PAGES = 10
_COMPLETE = frozenset({"complete"})
_OF_A_CALL = frozenset({"complete", "input_required", "task"})
_OF_A_TASK = frozenset({"complete", "task"})  # two examples of the extension show `task` on tasks/get


class McpClient:
    """Speaks MCP 2026-07-28 to tricks.

    Every method raises a `TrickFault`: what `SignedSender.post` raises, `HttpFailure`, `ProtocolFailure` or
    `RpcFailure`. `timeout`, in seconds, covers all requests of one call and can only shorten the transport's
    own deadline. Nothing is repeated here, except once what was definitely refused: our protocol version by a
    server that names it as supported.
    """

    def __init__(self, sender: SignedSender, clock: Clock, version: str) -> None:
        self._sender = sender
        self._clock = clock
        self._meta: JsonObject = {
            "io.modelcontextprotocol/protocolVersion": PROTOCOL_VERSION,
            "io.modelcontextprotocol/clientCapabilities": {
                "elicitation": {"form": {}},
                "extensions": {TASKS_EXTENSION: {}},
            },
            "io.modelcontextprotocol/clientInfo": {"name": "Kennel", "version": version},
        }

    async def discover(
        self, endpoint: Endpoint, context: InvocationContext, *, timeout: float | None = None
    ) -> DiscoverResult:
        """Ask the server which versions and extensions it has."""
        result = await self._request(endpoint, context, "server/discover", {}, self._deadline(timeout))
        result_type(result, _COMPLETE)
        return read_discover_result(result)

    async def list_tools(
        self,
        endpoint: Endpoint,
        context: InvocationContext,
        *,
        max_pages: int = MAX_PAGES,
        timeout: float | None = None,
    ) -> ToolList:
        """The live tool list, at most `max_pages` pages of it. Of a name that comes twice the first counts."""
        deadline = self._deadline(timeout)
        tools: dict[str, Tool] = {}
        dropped: list[Dropped] = []
        cursors: set[str] = set()
        ttls: list[int] = []
        params: JsonObject = {}
        while True:
            result = await self._request(endpoint, context, "tools/list", params, deadline)
            result_type(result, _COMPLETE)
            page = read_tool_page(result)
            for tool in page.tools:
                if tools.setdefault(tool.name, tool) is not tool:
                    dropped.append(Dropped(tool.name, "Its name is in the tool list twice."))
            dropped += page.dropped
            ttls.append(page.ttl_ms)
            cursor = page.next_cursor
            if cursor is None or cursor in cursors or len(ttls) >= max_pages:
                return ToolList(tuple(tools.values()), tuple(dropped), len(ttls), min(ttls), cursor is None)
            cursors.add(cursor)
            params = {"cursor": cursor}

    async def call_tool(
        self,
        endpoint: Endpoint,
        context: InvocationContext,
        name: str,
        arguments: Mapping[str, Json],
        input_schema: JsonObject,
        *,
        timeout: float | None = None,
        input_responses: Mapping[str, Json] | None = None,
        request_state: str | None = None,
        relist: Relist | None = None,
    ) -> CallReply:
        """Call a tool once. A result with `is_error` is a value like any other.

        `input_schema` tells which arguments are mirrored in headers. `input_responses` and `request_state`
        answer an `InputRequiredResult`: same name, arguments and context. When the server refuses the headers
        and `relist` is given, that is asked for the tool's present schema, and with one the call is sent
        once more. Raises `BadArguments` for arguments that cannot be sent.
        """
        deadline = self._deadline(timeout)
        params: JsonObject = {"name": name, "arguments": dict(arguments)}
        if input_responses is not None:
            params["inputResponses"] = dict(input_responses)
        if request_state is not None:
            params["requestState"] = request_state
        mirrored = parameter_headers(input_schema, arguments)
        try:
            result = await self._request(endpoint, context, "tools/call", params, deadline, name, mirrored)
        except RpcFailure as failure:
            schema = await relist() if relist is not None and failure.code == HEADER_MISMATCH else None
            if schema is None:
                raise
            mirrored = parameter_headers(schema, arguments)
            result = await self._request(endpoint, context, "tools/call", params, deadline, name, mirrored)
        return read_call_reply(result)

    async def get_task(
        self, endpoint: Endpoint, context: InvocationContext, task_id: str, *, timeout: float | None = None
    ) -> Task:
        """How a task is doing. An `RpcFailure` of -32602 or -32601 means that the trick has lost it."""
        params: JsonObject = {"taskId": task_id}
        result = await self._request(endpoint, context, "tasks/get", params, self._deadline(timeout), task_id)
        result_type(result, _OF_A_TASK)
        return read_task(result, task_id)

    async def update_task(
        self,
        endpoint: Endpoint,
        context: InvocationContext,
        task_id: str,
        input_responses: Mapping[str, Json],
        *,
        timeout: float | None = None,
    ) -> None:
        """Answer questions of a task. Safe to send again: answered keys are ignored by the server."""
        params: JsonObject = {"taskId": task_id, "inputResponses": dict(input_responses)}
        result = await self._request(
            endpoint, context, "tasks/update", params, self._deadline(timeout), task_id
        )
        result_type(result, _COMPLETE)

    async def _request(
        self,
        endpoint: Endpoint,
        context: InvocationContext,
        method: str,
        params: JsonObject,
        deadline: float | None,
        name: str | None = None,
        mirrored: Mapping[str, str] | None = None,
    ) -> JsonObject:
        """The result of one request; sent a second time when our version was refused by mistake."""
        params = {"_meta": {**self._meta, CONTEXT_KEY: context.to_wire()}, **params}
        headers = routing_headers(method, name)
        if mirrored:
            headers |= mirrored
        answer = await self._attempt(endpoint, method, params, headers, deadline)
        if isinstance(answer, ErrorResponse) and answer.supports(PROTOCOL_VERSION):
            answer = await self._attempt(endpoint, method, params, headers, deadline)
        if isinstance(answer, ErrorResponse):
            raise answer.failure()
        return answer

    async def _attempt(
        self,
        endpoint: Endpoint,
        method: str,
        params: JsonObject,
        headers: Mapping[str, str],
        deadline: float | None,
    ) -> JsonObject | ErrorResponse:
        request_id = self._clock.new_id()
        timeout = None if deadline is None else deadline - self._clock.monotonic()
        if timeout is not None and timeout <= 0:
            raise DeadlineExceeded(sent=False)
        try:
            body = strict_json.dump({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        except strict_json.NotJson:
            raise BadArguments(("The input has something that JSON cannot express.",)) from None
        response = await self._sender.post(endpoint, body, headers, timeout=timeout)
        return await read_answer(response, request_id)

    def _deadline(self, timeout: float | None) -> float | None:
        return None if timeout is None else self._clock.monotonic() + timeout


def read_call_reply(result: JsonObject) -> CallReply:
    """The result of `tools/call`, of whichever kind it is. Raises `ProtocolFailure`."""
    match result_type(result, _OF_A_CALL):
        case "task":
            return read_created_task(result)
        case "input_required":
            asked = read_input_required(result)
            if any(isinstance(request, UnsupportedInput) for request in asked.input_requests.values()):
                raise ProtocolFailure("The trick asked for a kind of input that Kennel did not offer.")
            return asked
        case _:
            return read_call_result(result)
