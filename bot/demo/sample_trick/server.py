"""The web server around a trick: signatures, replays, the methods of MCP, events."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence

from aiohttp import web
from standardwebhooks import Webhook, WebhookVerificationError

from .protocol import (
    MCP,
    TASKS,
    VERSION,
    JsonObject,
    RpcError,
    as_object,
    as_text,
    check_request,
    misfit,
    parse,
    request_id,
)
from .tools import LIFETIME, Task, Tool, as_result, read_call, undeclared

REPLAY_SECONDS = 600  # a signature holds five minutes, counted from a clock that may be five minutes ahead
REMEMBERED_DELIVERIES = 10_000
OnEvent = Callable[[JsonObject, JsonObject], JsonObject]


class SignedServer:
    """Serves one trick. `secrets` is read at each request, so a list may change while it runs."""

    def __init__(
        self, secrets: Sequence[str], manifest: JsonObject, tools: Sequence[Tool], on_event: OnEvent
    ) -> None:
        self._secrets = secrets
        self._manifest = manifest
        self._tools = {tool.name: tool for tool in tools}
        self._on_event = on_event
        self._seen: dict[str, float] = {}
        self._event_answers: dict[str, JsonObject] = {}
        self._tasks: dict[str, tuple[Task, asyncio.Task[None]]] = {}
        self._methods = {
            "server/discover": self._discover,
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            "tasks/get": self._get_task,
            "tasks/update": self._update_task,
            "tasks/cancel": self._cancel_task,
        }

    def application(self) -> web.Application:
        """The routes. A body of more than 1 MiB is refused by aiohttp itself."""
        app = web.Application()
        app.router.add_get("/manifest.json", self._serve_manifest)
        app.router.add_post("/challenge", self._serve_challenge)
        app.router.add_post("/mcp", self._serve_mcp)
        app.router.add_post("/events", self._serve_event)
        app.cleanup_ctx.append(self._running)
        return app

    async def _running(self, _: web.Application) -> AsyncIterator[None]:
        yield
        runs = [run for _, run in self._tasks.values()]
        for run in runs:
            run.cancel()
        await asyncio.gather(*runs, return_exceptions=True)

    async def _serve_manifest(self, _: web.Request) -> web.Response:
        return web.json_response(self._manifest)

    async def _serve_challenge(self, request: web.Request) -> web.Response:
        body = await self._verified(request)
        self._refuse_replay(request)
        try:
            return web.json_response({"challenge": as_text(parse(body).get("challenge"))})
        except RpcError as error:
            raise web.HTTPBadRequest(text=str(error)) from None

    async def _serve_event(self, request: web.Request) -> web.Response:
        """A delivery is repeated until it is answered. Its effects happen once, and its answer stays."""
        body = await self._verified(request)
        delivery = request.headers["webhook-id"]
        if delivery not in self._event_answers:
            try:
                envelope = parse(body)
                if envelope.get("version") != 1 or envelope.get("id") != delivery:
                    raise RpcError(-32600, "This is no delivery, or its id is not the signed one.")
                event, context = as_object(envelope.get("event")), as_object(envelope.get("context"))
                self._event_answers[delivery] = self._on_event(event, context)
            except RpcError as error:
                raise web.HTTPBadRequest(text=str(error)) from None
            if len(self._event_answers) > REMEMBERED_DELIVERIES:
                del self._event_answers[next(iter(self._event_answers))]
        return web.json_response(self._event_answers[delivery])

    async def _serve_mcp(self, request: web.Request) -> web.Response:
        body = await self._verified(request)
        self._refuse_replay(request)
        reply: JsonObject = {"jsonrpc": "2.0"}
        try:
            message = parse(body)
            reply["id"] = request_id(message)
            method, params, meta = check_request(message, request.headers)
            if method not in self._methods:
                raise RpcError(-32601, "There is no such method.", status=404)
            result = await self._methods[method](params, meta)
        except RpcError as error:
            return web.json_response({**reply, "error": error.body}, status=error.status)
        return web.json_response({**reply, "result": {"resultType": "complete", **result}})

    async def _verified(self, request: web.Request) -> bytes:
        """The exact bytes that were signed, with either secret while one is being rotated."""
        try:
            body = await request.read()
        except web.RequestPayloadError:
            raise web.HTTPBadRequest(text="The body cannot be read.") from None
        for secret in self._secrets:
            try:
                Webhook(secret).verify(body, dict(request.headers), json_parse=False)
            except (WebhookVerificationError, ValueError):  # ValueError: a header that is no signature at all
                continue
            return body
        raise web.HTTPUnauthorized(text="The signature is missing, too old or wrong.")

    def _refuse_replay(self, request: web.Request) -> None:
        now, webhook_id = time.monotonic(), request.headers["webhook-id"]
        while self._seen and now - next(iter(self._seen.values())) > REPLAY_SECONDS:
            del self._seen[next(iter(self._seen))]
        if webhook_id in self._seen:
            raise web.HTTPConflict(text="This request was here before.")
        self._seen[webhook_id] = now

    async def _discover(self, _params: JsonObject, _meta: JsonObject) -> JsonObject:
        return {
            "supportedVersions": [VERSION],
            "capabilities": {"tools": {}, "extensions": {TASKS: {}}},
            "ttlMs": 3_600_000,
            "cacheScope": "public",
            "_meta": {MCP + "serverInfo": {"name": self._manifest["id"], "version": "1.0.0"}},
        }

    async def _list_tools(self, params: JsonObject, _meta: JsonObject) -> JsonObject:
        if params.get("cursor") is not None:
            raise RpcError(-32602, "There is one page only.")
        tools = [
            {
                "name": tool.name,
                "title": tool.title,
                "description": tool.description,
                "inputSchema": tool.schema,
            }
            for tool in self._tools.values()
        ]
        return {"tools": tools, "ttlMs": 3_600_000, "cacheScope": "public"}

    async def _call_tool(self, params: JsonObject, meta: JsonObject) -> JsonObject:
        tool = self._tools.get(params["name"])
        if tool is None:
            raise RpcError(-32602, "There is no such tool.")
        call = read_call(as_object(params.get("arguments", {})), meta)
        problem = misfit(tool.schema, call.arguments)
        if problem:
            return {"content": [{"type": "text", "text": problem}], "isError": True}
        if tool.work is not None and call.declares("extensions", TASKS):
            return self._start(Task(call, tool.work))
        return await as_result(tool.run(call))

    def _start(self, task: Task) -> JsonObject:
        self._tasks[task.id] = (task, asyncio.create_task(task.run()))
        asyncio.get_running_loop().call_later(LIFETIME, self._tasks.pop, task.id, None)
        return task.created()

    async def _get_task(self, params: JsonObject, meta: JsonObject) -> JsonObject:
        return self._find(params, meta)[0].state()

    async def _update_task(self, params: JsonObject, meta: JsonObject) -> JsonObject:
        task, _ = self._find(params, meta)
        for key, response in as_object(params.get("inputResponses")).items():
            task.answer(key, response)
        return {}

    async def _cancel_task(self, params: JsonObject, meta: JsonObject) -> JsonObject:
        self._find(params, meta)[1].cancel()
        return {}

    def _find(self, params: JsonObject, meta: JsonObject) -> tuple[Task, asyncio.Task[None]]:
        call = read_call({}, meta)
        if not call.declares("extensions", TASKS):
            raise undeclared("extensions", TASKS)
        found = self._tasks.get(params["taskId"])
        if found is None or found[0].owner != (call.installation, call.asker):
            raise RpcError(-32602, "There is no such task.")
        return found
