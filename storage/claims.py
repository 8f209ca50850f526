"""Claims: events that happen once, whoever sees them and however often."""

from sqlalchemy import Executable, bindparam, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import tables
from storage.records import Claim
from storage.upserts import InsertInto, Upsert

_t = tables.claims.c
_SHORTEN = (
    update(tables.claims)
    .where(_t.id == bindparam("key"), _t.expires_at > bindparam("until"))
    .values(expires_at=bindparam("until"))
)


@Upsert
def _take(insert: InsertInto) -> Executable:
    new = insert(tables.claims)
    return new.on_conflict_do_update(
        index_elements=["id"],
        set_={"expires_at": new.excluded.expires_at},
        where=_t.expires_at <= bindparam("now"),
    ).returning(_t.id)


async def take(connection: AsyncConnection, claim: Claim, now: int) -> bool:
    """Take the claim unless somebody holds it; it is free again from its `expires_at` on."""
    values = {"id": claim.id, "expires_at": claim.expires_at, "now": now}
    return (await connection.execute(_take.on(connection), values)).first() is not None


async def shorten(connection: AsyncConnection, claim: Claim) -> None:
    """Let a claim end at `claim.expires_at` if it would end later."""
    await connection.execute(_SHORTEN, {"key": claim.id, "until": claim.expires_at})
