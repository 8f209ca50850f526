"""Snack Club, a whole trick in one file to copy and start from. It needs aiohttp and standardwebhooks alone.

A trick is a small web server. `/manifest.json` says what it offers; the other addresses get signed POSTs:
`/challenge` proves that both sides know the secret, `/mcp` runs the tools, `/events` tells who joined or
left. The trick itself stands first, and is the part to change; what comes below the long line can stay.

    export TRICK_PUBLIC_URL=https://snacks.example.com TRICK_WEBHOOK_SECRETS=whsec_...
    python sample_trick.py --port 8080

Register `<public URL>/manifest.json`, put the secret that you are shown into TRICK_WEBHOOK_SECRETS and start
again; while it is being rotated give both, with a comma between. Everything is kept in memory here: a restart
forgets the snacks and ends the running tasks. A trick in earnest has a database.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import logging
import os
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from secrets import token_hex, token_urlsafe
from typing import Any, NoReturn, TypeAlias, cast

from aiohttp import web
from standardwebhooks import Webhook, WebhookVerificationError

JsonObject: TypeAlias = dict[str, Any]

SNACKS = ("popcorn", "fruit", "pretzels")
SNACK: JsonObject = {"type": "string", "enum": [*SNACKS], "description": "Which snack"}
ORDER: JsonObject = {
    "snack": SNACK,
    "count": {"type": "integer", "minimum": 1, "maximum": 20, "description": "How many"},
    "budget": {"type": "number", "minimum": 0, "maximum": 1000, "description": "What it may cost, 1.5 each"},
    "gift": {"type": "boolean", "description": "Wrap it as a gift"},
    "for": {"type": "string", "description": "Who gets it, if not you"},
    "in": {"type": "string", "description": "Where it is handed out"},
    "notify": {"type": "string", "description": "Which role should know"},
}
ORDER_PICKERS = {
    "for": "user",
    "in": "channel",
    "notify": "role",
}  # options that pick a thing and give its id
TASTE: JsonObject = {"taste": {"type": "string", "enum": ["sweet", "salty"], "title": "Taste"}}
PRICE = 1.5


class SnackClub:
    """The tools, and what they remember.

    They return data, not messages: the bot's model reads it and says it in its own words. The part called
    `pup` is what a command or a button shows.
    """

    def __init__(self, pace: float) -> None:
        self._pace = pace
        self._saved: dict[str, dict[str, str]] = {}  # installation → member → snack
        self._orders: dict[tuple[str, str], JsonObject] = {}  # installation, call → result

    async def snack_menu(self, call: Call) -> JsonObject:
        """A read changes nothing, so nobody is asked to approve it."""
        mine = self._saved.get(call.installation, {}).get(call.asker)
        fields = [_field("Choices", ", ".join(SNACKS)), _field("Yours", mine or "none yet")]
        buttons = [_save_button(snack) for snack in SNACKS]
        return {"choices": SNACKS, "saved": mine, "pup": {"fields": fields, "actions": buttons}}

    async def save_snack(self, call: Call) -> JsonObject:
        """A write. Who saves is the verified asker, not an argument."""
        snack = call.arguments["snack"]
        self._saved.setdefault(call.installation, {})[call.asker] = snack
        return {"saved": snack, "pup": {"text": f"Saved: {snack}."}}

    async def snack_favorites(self, call: Call) -> JsonObject:
        """The whole channel sees it, so it counts and names nobody."""
        counts = Counter(self._saved.get(call.installation, {}).values())
        fields = [_field(snack, str(count)) for snack, count in counts.most_common()]
        text = "What members like here." if fields else "Nobody saved a snack yet."
        return {"counts": counts, "pup": {"text": text, "fields": fields}}

    async def order_snacks(self, call: Call) -> JsonObject:
        """A call that comes again has the same `call_id`: order once, answer the same."""
        order = call.arguments
        key = (call.installation, call.call_id or token_hex(8))
        if key in self._orders:
            return self._orders[key]
        price = order["count"] * PRICE
        if price > order.get("budget", price):
            raise ToolError("This costs more than the budget.")
        place = order.get("in") or call.settings.get("kitchen")
        fields = [_field("For", f"<@{order.get('for', call.asker)}>"), _field("Price", f"{price:.2f}")]
        fields += [_field("Where", f"<#{place}>")] if place else []
        fields += [_field("Told", f"<@&{order['notify']}>")] if "notify" in order else []
        text = f"Ordered: {order['count']} × {order['snack']}{', wrapped' if order.get('gift') else ''}."
        self._orders[key] = {"ordered": order, "price": price, "pup": {"text": text, "fields": fields}}
        return self._orders[key]

    async def clear_snacks(self, call: Call) -> JsonObject:
        """Cannot be taken back, hence `alwaysAsk`."""
        cleared = len(self._saved.pop(call.installation, {}))
        return {"cleared": cleared, "pup": {"text": f"Forgot {cleared} saved snacks."}}

    async def choose_snack(self, call: Call, task: Task) -> JsonObject:
        """Takes a while and asks something, so it is a task."""
        task.report("Looking into the cupboard.")
        await asyncio.sleep(self._pace)  # here your slow work would be
        answer = await task.ask("Sweet or salty?", TASTE)
        task.report("Comparing what is left.")
        await asyncio.sleep(self._pace)
        if answer is None:
            return {"snack": call.settings.get("default_snack", SNACKS[0]), "because": "nobody chose"}
        return {"snack": "fruit" if answer["taste"] == "sweet" else "popcorn", "because": answer["taste"]}

    def on_event(self, event: JsonObject, context: JsonObject) -> JsonObject:
        """Welcome who joins, forget who left. A presentation is posted in the owner's events channel."""
        installation, member = as_text(context.get("installationId")), as_text(event.get("memberId"))
        settings = as_object(context.get("settings", {}))
        presentation: JsonObject = {}
        if event.get("type") == "member.joined":
            snack = settings.get("default_snack")
            button = _save_button(snack if snack in SNACKS else SNACKS[0])
            text = f"{settings.get('greeting', 'Welcome!')} <@{member}>"
            presentation = {"text": text, "actions": [button]}
        elif event.get("type") == "member.left":
            self._saved.get(installation, {}).pop(member, None)
            if settings.get("farewell"):
                presentation = {"text": f"<@{member}> has left the club."}
        return {"presentation": presentation} if presentation else {}

    def tools(self) -> list[Tool]:
        """One definition for the manifest and for the list of tools."""
        read, asks = {"readOnly": True}, {"alwaysAsk": True}
        return [
            Tool(
                "snack_menu",
                "See the snacks",
                "List the snacks there are, and which one the asker saved.",
                self.snack_menu,
                flags=read,
            ),
            Tool(
                "save_snack",
                "Save your snack preference",
                "Save the asker's snack preference.",
                self.save_snack,
                properties={"snack": SNACK},
                required=["snack"],
            ),
            Tool(
                "snack_favorites",
                "See what members like",
                "Count how many members of this server saved each snack.",
                self.snack_favorites,
                flags=read,
            ),
            Tool(
                "order_snacks",
                "Order snacks",
                "Order snacks for the asker or another member. A snack costs 1.5.",
                self.order_snacks,
                properties=ORDER,
                required=["snack", "count"],
            ),
            Tool(
                "choose_snack",
                "Choose a snack",
                "Help the asker pick a snack; asks for their taste.",
                work=self.choose_snack,
                flags=read,
            ),
            Tool(
                "clear_snacks",
                "Forget all saved snacks",
                "Forget the saved snacks of every member of this server. This cannot be undone.",
                self.clear_snacks,
                flags=asks,
            ),
        ]


