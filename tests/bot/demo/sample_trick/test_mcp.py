"""The protocol: what is listed, what is refused and how, and that nothing signed breaks the server."""

import json
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types.methods import validate_client_request, validate_server_result

from bot.demo.sample_trick import MCP, VERSION
from tests.support.signed_client import CONTEXT, SECRET, SignedClient, WebhookAuth, request, routing

TOOLS = ["snack_menu", "save_snack", "snack_favorites", "order_snacks", "choose_snack", "clear_snacks"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
SLOW = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


async def test_results_are_what_the_specification_says(snack_club: SignedClient) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("server/discover", {}),
        ("tools/list", {}),
        ("tools/call", {"name": "snack_menu", "arguments": {}}),
        ("tools/call", {"name": "save_snack", "arguments": {"snack": "fruit"}}),
        ("tools/call", {"name": "save_snack", "arguments": {"snack": "stones"}}),
    ]
    for method, params in calls:
        validate_client_request(method, VERSION, request(method, **params)["params"])
        result = await snack_club.result(method, **params)
        validate_server_result(method, VERSION, result)
        assert result["resultType"] == "complete"


async def test_the_list_has_the_tools_of_the_manifest(snack_club: SignedClient) -> None:
    manifest = (await snack_club.http.get("/manifest.json")).json()
    listed = await snack_club.result("tools/list")
    assert [tool["name"] for tool in listed["tools"]] == [tool["name"] for tool in manifest["tools"]] == TOOLS


async def test_the_official_client_lists_and_calls_the_tools(snack_club: SignedClient) -> None:
    url = str(snack_club.http.base_url.join("/mcp"))
    meta: Any = {"io.puphq/context": CONTEXT}
    async with (
        httpx2.AsyncClient(auth=WebhookAuth(SECRET), trust_env=False) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        assert client.protocol_version == VERSION
        assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
        saved = await client.call_tool("save_snack", {"snack": "fruit"}, meta=meta)
        menu = await client.call_tool("snack_menu", {}, meta=meta)
    assert saved.structured_content == {"saved": "fruit", "pup": {"text": "Saved: fruit."}}
    assert menu.structured_content is not None
    assert menu.structured_content["saved"] == "fruit"


async def _refusal(response: httpx2.Response) -> tuple[int, int]:
    return response.status_code, response.json()["error"]["code"]


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("MCP-Protocol-Version", "2025-11-25"),
        ("MCP-Protocol-Version", ""),
        ("Mcp-Method", "tools/list"),
        ("Mcp-Method", ""),
        ("Mcp-Name", "save_snack"),
        ("Mcp-Name", "=?base64?!?="),
        ("Mcp-Name", ""),
    ],
)
async def test_a_header_that_is_missing_or_says_something_else_is_refused(
    snack_club: SignedClient, header: str, value: str
) -> None:
    response = await snack_club.rpc("tools/call", {header: value}, name="snack_menu", arguments={})
    assert await _refusal(response) == (400, -32020)


async def test_a_name_may_come_encoded(snack_club: SignedClient) -> None:
    encoded = {"Mcp-Name": "=?base64?c25hY2tfbWVudQ==?="}
    response = await snack_club.rpc("tools/call", encoded, name="snack_menu", arguments={})
    assert response.status_code == 200


async def test_another_version_is_refused_with_the_one_that_is_spoken(snack_club: SignedClient) -> None:
    meta = {MCP + "protocolVersion": "2027-01-01"}
    response = await snack_club.rpc("tools/list", _meta=meta)
    assert await _refusal(response) == (400, -32022)
    assert response.json()["error"]["data"] == {"supported": [VERSION], "requested": "2027-01-01"}


async def test_an_unknown_method_is_not_found(snack_club: SignedClient) -> None:
    assert await _refusal(await snack_club.rpc("tasks/list")) == (404, -32601)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "eat_snack", "arguments": {}}),
        ("tools/call", {"name": "snack_menu", "arguments": []}),
        ("tools/call", {"name": "snack_menu", "arguments": {}, "_meta": {"io.puphq/context": None}}),
        ("tools/list", {"_meta": {MCP + "clientCapabilities": None}}),
        ("tools/list", {"cursor": "x"}),
        ("tasks/get", {"taskId": "nobody's"}),
        ("tasks/update", {"taskId": "nobody's", "inputResponses": {}}),
    ],
)
async def test_wrong_parameters_are_refused(
    snack_club: SignedClient, method: str, params: dict[str, Any]
) -> None:
    assert await _refusal(await snack_club.rpc(method, **params)) == (400, -32602)


