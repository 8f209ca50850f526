"""What the client makes of a trick's replies, good and bad, over real HTTP."""

import json
from typing import Any

import pytest
from aiohttp import web

from bot.errors import (
    CompressedReply,
    ConnectionLost,
    DeadlineExceeded,
    HttpFailure,
    OtherMcpVersion,
    ProtocolFailure,
    RedirectRefused,
    ReplyTooLarge,
    RpcFailure,
    TrickFault,
)
from bot.mcp import CallToolResult
from tests.support import trick_answers
from tests.support.mcp import CALL, Conversation, whole
from tests.support.trick import Answer, Handler, TrickServer
from tests.support.trick_requests import Received


async def call_answered(conversation: Conversation, handler: Handler) -> CallToolResult:
    conversation.trick.on("tools/call", handler)
    result = await conversation.call()
    assert isinstance(result, CallToolResult)
    return result


async def fault_of(conversation: Conversation, handler: Handler) -> TrickFault:
    with pytest.raises(TrickFault) as caught:
        await call_answered(conversation, handler)
    return caught.value


async def test_a_plain_result_is_read(conversation: Conversation):
    result = await conversation.call()
    assert isinstance(result, CallToolResult)
    assert not result.is_error
    assert isinstance(result.structured_content, dict)
    assert result.structured_content["choices"] == ["popcorn", "fruit"]
    assert result.to_stored()["structuredContent"] == result.structured_content


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
async def test_an_event_stream_is_read_whatever_its_line_ends(conversation: Conversation, newline: str):
    result = await call_answered(conversation, trick_answers.event_stream(newline))
    assert isinstance(result.structured_content, dict)


async def test_the_client_stops_at_the_answer_although_the_stream_stays_open(conversation: Conversation):
    async def answer(trick: TrickServer, received: Received) -> Answer:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(received.http)
        good = json.dumps(received.reply(trick.good_answer(received)))
        await response.write(f"data: {good}\n\n".encode())
        await trick.pause(60)
        return response

    await call_answered(conversation, answer)


async def test_a_stream_that_ends_without_an_answer_is_a_lost_request(conversation: Conversation):
    handler = trick_answers.raw(b": nothing\n\ndata: ", {"Content-Type": "text/event-stream"})
    assert isinstance(await fault_of(conversation, handler), ProtocolFailure)


async def test_the_media_type_is_compared_without_parameters_and_case(conversation: Conversation):
    async def answer(trick: TrickServer, received: Received) -> Answer:
        body = json.dumps(received.reply(trick.good_answer(received))).encode()
        return web.Response(body=body, headers={"Content-Type": "Application/JSON ; charset=utf-8"})

    await call_answered(conversation, answer)


async def test_one_byte_order_mark_is_taken(conversation: Conversation):
    async def answer(trick: TrickServer, received: Received) -> Answer:
        body = json.dumps(received.reply(trick.good_answer(received))).encode()
        return web.Response(body=b"\xef\xbb\xbf" + body, headers={"Content-Type": "application/json"})

    await call_answered(conversation, answer)


@pytest.mark.parametrize(
    ("handler", "kind"),
    [
        (trick_answers.accepted(), HttpFailure),
        (trick_answers.redirect(), RedirectRefused),
        (trick_answers.status(401, "signature refused"), HttpFailure),
        (trick_answers.status(404), HttpFailure),
        (trick_answers.status(503), HttpFailure),
        (trick_answers.html(), ProtocolFailure),
        (trick_answers.gzipped(), CompressedReply),
        (trick_answers.oversize(), ReplyTooLarge),
        (trick_answers.drop(), ConnectionLost),
        (trick_answers.drop(half=True), ConnectionLost),
        (trick_answers.wrong_id(), ProtocolFailure),
        (trick_answers.wrong_id(None), ProtocolFailure),
        (trick_answers.not_a_number(), ProtocolFailure),
        (trick_answers.duplicate_keys(), ProtocolFailure),
        (trick_answers.raw(b"[]"), ProtocolFailure),
        (trick_answers.raw(b""), ProtocolFailure),
        (trick_answers.raw(b'{"error":{"code":-32600}}', code=400), HttpFailure),
        (trick_answers.raw(b"{}", code=500), HttpFailure),
        (whole({"result": {"content": []}}, status=201), HttpFailure),
        (whole({"result": []}), ProtocolFailure),
        (whole({"result": {"content": []}, "error": {"code": 1, "message": "x"}}), ProtocolFailure),
        (whole({}), ProtocolFailure),
        (whole({"error": {"code": "1", "message": "x"}}), ProtocolFailure),
        (whole({"method": "sampling/createMessage", "params": {}}), ProtocolFailure),
        (whole({"result": {"content": [], "resultType": "later"}}), ProtocolFailure),
        (whole({"result": {"content": [], "resultType": None}}), ProtocolFailure),
        (whole({"result": {"resultType": "complete"}}), ProtocolFailure),
        (whole({"result": {"content": {}}}), ProtocolFailure),
        (whole({"result": {"content": [{"type": "text"}]}}), ProtocolFailure),
        (whole({"result": {"content": [], "isError": "no"}}), ProtocolFailure),
        (whole({"result": {"resultType": "input_required"}}), ProtocolFailure),
    ],
)
async def test_a_reply_that_is_none_is_the_tricks_fault(
    conversation: Conversation, handler: Handler, kind: type[TrickFault]
):
    fault = await fault_of(conversation, handler)
    assert type(fault) is kind
    assert fault.detail


