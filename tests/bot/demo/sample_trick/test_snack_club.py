"""What the trick does for members."""

import asyncio
from typing import Any

import jsonschema_rs
import pytest

from bot.demo.sample_trick import JsonObject
from bot.manifest import read_manifest
from tests.support.sample_trick import serving
from tests.support.signed_client import SECRET, SignedClient


async def _manifest(client: SignedClient) -> JsonObject:
    return (await client.http.get("/manifest.json")).json()


async def test_the_manifest_passes_kennels_own_rules(snack_club: SignedClient) -> None:
    manifest = read_manifest((await snack_club.http.get("/manifest.json")).content)
    assert manifest.id == "snack_club"
    assert {command.name for command in manifest.commands} == {"snacks", "favorites", "order"}
    assert [tool.name for tool in manifest.tools if tool.always_ask] == ["clear_snacks"]


async def test_order_has_an_option_of_each_type_and_each_is_an_argument(snack_club: SignedClient) -> None:
    (order,) = [c for c in (await _manifest(snack_club))["commands"] if c["name"] == "order"]
    types = {option["type"] for option in order["options"]}
    assert types == {"string", "integer", "number", "boolean", "user", "channel", "role"}
    tools = (await snack_club.result("tools/list"))["tools"]
    (schema,) = [tool["inputSchema"] for tool in tools if tool["name"] == order["tool"]]
    assert {option["name"] for option in order["options"]} == schema["properties"].keys()


async def test_every_input_schema_is_valid(snack_club: SignedClient) -> None:
    tools = (await snack_club.result("tools/list"))["tools"]
    assert len(tools) == 6
    for tool in tools:
        jsonschema_rs.Draft202012Validator(tool["inputSchema"])


async def test_every_button_runs_with_the_arguments_it_carries(snack_club: SignedClient) -> None:
    actions: list[Any] = (await snack_club.call("snack_menu"))["structuredContent"]["pup"]["actions"]
    assert [action["label"] for action in actions] == ["Save popcorn", "Save fruit", "Save pretzels"]
    for action in actions:
        result = await snack_club.call(action["tool"], action["arguments"])
        assert result["structuredContent"]["saved"] == action["arguments"]["snack"]


async def test_a_snack_is_kept_for_its_member_and_server_alone(snack_club: SignedClient) -> None:
    await snack_club.call("save_snack", {"snack": "fruit"})

    async def saved(**who: Any) -> Any:
        return (await snack_club.call("snack_menu", **who))["structuredContent"]["saved"]

    assert await saved() == "fruit"
    assert await saved(askerId="1002") is None
    assert await saved(installationId="inst-2") is None


async def test_favorites_count_and_name_nobody(snack_club: SignedClient) -> None:
    for asker, snack in (("1001", "fruit"), ("1002", "fruit"), ("1003", "popcorn")):
        await snack_club.call("save_snack", {"snack": snack}, askerId=asker)
    result = (await snack_club.call("snack_favorites"))["structuredContent"]
    assert result["counts"] == {"fruit": 2, "popcorn": 1}
    assert "100" not in str(result)


async def test_a_call_that_comes_twice_orders_once(snack_club: SignedClient) -> None:
    first = await snack_club.call("order_snacks", {"snack": "fruit", "count": 2}, callId="call-1")
    again = await snack_club.call("order_snacks", {"snack": "popcorn", "count": 9}, callId="call-1")
    other = await snack_club.call("order_snacks", {"snack": "popcorn", "count": 9}, callId="call-2")
    assert again == first
    assert other["structuredContent"]["ordered"] == {"snack": "popcorn", "count": 9}


async def test_an_order_tells_for_whom_where_and_which_role(snack_club: SignedClient) -> None:
    more: JsonObject = {"gift": True, "budget": 10.5, "for": "1002", "in": "2002", "notify": "3001"}
    result = await snack_club.call("order_snacks", {"snack": "fruit", "count": 2, **more})
    pup = result["structuredContent"]["pup"]
    assert pup["text"] == "Ordered: 2 × fruit, wrapped."
    told = {field["label"]: field["value"] for field in pup["fields"]}
    assert told == {"For": "<@1002>", "Price": "3.00", "Where": "<#2002>", "Told": "<@&3001>"}


