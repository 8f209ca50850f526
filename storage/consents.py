"""Consents: which writes of which tool a member lets the bot review instead of asking."""

from sqlalchemy import Executable, and_, bindparam, delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.engine import Database
from storage.request_records import Consent
from storage.request_tables import consents
from storage.rows import to_values
from storage.tables import installations, pins
from storage.upserts import InsertInto, Upsert

_t = consents.c
_WIDTH = len(_t)
_key = and_(
    _t.member_id == bindparam("member"),
    _t.installation_id == bindparam("installation"),
    _t.tool == bindparam("name"),
)
_FIND = select(consents).where(_key)
_title = func.coalesce(func.nullif(pins.c.title, ""), _t.tool)
_OF_MEMBER = (
    select(consents, installations.c.name, _title)
    .select_from(
        consents.join(installations, installations.c.id == _t.installation_id).outerjoin(
            pins, and_(pins.c.installation_id == _t.installation_id, pins.c.tool == _t.tool)
        )
    )
    .where(_t.member_id == bindparam("member"), _t.guild_id == bindparam("guild"))
    .order_by(_t.created_at.desc(), _t.installation_id, _t.tool)
)
_REVOKE = delete(consents).where(_key)


@Upsert
def _store(insert: InsertInto) -> Executable:
    new = insert(consents)
    fresh = {name: new.excluded[name] for name in ("guild_id", "endpoint", "definition_hash", "created_at")}
    return new.on_conflict_do_update(index_elements=["member_id", "installation_id", "tool"], set_=fresh)


class Consents:
    """The store of consents. `Approvals.decide` adds them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, member_id: str, installation_id: str, tool: str) -> Consent | None:
        """The member's consent for one tool, for whatever definition it was given; None without one."""
        values = {"member": member_id, "installation": installation_id, "name": tool}
        row = await self._database.first(_FIND, values)
        return Consent(*row) if row else None

    async def of_member(self, member_id: str, guild_id: str) -> tuple[tuple[Consent, str, str], ...]:
        """The member's consents in one server, newest first, each with the trick's name and the tool's title.

        A tool without a title is called by its name.
        """
        rows = await self._database.all(_OF_MEMBER, {"member": member_id, "guild": guild_id})
        return tuple((Consent(*row[:_WIDTH]), row[_WIDTH], row[_WIDTH + 1]) for row in rows)

    async def revoke(self, member_id: str, installation_id: str, tool: str) -> bool:
        """Take a consent back; False when there is none."""
        values = {"member": member_id, "installation": installation_id, "name": tool}

        async def work(connection: AsyncConnection) -> bool:
            return (await connection.execute(_REVOKE, values)).rowcount == 1

        return await self._database.write(work)


async def store(connection: AsyncConnection, consent: Consent) -> None:
    """Keep a consent within the transaction of its giving, in the place of the member's older one for that tool."""
    await connection.execute(_store.on(connection), to_values(consent))
