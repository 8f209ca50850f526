"""Snack Club: a whole trick in one file, to copy and to start from.

A trick is a small web server. `/manifest.json` says what it offers; the other addresses take signed POSTs:
`/challenge` proves that both sides know the secret, `/mcp` runs the tools, `/events` tells who joined or left.

    pip install aiohttp standardwebhooks
    export TRICK_PUBLIC_URL=https://snacks.example.com TRICK_WEBHOOK_SECRETS=whsec_...
    python sample_trick.py --port 8080

Register `<public URL>/manifest.json`, put the secret that you are shown into TRICK_WEBHOOK_SECRETS and start
again; while it is being rotated give both, with a comma between. Everything is kept in memory here: a restart
forgets the snacks and ends the running tasks. A trick in earnest has a database.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from secrets import token_hex, token_urlsafe
from typing import Any, NoReturn, TypeAlias

from aiohttp import web
from standardwebhooks import Webhook, WebhookVerificationError

JsonObject: TypeAlias = dict[str, Any]

SNACKS = ["popcorn", "fruit", "pretzels"]
CHOICES = [{"label": snack.title(), "value": snack} for snack in SNACKS]
PRICE = 1.5

# What a server's owner sees and accepts. The endpoints and the tools are added to it below.
MANIFEST: JsonObject = {
    "manifestVersion": 1,
    "protocolVersion": "2026-07-28",
    "id": "snack_club",
    "name": "Snack Club",
    "author": "Example author",
    "description": "Choose a snack, save your preference and order for others.",
    "summary": "List, choose, save and order snacks.",
    "instructions": "Use save_snack only to save a preference, order_snacks only when asked to order.",
    "commands": [
        {"name": "snacks", "description": "See the snacks and save yours", "tool": "snack_menu"},
        {
            "name": "favorites",
            "description": "See favorites",
            "tool": "snack_favorites",
            "visibility": "public",
        },
        {
            "name": "order",
            "description": "Order snacks",
            "tool": "order_snacks",
            "options": [  # each is an argument of the tool; a member, channel or role comes as its id
                {"name": "snack", "description": "Which snack", "type": "string", "required": True},
                {"name": "count", "description": "How many", "type": "integer", "required": True},
                {"name": "budget", "description": "What it may cost, 1.5 each", "type": "number"},
                {"name": "gift", "description": "Wrap it as a gift", "type": "boolean"},
                {"name": "for", "description": "Who gets it, if not you", "type": "user"},
                {"name": "in", "description": "Where it is handed out", "type": "channel"},
                {"name": "notify", "description": "Which role should know", "type": "role"},
            ],
        },
    ],
    "settings": [
        {"key": "greeting", "label": "Greeting", "type": "text", "default": "Welcome to the Snack Club!"},
        {"key": "default_snack", "label": "Snack of the house", "type": "select", "options": CHOICES},
        {"key": "farewell", "label": "Say when a member leaves", "type": "boolean", "default": False},
        {"key": "kitchen", "label": "Where orders are handed out", "type": "channel"},
    ],
    "events": ["member.joined", "member.left"],
}

# The arguments of tools and an answer to a question, in JSON Schema.
SNACK: JsonObject = {"snack": {"type": "string", "enum": SNACKS, "description": "Which snack"}}
ORDER: JsonObject = {
    **SNACK,
    "count": {"type": "integer", "minimum": 1, "maximum": 20, "description": "How many"},
    "budget": {"type": "number", "minimum": 0, "maximum": 1000, "description": "What it may cost, 1.5 each"},
    "gift": {"type": "boolean", "description": "Wrap it as a gift"},
    "for": {"type": "string", "description": "The id of the member who gets it, if not the asker"},
    "in": {"type": "string", "description": "The id of the channel where it is handed out"},
    "notify": {"type": "string", "description": "The id of the role that should know"},
}
TASTE: JsonObject = {"taste": {"type": "string", "enum": ["sweet", "salty"], "title": "Taste"}}


class SnackClub:
    """What the trick does, and what it remembers. `pace` is the seconds that each step of the task takes."""

    def __init__(self, pace: float) -> None:
        self._pace = pace
        self._saved: dict[str, dict[str, str]] = {}  # installation → member → snack
        self._orders: dict[tuple[str, str], JsonObject] = {}  # installation, call → result

    def tools(self) -> list[Tool]:
        """What the bot may call. The title stands on the card that asks for approval."""
        return [
            Tool(self.snack_menu, "See the snacks", flags={"readOnly": True}),
            Tool(self.save_snack, "Save your snack preference", object_schema(SNACK, ["snack"])),
            Tool(self.snack_favorites, "See what members like", flags={"readOnly": True}),
            Tool(self.order_snacks, "Order snacks", object_schema(ORDER, ["snack", "count"])),
            Tool(self.choose_snack, "Choose a snack", flags={"readOnly": True}, long=True),
            Tool(self.clear_snacks, "Forget all saved snacks", flags={"alwaysAsk": True}),
        ]

    # A tool is named as its function is, and described by its docstring, by which the model chooses it. It returns
    # data, which the model says in its own words; the part called `pup` is what a command or a button shows.

    async def snack_menu(self, call: Call) -> JsonObject:
        """List the snacks there are, and which one the asker saved."""
        mine = self._saved.get(call.installation, {}).get(call.asker)
        fields = [_field("Choices", ", ".join(SNACKS)), _field("Yours", mine or "none yet")]
        buttons = [_save_button(snack) for snack in SNACKS]
        return {"choices": SNACKS, "saved": mine, "pup": {"fields": fields, "actions": buttons}}

    async def save_snack(self, call: Call) -> JsonObject:
        """Save the asker's snack preference."""
        snack = call.arguments["snack"]
        self._saved.setdefault(call.installation, {})[call.asker] = snack
        return {"saved": snack, "pup": {"text": f"Saved: {snack}."}}

    async def snack_favorites(self, call: Call) -> JsonObject:
        """Count how many members of this server saved each snack."""
        counts = Counter(self._saved.get(call.installation, {}).values())
        fields = [_field(snack, str(count)) for snack, count in counts.most_common()]
        text = "What members like here." if fields else "Nobody saved a snack yet."
        return {"counts": counts, "pup": {"text": text, "fields": fields}}

    async def order_snacks(self, call: Call) -> JsonObject:
        """Order snacks for the asker or another member. A snack costs 1.5."""
        order, key = call.arguments, (call.installation, call.call_id)
        if key in self._orders:  # the same call came twice: order once, answer the same
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

    async def choose_snack(self, call: Call) -> JsonObject:
        """Help the asker pick a snack; asks for their taste."""
        call.report("Looking into the cupboard.")
        await asyncio.sleep(self._pace)  # here your slow work would be
        answer = await call.ask("Sweet or salty?", TASTE)
        call.report("Comparing what is left.")
        await asyncio.sleep(self._pace)
        if answer is None:
            return {"snack": call.settings.get("default_snack", SNACKS[0]), "because": "nobody chose"}
        return {"snack": "fruit" if answer["taste"] == "sweet" else "popcorn", "because": answer["taste"]}

    async def clear_snacks(self, call: Call) -> JsonObject:
        """Forget the saved snacks of every member of this server. This cannot be undone."""
        cleared = len(self._saved.pop(call.installation, {}))
        return {"cleared": cleared, "pup": {"text": f"Forgot {cleared} saved snacks."}}

    def on_event(self, event: str, member: str, installation: str, settings: JsonObject) -> JsonObject:
        """Welcome who joins, forget who left. What it returns is posted in the owner's events channel."""
        if event == "member.joined":
            snack = settings.get("default_snack")
            text = f"{settings.get('greeting', 'Welcome!')} <@{member}>"
            return {"text": text, "actions": [_save_button(snack if snack in SNACKS else SNACKS[0])]}
        if event == "member.left":
            self._saved.get(installation, {}).pop(member, None)
            return {"text": f"<@{member}> has left the club."} if settings.get("farewell") else {}
        return {}


