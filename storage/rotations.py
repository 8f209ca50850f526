"""Rotating signing secrets: one new secret at a time, the old one kept beside it for a while."""

from sqlalchemy import BigInteger, Executable, bindparam, or_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import audit, tables
from storage.engine import Database

_t = tables.installations.c
_now = bindparam("now", type_=BigInteger)
_ROTATE = (
    update(tables.installations)
    .where(
        _t.id == bindparam("key"),
        _t.secret == bindparam("was"),
        or_(_t.previous_secret_until.is_(None), _t.previous_secret_until <= _now),
    )
    .values(secret=bindparam("sealed"), previous_secret=_t.secret, previous_secret_until=bindparam("until"))
    .returning(_t.guild_id)
)
_REPLACE = (
    update(tables.installations)
    .where(_t.id == bindparam("key"), _t.secret == bindparam("was"), _t.previous_secret_until > _now)
    .values(secret=bindparam("sealed"), previous_secret_until=bindparam("until"))
    .returning(_t.guild_id)
)
_FORGET = (
    update(tables.installations)
    .where(_t.previous_secret_until <= _now)
    .values(previous_secret=None, previous_secret_until=None)
)


class Rotations:
    """The store of rotations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def rotate(
        self, installation_id: str, was: str, secret: str, now: int, until: int, actor_id: str
    ) -> bool:
        """Put the sealed `secret` in the place of the sealed `was`, which signs alongside until `until`.

        False, and nothing is changed, where the secret is no longer `was` or an earlier one still signs
        alongside at `now`: of several presses at once one makes a secret.
        """
        values = {"key": installation_id, "was": was, "sealed": secret, "now": now, "until": until}
        return await self._change(_ROTATE, values, actor_id)

    async def replace(
        self, installation_id: str, was: str, secret: str, now: int, until: int, actor_id: str
    ) -> bool:
        """Put the sealed `secret` in the place of `was`, which nobody has; the one before it goes on signing.

        False, and nothing is changed, where the secret is no longer `was` or none signs alongside at `now`.
        """
        values = {"key": installation_id, "was": was, "sealed": secret, "now": now, "until": until}
        return await self._change(_REPLACE, values, actor_id)

    async def _change(self, statement: Executable, values: dict[str, str | int], actor_id: str) -> bool:
        async def work(connection: AsyncConnection) -> bool:
            guild_id = (await connection.execute(statement, values)).scalar()
            if guild_id is None:
                return False
            await audit.record(
                connection,
                at=int(values["now"]),
                guild_id=guild_id,
                installation_id=str(values["key"]),
                actor_id=actor_id,
                what="rotated",
            )
            return True

        return await self._database.write(work)

    async def forget_retired(self, now: int) -> int:
        """Erase the old secrets that no longer sign at `now`, from the log of the database too; how many."""

        async def work(connection: AsyncConnection) -> int:
            return (await connection.execute(_FORGET, {"now": now})).rowcount

        forgotten = await self._database.write(work)
        if forgotten:
            await self._database.forget_erased()
        return forgotten
