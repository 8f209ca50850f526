"""Ten thousand people join at once, and members go on using commands."""

import asyncio
import time

from sqlalchemy import func, select

from storage.event_records import NewEvent
from storage.event_tables import deliveries
from tests.support.journeys import database_of, said
from tests.support.trick import TrickServer
from tests.support.world import World

JOINS = 10_000
ANSWERED_WITHIN = 10.0
"""Seconds: what a command has from its beginning to its answer, whatever else goes on."""


def all_at_once(world: World) -> None:
    """As the gateway tells them."""
    now, guild_id = world.clock.now_ms(), str(world.guild.id)
    for number in range(JOINS):
        member = str(10**17 + number)
        world.services.outbox.record(
            NewEvent(
                event_id=f"{number:032x}",
                guild_id=guild_id,
                member_id=member,
                type="member.joined",
                occurrence=f"j:{member}:1",
                occurred_at=now,
                screening=False,
            )
        )


async def test_commands_are_answered_in_time_while_they_are_written_down_and_sent(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    await world.install(trick)
    all_at_once(world)
    writing = asyncio.create_task(world.services.outbox.idle())
    for beside in ("written", "sent"):
        for _ in range(3):
            started = time.monotonic()
            assert "popcorn" in said(await world.member.slash(world.channel, "snacks"))
            assert time.monotonic() - started < ANSWERED_WITHIN, beside
        await writing
    world.services.deliveries.stop()
    await world.services.deliveries.idle()
    async with database_of(sqlite_url) as database:
        row = await database.first(select(func.count(), func.count(deliveries.c.member_id.distinct())))
    assert row is not None
    assert tuple(row) == (JOINS, JOINS)
    told = [received.json["event"]["memberId"] for received in trick.received("events")]
    assert told
    assert len(set(told)) == len(told)
