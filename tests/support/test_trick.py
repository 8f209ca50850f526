"""The scriptable trick: well behaved by itself, wrong in exactly the way that is asked for."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types.methods import validate_server_result
from standardwebhooks import Webhook, WebhookVerificationError

from bot.demo.sample_trick import VERSION, JsonObject
from bot.manifest import read_manifest
from tests.support.clock import TurnedClock
from tests.support.signed_client import OTHER_SECRET, SECRET, SignedClient, sign
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_requests import signers
from tests.support.trick_tools import ToolSpec

TASTE: JsonObject = {"taste": {"type": "string", "enum": ["sweet", "salty"]}}


# ---- Well behaved ----


async def test_its_manifest_is_valid(trick: TrickServer, trick_client: SignedClient) -> None:
    body = (await trick_client.http.get("/manifest.json")).content
    manifest = read_manifest(body, frozenset({trick.host_port}))
    assert [tool.name for tool in manifest.tools] == ["snack_menu", "save_snack"]
    assert [tool.read_only for tool in manifest.tools] == [True, False]
    assert manifest.endpoints.mcp == trick.url("/mcp")


async def test_its_manifest_says_what_the_test_says(make_trick: MakeTrick) -> None:
    tool = ToolSpec("count_snacks", read_only=True, thread=True)
    trick = await make_trick(id="counter", tools=[tool], commands=[], events=[], summary="Counts.")
    manifest = read_manifest(json.dumps(trick.manifest()).encode(), frozenset({trick.host_port}))
    assert (manifest.id, manifest.summary, manifest.events) == ("counter", "Counts.", ())
    assert manifest.endpoints.events is None
    assert [(tool.name, tool.thread) for tool in manifest.tools] == [("count_snacks", True)]


async def test_its_results_are_what_the_specification_says(trick_client: SignedClient) -> None:
    calls: list[tuple[str, JsonObject]] = [
        ("server/discover", {}),
        ("tools/list", {}),
        ("tools/call", {"name": "snack_menu", "arguments": {}}),
        ("tools/call", {"name": "save_snack", "arguments": {"snack": "fruit"}}),
    ]
    for method, params in calls:
        validate_server_result(method, VERSION, await trick_client.result(method, **params))


async def test_what_it_does_not_have_is_refused(trick_client: SignedClient) -> None:
    codes = [
        (await trick_client.rpc("tools/call", name="eat_snack")).json()["error"]["code"],
        (await trick_client.rpc("tasks/get", taskId="t")).json()["error"]["code"],
        (await trick_client.rpc("tasks/list")).json()["error"]["code"],
    ]
    assert codes == [-32602, -32602, -32601]


async def test_a_challenge_is_echoed_and_an_event_taken(trick_client: SignedClient) -> None:
    assert (await trick_client.post("/challenge", b'{"challenge":"a"}')).json() == {"challenge": "a"}
    assert (await trick_client.deliver({"id": "d-1"})).json() == {}


async def test_tools_come_in_several_pages(trick: TrickServer, trick_client: SignedClient) -> None:
    trick.page_size = 1
    first = await trick_client.result("tools/list")
    second = await trick_client.result("tools/list", cursor=first["nextCursor"])
    assert [tool["name"] for page in (first, second) for tool in page["tools"]] == [
        "snack_menu",
        "save_snack",
    ]
    assert "nextCursor" not in second


async def test_the_live_list_may_differ_from_the_manifest(
    trick: TrickServer, trick_client: SignedClient
) -> None:
    trick.change_live("snack_menu", description="Something else.")
    trick.live_tools[1] = replace(trick.live_tools[1], name="steal_snack")
    tools = (await trick_client.result("tools/list"))["tools"]
    assert [tool["name"] for tool in tools] == ["snack_menu", "steal_snack"]
    assert tools[0]["description"] == "Something else."
    assert [tool["name"] for tool in trick.manifest()["tools"]] == ["snack_menu", "save_snack"]


# ---- What is recorded ----


async def test_a_call_is_recorded_as_it_arrived(trick: TrickServer, trick_client: SignedClient) -> None:
    await trick_client.call("save_snack", {"snack": "fruit"}, callId="call-1")
    received = await trick.next_call()
    assert (received.path, received.name, received.tool) == ("/mcp", "tools/call", "save_snack")
    assert received.arguments == {"snack": "fruit"}
    assert (received.call_id, received.context["askerId"]) == ("call-1", "1001")
    assert received.signed_by == (SECRET,)
    assert json.loads(received.body) == received.json
    assert received.headers["mcp-method"] == "tools/call"


async def test_only_writes_count_as_effects(trick: TrickServer, trick_client: SignedClient) -> None:
    for _ in range(2):
        await trick_client.call("snack_menu", callId="call-1")
        await trick_client.call("save_snack", {"snack": "fruit"}, callId="call-2")
    assert trick.effects == {"call-2": 2}
    assert trick.count("tools/call") == 4


async def test_a_call_can_be_waited_for_before_it_comes(
    trick: TrickServer, trick_client: SignedClient
) -> None:
    waiting = asyncio.ensure_future(trick.next_call())
    await trick_client.call("snack_menu")
    assert (await waiting).tool == "snack_menu"
    with pytest.raises(TimeoutError):
        await trick.next_call(timeout=0.01)


async def test_unsigned_and_badly_signed_posts_are_refused_and_recorded(
    trick: TrickServer, trick_client: SignedClient
) -> None:
    headers = sign(b"{}", "msg_1", SECRET)
    for given_headers in ({}, headers | {"webhook-signature": "v1,AAAA"}, sign(b"{ }", "msg_2", SECRET)):
        response = await trick_client.http.post("/challenge", content=b"{}", headers=given_headers)
        assert response.status_code == 401
    assert [(r.verified, r.refused) for r in trick.requests] == [(False, "signature refused")] * 3


async def test_a_replay_is_refused_and_a_repeated_delivery_is_not(
    trick: TrickServer, trick_client: SignedClient
) -> None:
    once = {"webhook-id": "msg_1"}
    statuses = [
        (await trick_client.post("/challenge", b'{"challenge":"a"}', once)).status_code for _ in range(2)
    ]
    deliveries = [(await trick_client.deliver({"id": "d-1"})).status_code for _ in range(2)]
    assert (statuses, deliveries) == ([200, 409], [200, 200])
    assert trick.received("challenge")[1].refused == "replayed"


async def test_both_signatures_of_a_rotation_are_seen(trick: TrickServer) -> None:
    trick.trust(OTHER_SECRET, SECRET)
    async with SignedClient(trick.url(""), OTHER_SECRET, SECRET) as client:
        await client.call("snack_menu")
    assert (await trick.next_call()).signed_by == (OTHER_SECRET, SECRET)


async def test_the_five_minutes_are_those_of_the_tests_clock(make_trick: MakeTrick) -> None:
    clock = TurnedClock()
    trick = await make_trick(clock=clock)
    trick.trust(SECRET)
    age = datetime.now(UTC).timestamp() - clock.now_ms() / 1000
    async with SignedClient(trick.url(""), SECRET) as client:
        body = b'{"challenge":"a"}'
        assert (await client.post("/challenge", body, age=age)).status_code == 200
        clock.advance(400)
        assert (await client.post("/challenge", body, age=age)).status_code == 401


@given(
    body=st.binary(max_size=40),
    webhook_id=st.text(st.characters(codec="ascii", exclude_categories=["C"]), max_size=10),
    spoil=st.sampled_from(["", "id", "timestamp", "signature", "body", "old"]),
)
def test_signatures_are_judged_as_the_reference_package_judges_them(
    body: bytes, webhook_id: str, spoil: str
) -> None:
    text = body.decode("latin-1")
    now = datetime.now(UTC)
    headers = sign(text.encode(), webhook_id, OTHER_SECRET, SECRET, age=400 if spoil == "old" else 0)
    match spoil:
        case "id" | "timestamp":
            headers[f"webhook-{spoil}"] += "0"
        case "signature":
            headers["webhook-signature"] = sign(text.encode(), webhook_id, OTHER_SECRET)["webhook-signature"]
        case _:
            pass
    sent = text.encode() + (b" " if spoil == "body" else b"")
    try:
        Webhook(SECRET).verify(sent, headers, json_parse=False)
        right = (SECRET,)
    except (WebhookVerificationError, ValueError):
        right = ()
    assert signers([SECRET], headers, sent, now) == right
