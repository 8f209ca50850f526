"""A scripted trick is wrong in exactly the way that is asked for."""

import asyncio
import gzip
import json

import httpx2
import pytest
from mcp_types.methods import validate_server_result

from bot.demo.sample_trick import VERSION, JsonObject
from tests.support import trick_answers as answers
from tests.support.signed_client import SECRET, SignedClient, request, routing, sign
from tests.support.trick import TrickServer
from tests.support.trick_tasks import question

TASTE: JsonObject = {"taste": {"type": "string"}}


async def _call(trick_client: SignedClient, tool: str = "snack_menu", **arguments: str) -> httpx2.Response:
    return await trick_client.rpc("tools/call", name=tool, arguments=arguments)


async def _raw(trick_client: SignedClient) -> httpx2.Response:
    """A call whose body is left as it comes."""
    message = request("tools/call", name="snack_menu", arguments={})
    body = json.dumps(message).encode()
    headers = {**routing(message), **sign(body, message["id"], SECRET), "Content-Type": "application/json"}
    async with trick_client.http.stream("POST", "/mcp", content=body, headers=headers) as response:
        raw = b"".join([chunk async for chunk in response.aiter_raw()])
    return httpx2.Response(response.status_code, headers={**response.headers, "x-raw": raw.hex()})


def _bytes(response: httpx2.Response) -> bytes:
    return bytes.fromhex(response.headers["x-raw"])


@pytest.mark.parametrize(
    ("handler", "status", "media_type"),
    [
        (answers.status(404), 404, "text/plain; charset=utf-8"),
        (answers.status(503, headers={"Retry-After": "30"}), 503, "text/plain; charset=utf-8"),
        (answers.accepted(), 202, "text/plain; charset=utf-8"),
        (answers.html(), 200, "text/html; charset=utf-8"),
        (answers.raw(b"\xef\xbb\xbf{}"), 200, "application/json"),
        (answers.rpc_error(-32603, "broken"), 200, "application/json; charset=utf-8"),
        (answers.rpc_error(-32022, "old", 400, supported=[VERSION]), 400, "application/json; charset=utf-8"),
    ],
)
async def test_a_status_and_a_type_are_sent_as_asked(
    trick: TrickServer, trick_client: SignedClient, handler: answers.Handler, status: int, media_type: str
) -> None:
    trick.on("tools/call", handler)
    response = await _raw(trick_client)
    assert (response.status_code, response.headers["content-type"]) == (status, media_type)


async def test_a_redirect_names_another_place(trick: TrickServer, trick_client: SignedClient) -> None:
    trick.on("tools/call", answers.redirect("/elsewhere"))
    response = await _raw(trick_client)
    assert (response.status_code, response.headers["location"]) == (307, "/elsewhere")
    assert trick.count("elsewhere") == 0


async def test_a_compressed_reply_is_the_good_one_inside(
    trick: TrickServer, trick_client: SignedClient
) -> None:
    trick.on("tools/call", answers.gzipped())
    response = await _raw(trick_client)
    assert response.headers["content-encoding"] == "gzip"
    assert json.loads(gzip.decompress(_bytes(response)))["result"]["resultType"] == "complete"


async def test_bodies_are_broken_as_asked(trick: TrickServer, trick_client: SignedClient) -> None:
    trick.on("tools/call", answers.not_a_number())
    assert b"NaN" in _bytes(await _raw(trick_client))
    trick.on("tools/call", answers.duplicate_keys())
    assert _bytes(await _raw(trick_client)).count(b'"result":') == 2
    trick.on("tools/call", answers.oversize())
    assert len(_bytes(await _raw(trick_client))) == 1024 * 1024 + 1
    trick.on("tools/call", answers.wrong_id())
    assert json.loads(_bytes(await _raw(trick_client)))["id"] == "somebody else's"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
async def test_an_event_stream_ends_with_the_good_reply(
    trick: TrickServer, trick_client: SignedClient, newline: str
) -> None:
    trick.on("tools/call", answers.event_stream(newline))
    response = await _raw(trick_client)
    events = _bytes(response).decode().split(newline * 2)
    assert response.headers["content-type"].startswith("text/event-stream")
    lines = [line.removeprefix("data:") for line in events[-2].split(newline)]
    assert json.loads("\n".join(lines))["result"]["structuredContent"]["choices"]


async def test_a_dripping_reply_is_whole_in_the_end(trick: TrickServer, trick_client: SignedClient) -> None:
    trick.on("tools/call", answers.drip(0.0001))
    assert json.loads(_bytes(await _raw(trick_client)))["result"]["content"]


@pytest.mark.parametrize("half", [False, True])
async def test_a_dropped_connection_comes_after_the_effect(
    trick: TrickServer, trick_client: SignedClient, half: bool
) -> None:
    trick.on("tools/call", answers.drop(half=half))
    with pytest.raises(httpx2.RemoteProtocolError):
        await trick_client.call("save_snack", {"snack": "fruit"}, callId="call-1")
    assert trick.effects == {"call-1": 1}


async def test_a_hanging_call_answers_when_it_is_released(
    trick: TrickServer, trick_client: SignedClient
) -> None:
    hang = answers.Hang()
    trick.on("tools/call save_snack", hang)
    call = asyncio.ensure_future(_call(trick_client, "save_snack", snack="fruit"))
    await asyncio.wait_for(hang.arrived.wait(), 5)
    assert not call.done()
    assert (await trick_client.call("snack_menu"))["structuredContent"]["choices"]
    hang.release()
    assert (await call).json()["result"]["structuredContent"]["saved"] == "fruit"


async def test_a_trick_stops_while_a_call_hangs(trick: TrickServer, trick_client: SignedClient) -> None:
    hang = answers.Hang()
    trick.on("tools/call", hang)
    call = asyncio.ensure_future(_call(trick_client))
    await asyncio.wait_for(hang.arrived.wait(), 5)
    await asyncio.wait_for(trick.stop(), 5)
    with pytest.raises(httpx2.HTTPError):
        await call


async def test_the_tools_own_failures_and_questions_are_valid(
    trick: TrickServer, trick_client: SignedClient
) -> None:
    trick.on("tools/call", answers.tool_error())
    result = await trick_client.call("snack_menu")
    validate_server_result("tools/call", VERSION, result)
    assert result["isError"] is True
    trick.on("tools/call", answers.asks({"k": question("Which?", TASTE)}, "state"))
    result = await trick_client.call("snack_menu")
    validate_server_result("tools/call", VERSION, result)
    assert (result["resultType"], result["requestState"]) == ("input_required", "state")


async def test_every_answer_can_be_another(trick: TrickServer, trick_client: SignedClient) -> None:
    trick.on("challenge", answers.wrong_challenge())
    trick.on("manifest", answers.raw(b"{"))
    trick.on("events", answers.result({"presentation": {"text": "Hi"}}))
    trick.on("tools/call", answers.data({"answer": 42}))
    assert (await trick_client.post("/challenge", b'{"challenge":"a"}')).json() == {
        "challenge": "something else"
    }
    assert (await trick_client.http.get("/manifest.json")).content == b"{"
    assert (await trick_client.deliver({"id": "d-1"})).json() == {"presentation": {"text": "Hi"}}
    assert (await trick_client.call("snack_menu"))["structuredContent"] == {"answer": 42}
    trick.behave()
    assert (await trick_client.post("/challenge", b'{"challenge":"a"}')).json() == {"challenge": "a"}
