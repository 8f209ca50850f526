"""The least that a turn with tools takes: ask the model, send its calls, ask again, and store every step."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Self

from pydantic_ai.direct import model_request
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    SystemPromptPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from sqlalchemy import Column, Executable, MetaData, String, Table, Text, bindparam, event, insert, update
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bot.clock import Clock
from bot.llm.clients import openai_compatible
from bot.llm.connection import open_client
from bot.signing import make_secret
from bot.transport import AddressPolicy, Endpoint, SignedSender, SystemResolver, Transport
from bot.transport.replies import read_body
from tests.bench.filling import TOOLS
from tests.bench.model_answers import ANSWER, TRICK

_metadata = MetaData()
_turns = Table(
    "turns", _metadata, Column("id", String, primary_key=True), Column("status", Text), Column("state", Text)
)
_calls = Table(
    "calls", _metadata, Column("id", String, primary_key=True), Column("sent", Text), Column("result", Text)
)
_BEGIN, _SEND = insert(_turns), insert(_calls)
_SAVE = update(_turns).where(_turns.c.id == bindparam("key")).values(state=bindparam("said"))
_END = update(_turns).where(_turns.c.id == bindparam("key")).values(status="answered")
_RESULT = update(_calls).where(_calls.c.id == bindparam("key")).values(result=bindparam("got"))

_SYSTEM = "You answer one member of a Discord server. " * 40
_LOAD_SCHEMA = {"type": "object", "properties": {"trick": {"type": "string", "enum": [TRICK]}}}
_NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
_LOAD = ToolDefinition(
    name="load_trick", description="Get a trick's tools.", parameters_json_schema=_LOAD_SCHEMA
)
_TOOLS = [
    ToolDefinition(
        name=f"{TRICK}__{tool}", description="Says what there is. " * 10, parameters_json_schema=_NO_ARGUMENTS
    )
    for tool in TOOLS
]
_SETTINGS = ModelSettings(max_tokens=4_096)


class Handwritten:
    """One process with everything open."""

    def __init__(
        self, engine: AsyncEngine, model: Model, sender: SignedSender, port: int, transactions: int
    ) -> None:
        self._engine = engine
        self._model = model
        self._sender = sender
        self._endpoint = Endpoint(f"http://127.0.0.1:{port}/mcp", (make_secret(Clock()),))
        self._transactions = transactions

    @classmethod
    @asynccontextmanager
    async def open(cls, file: str, port: int, transactions: int) -> AsyncGenerator[Self]:
        """With a fresh database `file`, and model and trick at `port`; a turn takes that many `transactions`."""
        hosts = frozenset({f"127.0.0.1:{port}"})
        transport = Transport(SystemResolver(), AddressPolicy(), development_hosts=hosts)
        engine = _engine(file)
        async with open_client() as http:
            model = openai_compatible("instant", f"http://127.0.0.1:{port}/v1", "", http)
            try:
                async with engine.begin() as connection:
                    await connection.run_sync(_metadata.create_all)
                yield cls(engine, model, SignedSender(transport, Clock()), port, transactions)
            finally:
                await engine.dispose()
                await transport.aclose()

    async def turn(self, number: int) -> None:
        """Ask until there is an answer."""
        key, left = str(number), self._transactions
        history: list[ModelMessage] = [
            ModelRequest([SystemPromptPart(_SYSTEM), UserPromptPart("What is there? Save mine.")])
        ]
        await self._store(_BEGIN, {"id": key, "status": "running", "state": ""})
        tools = [_LOAD]
        left -= 2
        while True:
            parameters = ModelRequestParameters(function_tools=tools)
            response = await model_request(
                self._model, history, model_settings=_SETTINGS, model_request_parameters=parameters
            )
            history.append(response)
            await self._store(_SAVE, {"key": key, "said": _dump(history)})
            left -= 1
            calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
            if not calls:
                break
            results: list[ToolReturnPart] = []
            for call in calls:
                if call.tool_name == "load_trick":
                    tools = [_LOAD, *_TOOLS]
                    content = json.dumps({"tools": [tool.name for tool in _TOOLS]})
                else:
                    content = await self._call(f"{key}-{call.tool_call_id}", call)
                    left -= 2
                results.append(ToolReturnPart(call.tool_name, content, call.tool_call_id))
            history.append(ModelRequest(results))
        assert response.text == ANSWER
        for _ in range(left):
            await self._store(_SAVE, {"key": key, "said": _dump(history)})
        await self._store(_END, {"key": key})

    async def _call(self, call_id: str, call: ToolCallPart) -> str:
        await self._store(_SEND, {"id": call_id, "sent": str(call.args)})
        context: dict[str, Any] = {
            "installationId": "i",
            "askerId": "1",
            "settings": {},
            "channelId": "2",
            "callId": call_id,
        }
        params: dict[str, Any] = {
            "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.puphq/context": context},
            "name": call.tool_name.partition("__")[2],
            "arguments": call.args_as_dict(),
        }
        body = json.dumps(
            {"jsonrpc": "2.0", "id": call_id, "method": "tools/call", "params": params}, separators=(",", ":")
        )
        reply = await self._sender.post(self._endpoint, body.encode())
        result = json.loads(await read_body(reply))["result"]
        await self._store(_RESULT, {"key": call_id, "got": json.dumps(result)})
        return json.dumps(result["structuredContent"])

    async def _store(self, statement: Executable, values: dict[str, str]) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(statement, values)


def _dump(history: list[ModelMessage]) -> str:
    return ModelMessagesTypeAdapter.dump_json(history).decode()


def _engine(file: str) -> AsyncEngine:
    engine = create_async_engine(f"sqlite+aiosqlite:///{file}", pool_size=1, max_overflow=0)

    def set_up(connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=500", "secure_delete=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    event.listen(engine.sync_engine, "connect", set_up)
    return engine
