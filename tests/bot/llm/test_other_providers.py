"""Anthropic and Google: the same conversation over their own wires, on a server that answers as they do."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from bot.config import AssistantSection
from bot.errors import ModelRefused, ModelUnavailable
from bot.llm.model import Model, ToolMessage, UserMessage
from bot.llm.providers import open_model
from bot.llm.retries import MAX_ATTEMPTS
from tests.bot.llm.talking import HELLO, SAVE, SCHEMA
from tests.support.clock import TurnedClock

CLAUDE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude",
    "content": [
        {"type": "thinking", "thinking": "I shall look.", "signature": "c2lnbmVk"},
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "tu1", "name": "look", "input": {"at": "é"}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 11, "output_tokens": 7},
}
GEMINI = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [
                    {"text": "Let me see."},
                    {"functionCall": {"name": "look", "args": {"at": "é"}}, "thoughtSignature": "c2lnbmVk"},
                ],
            },
            "finishReason": "STOP",
            "index": 0,
        }
    ],
    "usageMetadata": {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18},
    "responseId": "r1",
}
NATIVE = {"anthropic": CLAUDE, "google": GEMINI}


class Wire:
    """Answers everything with `status` and `body`, and keeps what was asked."""

    def __init__(self, body: Any) -> None:
        self.body = body
        self.status = 200
        self.asked: list[Any] = []

    async def serve(self, request: web.Request) -> web.Response:
        self.asked.append(await request.json())
        return web.json_response(self.body, status=self.status)


@asynccontextmanager
async def talking_to(provider: str) -> AsyncGenerator[tuple[Model, Wire]]:
    wire = Wire(NATIVE[provider])
    app = web.Application()
    app.router.add_post("/{path:.*}", wire.serve)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    values = {"provider": provider, "model": "some-model", "base_url": base_url, "api_key": "k"}
    model = open_model(AssistantSection.model_validate(values), TurnedClock())
    assert model is not None
    try:
        yield model, wire
    finally:
        await model.aclose()
        await runner.cleanup()


@pytest.mark.parametrize("provider", NATIVE)
async def test_text_calls_and_tokens_are_read(provider: str) -> None:
    async with talking_to(provider) as (model, _):
        told = await model.complete("Be kind.", HELLO)
    assert told.message.text == "Let me see."
    (call,) = told.message.calls
    assert (call.name, call.arguments) == ("look", '{"at": "é"}')
    assert call.id
    assert (told.input_tokens, told.output_tokens) == (11, 7)


async def test_anthropic_gets_the_conversation_with_its_own_thoughts_and_nothing_else() -> None:
    async with talking_to("anthropic") as (model, wire):
        first = await model.complete("Be kind.", HELLO, [SAVE])
        told = ToolMessage(call_id="tu1", name="look", content='{"x": 1}')
        await model.complete("Be kind.", [*HELLO, first.message, told, UserMessage(text="go on")])
    hello = {"role": "user", "content": [{"type": "text", "text": "hello"}]}
    bare = {"model": "some-model", "max_tokens": 4096, "stream": False, "system": "Be kind."}
    tool = {"name": SAVE.name, "description": SAVE.description, "input_schema": SCHEMA}
    assert wire.asked[0] == {**bare, "messages": [hello], "tools": [tool], "tool_choice": {"type": "auto"}}
    seen: dict[str, Any] = {"type": "tool_result", "tool_use_id": "tu1", "is_error": False}
    seen["content"] = [{"type": "text", "text": '{"x": 1}'}]
    assert wire.asked[1] == {
        **bare,
        "messages": [
            hello,
            {"role": "assistant", "content": CLAUDE["content"]},
            {"role": "user", "content": [seen, {"type": "text", "text": "go on"}]},
        ],
    }


async def test_google_gets_the_conversation_with_its_own_signature_and_nothing_else() -> None:
    async with talking_to("google") as (model, wire):
        first = await model.complete("Be kind.", HELLO, [SAVE])
        (call,) = first.message.calls
        told = ToolMessage(call_id=call.id, name="look", content='{"x": 1}')
        await model.complete("Be kind.", [*HELLO, first.message, told])
    (declared,) = wire.asked[0]["tools"]
    function = {"name": SAVE.name, "description": SAVE.description, "parameters_json_schema": SCHEMA}
    assert declared == {"functionDeclarations": [function]}
    hello = {"role": "user", "parts": [{"text": "hello"}]}
    assert wire.asked[0]["contents"] == [hello]
    assert wire.asked[0]["systemInstruction"]["parts"] == [{"text": "Be kind."}]
    assert wire.asked[0]["generationConfig"]["maxOutputTokens"] == 4096
    said, seen = wire.asked[1]["contents"][1:]
    assert wire.asked[1]["contents"][0] == hello
    assert said["parts"][0] == {"text": "Let me see."}
    assert said["parts"][1]["thoughtSignature"] == "c2lnbmVk"
    assert seen["parts"][0]["functionResponse"]["response"] == {"return_value": '{"x": 1}'}


@pytest.mark.parametrize("provider", NATIVE)
async def test_only_kennel_repeats_a_request(provider: str) -> None:
    async with talking_to(provider) as (model, wire):
        wire.status, wire.body = 503, {}
        with pytest.raises(ModelUnavailable):
            await model.complete("Be kind.", HELLO)
        assert len(wire.asked) == MAX_ATTEMPTS
        wire.status, wire.body = 401, {}
        with pytest.raises(ModelRefused):
            await model.complete("Be kind.", HELLO)
        assert len(wire.asked) == MAX_ATTEMPTS + 1
