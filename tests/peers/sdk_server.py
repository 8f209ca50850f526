"""A trick on the official Python SDK: `python -m tests.peers.sdk_server`.

The SDK has no Tasks extension for 2026-07-28, so the one here is written by hand on its hooks.
"""

import secrets
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequiredResult,
    RequestParams,
    TextContent,
)
from pydantic import Field

from tests.peers.trick_app import serve_trick

TASKS = "io.modelcontextprotocol/tasks"
STAMP = "2026-08-10T10:30:00Z"
QUESTION: dict[str, Any] = {
    "method": "elicitation/create",
    "params": {
        "mode": "form",
        "message": "Really?",
        "requestedSchema": {
            "type": "object",
            "properties": {"sure": {"type": "boolean"}},
            "required": ["sure"],
        },
    },
}


class TaskParams(RequestParams):
    """`tasks/get`."""

    task_id: str


class UpdateParams(TaskParams):
    """`tasks/update`."""

    input_responses: dict[str, Any]


class Tasks(Extension):
    """Makes tasks of `long_work` and `slow_work`: both work, ask once, and complete with the answer.

    The one goes on with each poll, the other once it is released.
    """

    identifier = TASKS

    def __init__(self) -> None:
        self._slow: set[str] = set()
        self._answers: dict[str, Any] = {}
        self._polls: dict[str, int] = {}

    def methods(self) -> list[MethodBinding]:
        """The two that are needed."""
        return [
            MethodBinding("tasks/get", TaskParams, self._get),
            MethodBinding("tasks/update", UpdateParams, self._update),
        ]

    async def intercept_tool_call(self, params: CallToolRequestParams, ctx: Any, call_next: Any) -> Any:
        """A task for the two, the usual for the rest."""
        if params.name not in ("long_work", "slow_work"):
            return await call_next(ctx)
        task_id = secrets.token_urlsafe(32)
        if params.name == "slow_work":
            self._slow.add(task_id)
        self._polls[task_id] = 0
        return {"resultType": "task", **self._fields(task_id, "working"), "statusMessage": "Started."}

    def release(self) -> None:
        """Let every slow task go on."""
        self._slow.clear()

    def _fields(self, task_id: str, status: str) -> dict[str, Any]:
        stamps = {"createdAt": STAMP, "lastUpdatedAt": STAMP}
        return {"taskId": task_id, "status": status, "ttlMs": 60_000, "pollIntervalMs": 100, **stamps}

    async def _get(self, _: Any, params: TaskParams) -> dict[str, Any]:
        task_id = params.task_id
        if task_id not in self._polls:
            raise MCPError(-32602, "unknown task")
        self._polls[task_id] += 1
        if self._polls[task_id] == 1 or task_id in self._slow:
            return {
                "resultType": "complete",
                **self._fields(task_id, "working"),
                "statusMessage": "Half way.",
            }
        if task_id not in self._answers:
            asked = {"inputRequests": {"really": QUESTION}}
            return {"resultType": "complete", **self._fields(task_id, "input_required"), **asked}
        result: dict[str, Any] = {
            "content": [],
            "structuredContent": self._answers[task_id],
            "isError": False,
        }
        return {"resultType": "complete", **self._fields(task_id, "completed"), "result": result}

    async def _update(self, _: Any, params: UpdateParams) -> dict[str, Any]:
        self._answers.setdefault(params.task_id, params.input_responses["really"])
        return {"resultType": "complete"}


tasks = Tasks()
server = MCPServer("peer", extensions=[tasks])


@server.tool(title="Echo")
def echo(
    text: str, region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})] = "eu"
) -> str:
    """Says it again."""
    return f"{text} from {region}"


@server.tool()
def menu() -> dict[str, Any]:
    """A structured result."""
    return {"choices": ["popcorn", "fruit"], "id": 1915883588174806058}


@server.tool()
def only_structured() -> CallToolResult:
    """A result without content."""
    return CallToolResult(content=[], structured_content={"answer": 42})


@server.tool()
def broken() -> str:
    """Fails."""
    raise ValueError("the reason")


@server.tool()
def ask(ctx: Context) -> CallToolResult | InputRequiredResult:
    """Asks straight from the call."""
    if ctx.input_responses is None:
        params = ElicitRequestFormParams.model_validate(QUESTION["params"])
        return InputRequiredResult(
            input_requests={"k": ElicitRequest(params=params)}, request_state="st ä te"
        )
    answer = ctx.input_responses["k"]
    said = f"{getattr(answer, 'action', answer)} {ctx.request_state}"
    return CallToolResult(content=[TextContent(text=said)])


@server.tool()
def long_work() -> str:
    """Never runs: a task stands for it."""
    return "never"


@server.tool()
def slow_work() -> str:
    """Never runs either."""
    return "never"


if __name__ == "__main__":
    serve_trick(server.streamable_http_app(), ["ask", "long_work", "slow_work"], tasks.release)