async def test_an_error_answers_the_request_by_its_id(snack_club: SignedClient) -> None:
    message = request("tasks/list")
    for headers in (routing(message), {}):
        response = await snack_club.post("/mcp", json.dumps(message).encode(), headers)
        assert response.json()["id"] == message["id"]
    unreadable = await snack_club.post("/mcp", b"{")
    assert unreadable.json().keys() == {"jsonrpc", "error"}


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"a":NaN}', b"[" * 100_000, b"1" * 5000])
async def test_what_is_not_a_json_object_is_refused(snack_club: SignedClient, body: bytes) -> None:
    assert (await _refusal(await snack_club.post("/mcp", body)))[0] == 400
    assert (await snack_club.post("/challenge", body)).status_code == 400
    assert (await snack_club.post("/events", body)).status_code == 400


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"snack": "fruit"},
        {"snack": "stones", "count": 1},
        {"snack": "fruit", "count": 0},
        {"snack": "fruit", "count": 21},
        {"snack": "fruit", "count": True},
        {"snack": "fruit", "count": 1.5},
        {"snack": "fruit", "count": 1, "gift": "yes"},
        {"snack": "fruit", "count": 1, "budget": 1001},
        {"snack": "fruit", "count": 1, "for": 1001},
        {"snack": "fruit", "count": 1, "sauce": "hot"},
        {"snack": "fruit", "count": 3, "budget": 4},
    ],
)
async def test_arguments_that_do_not_fit_are_the_tools_own_error(
    snack_club: SignedClient, arguments: dict[str, Any]
) -> None:
    result = await snack_club.call("order_snacks", arguments)
    assert result["isError"] is True
    assert "structuredContent" not in result


async def test_a_number_too_large_for_json_is_not_within_a_limit(snack_club: SignedClient) -> None:
    message = request(
        "tools/call", name="order_snacks", arguments={"snack": "fruit", "count": 1, "budget": 77}
    )
    body = json.dumps(message).replace('"budget": 77', '"budget": 1e999').encode()
    response = await snack_club.post("/mcp", body, routing(message))
    assert response.json()["result"]["isError"] is True


@SLOW
@given(body=st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
async def test_no_signed_garbage_is_a_server_error(snack_club: SignedClient, body: bytes) -> None:
    try:
        body.decode()
    except UnicodeDecodeError:
        body = body.decode("latin-1").encode()
    for path in ("/mcp", "/challenge", "/events"):
        assert (await snack_club.post(path, body)).status_code < 500


@SLOW
@given(
    method=st.sampled_from(["server/discover", "tools/list", "tools/call", "tasks/get", "tasks/update"]),
    params=st.dictionaries(
        st.sampled_from(["name", "arguments", "taskId", "inputResponses", "cursor"]), JSON, max_size=3
    ),
    meta=st.dictionaries(
        st.sampled_from(["io.puphq/context", MCP + "clientCapabilities", MCP + "protocolVersion"]), JSON
    ),
    tool=st.sampled_from(TOOLS),
    arguments=st.dictionaries(st.sampled_from(["snack", "count", "budget", "for", "in"]), JSON),
)
async def test_no_request_that_is_wrong_inside_is_a_server_error(
    snack_club: SignedClient,
    method: str,
    params: dict[str, Any],
    meta: dict[str, Any],
    tool: str,
    arguments: dict[str, Any],
) -> None:
    wrong = [request(method, **params, _meta=meta), request("tools/call", name=tool, arguments=arguments)]
    for message in wrong:
        headers = {name: value for name, value in routing(message).items() if _fits_a_header(value)}
        response = await snack_club.post("/mcp", json.dumps(message).encode(), headers)
        assert response.status_code < 500


def _fits_a_header(value: Any) -> bool:
    return isinstance(value, str) and value.isascii() and value.isprintable() and value == value.strip()
