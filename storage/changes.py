"""Numbering the changes that other processes have to see, without a gap.

One locked row hands out the numbers. It stays locked until its transaction commits, so a lower number is
never committed after a higher one, and who asks for everything after the last number seen misses nothing.
Transactions lock in the order installation, counter, guild.
"""

from typing import Any

from sqlalchemy import Executable, bindparam, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import tables
from storage.upserts import InsertInto, Upsert

_counter = tables.counters
_guilds = tables.guilds
_NEW: dict[str, Any] = {
    "prefix": None,
    "commands_wanted": 0,
    "commands_written": 0,
    "commands_hash": None,
    "command_names": "[]",
    "creates_day": None,
    "creates_used": 0,
    "commands_problem": None,
    "sync_holder": None,
    "sync_until": None,
    "guidance": None,
    "left_at": None,
}


@Upsert
def _next(insert: InsertInto) -> Executable:
    return (
        insert(_counter)
        .values(name="changes", value=1)
        .on_conflict_do_update(index_elements=["name"], set_={"value": _counter.c.value + 1})
        .returning(_counter.c.value)
    )


def _upsert(new: dict[str, Any], changed: dict[str, Any]) -> Upsert:
    values: dict[str, Any] = {
        **_NEW,
        **new,
        "guild_id": bindparam("guild_id"),
        "changed_seq": bindparam("seq"),
    }

    def build(insert: InsertInto) -> Executable:
        row = insert(_guilds).values(**values)
        kept = {"changed_seq": row.excluded.changed_seq, **changed}
        return row.on_conflict_do_update(index_elements=["guild_id"], set_=kept)

    return Upsert(build)


_TOUCH = _upsert({}, {})
_WANT_COMMANDS = _upsert(
    {"commands_wanted": 1},
    {"commands_wanted": _guilds.c.commands_wanted + 1, "commands_problem": None},
)
_one = update(_guilds).where(_guilds.c.guild_id == bindparam("id"))
_SET_PREFIX = _one.values(prefix=bindparam("value"))
_SET_GUIDANCE = _one.values(guidance=bindparam("value"))


async def touch(connection: AsyncConnection, guild_id: str) -> None:
    """Number a change of the guild that leaves its wanted commands as they are."""
    await _apply(connection, _TOUCH, guild_id)


async def want_commands(connection: AsyncConnection, guild_id: str) -> None:
    """Number a change after which the guild's commands have to be written; a parked guild is tried again."""
    await _apply(connection, _WANT_COMMANDS, guild_id)


async def set_prefix(connection: AsyncConnection, guild_id: str, prefix: str | None) -> None:
    """Number a change of the guild's prefix and make it."""
    await _apply(connection, _TOUCH, guild_id)
    await connection.execute(_SET_PREFIX, {"id": guild_id, "value": prefix})


async def set_guidance(connection: AsyncConnection, guild_id: str, guidance: str | None) -> None:
    """Number a change of the guild's guidance and make it."""
    await _apply(connection, _TOUCH, guild_id)
    await connection.execute(_SET_GUIDANCE, {"id": guild_id, "value": guidance})


async def _apply(connection: AsyncConnection, statement: Upsert, guild_id: str) -> None:
    number = (await connection.execute(_next.on(connection))).scalar_one()
    await connection.execute(statement.on(connection), {"guild_id": guild_id, "seq": number})