async def test_an_order_without_a_place_goes_to_the_kitchen(snack_club: SignedClient) -> None:
    order = {"snack": "fruit", "count": 1}
    result = await snack_club.call("order_snacks", order, settings={"kitchen": "2009"})
    assert {"label": "Where", "value": "<#2009>"} in result["structuredContent"]["pup"]["fields"]


async def test_clearing_forgets_this_server_alone(snack_club: SignedClient) -> None:
    await snack_club.call("save_snack", {"snack": "fruit"})
    await snack_club.call("save_snack", {"snack": "fruit"}, installationId="inst-2")
    assert (await snack_club.call("clear_snacks"))["structuredContent"]["cleared"] == 1
    assert (await snack_club.call("snack_menu"))["structuredContent"]["saved"] is None
    other = await snack_club.call("snack_menu", installationId="inst-2")
    assert other["structuredContent"]["saved"] == "fruit"


# ---- Members who join and leave ----


def _delivery(kind: str, delivery: str = "d-1", **settings: Any) -> JsonObject:
    return {
        "version": 1,
        "id": delivery,
        "eventId": "e-1",
        "occurredAt": "2026-01-01T00:00:00Z",
        "event": {"type": kind, "memberId": "1001"},
        "context": {"installationId": "inst-1", "channelId": "2001", "settings": settings},
    }


async def test_who_joins_is_greeted_in_the_owners_words_with_a_button(snack_club: SignedClient) -> None:
    response = await snack_club.deliver(_delivery("member.joined", greeting="Hi!", default_snack="fruit"))
    presentation = response.json()["presentation"]
    assert presentation["text"] == "Hi! <@1001>"
    assert [action["label"] for action in presentation["actions"]] == ["Save fruit"]


async def test_who_leaves_is_forgotten_without_a_word(snack_club: SignedClient) -> None:
    await snack_club.call("save_snack", {"snack": "fruit"})
    assert (await snack_club.deliver(_delivery("member.left"))).json() == {}
    assert (await snack_club.call("snack_menu"))["structuredContent"]["saved"] is None


async def test_a_farewell_is_a_setting(snack_club: SignedClient) -> None:
    response = await snack_club.deliver(_delivery("member.left", farewell=True))
    assert response.json()["presentation"]["text"] == "<@1001> has left the club."


async def test_a_repeated_delivery_has_the_same_answer_and_no_second_effect(snack_club: SignedClient) -> None:
    left = _delivery("member.left", farewell=True)
    first = await snack_club.deliver(left)
    await snack_club.call("save_snack", {"snack": "fruit"})
    again = await snack_club.deliver(_delivery("member.left"))
    assert again.json() == first.json()
    assert (await snack_club.call("snack_menu"))["structuredContent"]["saved"] == "fruit"


async def test_an_event_of_a_later_version_of_the_bot_is_taken_without_a_word(
    snack_club: SignedClient,
) -> None:
    response = await snack_club.deliver(_delivery("member.promoted"))
    assert (response.status_code, response.json()) == (200, {})


@pytest.mark.parametrize(
    "change", [{"version": 2}, {"id": "d-2"}, {"event": None}, {"context": {}}, {"event": {"type": "x"}}]
)
async def test_a_delivery_that_is_none_is_refused(snack_club: SignedClient, change: JsonObject) -> None:
    response = await snack_club.deliver(_delivery("member.joined") | change, webhook_id="d-1")
    assert response.status_code == 400


async def test_stopping_ends_running_tasks() -> None:
    async with serving(pace=3600) as base, SignedClient(base, SECRET) as client:
        assert (await client.call("choose_snack"))["status"] == "working"
        assert _running()
    assert not _running()


def _running() -> list[str]:
    """The works of tasks in this loop."""
    names = [getattr(task.get_coro(), "__qualname__", "") for task in asyncio.all_tasks()]
    return [name for name in names if name == "Call._work"]
