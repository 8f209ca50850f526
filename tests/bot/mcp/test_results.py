"""Results that are in order, in all their kinds."""

from typing import Any

import pytest

from bot.errors import ProtocolFailure
from bot.mcp import MISSING, CallToolResult, Elicitation, InputRequiredResult, OtherContent, TextContent
from tests.support import trick_answers
from tests.support.mcp import DISCOVERY, Conversation, whole
from tests.support.trick import Handler


async def call_answered(conversation: Conversation, handler: Handler) -> CallToolResult:
    conversation.trick.on("tools/call", handler)
    result = await conversation.call()
    assert isinstance(result, CallToolResult)
    return result


async def test_content_without_text_becomes_a_note(conversation: Conversation):
    blocks = [
        {"type": "text", "text": "hello"},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        {"type": "hologram", "data": "secret"},
    ]
    result = await call_answered(conversation, trick_answers.result({"content": blocks}))
    assert result.content == (
        TextContent("hello"),
        OtherContent("[an image]"),
        OtherContent("[content of an unknown kind]"),
    )


@pytest.mark.parametrize(
    ("given", "structured"),
    [
        ({"content": []}, MISSING),
        ({"content": [], "structuredContent": None}, None),
        ({"content": [], "structuredContent": {"id": 1915883588174806058}}, {"id": 1915883588174806058}),
        ({"structuredContent": [1]}, [1]),
        ({"content": [], "structuredContent": 10**399}, 10**399),
    ],
)
async def test_structured_content_may_be_any_json_and_stand_alone(
    conversation: Conversation, given: dict[str, Any], structured: object
):
    result = await call_answered(conversation, whole({"result": given}))
    assert result.structured_content == structured
    assert result.content == ()


async def test_a_failed_tool_is_a_result_and_no_fault(conversation: Conversation):
    result = await call_answered(conversation, trick_answers.tool_error("no snacks left"))
    assert result.is_error
    assert result.content == (TextContent("no snacks left"),)


async def test_questions_come_with_their_state(conversation: Conversation):
    question: dict[str, Any] = {
        "method": "elicitation/create",
        "params": {"message": "Which?", "requestedSchema": {"type": "object", "properties": {}}},
    }
    conversation.trick.on("tools/call", trick_answers.asks({"k": question}, state="s"))
    asked = await conversation.call()
    assert isinstance(asked, InputRequiredResult)
    assert asked.request_state == "s"
    assert asked.input_requests == {"k": Elicitation("Which?", {"type": "object", "properties": {}})}


@pytest.mark.parametrize(
    "request_",
    [
        {"method": "sampling/createMessage", "params": {}},
        {"method": "roots/list"},
        {"method": "elicitation/create", "params": {"mode": "url", "url": "https://x.example"}},
        {"method": "elicitation/create", "params": {"message": "Which?"}},
        {"method": "elicitation/create"},
        {},
        7,
    ],
)
async def test_input_that_was_not_offered_fails_the_call(conversation: Conversation, request_: Any):
    conversation.trick.on("tools/call", trick_answers.asks({"k": request_}))
    with pytest.raises(ProtocolFailure):
        await conversation.call()


@pytest.mark.parametrize("kind", ["input_required", "task"])
async def test_only_a_call_may_answer_with_a_question_or_a_task(conversation: Conversation, kind: str):
    conversation.trick.on("tools/list", trick_answers.result({"resultType": kind, "tools": []}))
    with pytest.raises(ProtocolFailure):
        await conversation.client.list_tools(conversation.endpoint, DISCOVERY)


async def test_discovery_tells_versions_and_extensions(conversation: Conversation):
    found = await conversation.client.discover(conversation.endpoint, DISCOVERY)
    assert found.supported_versions == ("2026-07-28",)
    assert found.extensions == {"io.modelcontextprotocol/tasks"}
