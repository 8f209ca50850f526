"""The Tasks extension (`io.modelcontextprotocol/tasks`): the flat forms that it puts on the wire."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from bot.errors import ProtocolFailure
from bot.mcp.jsonrpc import INTERNAL_ERROR, JsonObject, read_error_object
from bot.mcp.wire import CallToolResult, InputRequests, read_call_result, read_input_requests
from bot.strict_json import Json

TASKS_EXTENSION: Final = "io.modelcontextprotocol/tasks"
MAX_TASK_ID = 512

TaskStatus: TypeAlias = Literal["working", "input_required", "completed", "failed", "cancelled"]
_STATUSES: Final[dict[str, TaskStatus]] = {status: status for status in get_args(TaskStatus)}


@dataclass(frozen=True, slots=True)
class TaskError:
    """The JSON-RPC error that ended a task; `said` is for the owner's log alone."""

    code: int
    said: str


@dataclass(frozen=True, slots=True)
class Task:
    """A task as its server reports it. `task_id` is like a password: neither logged nor shown.

    `ttl_ms` counts from its creation, None is no limit; `poll_interval_ms` is the server's wish. Of the last
    three fields at most the one that belongs to the status is set; a task that was just created has none.
    """

    task_id: str
    status: TaskStatus
    status_message: str | None
    ttl_ms: int | None
    poll_interval_ms: int | None
    input_requests: InputRequests
    result: CallToolResult | None
    error: TaskError | None


@dataclass(frozen=True, slots=True)
class CreateTaskResult:
    """The answer to a `tools/call` that became a task, which has to be asked for from now on."""

    task: Task


def read_created_task(result: JsonObject) -> CreateTaskResult:
    """The answer with `resultType: "task"`. Raises `ProtocolFailure`."""
    return CreateTaskResult(_read_task(result, result.get("taskId"), ended=False))


def read_task(result: JsonObject, task_id: str) -> Task:
    """The answer to `tasks/get` for `task_id`. Raises `ProtocolFailure`."""
    if result.get("taskId", task_id) != task_id:
        raise ProtocolFailure("The answer is about another task than the one asked for.")
    return _read_task(result, task_id, ended=True)


def _read_task(result: JsonObject, task_id: Json, *, ended: bool) -> Task:
    """Read the flat fields, and with `ended` those that only `tasks/get` gives."""
    if not isinstance(task_id, str) or not 0 < len(task_id) <= MAX_TASK_ID:
        raise ProtocolFailure(f"The task has no id of 1 to {MAX_TASK_ID} characters.")
    word, message = result.get("status"), result.get("statusMessage")
    status = _STATUSES.get(word) if isinstance(word, str) else None
    if status is None:
        raise ProtocolFailure("The task has a status that does not exist.")
    if not isinstance(message, str | None):
        raise ProtocolFailure("The status message of the task is not a text.")
    return Task(
        task_id=task_id,
        status=status,
        status_message=message,
        ttl_ms=_milliseconds(result.get("ttlMs")),
        poll_interval_ms=_milliseconds(result.get("pollIntervalMs")),
        input_requests=read_input_requests(result.get("inputRequests")) if status == "input_required" else {},
        result=_read_final_result(result.get("result")) if ended and status == "completed" else None,
        error=_read_task_error(result.get("error")) if ended and status == "failed" else None,
    )


def _read_final_result(result: Json) -> CallToolResult:
    """The tool's result, which may or may not have a `resultType` of its own."""
    if not isinstance(result, dict) or result.get("resultType", "complete") != "complete":
        raise ProtocolFailure("The task is completed but has no result.")
    return read_call_result(result)


def _read_task_error(error: Json) -> TaskError:
    """The error of a failed task. Failed is final in any case, so a broken error is only an unknown one."""
    try:
        code, said, _ = read_error_object(error)
    except ProtocolFailure:
        return TaskError(INTERNAL_ERROR, "")
    return TaskError(code, said)


def _milliseconds(value: Json) -> int | None:
    """A duration; null, absent and anything that is no number is none."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return max(0, int(value))
