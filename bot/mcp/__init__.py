"""A stateless client for MCP 2026-07-28 with the Tasks extension."""

from bot.mcp.client import CallReply, McpClient
from bot.mcp.context import InvocationContext, UserRequest
from bot.mcp.tasks_wire import CreateTaskResult, Task, TaskError
from bot.mcp.wire import (
    MISSING,
    CallToolResult,
    DiscoverResult,
    Dropped,
    Elicitation,
    InputRequiredResult,
    Missing,
    OtherContent,
    TextContent,
    Tool,
    ToolList,
    UnsupportedInput,
)

__all__ = [
    "MISSING",
    "CallReply",
    "CallToolResult",
    "CreateTaskResult",
    "DiscoverResult",
    "Dropped",
    "Elicitation",
    "InputRequiredResult",
    "InvocationContext",
    "McpClient",
    "Missing",
    "OtherContent",
    "Task",
    "TaskError",
    "TextContent",
    "Tool",
    "ToolList",
    "UnsupportedInput",
    "UserRequest",
]
