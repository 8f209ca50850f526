"""What the client puts on the wire, as the trick sees it and as the official types judge it."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types.methods import validate_client_request

from bot.errors import BadArguments, DeadlineExceeded
from bot.mcp import InvocationContext, UserRequest
from tests.support import trick_answers
from tests.support.mcp import CALL, DISCOVERY, Conversation
from tests.support.trick_requests import Received

VERSION = "2026-07-28"


def headers_of(received: Received) -> dict[str, str]:
    return {name: value for name, value in received.headers.items() if name.startswith("mcp-")}


async def test_a_listing_is_one_signed_request_with_the_envelope_of_the_specification(
    conversation: Conversation,
):
    await conversation.client.list_tools(conversation.endpoint, DISCOVERY)
    (received,) = conversation.trick.requests
    assert received.verified
    assert received.headers["accept"] == "application/json, text/event-stream"
    assert received.headers["content-type"] == "application/json"
    assert headers_of(received) == {"mcp-protocol-version": VERSION, "mcp-method": "tools/list"}
    assert "mcp-session-id" not in received.headers
    assert received.params["_meta"] == {
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientCapabilities": {
            "elicitation": {"form": {}},
            "extensions": {"io.modelcontextprotocol/tasks": {}},
        },
        "io.modelcontextprotocol/clientInfo": {"name": "Kennel", "version": "1.2.3"},
        "io.puphq/context": {"installationId": "inst-1", "askerId": "1001", "settings": {"sweet": True}},
    }
    validate_client_request("tools/list", VERSION, received.params)


async def test_a_call_names_its_tool_in_body_and_header(conversation: Conversation):
    await conversation.call("save_snack", {"snack": "fruit"})
    (received,) = conversation.trick.requests
    assert headers_of(received)["mcp-name"] == "save_snack"
    assert (received.tool, received.arguments) == ("save_snack", {"snack": "fruit"})
    assert received.context["callId"] == "call-1"
    assert received.context["channelId"] == "2002"
    validate_client_request("tools/call", VERSION, received.params)


async def test_every_method_declares_tasks_and_forms_and_names_its_task(conversation: Conversation):
    task = trick_answers.result(
        {"taskId": "t-1", "status": "working", "createdAt": "", "lastUpdatedAt": "", "ttlMs": None}
    )
    conversation.trick.on("tasks/get", task)
    conversation.trick.on("tasks/update", trick_answers.result({}))
    client, endpoint = conversation.client, conversation.endpoint
    await client.discover(endpoint, DISCOVERY)
    await client.get_task(endpoint, CALL, "t-1")
    await client.update_task(endpoint, CALL, "t-1", {"k": {"action": "decline"}})
    discover, get, update = conversation.trick.requests
    assert headers_of(discover)["mcp-method"] == "server/discover"
    validate_client_request("server/discover", VERSION, discover.params)
    for received in (get, update):
        assert headers_of(received)["mcp-name"] == "t-1"
        assert received.params["taskId"] == "t-1"
        capabilities = received.params["_meta"]["io.modelcontextprotocol/clientCapabilities"]
        assert capabilities["extensions"] == {"io.modelcontextprotocol/tasks": {}}
    assert update.params["inputResponses"] == {"k": {"action": "decline"}}


async def test_every_attempt_has_a_new_json_rpc_id_and_a_new_webhook_id(conversation: Conversation):
    for _ in range(3):
        await conversation.call()
    assert len({received.json["id"] for received in conversation.trick.requests}) == 3
    assert len({received.headers["webhook-id"] for received in conversation.trick.requests}) == 3
    assert {received.call_id for received in conversation.trick.requests} == {"call-1"}


async def test_answers_to_questions_ride_on_the_same_call_with_the_state_as_it_came(
    conversation: Conversation,
):
    await conversation.client.call_tool(
        conversation.endpoint,
        CALL,
        "save_snack",
        {"snack": "fruit"},
        {},
        input_responses={"k": {"action": "accept", "content": {"a": "x"}}},
        request_state="ä opaque\n",
    )
    (received,) = conversation.trick.requests
    assert received.params["inputResponses"] == {"k": {"action": "accept", "content": {"a": "x"}}}
    assert received.params["requestState"] == "ä opaque\n"
    validate_client_request("tools/call", VERSION, received.params)


async def test_a_first_call_has_neither_answers_nor_state(conversation: Conversation):
    await conversation.call()
    assert set(conversation.trick.requests[0].params) == {"_meta", "name", "arguments"}


async def test_annotated_arguments_are_mirrored_in_headers(conversation: Conversation):
    conversation.schema = {
        "type": "object",
        "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "count": {"type": "integer", "x-mcp-header": "Count"},
            "quick": {"type": "boolean", "x-mcp-header": "Quick"},
            "gone": {"type": "string", "x-mcp-header": "Gone"},
            "place": {"type": "object", "properties": {"city": {"type": "string", "x-mcp-header": "City"}}},
        },
    }
    await conversation.call(
        arguments={"region": "", "count": 3, "quick": True, "gone": None, "place": {"city": "Köln"}}
    )
    sent = headers_of(conversation.trick.requests[0])
    assert sent["mcp-param-region"] == ""
    assert sent["mcp-param-count"] == "3"
    assert sent["mcp-param-quick"] == "true"
    assert sent["mcp-param-city"] == f"=?base64?{base64.b64encode('Köln'.encode()).decode()}?="
    assert "mcp-param-gone" not in sent


async def test_arguments_that_cannot_be_sent_are_refused_before_anything_is_sent(conversation: Conversation):
    with pytest.raises(BadArguments):
        await conversation.call(arguments={"price": float("nan")})
    with pytest.raises(BadArguments):
        await conversation.call(arguments={"text": "\ud800"})
    assert conversation.trick.requests == []


async def test_no_time_left_sends_nothing(conversation: Conversation):
    with pytest.raises(DeadlineExceeded) as caught:
        await conversation.call(timeout=0)
    assert not caught.value.sent
    assert conversation.trick.requests == []


async def test_big_integers_arrive_unchanged(conversation: Conversation):
    await conversation.call(arguments={"id": 1915883588174806058, "huge": 10**399})
    assert conversation.trick.requests[0].arguments == {"id": 1915883588174806058, "huge": 10**399}


def test_what_is_not_there_has_no_key_in_the_context():
    assert InvocationContext("i", "1").to_wire() == {"installationId": "i", "askerId": "1", "settings": {}}


@given(st.builds(UserRequest, st.text(), st.text(), st.text()) | st.none(), st.text() | st.none())
def test_the_context_carries_the_message_only_where_there_is_one(
    message: UserRequest | None, call: str | None
):
    wire = InvocationContext("i", "1", call_id=call, user_request=message).to_wire()
    assert wire.get("callId") == call
    expected = message and {
        "messageId": message.message_id,
        "channelId": message.channel_id,
        "content": message.content,
    }
    assert wire.get("userRequest") == expected
