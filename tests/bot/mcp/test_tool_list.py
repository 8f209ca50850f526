"""Reading the live tool list: tool by tool, page by page."""

from typing import Any

import pytest

from bot.errors import ProtocolFailure
from bot.mcp import ToolList
from tests.support import trick_answers
from tests.support.mcp import DISCOVERY, Conversation
from tests.support.trick import Answer, TrickServer
from tests.support.trick_requests import Received
from tests.support.trick_tools import ToolSpec

SCHEMA: dict[str, Any] = {"type": "object", "properties": {}}


def annotated(annotation: Any, kind: Any = "string") -> dict[str, Any]:
    return {"type": "object", "properties": {"a": {"type": kind, "x-mcp-header": annotation}}}


async def listed(conversation: Conversation, *entries: Any, **more: Any) -> ToolList:
    conversation.trick.on("tools/list", trick_answers.result({"tools": list(entries), **more}))
    return await conversation.client.list_tools(conversation.endpoint, DISCOVERY)


async def test_a_tool_has_its_texts_and_its_schema_word_for_word(conversation: Conversation):
    schema: dict[str, Any] = {
        "$defs": {"a": {"$anchor": "x"}},
        "type": "object",
        "allOf": [{"if": {}, "then": {}}],
    }
    entry = {"name": "a", "title": "A", "description": "Does a.", "inputSchema": schema, "icons": 7}
    (tool,) = (await listed(conversation, entry)).tools
    assert (tool.name, tool.title, tool.description) == ("a", "A", "Does a.")
    assert tool.input_schema == schema


async def test_texts_that_are_not_there_are_empty(conversation: Conversation):
    (tool,) = (await listed(conversation, {"name": "a", "inputSchema": SCHEMA, "title": None})).tools
    assert (tool.title, tool.description) == ("", "")


@pytest.mark.parametrize(
    "bad",
    [
        None,
        "tool",
        {"inputSchema": SCHEMA},
        {"name": 7, "inputSchema": SCHEMA},
        {"name": "Bad", "inputSchema": SCHEMA},
        {"name": "a__b", "inputSchema": SCHEMA},
        {"name": "a" * 49, "inputSchema": SCHEMA},
        {"name": "", "inputSchema": SCHEMA},
        {"name": "bad"},
        {"name": "bad", "inputSchema": {}},
        {"name": "bad", "inputSchema": {"type": ["object"]}},
        {"name": "bad", "inputSchema": SCHEMA, "title": 7},
        {"name": "bad", "inputSchema": SCHEMA, "description": ["x"]},
        {"name": "good", "inputSchema": SCHEMA, "title": "the second of this name"},
        {"name": "bad", "inputSchema": annotated("")},
        {"name": "bad", "inputSchema": annotated("Two Words")},
        {"name": "bad", "inputSchema": annotated(7)},
        {"name": "bad", "inputSchema": annotated("X", "number")},
        {"name": "bad", "inputSchema": annotated("X", ["string", "null"])},
    ],
)
async def test_a_bad_tool_is_dropped_with_a_reason_and_costs_no_other(conversation: Conversation, bad: Any):
    good = {"name": "good", "inputSchema": SCHEMA}
    found = await listed(conversation, good, bad, {"name": "last", "inputSchema": SCHEMA})
    assert [tool.name for tool in found.tools] == ["good", "last"]
    assert found.tools[0].title == ""
    (dropped,) = found.dropped
    assert dropped.reason.endswith(".")


async def test_a_dropped_name_is_safe_to_show(conversation: Conversation):
    found = await listed(conversation, {"name": "@everyone\n\u202e" + "x" * 5000, "inputSchema": SCHEMA})
    (dropped,) = found.dropped
    assert len(dropped.name) <= 48
    assert dropped.name.isprintable()


async def test_pages_are_followed_in_order(conversation: Conversation):
    conversation.trick.live_tools = [ToolSpec(f"tool_{n}") for n in range(5)]
    conversation.trick.page_size = 2
    found = await conversation.client.list_tools(conversation.endpoint, DISCOVERY)
    assert [tool.name for tool in found.tools] == [f"tool_{n}" for n in range(5)]
    assert (found.pages, found.complete) == (3, True)
    assert [r.params.get("cursor") for r in conversation.trick.requests] == [None, "2", "4"]


async def test_no_more_pages_are_read_than_wanted(conversation: Conversation):
    conversation.trick.live_tools = [ToolSpec(f"tool_{n}") for n in range(5)]
    conversation.trick.page_size = 1
    found = await conversation.client.list_tools(conversation.endpoint, DISCOVERY, max_pages=3)
    assert (len(found.tools), found.pages, found.complete) == (3, 3, False)
    assert len(conversation.trick.requests) == 3


async def test_an_empty_cursor_is_one_and_a_repeated_one_ends_the_list(conversation: Conversation):
    async def answer(_trick: TrickServer, received: Received) -> Answer:
        return {"tools": [], "nextCursor": "a" if received.params.get("cursor") == "" else ""}

    conversation.trick.on("tools/list", answer)
    found = await conversation.client.list_tools(conversation.endpoint, DISCOVERY)
    assert [r.params.get("cursor") for r in conversation.trick.requests] == [None, "", "a"]
    assert not found.complete


async def test_a_null_cursor_ends_the_list(conversation: Conversation):
    assert (await listed(conversation, nextCursor=None)).complete


@pytest.mark.parametrize(
    ("given", "expected"),
    [({}, 0), ({"ttlMs": -5}, 0), ({"ttlMs": "5"}, 0), ({"ttlMs": True}, 0), ({"ttlMs": 5000}, 5000)],
)
async def test_the_time_to_live_is_zero_unless_it_is_a_positive_number(
    conversation: Conversation, given: dict[str, Any], expected: int
):
    assert (await listed(conversation, **given)).ttl_ms == expected


async def test_the_shortest_page_decides_the_time_to_live(conversation: Conversation):
    async def answer(_trick: TrickServer, received: Received) -> Answer:
        last = "cursor" in received.params
        return {"tools": [], "ttlMs": 10} if last else {"tools": [], "ttlMs": 99, "nextCursor": "x"}

    conversation.trick.on("tools/list", answer)
    assert (await conversation.client.list_tools(conversation.endpoint, DISCOVERY)).ttl_ms == 10


@pytest.mark.parametrize("page", [{}, {"tools": {}}, {"tools": [], "nextCursor": 7}])
async def test_a_list_that_is_none_is_the_tricks_fault(conversation: Conversation, page: dict[str, Any]):
    conversation.trick.on("tools/list", trick_answers.result(page))
    with pytest.raises(ProtocolFailure):
        await conversation.client.list_tools(conversation.endpoint, DISCOVERY)
