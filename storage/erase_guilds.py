"""Servers that the bot has left: since when, and erasing everything of them once that is long enough ago."""

from collections.abc import Awaitable, Callable, Sequence

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    String,
    Table,
    bindparam,
    delete,
    exists,
    select,
    union,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.dml import Delete

from storage import changes
from storage.engine import Database
from storage.event_tables import deliveries
from storage.request_tables import consents, requests, threads
from storage.tables import audit, calls, drafts, guilds, installations

_BATCH = 500
_NAMES_GUILD = (guilds, installations, requests, threads, drafts, audit)
"""Every row of another table belongs to a row of one of these."""

_guild = bindparam("guild", type_=String)
_KNOWN = union(*(select(table.c.guild_id) for table in _NAMES_GUILD))
_IS_KNOWN = select(*(exists().where(table.c.guild_id == _guild).label(table.name) for table in _NAMES_GUILD))
_LEAVE = (
    update(guilds)
    .where(guilds.c.guild_id == _guild, guilds.c.left_at.is_(None))
    .values(left_at=bindparam("now"))
)
_RETURN = (
    update(guilds).where(guilds.c.guild_id == _guild, guilds.c.left_at.is_not(None)).values(left_at=None)
)
_LEFT = select(guilds.c.guild_id).where(guilds.c.left_at <= bindparam("before", type_=BigInteger))
_STILL_LEFT = (
    _LEFT.where(guilds.c.guild_id == _guild).with_for_update()  # nobody returns while a batch goes
)


def _some(table: Table, key: Column[str], *where: ColumnElement[bool]) -> Delete:
    return delete(table).where(key.in_(select(key).where(*where).limit(_BATCH)))


_theirs = select(installations.c.id).where(installations.c.guild_id == _guild)
_HISTORY = (
    _some(requests, requests.c.id, requests.c.guild_id == _guild),
    _some(calls, calls.c.id, calls.c.installation_id.in_(_theirs)),
    _some(deliveries, deliveries.c.id, deliveries.c.installation_id.in_(_theirs)),
    _some(audit, audit.c.id, audit.c.installation_id.in_(_theirs)),
)


def _all(table: Table) -> Delete:
    return delete(table).where(table.c.guild_id == _guild)


_REST = tuple(map(_all, (consents, threads, drafts, installations, audit, guilds)))


class EraseGuilds:
    """Follows which servers the bot is in, and erases those that it has left."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def known(self) -> tuple[str, ...]:
        """Every server of which anything is stored. Reads whole indexes: for a start, not for every minute."""
        return tuple(row[0] for row in await self._database.all(_KNOWN))

    async def left(self, guild_id: str, now: int) -> bool:
        """Store that the bot has left at `now`; False when nothing is stored of the server.

        Where it had left before, that time stays.
        """

        async def work(connection: AsyncConnection) -> bool:
            known = (await connection.execute(_IS_KNOWN, {"guild": guild_id})).one()
            if not any(known):
                return False
            if not known.guilds:
                await changes.touch(connection, guild_id)
            await connection.execute(_LEAVE, {"guild": guild_id, "now": now})
            return True

        return await self._database.write(work)

    async def returned(self, guild_id: str) -> bool:
        """Store that the bot is in the server; False when it had not left."""

        async def work(connection: AsyncConnection) -> bool:
            return (await connection.execute(_RETURN, {"guild": guild_id})).rowcount == 1

        return await self._database.write(work)

    async def left_before(self, before: int) -> tuple[str, ...]:
        """The servers that the bot left at `before` or earlier."""
        return tuple(row[0] for row in await self._database.all(_LEFT, {"before": before}))

    async def erase(self, guild_id: str, before: int) -> bool:
        """Erase every row of the server, its audit trail too, if the bot left at `before` or earlier.

        That goes in batches, the server's own row last, so that whoever is interrupted begins again. Once the
        bot returns nothing more goes, and False is given back.
        """
        for statement in _HISTORY:
            erased: int | None = _BATCH
            while erased == _BATCH:
                erased = await self._database.write(_erasing((statement,), guild_id, before))
            if erased is None:
                return False
        done = await self._database.write(_erasing(_REST, guild_id, before)) is not None
        await self._database.forget_erased()
        return done


def _erasing(
    statements: Sequence[Delete], guild_id: str, before: int
) -> Callable[[AsyncConnection], Awaitable[int | None]]:
    """How many rows of the server these take; None when it is not one that the bot has left."""

    async def work(connection: AsyncConnection) -> int | None:
        values = {"guild": guild_id}
        if (await connection.execute(_STILL_LEFT, {**values, "before": before})).first() is None:
            return None
        return sum([(await connection.execute(each, values)).rowcount for each in statements])

    return work
