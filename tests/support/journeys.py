"""What journeys ask of a world: what was said, what is stored, and events delivered once more."""

import dataclasses
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import discord
import simcord
from sqlalchemy import select

from storage.engine import Database
from storage.partial_indexes import metadata
from tests.support.world import World, text_of

Rows = dict[str, list[dict[str, Any]]]


def said(result: simcord.InteractionResult) -> str:
    """The text of the last message that answers an interaction; fails when there is none."""
    return text_of(answer(result))


def answer(result: simcord.InteractionResult) -> Any:
    """The last message that answers an interaction; fails when there is none."""
    shown = [*([result.response] if result.response is not None else []), *result.followups]
    assert shown, "the interaction was not answered"
    return shown[-1]


def labels(message: Any) -> list[str]:
    """The labels of a message's buttons."""
    rows: list[Any] = [
        row.to_dict() if isinstance(row, discord.Component) else row for row in message.components
    ]
    return [button["label"] for row in rows for button in row["components"]]


def replies(world: World, channel: simcord.ChannelHandle | None = None) -> list[str]:
    """What the bot has posted for everybody to see, oldest first."""
    bot_id = world.env.backend.bot_user.id
    history = (channel or world.channel).history()
    return [text_of(each) for each in history if each.author.id == bot_id and not each.flags.ephemeral]


async def typed(world: World, content: str, member: simcord.MemberActor | None = None) -> str:
    """Send a message and give the bot's one reply to it; empty when it said nothing."""
    before = len(replies(world))
    await (member or world.member).send(world.channel, content)
    new = replies(world)[before:]
    assert len(new) < 2, new
    return new[0] if new else ""


async def deliver_again(world: World, event: str, times: int = 1) -> None:
    """Deliver the newest gateway event of this kind again, as Discord does after a reconnect."""
    payload = next(data for _, name, data in reversed(world.env.backend.transcript) if name == event)
    for _ in range(times):
        world.env.backend.emit(event, payload)
    await world.env.settle()


async def let_pass(world: World, seconds: float) -> None:
    """Let time pass for the bot's own clock and for its loops."""
    world.clock.advance(seconds)
    await world.env.advance_time(seconds)


def writes(world: World, guild: simcord.GuildHandle | None = None) -> list[list[str]]:
    """The names in each bulk write of a server's commands, oldest first."""
    path = f"/applications/{world.bot.application_id}/guilds/{(guild or world.guild).id}/commands"
    puts = [request for request in world.env.http_requests if request.method == "PUT"]
    bodies: list[list[dict[str, Any]]] = [put.json or [] for put in puts if put.path == path]
    return [[command["name"] for command in body] for body in bodies]


@asynccontextmanager
async def database_of(url: str) -> AsyncGenerator[Database]:
    """The database of a world, opened beside the bot."""
    database = await Database.open(url)
    try:
        yield database
    finally:
        await database.close()


async def rows_of(url: str) -> Rows:
    """All rows of all tables."""
    async with database_of(url) as database:
        return {
            table.name: [
                dict(zip(table.columns.keys(), row, strict=True)) for row in await database.all(select(table))
            ]
            for table in metadata.sorted_tables
        }


async def tricks(world: World, verb: str, **options: Any) -> simcord.InteractionResult:
    """One `/tricks` command of the owner."""
    result = await world.owner.slash(world.channel, f"tricks {verb}", **options)
    assert result.ephemeral
    return result


def another_server(world: World) -> World:
    """A second server of the same bot, with an owner and a member of its own."""
    env = world.env
    guild = env.create_guild("Elsewhere", owner=env.create_user("otto"))
    channel = guild.create_text_channel("general")
    owner = simcord.MemberActor(env, guild, guild.owner)
    member = guild.add_member(world.member.user)
    return dataclasses.replace(world, guild=guild, channel=channel, owner=owner, member=member)


async def allow_everybody(world: World) -> None:
    """Let members see `/tricks`, as an administrator may in the server's settings."""
    command = world.env.backend.find_command("tricks", world.guild.id, type=1)
    assert command is not None
    world.guild.set_command_permissions(int(command["id"]), {world.guild.default_role: True})