def _field(label: str, value: str) -> JsonObject:
    return {"label": label, "value": value}


def _save_button(snack: str) -> JsonObject:
    """A button runs its tool with these arguments for whoever clicks it."""
    arguments = {"snack": snack}
    return {"id": f"save_{snack}", "label": f"Save {snack}", "tool": "save_snack", "arguments": arguments}


def build_app(secrets: Sequence[str], public_url: str, *, pace: float = 1.0) -> web.Application:
    """The trick as a web application that trusts the `whsec_…` texts in `secrets`."""
    return SignedServer(secrets, public_url, SnackClub(pace)).application()


# ----------------------------------------------------------------------------------------------------------
# You can leave everything below as it is: calls and tasks, the web server, signatures and the protocol.
# ----------------------------------------------------------------------------------------------------------

VERSION = "2026-07-28"  # the revision of MCP spoken here: every request stands for itself, without a session
MCP = "io.modelcontextprotocol/"
TASKS = MCP + "tasks"
# These methods repeat one of their parameters in the header Mcp-Name, so that a proxy can route them.
NAMED = {"tools/call": "name", "tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId"}
JSON_TYPES = {"string": [str], "integer": [int], "number": [int, float], "boolean": [bool]}
CACHED = {"ttlMs": 3_600_000, "cacheScope": "public"}
TASK_SECONDS = 3600  # how long a task may take, and is kept
REPLAY_SECONDS = 600  # a signature holds five minutes, counted from a clock that may be five minutes ahead
DELIVERY_SECONDS = 86_400  # how long the answer to an event is kept


