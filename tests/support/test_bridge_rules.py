"""What the bridge's REST API refuses, asked without a bot."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
import simcord

from tests.support.bridge import Bridge
from tests.support.echo_town import Town


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    async with Bridge() as bridge:
        yield Town(bridge)


async def call(bridge: Bridge, method: str, path: str, json: object = None) -> tuple[int, dict[str, object]]:
    headers = {"Authorization": f"Bot {bridge.token}"}
    url = bridge.api_url + path
    async with aiohttp.request(method, url, json=json, headers=headers) as answer:
        return answer.status, await answer.json()


async def put_commands(bridge: Bridge, commands: list[dict[str, object]]) -> tuple[int, dict[str, object]]:
    path = f"/applications/{bridge.world.backend.application_id}/commands"
    return await call(bridge, "PUT", path, commands)


async def test_a_bad_command_is_named_in_the_error_tree(town: Town) -> None:
    good: dict[str, object] = {"name": "good", "description": "Good"}
    choices = [{"name": "x" * 101, "value": "x"}]
    option = {"name": "a", "description": "b", "type": 3, "choices": choices}
    status, body = await put_commands(
        town.bridge, [good, {"name": "Bad", "description": "x" * 101, "options": [option]}]
    )
    assert (status, body["code"]) == (400, 50035)
    length = {"code": "BASE_TYPE_BAD_LENGTH", "message": "Must be between 1 and 100 in length."}
    assert body["errors"] == {
        "1": {
            "name": {
                "_errors": [
                    {"code": "APPLICATION_COMMAND_INVALID_NAME", "message": "Command name is invalid"}
                ]
            },
            "description": {"_errors": [length]},
            "options": {"0": {"choices": {"0": {"name": {"_errors": [length]}}}}},
        }
    }
    assert town.bridge.world.backend.commands == {}


async def test_there_are_a_hundred_commands_and_two_hundred_creates_a_day(town: Town) -> None:
    def named(first: int, count: int) -> list[dict[str, object]]:
        return [{"name": f"c{number}", "description": "x"} for number in range(first, first + count)]

    assert (await put_commands(town.bridge, named(0, 101)))[1]["code"] == 30032
    assert (await put_commands(town.bridge, named(0, 100)))[0] == 200
    assert (await put_commands(town.bridge, named(100, 100)))[0] == 200
    assert (await put_commands(town.bridge, named(150, 50)))[0] == 200
    assert (await put_commands(town.bridge, named(149, 50)))[1]["code"] == 30034


async def test_a_message_that_discord_refuses_is_refused_with_a_path(town: Town) -> None:
    path = f"/channels/{town.channel.id}/messages"
    empty_value = {"embeds": [{"title": "a", "fields": [{"name": "b", "value": " "}]}]}
    status, body = await call(town.bridge, "POST", path, empty_value)
    problem = {"code": "BASE_TYPE_INVALID", "message": "embeds[0].fields[0].value is empty"}
    assert (status, body["code"]) == (400, 50035)
    assert body["errors"] == {"embeds": {"0": {"fields": {"0": {"value": {"_errors": [problem]}}}}}}
    assert (await call(town.bridge, "POST", path, {"content": "x" * 2001}))[1]["code"] == 50035
    assert (await call(town.bridge, "POST", path, {"content": "x", "nonce": "n" * 26}))[1]["code"] == 50035
    _, sent = await call(town.bridge, "POST", path, {"content": "x"})
    edit = f"{path}/{sent['id']}"
    assert (await call(town.bridge, "PATCH", edit, {"content": "x" * 2001}))[1]["code"] == 50035
    assert (await call(town.bridge, "PATCH", edit, {"components": []}))[0] == 200


async def test_a_message_has_one_thread_and_its_name_has_a_limit(town: Town) -> None:
    message = await town.bridge.send(town.ada, town.channel, "news")
    path = f"/channels/{town.channel.id}/messages/{message.id}/threads"
    assert (await call(town.bridge, "POST", path, {"name": "x" * 101}))[1]["code"] == 50035
    status, thread = await call(town.bridge, "POST", path, {"name": "news"})
    assert (status, thread["id"]) == (200, str(message.id))
    assert (await call(town.bridge, "POST", path, {"name": "news"}))[1]["code"] == 160004


async def test_a_route_that_the_simulation_lacks_is_told_at_the_end() -> None:
    async def ask() -> None:
        async with Bridge() as bridge:
            assert (await call(bridge, "GET", "/no/such"))[0] == 501

    with pytest.raises(ExceptionGroup) as told:
        await ask()
    assert told.group_contains(simcord.RouteNotImplemented)
