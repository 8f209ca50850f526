"""A task of a scripted trick, step by step."""

from typing import Any

from bot.demo.sample_trick import JsonObject, RpcError, object_schema
from tests.support.trick import Answer, Handler, TrickServer
from tests.support.trick_requests import Received
from tests.support.trick_tools import structured


def working(message: str | None = None) -> JsonObject:
    """A step at work, with a status text or none."""
    return {"status": "working", **({} if message is None else {"statusMessage": message})}


def asking(key: str, message: str, properties: JsonObject, **more: JsonObject) -> JsonObject:
    """A step that asks one question, and with `more` (key: request) others beside it."""
    return {"status": "input_required", "inputRequests": {key: question(message, properties), **more}}


def question(message: str, properties: JsonObject) -> JsonObject:
    """A form elicitation that wants all of `properties`."""
    schema = object_schema(properties, [*properties])
    form = {"mode": "form", "message": message, "requestedSchema": schema}
    return {"method": "elicitation/create", "params": form}


def completed(data: JsonObject) -> JsonObject:
    """The end, with a result."""
    return {"status": "completed", "result": structured(data)}


def failed(code: int = -32603, message: str = "broken") -> JsonObject:
    """The end, with a JSON-RPC error."""
    return {"status": "failed", "error": {"code": code, "message": message}}


class TaskScript:
    """`tool` answers with a task that goes through `steps`: one on with each poll, the last one stays.

    A step that asks stays until its questions are answered; `answers` are the responses by key. `lost` makes
    the trick forget the task. While there is a `fault`, that answers every poll instead, and
    `update_fault` every answer.
    """

    def __init__(
        self, trick: TrickServer, tool: str, *steps: JsonObject, task_id: str = "task-1", **about: Any
    ) -> None:
        self.task_id = task_id
        self.answers: JsonObject = {}
        self.lost = False
        self.fault: Handler | None = None
        self.update_fault: Handler | None = None
        self._steps = list(steps)
        times = {"createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z"}
        self._about = {"taskId": task_id, **times, "ttlMs": 3_600_000, "pollIntervalMs": 500, **about}
        trick.on(f"tools/call {tool}", self._create)
        trick.on(f"tasks/get {task_id}", self._get)
        trick.on(f"tasks/update {task_id}", self._update)

    def go_on(self, *steps: JsonObject) -> None:
        """Go through these steps from the next poll on, in the place of what is left."""
        self._steps = list(steps)

    async def _create(self, trick: TrickServer, received: Received) -> Answer:
        trick.good_answer(received)
        return {"resultType": "task", "status": "working", **self._about}

    async def _get(self, trick: TrickServer, received: Received) -> Answer:
        if self.fault is not None:
            return await self.fault(trick, received)
        if self.lost:
            raise RpcError(-32602, "unknown task")
        step = self._steps[0]
        asked: JsonObject = step.get("inputRequests", {})
        open_questions = {key: request for key, request in asked.items() if key not in self.answers}
        if asked and not open_questions and len(self._steps) > 1:
            self._steps.pop(0)
            return await self._get(trick, received)
        if asked:
            return {**self._about, **step, "inputRequests": open_questions}
        if len(self._steps) > 1:
            self._steps.pop(0)
        return {**self._about, **step}

    async def _update(self, trick: TrickServer, received: Received) -> Answer:
        if self.update_fault is not None:
            return await self.update_fault(trick, received)
        if self.lost:
            raise RpcError(-32602, "unknown task")
        for key, response in received.params["inputResponses"].items():
            self.answers.setdefault(key, response)
        return {}
