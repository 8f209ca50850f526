"""What a trick is made of: tools, the calls they get, and tasks for what takes longer than a reply may."""

import asyncio
import json
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from .protocol import MCP, TASKS, JsonObject, RpcError, as_object, as_text, misfit, object_schema

LIFETIME = 3600.0  # seconds that a task is kept


class ToolError(Exception):
    """For a tool to raise when its arguments make no sense. The owner may read the text, members do not."""


@dataclass(frozen=True)
class Call:
    """One call of a tool. All but `arguments` is signed: trust that, and no id that stands in an argument."""

    arguments: JsonObject
    installation: str
    """One server's use of this trick. Keep everything by it, so that no server sees another's data."""
    asker: str
    """The member who asked; keep what is personal by this as well."""
    call_id: str | None
    """Stays the same when one call comes twice."""
    settings: JsonObject
    capabilities: JsonObject

    def declares(self, kind: str, name: str) -> bool:
        """Whether the client said in this request that it knows, say, the extension `name`."""
        declared = self.capabilities.get(kind)
        if not isinstance(declared, dict):
            return False
        return name in declared or (kind == "elicitation" and not declared)  # {} alone means forms


def read_call(arguments: JsonObject, meta: JsonObject) -> Call:
    """The call that a checked request makes, from its `_meta`."""
    context = as_object(meta.get("io.puphq/context"))
    call_id = context.get("callId")
    return Call(
        arguments,
        as_text(context.get("installationId")),
        as_text(context.get("askerId")),
        None if call_id is None else as_text(call_id),
        as_object(context.get("settings", {})),
        as_object(meta[MCP + "clientCapabilities"]),
    )


class Task:
    """One run of a long tool. `report` and `ask` are for the work itself, the rest for the server."""

    def __init__(self, call: Call, work: "Work") -> None:
        self.id = secrets.token_urlsafe(24)  # whoever knows it may ask for the task, so nobody may guess it
        self.owner = (call.installation, call.asker)
        self._call = call
        self._work = work
        self._message = ""
        self._end: JsonObject = {}
        self._created = self._updated = _now()
        self._open: dict[str, tuple[JsonObject, asyncio.Future[JsonObject | None]]] = {}

    def report(self, message: str) -> None:
        """Tell progress: what is news to the asker, not every step. Nothing secret."""
        self._message, self._updated = message, _now()

    async def ask(self, message: str, properties: JsonObject) -> JsonObject | None:
        """The asker's answer, or None if they skip the question. Never ask for a password, token or key."""
        if not self._call.declares("elicitation", "form"):
            raise undeclared("elicitation", "form")
        schema = object_schema(properties, [*properties])
        form = {"mode": "form", "message": message, "requestedSchema": schema}
        answer: asyncio.Future[JsonObject | None] = asyncio.get_running_loop().create_future()
        self._open[secrets.token_hex(8)] = ({"method": "elicitation/create", "params": form}, answer)
        self._updated = _now()
        return await answer

    def answer(self, key: str, response: Any) -> None:
        """Take one answer. A key that is unknown or was answered before is ignored: a repeat does no harm."""
        if key not in self._open:
            return
        request, answer = self._open[key]
        response = as_object(response)
        content = as_object(response.get("content")) if response.get("action") == "accept" else None
        if content is not None and misfit(request["params"]["requestedSchema"], content):
            raise RpcError(-32602, "The answer does not fit the question.")
        del self._open[key]
        self._updated = _now()
        answer.set_result(content)

    async def run(self) -> None:
        """Work until there is an end, whichever it is."""
        try:
            async with asyncio.timeout(LIFETIME):
                self._end = {"status": "completed", "result": await as_result(self._work(self._call, self))}
        except RpcError as error:
            self._end = {"status": "failed", "error": error.body}
        except TimeoutError:
            self._end = {"status": "failed", "error": {"code": -32603, "message": "This took too long."}}
        except asyncio.CancelledError:
            self._end = {"status": "cancelled"}
        self._open.clear()
        self._updated = _now()

    def created(self) -> JsonObject:
        """The answer to the call that made it."""
        return {"resultType": "task", "status": "working", **self._about()}

    def state(self) -> JsonObject:
        """The answer to `tasks/get`."""
        asked = {key: request for key, (request, _) in self._open.items()}
        waiting = {"status": "input_required", "inputRequests": asked} if asked else {"status": "working"}
        return {**self._about(), **(self._end or waiting)}

    def _about(self) -> JsonObject:
        message = {"statusMessage": self._message} if self._message else {}
        times = {"createdAt": self._created, "lastUpdatedAt": self._updated}
        return {"taskId": self.id, **times, "ttlMs": int(LIFETIME * 1000), "pollIntervalMs": 500, **message}


def undeclared(kind: str, name: str) -> RpcError:
    """The refusal of a client that did not declare what the answer would take."""
    return RpcError(-32021, f"This needs {name}.", requiredCapabilities={kind: {name: {}}})


async def needs_tasks(_: Call) -> JsonObject:
    """What a tool that works as a task alone says to a client that knows none."""
    raise undeclared("extensions", TASKS)


Run = Callable[[Call], Awaitable[JsonObject]]
Work = Callable[[Call, Task], Awaitable[JsonObject]]


@dataclass(frozen=True)
class Tool:
    """One tool.

    `title` stands on the card that asks for approval, `description` tells the model when to use it.
    `run` gives its result as data. `work` is for what takes long or asks something, and becomes a task; with
    both, `run` is for clients that know no tasks. `flags` are the manifest's: `readOnly`, `alwaysAsk`,
    `thread`, `userRequest`.
    """

    name: str
    title: str
    description: str
    run: Run = needs_tasks
    work: Work | None = None
    properties: JsonObject = field(default_factory=JsonObject)
    required: Sequence[str] = ()
    flags: JsonObject = field(default_factory=JsonObject)

    @property
    def schema(self) -> JsonObject:
        """The JSON Schema of its arguments."""
        return object_schema(self.properties, self.required)


async def as_result(work: Awaitable[JsonObject]) -> JsonObject:
    """A tool's data as an MCP result; what it raises as a result with `isError`."""
    try:
        data = await work
    except ToolError as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    except RpcError:
        raise
    except Exception:
        logging.getLogger(__name__).exception("A tool failed.")
        return {"content": [{"type": "text", "text": "This did not work."}], "isError": True}
    return {"content": [{"type": "text", "text": json.dumps(data)}], "structuredContent": data}


def _now() -> str:
    return datetime.now(UTC).isoformat()
