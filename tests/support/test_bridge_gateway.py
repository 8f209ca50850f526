"""The bridge's gateway frame by frame, without a library between."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import discord
import pytest

from tests.support.bridge import Bridge

Socket = aiohttp.ClientWebSocketResponse


@pytest.fixture
async def bridge() -> AsyncIterator[Bridge]:
    async with Bridge() as bridge:
        bridge.world.create_guild("Town").create_text_channel("general")
        yield bridge


@asynccontextmanager
async def connected(bridge: Bridge) -> AsyncGenerator[Socket]:
    async with aiohttp.ClientSession() as client, client.ws_connect(bridge.gateway_url) as socket:
        assert (await socket.receive_json())["op"] == 10
        yield socket


def identify(bridge: Bridge, **changes: Any) -> dict[str, Any]:
    intents = discord.Intents.default().value
    return {"op": 2, "d": {"token": bridge.token, "intents": intents, "properties": {}, **changes}}


def resume(bridge: Bridge, session_id: str, seq: int) -> dict[str, Any]:
    return {"op": 6, "d": {"token": bridge.token, "session_id": session_id, "seq": seq}}


async def close_code(socket: Socket) -> int | None:
    while (await socket.receive(timeout=5)).type is aiohttp.WSMsgType.TEXT:
        pass
    return socket.close_code


async def test_heartbeats_are_acknowledged_and_events_are_numbered(bridge: Bridge) -> None:
    async with connected(bridge) as socket:
        await socket.send_json({"op": 1, "d": None})
        assert (await socket.receive_json())["op"] == 11
        await socket.send_json(identify(bridge))
        ready, guild = await socket.receive_json(), await socket.receive_json()
        assert [(event["s"], event["t"]) for event in (ready, guild)] == [(1, "READY"), (2, "GUILD_CREATE")]
        assert ready["d"]["guilds"] == [{"id": guild["d"]["id"], "unavailable": True}]
        assert [channel["name"] for channel in guild["d"]["channels"]] == ["general"]


async def test_without_the_intent_message_content_is_hidden(bridge: Bridge) -> None:
    async with connected(bridge) as socket:
        await socket.send_json(identify(bridge))
        await bridge.wait_ready()
        guild = bridge.world.guild
        ada = guild.add_member(bridge.world.create_user("ada"))
        await bridge.send(ada, guild.channels["general"], "a secret")
        events = [await socket.receive_json() for _ in range(3)]
        assert [event["t"] for event in events] == ["READY", "GUILD_CREATE", "MESSAGE_CREATE"]
        assert events[2]["d"]["content"] == ""


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"token": "wrong"}, 4004),
        ({"shard": [2, 2]}, 4010),
        ({"intents": 1 << 60}, 4013),
    ],
)
async def test_a_bad_identify_is_closed_with_its_code(
    bridge: Bridge, changes: dict[str, Any], code: int
) -> None:
    async with connected(bridge) as socket:
        await socket.send_json(identify(bridge, **changes))
        assert await close_code(socket) == code
    assert bridge.sessions == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("not json", 4002),
        ('{"op": 1, "d": "' + "x" * 4096 + '"}', 4002),
        ('{"op": 42, "d": null}', 4001),
        ('{"op": 8, "d": {}}', 4003),
    ],
)
async def test_a_bad_frame_is_closed_with_its_code(bridge: Bridge, text: str, code: int) -> None:
    async with connected(bridge) as socket:
        await socket.send_str(text)
        assert await close_code(socket) == code


async def test_identifying_twice_is_closed(bridge: Bridge) -> None:
    async with connected(bridge) as socket:
        await socket.send_json(identify(bridge))
        await socket.send_json(identify(bridge))
        assert await close_code(socket) == 4005


async def test_resume_needs_a_known_session_and_a_possible_number(bridge: Bridge) -> None:
    async with connected(bridge) as socket:
        await socket.send_json(identify(bridge))
        session_id = (await socket.receive_json())["d"]["session_id"]
        await socket.close(code=4000)
    async with connected(bridge) as socket:
        await socket.send_json(resume(bridge, "unknown", 1))
        assert await socket.receive_json() == {"op": 9, "d": False, "s": None, "t": None}
        await socket.send_json(resume(bridge, session_id, 99))
        assert await close_code(socket) == 4007
    async with connected(bridge) as socket:
        await socket.send_json(resume(bridge, session_id, 1))
        events = [await socket.receive_json() for _ in range(2)]
        assert [(event["s"], event["t"]) for event in events] == [(2, "GUILD_CREATE"), (3, "RESUMED")]


async def test_a_clean_close_ends_the_session(bridge: Bridge) -> None:
    async with connected(bridge) as socket:
        await socket.send_json(identify(bridge))
        session_id = (await socket.receive_json())["d"]["session_id"]
        await socket.close(code=1000)
        await bridge.wait_until(lambda: session_id not in bridge.gateway.sessions or None, "its end")