def build_app(
    secrets: Sequence[str], public_url: str, *, pace: float = 1.0, more_tools: Sequence[Tool] = ()
) -> web.Application:
    """The trick as a web application.

    `secrets` are the `whsec_…` texts, looked at anew for each request; `pace` is the seconds that each step
    of the task takes.
    """
    club = SnackClub(pace)
    tools = [*club.tools(), *more_tools]
    return SignedServer(secrets, manifest(public_url, tools), tools, club.on_event).application()


def manifest(public_url: str, tools: Sequence[Tool]) -> JsonObject:
    """What the owner of a server sees and accepts."""
    base = public_url.rstrip("/")
    return {
        "manifestVersion": 1,
        "protocolVersion": "2026-07-28",
        "id": "snack_club",
        "name": "Snack Club",
        "author": "Example author",
        "description": "Choose a snack, save your preference and order for others.",
        "summary": "List, choose, save and order snacks.",
        "instructions": "Use save_snack only to save a preference, order_snacks only when asked to order.",
        "endpoints": {name: f"{base}/{name}" for name in ("challenge", "mcp", "events")},
        "tools": [{"name": tool.name, **tool.flags} for tool in tools],
        "commands": _commands(),
        "settings": _settings(),
        "events": ["member.joined", "member.left"],
    }


