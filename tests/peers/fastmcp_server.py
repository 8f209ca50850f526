"""A trick on FastMCP with background tasks; run by the Python of FastMCP's own environment."""

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUntypedFunctionDecorator=false, reportUnknownParameterType=false, reportUnknownArgumentType=false

import asyncio
import sys
from pathlib import Path
from typing import Any

from fastmcp import Context, FastMCP
from fastmcp.dependencies import Progress
from fastmcp_tasks import TasksExtension
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.peers.trick_app import serve_trick

released = asyncio.Event()
server = FastMCP("peer")
server.add_extension(TasksExtension())
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}


@server.tool
def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


@server.tool(task=True)
async def work(progress: Progress = Progress()) -> str:  # noqa: B008
    """Works a little."""
    await progress.set_total(2)
    await progress.set_message("Half way.")
    await progress.increment()
    return "worked"


@server.tool(task=True)
async def slow(progress: Progress = Progress()) -> str:  # noqa: B008
    """Works until it is released."""
    await progress.set_total(2)
    await progress.set_message("Half way.")
    await progress.increment()
    await released.wait()
    return "worked slowly"


@server.tool(task=True)
async def ask(ctx: Context) -> str | InputRequiredResult:
    """Asks in the middle of a task."""
    if not ctx.input_responses:
        params = ElicitRequestFormParams(message="Really?", requested_schema=SCHEMA)
        return InputRequiredResult(input_requests={"really": ElicitRequest(params=params)})
    return f"answered {next(iter(ctx.input_responses.values())).action}"


@server.tool(task=True)
async def broken() -> str:
    """Fails in the middle of a task."""
    raise ValueError("the reason")


if __name__ == "__main__":
    serve_trick(server.http_app(path="/mcp"), ["add", "slow", "ask", "broken"], released.set)
