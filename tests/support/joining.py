"""Members who come and go in a world, what a trick is told of it, and what it has posted."""

from typing import Any

import simcord

from bot.demo.sample_trick import JsonObject
from tests.support.journeys import let_pass, tricks
from tests.support.talks import spoken
from tests.support.trick import Answer, Handler, TrickServer
from tests.support.trick_answers import result
from tests.support.trick_requests import Received
from tests.support.world import World

TICK = 2.5
"""Seconds after which the bot has looked for what is due."""
WELCOME: JsonObject = {
    "text": "Welcome to the club!",
    "actions": [
        {"id": "menu", "label": "See the snacks", "tool": "snack_menu", "arguments": {}},
        {"id": "fruit", "label": "Save fruit", "tool": "save_snack", "arguments": {"snack": "fruit"}},
    ],
}


def welcomes(presentation: Any = WELCOME) -> Handler:
    """Every event is answered with this presentation."""
    return result({"presentation": presentation})


def welcomes_joins(presentation: Any = WELCOME) -> Handler:
    """Joins are answered with this presentation, leaves with nothing."""

    async def answer(_trick: TrickServer, received: Received) -> Answer:
        joined = event_of(received)[0] == "member.joined"
        return {"presentation": presentation} if joined else {}

    return answer


async def join(world: World, name: str = "nina", **options: Any) -> simcord.MemberActor:
    """Somebody new joins the world's server."""
    member = world.guild.add_member(world.env.create_user(name, **options))
    await tick(world)
    return member


async def join_again(world: World, member: simcord.MemberActor) -> None:
    """Somebody who left comes back."""
    world.guild.add_member(member.user)
    await tick(world)


async def leave(world: World, member: simcord.MemberActor) -> None:
    """A member leaves."""
    world.guild.remove_member(member)
    await tick(world)


async def join_screened(world: World, name: str = "nina") -> simcord.MemberActor:
    """Somebody new joins and has still to pass the server's screening."""
    backend, user = world.env.backend, world.env.create_user(name)
    member = backend.add_member(world.guild.id, user.id)
    member.pending = True
    backend.emit("GUILD_MEMBER_ADD", joined(world, user.id))
    await tick(world)
    return simcord.MemberActor(world.env, world.guild, user)


async def pass_screening(world: World, member: simcord.MemberActor) -> None:
    """The member passes it, as Discord tells."""
    backend = world.env.backend
    backend.get_member(world.guild.id, member.id).pending = False
    backend.announce_member_update(world.guild.id, member.id)
    await tick(world)


def joined(world: World, user_id: int) -> dict[str, Any]:
    """The payload of a join of somebody whom the server knows by now."""
    from simcord.backend import serializers

    backend = world.env.backend
    guild, member = backend.get_guild(world.guild.id), backend.get_member(world.guild.id, user_id)
    return {**serializers.member_payload(backend, guild, member), "guild_id": str(world.guild.id)}


async def tick(world: World, seconds: float = TICK) -> None:
    """Let the bot deliver and post what is due."""
    await let_pass(world, seconds)


async def later(world: World, seconds: float) -> None:
    """Let time pass, and then let the bot look once."""
    world.clock.advance(seconds)
    await tick(world)


async def choose_channel(world: World, trick: TrickServer, channel: simcord.ChannelHandle) -> None:
    """The owner chooses where the trick's answers are posted."""
    await tricks(world, "events", trick=trick.id, channel=channel)


def told(trick: TrickServer) -> list[tuple[str, str]]:
    """Type and member of every event that the trick was told, tries counted, oldest first."""
    return [event_of(received) for received in trick.received("events")]


def event_of(received: Received) -> tuple[str, str]:
    """Type and member of one delivery."""
    return received.json["event"]["type"], received.json["event"]["memberId"]


def posts(world: World, channel: simcord.ChannelHandle | None = None) -> list[Any]:
    """What the bot has posted in a channel, oldest first."""
    return spoken(world, channel)
