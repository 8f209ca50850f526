"""A model that plays a script, as a real OpenAI-compatible chat-completions endpoint in the test's own loop.

model.script(call("load_trick", trick="snack_club"), say("Here they are."))
model.script(lambda asked: say(asked.last["content"].upper()))
model.on("auto-review: match", say('{"pass": true, "reason": "asked for"}'))
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pytest_asyncio
from aiohttp import web

from bot.config import AssistantSection

JsonObject: TypeAlias = dict[str, Any]

KEY = "a-key-that-nobody-may-see"
NAME = "scripted-model"


@dataclass(frozen=True)
class Asked:
    """One request to the model: its JSON body and headers."""

    body: JsonObject = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)

    @property
    def system(self) -> str:
        """The system message, empty when there is none."""
        return next((each["content"] for each in self.body["messages"] if each["role"] == "system"), "")

    @property
    def messages(self) -> list[JsonObject]:
        """Every message but the system one."""
        return [each for each in self.body["messages"] if each["role"] != "system"]

    @property
    def last(self) -> JsonObject:
        """The newest message."""
        return self.body["messages"][-1]

    @property
    def tool_names(self) -> list[str]:
        """The tools that the model may call, in order."""
        return [tool["function"]["name"] for tool in self.body.get("tools", [])]

    @property
    def text(self) -> str:
        """The whole body, to look for what must not be in it."""
        return json.dumps(self.body, ensure_ascii=False)


@dataclass(frozen=True)
class Answer:
    """What the model says and calls; `say("…") + call("a") + call("b")` does all three at once."""

    text: str | None = None
    calls: tuple[tuple[str, str], ...] = ()
    finish_reason: str | None = None
    status: int = 200
    raw: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    hangs: bool = False

    def __add__(self, other: "Answer") -> "Answer":
        return Answer(text=self.text or other.text, calls=self.calls + other.calls)


def say(text: str, *, finish_reason: str | None = None) -> Answer:
    """Says `text`."""
    return Answer(text=text, finish_reason=finish_reason)


def call(name: str, /, **arguments: Any) -> Answer:
    """Calls a tool."""
    return Answer(calls=((name, json.dumps(arguments, ensure_ascii=False)),))


def call_text(name: str, arguments: str) -> Answer:
    """Calls a tool with exactly this text as the arguments."""
    return Answer(calls=((name, arguments),))


def raw(status: int, body: Any = b"", headers: Mapping[str, str] | None = None) -> Answer:
    """An HTTP answer as it stands; a `body` that is no bytes is sent as JSON."""
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(status=status, raw=sent, headers=headers or {})


def hang() -> Answer:
    """No answer for as long as the server stands."""
    return Answer(hangs=True)


Step: TypeAlias = Answer | Callable[[Asked], Answer | Awaitable[Answer]]


class ModelServer:
    """Each `Answer` of a script is given once; a function answers everything from its turn on.

    Whatever no script answers gets a 400 and stands in `unexpected`, which the fixture checks at the end.
    """

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.unexpected: list[Asked] = []
        self.port = 0
        self._scripts: dict[str, list[Step]] = {}
        self._arrivals: asyncio.Queue[Asked] = asyncio.Queue()
        self._stopping = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self._calls = 0

    # ---- What a test decides ----

    def script(self, *steps: Step) -> None:
        """What is answered, in order, where no script of `on` applies; replaces what is left of the last one."""
        self._scripts[""] = list(steps)

    def on(self, prefix: str, *steps: Step) -> None:
        """What is answered to requests whose system message begins with `prefix`; the longest prefix wins."""
        self._scripts[prefix] = list(steps)

    @property
    def base_url(self) -> str:
        """The `assistant.base_url` of this server."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def config(self) -> JsonObject:
        """The section `assistant` of a configuration."""
        return {"base_url": self.base_url, "model": NAME, "api_key": KEY}

    @property
    def section(self) -> AssistantSection:
        """The same, read."""
        return AssistantSection.model_validate(self.config)

    # ---- What a test sees ----

    def asked_of(self, prefix: str) -> list[Asked]:
        """Every request so far whose system message begins with `prefix`."""
        return [asked for asked in self.asked if asked.system.startswith(prefix)]

    async def next(self, timeout: float = 5.0) -> Asked:
        """The next request that nobody has waited for yet; waits for it to arrive."""
        async with asyncio.timeout(timeout):
            return await self._arrivals.get()

    # ---- Serving ----

    async def start(self) -> None:
        """Listen on a free port of loopback."""
        app = web.Application(client_max_size=32 * 1024 * 1024)
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening; hanging answers are cut off."""
        self._stopping.set()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _serve(self, http: web.Request) -> web.StreamResponse:
        if (http.method, http.path) != ("POST", "/v1/chat/completions"):
            return web.Response(status=404)
        asked = Asked(await http.json(), dict(http.headers))
        self.asked.append(asked)
        self._arrivals.put_nowait(asked)
        answer = await self._answer(asked)
        if answer.hangs:
            await self._stopping.wait()
        if answer.raw is not None:
            return web.Response(status=answer.status, body=answer.raw, headers=_with_type(answer.headers))
        return web.json_response(self._completion(answer))

    async def _answer(self, asked: Asked) -> Answer:
        steps: list[Step] = []
        for prefix in sorted(self._scripts, key=len):
            if asked.system.startswith(prefix):
                steps = self._scripts[prefix]
        if not steps:
            self.unexpected.append(asked)
            return raw(400, {"error": {"message": "the script is over"}})
        step = steps[0]
        if isinstance(step, Answer):
            del steps[0]
            return step
        given = step(asked)
        return given if isinstance(given, Answer) else await given

    def _completion(self, answer: Answer) -> JsonObject:
        message: JsonObject = {"role": "assistant", "content": answer.text}
        if answer.calls:
            message["tool_calls"] = [self._tool_call(*each) for each in answer.calls]
        finish = answer.finish_reason or ("tool_calls" if answer.calls else "stop")
        return completion(message, finish)

    def _tool_call(self, name: str, arguments: str) -> JsonObject:
        self._calls += 1
        function = {"name": name, "arguments": arguments}
        return {"id": f"call_{self._calls}", "type": "function", "function": function}


def completion(message: JsonObject, finish_reason: str | None = "stop") -> JsonObject:
    """The body of a chat completion with one choice, for `raw`."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_767_225_600,
        "model": NAME,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def _with_type(headers: Mapping[str, str]) -> dict[str, str]:
    return {"Content-Type": "application/json", **headers}


@pytest_asyncio.fixture
async def model() -> AsyncIterator[ModelServer]:
    """A model without a script yet; at the end it may not have been asked anything that no script answered."""
    server = ModelServer()
    await server.start()
    try:
        yield server
    finally:
        with suppress(TimeoutError):
            await asyncio.wait_for(server.stop(), 5)
    assert server.unexpected == []
