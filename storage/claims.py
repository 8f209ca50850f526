"""Claims: events that happen once, whoever sees them and however often."""

from sqlalchemy import bindparam, update
from sqlalchemy.dialects.sqlite import insert  # renders on PostgreSQL too
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import tables
from storage.records import Claim

_t = tables.claims.c
_new = insert(tables.claims)
_TAKE = _new.on_conflict_do_update(
    index_elements=["id"],
    set_={"expires_at": _new.excluded.expires_at},
    where=_t.expires_at <= bindparam("now"),
).returning(_t.id)
_SHORTEN = (
    update(tables.claims)
    .where(_t.id == bindparam("key"), _t.expires_at > bindparam("until"))
    .values(expires_at=bindparam("until"))
)


async def take(connection: AsyncConnection, claim: Claim, now: int) -> bool:
    """Take the claim unless somebody holds it; it is free again from its `expires_at` on."""
    values = {"id": claim.id, "expires_at": claim.expires_at, "now": now}
    return (await connection.execute(_TAKE, values)).first() is not None


async def shorten(connection: AsyncConnection, claim: Claim) -> None:
    """Let a claim end at `claim.expires_at` if it would end later."""
    await connection.execute(_SHORTEN, {"key": claim.id, "until": claim.expires_at})