async def test_a_slow_reply_ends_at_the_time_that_is_left(conversation: Conversation):
    conversation.trick.on("tools/call", trick_answers.drip())
    with pytest.raises(DeadlineExceeded):
        await conversation.call(timeout=0.3)


@pytest.mark.parametrize("reply_id", [{}, {"id": None}])
async def test_an_error_may_come_without_our_id(conversation: Conversation, reply_id: dict[str, None]):
    message = {"jsonrpc": "2.0", "error": {"code": -32602, "message": "unknown tool"}, **reply_id}
    fault = await fault_of(conversation, trick_answers.raw(json.dumps(message).encode(), code=400))
    assert isinstance(fault, RpcFailure)
    assert (fault.code, fault.said) == (-32602, "unknown tool")


async def test_what_the_trick_says_is_clamped_and_stands_nowhere_else(conversation: Conversation):
    fault = await fault_of(conversation, trick_answers.rpc_error(-32603, "secret " * 200_00))
    assert isinstance(fault, RpcFailure)
    assert len(fault.said) == 500
    assert "secret" not in fault.sentence + fault.detail


@pytest.mark.parametrize("code", [-32700, -32600, -32601, -32602, -32603, -32020, -32021, 7])
async def test_an_error_is_told_to_the_owner_by_its_code(conversation: Conversation, code: int):
    fault = await fault_of(conversation, trick_answers.rpc_error(code, "x", 400))
    assert type(fault) is RpcFailure
    assert str(code) in fault.detail


async def test_a_version_refused_by_mistake_is_sent_once_more(conversation: Conversation):
    refusal = trick_answers.rpc_error(-32022, "no", 400, supported=["2026-07-28"], requested="2026-07-28")

    async def answer(trick: TrickServer, received: Received) -> Answer:
        if len(trick.requests) == 1:
            return await refusal(trick, received)
        return trick.good_answer(received)

    await call_answered(conversation, answer)
    first, second = conversation.trick.requests
    assert first.call_id == second.call_id
    assert first.json["id"] != second.json["id"]
    assert first.headers["webhook-id"] != second.headers["webhook-id"]


async def test_a_version_refused_twice_is_an_error(conversation: Conversation):
    refusal = trick_answers.rpc_error(-32022, "no", 400, supported=["2026-07-28"], requested="2026-07-28")
    assert isinstance(await fault_of(conversation, refusal), OtherMcpVersion)
    assert len(conversation.trick.requests) == 2


@pytest.mark.parametrize(
    "refusal",
    [
        trick_answers.rpc_error(-32022, "no", 400, supported=["2025-11-25"], requested="2026-07-28"),
        trick_answers.rpc_error(-32022, "no", 400),
        trick_answers.rpc_error(-32000, "Bad Request: Server not initialized", 400),
        whole({"id": "server-error", "error": {"code": -32600, "message": "Missing session ID"}}, status=400),
    ],
)
async def test_a_server_of_another_revision_is_called_that_and_not_asked_again(
    conversation: Conversation, refusal: Handler
):
    fault = await fault_of(conversation, refusal)
    assert isinstance(fault, OtherMcpVersion)
    assert "2026-07-28" in fault.detail
    assert len(conversation.trick.requests) == 1


async def test_refused_headers_are_built_anew_once_when_the_caller_has_a_newer_schema(
    conversation: Conversation,
):
    new_schema = {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    }

    async def answer(trick: TrickServer, received: Received) -> Answer:
        if "mcp-param-region" not in received.headers:
            return await trick_answers.rpc_error(-32020, "no", 400)(trick, received)
        return trick.good_answer(received)

    async def relist() -> dict[str, Any]:
        return new_schema

    conversation.trick.on("tools/call", answer)
    client, endpoint, arguments = conversation.client, conversation.endpoint, {"region": "eu"}
    with pytest.raises(RpcFailure) as caught:
        await client.call_tool(endpoint, CALL, "snack_menu", arguments, {})
    assert caught.value.code == -32020
    await client.call_tool(endpoint, CALL, "snack_menu", arguments, {}, relist=relist)
    assert len(conversation.trick.requests) == 3
