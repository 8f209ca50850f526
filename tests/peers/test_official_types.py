"""Every request that our client can send, judged by the official types and by the official server's gate."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import httpx
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.inbound import InboundModernRoute, classify_inbound_request, decode_header_value
from mcp_types.methods import validate_client_request

from bot import strict_json
from bot.clock import Clock
from bot.errors import ConnectFailed
from bot.mcp import InvocationContext, McpClient, UserRequest
from bot.signing import Secret
from bot.strict_json import Json
from bot.transport import Endpoint, SignedSender

VERSION = "2026-07-28"
ENDPOINT = Endpoint("https://trick.example/mcp", (Secret(b"m" * 32),))
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,20}", fullmatch=True) | TEXT
JSON: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=4)
CONTEXTS = st.builds(
    InvocationContext,
    TEXT,
    TEXT,
    st.none() | TEXT,
    OBJECTS,
    st.none() | TEXT,
    st.none() | st.builds(UserRequest, TEXT, TEXT, TEXT),
)
ANSWERS = st.dictionaries(
    TEXT,
    st.sampled_from([{"action": "decline"}, {"action": "accept", "content": {"a": "x", "b": 1, "c": ["y"]}}]),
    min_size=1,
    max_size=2,
)


class Recorder(SignedSender):
    """Keeps what would be sent, and lets no connection be made."""

    def __init__(self) -> None:
        self.body: dict[str, Any] = {}
        self.headers: dict[str, str] = {}

    async def post(
        self,
        endpoint: Endpoint,
        body: bytes,
        headers: Mapping[str, str] = {},
        *,
        timeout: float | None = None,
        webhook_id: str | None = None,
    ) -> httpx.Response:
        self.body, self.headers = strict_json.parse(body), {k.lower(): v for k, v in headers.items()}
        raise ConnectFailed


def sent(ask: Callable[[McpClient], Awaitable[object]]) -> Recorder:
    recorder = Recorder()

    async def run() -> None:
        try:
            await ask(McpClient(recorder, Clock(), "1.0"))
        except ConnectFailed:
            return

    asyncio.run(run())
    route = classify_inbound_request(recorder.body, headers=recorder.headers)
    assert isinstance(route, InboundModernRoute), route
    assert recorder.headers["accept"] == "application/json, text/event-stream"
    assert all(value.isascii() and value == value.strip() for value in recorder.headers.values())
    return recorder


@given(CONTEXTS)
def test_discovery_and_listing(context: InvocationContext):
    for method in ("server/discover", "tools/list"):
        recorder = sent(
            lambda client, method=method: (
                client.list_tools(ENDPOINT, context)
                if method == "tools/list"
                else client.discover(ENDPOINT, context)
            )
        )
        assert recorder.body["method"] == method
        validate_client_request(method, VERSION, recorder.body["params"])


@given(CONTEXTS, NAMES, OBJECTS, ANSWERS | st.none(), TEXT | st.none())
def test_calls(
    context: InvocationContext,
    name: str,
    arguments: dict[str, Json],
    answers: dict[str, Json] | None,
    state: str | None,
):
    recorder = sent(
        lambda client: client.call_tool(
            ENDPOINT, context, name, arguments, {}, input_responses=answers, request_state=state
        )
    )
    params = recorder.body["params"]
    validate_client_request("tools/call", VERSION, params)
    assert (params["name"], params["arguments"]) == (name, arguments)
    assert params.get("inputResponses") == answers
    assert params.get("requestState") == state
    assert params["_meta"]["io.puphq/context"] == context.to_wire()


@given(CONTEXTS, TEXT, ANSWERS)
def test_tasks(context: InvocationContext, task_id: str, answers: dict[str, Json]):
    asked = sent(lambda client: client.get_task(ENDPOINT, context, task_id))
    told = sent(lambda client: client.update_task(ENDPOINT, context, task_id, answers))
    for recorder in (asked, told):
        assert decode_header_value(recorder.headers["mcp-name"]) == task_id
        assert recorder.body["params"]["taskId"] == task_id
    assert told.body["params"]["inputResponses"] == answers
