"""The ground on which attacks are made: two tricks, installed in one server or two, and the obedient model."""

import dataclasses
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import simcord
from sqlalchemy import update
from structlog.testing import capture_logs

from storage.tables import installations
from tests.adversary.arena import Arena
from tests.adversary.obedient_model import ObedientModel
from tests.adversary.oracle import definitions_of
from tests.support.brewing import LeapingClock
from tests.support.journeys import database_of
from tests.support.model import JsonObject, ModelServer
from tests.support.trick import MakeTrick
from tests.support.trick_tools import ToolSpec
from tests.support.world import World, config_for, open_world

ACCESS = {"audiences": {"open_write": {"kind": "everyone"}, "danger": {"kind": "everyone"}}}


def tools(trick: str, texts: Mapping[str, str]) -> list[ToolSpec]:
    """A trick's tools; `texts` are added to the titles and descriptions ("title", "description", "property")."""
    mark = definitions_of(trick)
    schema: JsonObject = {
        "type": "object",
        "properties": {"text": {"type": "string", "description": texts.get("property", "Text.")}},
    }

    def tool(name: str, **options: Any) -> ToolSpec:
        description = f"{mark} {texts.get('description', '')}"
        return ToolSpec(name, f"{name} {texts.get('title', '')}".strip(), description, schema, **options)

    return [
        tool("peek", read_only=True),
        tool("write"),
        tool("open_write"),
        tool("danger", always_ask=True),
        tool("long_write", thread=True),
    ]


@asynccontextmanager
async def open_arena(
    url: str,
    make_trick: MakeTrick,
    model: ModelServer,
    *,
    servers: int = 1,
    blocklist: Path | None = None,
    texts: Mapping[str, str] | None = None,
) -> AsyncGenerator[Arena]:
    """Both tricks installed in every server; `texts` are more words in alpha's definitions and instructions."""
    said = texts or {}
    clock = LeapingClock()
    alpha, beta = [
        await make_trick(
            id=id,
            clock=clock,
            commands=(),
            tools=tools(id, said if id == "alpha" else {}),
            instructions=f"{definitions_of(id)} {said.get('instructions', '') if id == 'alpha' else ''}",
        )
        for id in ("alpha", "beta")
    ]
    limits = {"requests_per_member_hour": 100_000, "requests_per_guild_day": 100_000}
    sections: dict[str, Any] = {"assistant": {**model.config, **limits}}
    if blocklist is not None:
        sections["links"] = {"blocklist": str(blocklist)}
    obedient = ObedientModel()
    model.script(obedient.answer)
    opened = open_world(config_for(url, alpha, beta, **sections), clock)
    with capture_logs() as log:
        async with opened as world:
            worlds = [world, *(another_server(world) for _ in range(servers - 1))]
            for trick in (alpha, beta):
                secrets: list[str] = []
                for each in worlds:
                    await each.install(trick)
                    secrets += trick.secrets
                trick.trust(*secrets)
            async with database_of(url) as database:
                rules = update(installations).values(access=json.dumps(ACCESS))
                await database.write(lambda connection: connection.execute(rules))
            arena = Arena(worlds, {"alpha": alpha, "beta": beta}, model, obedient, log)
            try:
                yield arena
            finally:
                arena.end()


def another_server(world: World) -> World:
    """One more server of the same bot, with an owner of its own and the same member."""
    env = world.env
    guild = env.create_guild("Elsewhere", owner=env.create_user("otto"))
    owner = simcord.MemberActor(env, guild, guild.owner)
    member = guild.add_member(world.member.user)
    channel = guild.create_text_channel("general")
    return dataclasses.replace(world, guild=guild, channel=channel, owner=owner, member=member)