class RpcError(Exception):
    """A JSON-RPC error: the request cannot be served at all."""

    def __init__(self, code: int, message: str, status: int = 400, **data: Any) -> None:
        super().__init__(message)
        self.body: JsonObject = {"code": code, "message": message} | ({"data": data} if data else {})
        self.status = status


class ToolError(RpcError):
    """For a tool to raise when its arguments make no sense. The owner may read the text, members do not."""

    def __init__(self, message: str) -> None:
        super().__init__(-32602, message)


class Call:
    """One call of a tool. All but `arguments` is signed: trust that, and no id that stands in an argument."""

    def __init__(self, arguments: JsonObject, meta: JsonObject) -> None:
        context = expect(dict, meta.get("io.puphq/context"))
        self.arguments = arguments
        self.installation: str = expect(str, context.get("installationId"))  # a server: keep everything by it
        self.asker: str = expect(str, context.get("askerId"))  # keep what is personal by this member as well
        self.call_id: str = expect(str, context.get("callId", token_hex(8)))  # the same if it is sent twice
        self.settings: JsonObject = expect(dict, context.get("settings", {}))
        self._capabilities: JsonObject = meta[MCP + "clientCapabilities"]
        self._task: JsonObject = {}  # how it stands, if the call runs as a task
        self._open: dict[str, tuple[JsonObject, asyncio.Future[JsonObject | None]]] = {}

    def report(self, message: str) -> None:
        """Tell progress of a long tool: what is news to the asker, not every step. Nothing secret."""
        self._change(statusMessage=message)

    async def ask(self, message: str, properties: JsonObject) -> JsonObject | None:
        """The asker's answer, or None if they skip the question. Never ask for a password, token or key."""
        self._change()
        if not self.declares("elicitation", "form"):
            raise undeclared("elicitation", "form")
        schema = object_schema(properties, [*properties])
        form = {"mode": "form", "message": message, "requestedSchema": schema}
        answer: asyncio.Future[JsonObject | None] = asyncio.get_running_loop().create_future()
        self._open[token_hex(8)] = ({"method": "elicitation/create", "params": form}, answer)
        return await answer

    def answer(self, key: str, response: Any) -> None:
        """Take an answer. One to a question that is unknown or answered is ignored: a repeat does no harm."""
        if key not in self._open or self._open[key][1].done():
            return
        request, answer = self._open[key]
        content = None
        if expect(dict, response).get("action") == "accept":
            content = expect(dict, response.get("content"))
            check(content, request["params"]["requestedSchema"])
        del self._open[key]
        self._change()
        answer.set_result(content)

    def start(self, tool: Tool) -> tuple[str, asyncio.Task[None]]:
        """Go on as a task: its id, which nobody can guess, and its work."""
        task_id, created = token_urlsafe(24), datetime.now(UTC).isoformat()
        self._task = {"taskId": task_id, "status": "working", "createdAt": created, "lastUpdatedAt": created}
        self._change(ttlMs=TASK_SECONDS * 1000, pollIntervalMs=500)
        return task_id, asyncio.create_task(self._work(tool))

    def state(self) -> JsonObject:
        """How the task stands, with its open questions or its end."""
        asked = {key: request for key, (request, _) in self._open.items()}
        return self._task | ({"status": "input_required", "inputRequests": asked} if asked else {})

    async def _work(self, tool: Tool) -> None:
        try:
            end = {"status": "completed", "result": await tool.result(self)}
        except RpcError as error:
            end = {"status": "failed", "error": error.body}
        except asyncio.CancelledError:
            end = {"status": "cancelled"}
        self._open.clear()
        self._change(**end)

    def _change(self, **changes: Any) -> None:
        if not self._task:
            raise undeclared("extensions", TASKS)
        self._task.update(changes, lastUpdatedAt=datetime.now(UTC).isoformat())

    def declares(self, kind: str, name: str) -> bool:
        """Whether the client said in this request that it knows, say, the extension `name`."""
        declared = self._capabilities.get(kind)  # for questions, an empty object means forms
        return isinstance(declared, dict) and (name in declared or (kind == "elicitation" and not declared))


