"""Servers: prefixes, what changed, and whose turn it is to write a server's commands to Discord."""

from sqlalchemy import bindparam, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import audit, changes, tables
from storage.engine import Database
from storage.records import Guild, WrittenCommands
from storage.rows import dump_names, to_guild

_t = tables.guilds.c
_GET = select(tables.guilds).where(_t.guild_id == bindparam("guild_id"))
_GUIDANCE = select(_t.guidance).where(_t.guild_id == bindparam("guild_id"))
_PREFIXES = select(_t.guild_id, _t.prefix).where(_t.prefix.is_not(None))
_CHANGED = (
    select(_t.changed_seq, _t.guild_id).where(_t.changed_seq > bindparam("seq")).order_by(_t.changed_seq)
)
_unwritten = tables.commands_unwritten
_TO_SYNC = select(_t.guild_id).where(
    _unwritten,
    or_(_t.commands_problem.is_(None), _t.creates_day.is_(None), _t.creates_day != bindparam("today")),
)
_FORGET_WRITTEN = (
    update(tables.guilds)
    .where(_t.guild_id == bindparam("id"))
    .values(commands_hash=None, command_names=dump_names(()))
)
_mine = (_t.guild_id == bindparam("id")) & (_t.sync_holder == bindparam("holder"))
_CLAIM = (
    update(tables.guilds)
    .where(
        _t.guild_id == bindparam("id"),
        _unwritten,
        or_(_t.sync_until.is_(None), _t.sync_until <= bindparam("now")),
    )
    .values(sync_holder=bindparam("holder"), sync_until=bindparam("until"))
    .returning(tables.guilds)
)
_FINISH = (
    update(tables.guilds)
    .where(_mine)
    .values(
        commands_written=bindparam("revision"),
        commands_hash=bindparam("hash"),
        command_names=bindparam("names"),
        creates_day=bindparam("day"),
        creates_used=bindparam("used"),
        commands_problem=bindparam("problem"),
        sync_holder=None,
        sync_until=None,
    )
)
_RELEASE = update(tables.guilds).where(_mine).values(sync_holder=None, sync_until=None)


class Guilds:
    """The store of servers. A server has a row from its first prefix or installation on."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, guild_id: str) -> Guild | None:
        """The server, None when nothing is stored of it."""
        row = await self._database.first(_GET, {"guild_id": guild_id})
        return to_guild(row) if row else None

    async def prefixes(self) -> dict[str, str]:
        """Guild id to prefix, of all servers that set one."""
        return {row[0]: row[1] for row in await self._database.all(_PREFIXES)}

    async def set_prefix(self, guild_id: str, prefix: str | None) -> None:
        """Set the server's prefix; None goes back to the configured one."""

        async def work(connection: AsyncConnection) -> None:
            await changes.set_prefix(connection, guild_id, prefix)

        await self._database.write(work)

    async def guidance(self, guild_id: str) -> str | None:
        """The owner's text for the assistant, None when there is none."""
        row = await self._database.first(_GUIDANCE, {"guild_id": guild_id})
        return row[0] if row else None

    async def set_guidance(self, guild_id: str, guidance: str | None, now: int, actor_id: str) -> None:
        """Put `guidance` in the place of what was there, which is really gone; None leaves nothing."""

        async def work(connection: AsyncConnection) -> None:
            await changes.set_guidance(connection, guild_id, guidance)
            await audit.record(
                connection,
                at=now,
                guild_id=guild_id,
                installation_id=None,
                actor_id=actor_id,
                what="guidance",
            )

        await self._database.write(work)
        await self._database.forget_erased()

    async def changes_after(self, seq: int) -> tuple[int, tuple[str, ...]]:
        """The servers whose prefix, commands or states changed after number `seq`, and the newest number."""
        rows = await self._database.all(_CHANGED, {"seq": seq})
        return (rows[-1][0] if rows else seq), tuple(row[1] for row in rows)

    async def to_sync(self, today: str) -> tuple[str, ...]:
        """The servers whose commands have to be written.

        One with a problem is parked: it comes back with its next change, or on another day than the one it
        was parked on. `today` is the UTC day, `2026-11-30`.
        """
        return tuple(row[0] for row in await self._database.all(_TO_SYNC, {"today": today}))

    async def want_sync(self, guild_id: str) -> None:
        """Have the server's commands written anew, because Discord has forgotten what was written.

        Nothing happens for a server without a row: nothing was ever wanted there.
        """

        async def work(connection: AsyncConnection) -> None:
            if (await connection.execute(_GET, {"guild_id": guild_id})).first() is not None:
                await changes.want_commands(connection, guild_id)
                await connection.execute(_FORGET_WRITTEN, {"id": guild_id})

        await self._database.write(work)

    async def claim_sync(self, guild_id: str, holder: str, now: int, until: int) -> Guild | None:
        """Take the right to write the server's commands until `until`.

        None when there is nothing to write or somebody else, this holder included, has the right now.
        """

        async def work(connection: AsyncConnection) -> Guild | None:
            values = {"id": guild_id, "holder": holder, "now": now, "until": until}
            row = (await connection.execute(_CLAIM, values)).first()
            return to_guild(row) if row else None

        return await self._database.write(work)

    async def finish_sync(self, guild_id: str, holder: str, written: WrittenCommands) -> bool:
        """Store what was written and give the right back; False when `holder` had lost it."""

        async def work(connection: AsyncConnection) -> bool:
            values = {
                "id": guild_id,
                "holder": holder,
                "revision": written.revision,
                "hash": written.hash,
                "names": dump_names(written.names),
                "day": written.creates_day,
                "used": written.creates_used,
                "problem": written.problem,
            }
            return (await connection.execute(_FINISH, values)).rowcount == 1

        return await self._database.write(work)

    async def release_sync(self, guild_id: str, holder: str) -> None:
        """Give the right back with nothing written, so that it is tried again."""

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(_RELEASE, {"id": guild_id, "holder": holder})

        await self._database.write(work)