def _commands() -> list[JsonObject]:
    order = [
        {
            "name": name,
            "description": rule["description"],
            "type": ORDER_PICKERS.get(name, rule["type"]),
            "required": name in ("snack", "count"),
        }
        for name, rule in ORDER.items()
    ]
    return [
        {"name": "snacks", "description": "See the snacks and save yours", "tool": "snack_menu"},
        {
            "name": "favorites",
            "description": "See what members like here",
            "tool": "snack_favorites",
            "visibility": "public",
        },
        {"name": "order", "description": "Order snacks", "tool": "order_snacks", "options": order},
    ]


def _settings() -> list[JsonObject]:
    choices = [{"label": snack.title(), "value": snack} for snack in SNACKS]
    return [
        {"key": "greeting", "label": "Greeting", "type": "text", "default": "Welcome to the Snack Club!"},
        {"key": "default_snack", "label": "Snack of the house", "type": "select", "options": choices},
        {"key": "farewell", "label": "Say when a member leaves", "type": "boolean", "default": False},
        {"key": "kitchen", "label": "Where orders are handed out", "type": "channel"},
    ]


def _field(label: str, value: str) -> JsonObject:
    return {"label": label, "value": value}


def _save_button(snack: str) -> JsonObject:
    """A button runs its tool with these arguments for whoever clicks it."""
    arguments = {"snack": snack}
    return {"id": f"save_{snack}", "label": f"Save {snack}", "tool": "save_snack", "arguments": arguments}


# ----------------------------------------------------------------------------------------------------------
# Everything below can stay as it is: what a trick is made of, the web server, the protocol.
# ----------------------------------------------------------------------------------------------------------


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

    def __init__(self, call: Call, work: Work) -> None:
        self.id = token_urlsafe(24)  # whoever knows it may ask for the task, so nobody may guess it
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
        self._open[token_hex(8)] = ({"method": "elicitation/create", "params": form}, answer)
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


def main() -> None:
    """Serve until SIGTERM or Ctrl-C. A tunnel or a proxy with HTTPS stands in front of it."""
    parser = argparse.ArgumentParser(prog="sample_trick", description="Serve the trick Snack Club.")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8080, help="the port to listen on (default: %(default)s)")
    options = parser.parse_args()
    public_url = os.environ.get("TRICK_PUBLIC_URL", "")
    if not public_url:
        parser.error("set TRICK_PUBLIC_URL to the address at which the bot reaches this server")
    secrets = re.findall(r"[^,\s]+", os.environ.get("TRICK_WEBHOOK_SECRETS", ""))
    if not all(re.fullmatch(r"whsec_[A-Za-z0-9+/]+=*", secret) for secret in secrets):
        parser.error("TRICK_WEBHOOK_SECRETS has something that is not whsec_ and base64")
    web.run_app(build_app(secrets, public_url), host=options.host, port=options.port, shutdown_timeout=5)


if __name__ == "__main__":
    main()