@dataclass(frozen=True)
class Tool:
    """One tool; a `long` one runs as a task. `flags`: `readOnly`, `alwaysAsk`, `thread`, `userRequest`."""

    run: Callable[[Call], Awaitable[JsonObject]]
    title: str
    schema: JsonObject = field(default_factory=lambda: object_schema({}, []))
    flags: JsonObject = field(default_factory=JsonObject)
    long: bool = False

    def definition(self) -> JsonObject:
        """How it stands in the list of tools."""
        named = {"name": self.run.__name__, "title": self.title, "description": self.run.__doc__}
        return named | {"inputSchema": self.schema}

    async def result(self, call: Call) -> JsonObject:
        """Its data as an MCP result; what goes wrong as a result with `isError`."""
        try:
            check(call.arguments, self.schema)
            data = await self.run(call)
            return {"content": [{"type": "text", "text": json.dumps(data)}], "structuredContent": data}
        except ToolError as error:
            problem = str(error)
        except RpcError:
            raise
        except Exception:
            logging.getLogger(__name__).exception("A tool failed.")
            problem = "This did not work."
        return {"content": [{"type": "text", "text": problem}], "isError": True}


class SignedServer:
    """Serves one trick. `secrets` is read at each request, so a list may change while it runs."""

    def __init__(self, secrets: Sequence[str], public_url: str, trick: SnackClub) -> None:
        base, paths = public_url.rstrip("/"), ("challenge", "mcp", "events")
        self._secrets, self._trick = secrets, trick
        self._tools = {tool.run.__name__: tool for tool in trick.tools()}
        self._manifest = MANIFEST | {"endpoints": {path: f"{base}/{path}" for path in paths}}
        self._manifest["tools"] = [{"name": name, **tool.flags} for name, tool in self._tools.items()]
        self._seen: set[str] = set()
        self._deliveries: dict[str, JsonObject] = {}
        self._tasks: dict[str, tuple[Call, asyncio.Task[None]]] = {}

    def application(self) -> web.Application:
        """The routes. A body of more than 1 MiB is refused by aiohttp itself."""
        app = web.Application()
        app.router.add_get("/manifest.json", self._serve_manifest)
        app.add_routes([web.post(path, self._serve) for path in ("/challenge", "/mcp", "/events")])
        app.on_cleanup.append(self._stop)
        return app

    async def _stop(self, _: web.Application) -> None:
        works = [work for _, work in self._tasks.values()]
        for work in works:
            work.cancel()
        await asyncio.gather(*works, return_exceptions=True)

    async def _serve_manifest(self, _: web.Request) -> web.Response:
        return web.json_response(self._manifest)

    async def _serve(self, request: web.Request) -> web.Response:
        reply: JsonObject = {"jsonrpc": "2.0"}
        body, webhook_id = await self._verified(request), request.headers["webhook-id"]
        if request.path != "/events":  # an event may come again
            self._refuse_replay(webhook_id)
        try:
            message = parse(body)
            if request.path == "/challenge":
                return web.json_response({"challenge": expect(str, message.get("challenge"))})
            if request.path == "/events":
                return web.json_response(self._event(message, webhook_id))
            if message.get("jsonrpc") != "2.0" or type(message.get("id")) not in (str, int):
                raise RpcError(-32600, "This is not a JSON-RPC request.")
            reply["id"] = message["id"]
            result = await self._answer(*check_request(message, request.headers))
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

    def _refuse_replay(self, webhook_id: str) -> None:
        if webhook_id in self._seen:
            raise web.HTTPConflict(text="This request was here before.")
        self._seen.add(webhook_id)
        asyncio.get_running_loop().call_later(REPLAY_SECONDS, self._seen.discard, webhook_id)

    def _event(self, envelope: JsonObject, delivery: str) -> JsonObject:
        """A delivery is repeated until it is answered. Its effects happen once, and its answer stays."""
        if envelope.get("version") != 1 or envelope.get("id") != delivery:
            raise RpcError(-32600, "This is no delivery, or its id is not the signed one.")
        if delivery not in self._deliveries:
            event, context = expect(dict, envelope.get("event")), expect(dict, envelope.get("context"))
            kind, member = expect(str, event.get("type")), expect(str, event.get("memberId"))
            server, settings = expect(str, context.get("installationId")), context.get("settings", {})
            shown = self._trick.on_event(kind, member, server, expect(dict, settings))
            self._deliveries[delivery] = {"presentation": shown} if shown else {}
            asyncio.get_running_loop().call_later(DELIVERY_SECONDS, self._deliveries.pop, delivery)
        return self._deliveries[delivery]

    async def _answer(self, method: str, params: JsonObject, meta: JsonObject) -> JsonObject:
        match method:
            case "server/discover":
                offered: JsonObject = {"tools": {}, "extensions": {TASKS: {}}}
                about = {MCP + "serverInfo": {"name": MANIFEST["id"], "version": "1.0.0"}}
                return {"supportedVersions": [VERSION], "capabilities": offered, "_meta": about, **CACHED}
            case "tools/list" if params.get("cursor") is None:
                return {"tools": [tool.definition() for tool in self._tools.values()], **CACHED}
            case "tools/list":
                raise RpcError(-32602, "There is one page only.")
            case "tools/call":
                return await self._call(params, meta)
            case "tasks/get":
                return self._task(params, meta)[0].state()
            case "tasks/update":
                call, _ = self._task(params, meta)
                for key, response in expect(dict, params.get("inputResponses")).items():
                    call.answer(key, response)
            case "tasks/cancel":
                self._task(params, meta)[1].cancel()
            case _:
                raise RpcError(-32601, "There is no such method.", status=404)
        return {}

    async def _call(self, params: JsonObject, meta: JsonObject) -> JsonObject:
        tool, call = self._tools.get(params["name"]), Call(expect(dict, params.get("arguments", {})), meta)
        if tool is None:
            raise RpcError(-32602, "There is no such tool.")
        if not tool.long or not call.declares("extensions", TASKS):
            return await tool.result(call)
        task_id, work = call.start(tool)
        self._tasks[task_id] = (call, work)
        asyncio.get_running_loop().call_later(TASK_SECONDS, lambda: self._tasks.pop(task_id)[1].cancel())
        return {**call.state(), "resultType": "task"}

    def _task(self, params: JsonObject, meta: JsonObject) -> tuple[Call, asyncio.Task[None]]:
        asking, found = Call({}, meta), self._tasks.get(params["taskId"])
        if not asking.declares("extensions", TASKS):
            raise undeclared("extensions", TASKS)
        if found is None or (found[0].installation, found[0].asker) != (asking.installation, asking.asker):
            raise RpcError(-32602, "There is no such task.")
        return found


def check_request(message: JsonObject, headers: Mapping[str, str]) -> tuple[str, JsonObject, JsonObject]:
    """The method, `params` and `_meta`, which the headers have to repeat: the body alone is signed."""
    method, params = expect(str, message.get("method")), expect(dict, message.get("params"))
    meta = expect(dict, params.get("_meta"))
    expect(dict, meta.get(MCP + "clientCapabilities"))
    version = expect(str, meta.get(MCP + "protocolVersion"))
    expected = {"MCP-Protocol-Version": version, "Mcp-Method": method}
    if method in NAMED:
        expected["Mcp-Name"] = expect(str, params.get(NAMED[method]))
    for header, value in expected.items():
        encoded = f"=?base64?{b64encode(value.encode(errors='replace')).decode()}?="
        if headers.get(header) not in (value, encoded):
            raise RpcError(-32020, f"The header {header} does not say what the body says.")
    if version != VERSION:
        raise RpcError(-32022, "This version is not spoken here.", supported=[VERSION], requested=version)
    return method, params, meta


def parse(body: bytes) -> JsonObject:
    """One JSON object; refuses anything else, NaN and hostile depth included."""
    try:
        return expect(dict, json.loads(body.decode(), parse_constant=_refuse_constant))
    except (ValueError, RecursionError):
        raise RpcError(-32700, "This is not JSON.") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def expect(kind: type, value: Any) -> Any:
    """`value`, if it is of that kind; refuses the request otherwise."""
    if not isinstance(value, kind):
        raise RpcError(-32602, f"There is something else where a {kind.__name__} has to be.")
    return value


def undeclared(kind: str, name: str) -> RpcError:
    """The refusal of a client that did not declare what the answer would take."""
    return RpcError(-32021, f"This needs {name}.", requiredCapabilities={kind: {name: {}}})


def object_schema(properties: JsonObject, required: Sequence[str]) -> JsonObject:
    """A flat JSON Schema."""
    closed: JsonObject = {"type": "object", "additionalProperties": False}
    return {**closed, "properties": properties, "required": [*required]}


def check(values: JsonObject, schema: JsonObject) -> None:
    """Refuse values that do not fit a flat schema, with a sentence about the first."""
    for name in [*schema["required"], *values]:
        rule, value = schema["properties"].get(name), values.get(name)
        if rule is None:
            raise ToolError("There is an argument that is not known.")
        if type(value) not in JSON_TYPES[rule["type"]]:
            raise ToolError(f"{name} is missing or of the wrong type.")
        within = rule.get("minimum", value) <= value <= rule.get("maximum", value)
        if not within or value not in rule.get("enum", [value]):
            raise ToolError(f"{name} is not among what is allowed.")


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
