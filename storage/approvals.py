"""Approval cards: opened for a write, decided once by whoever comes first, and then shown as closed.

How a card closes, and what follows from it at once, is `approval_changes.close`.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Executable, bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import approval_changes, consents, requests
from storage.engine import Database
from storage.request_records import Approval, ApprovalStatus, Consent
from storage.request_tables import approval_is_open, approval_to_fold, approvals
from storage.rows import to_values
from storage.upserts import InsertInto, Upsert

_BATCH = 500
_HAVE_A_DEADLINE = ("approved", "auto_approved", "declined")
_t = approvals.c
_ALL = select(approvals)
_GET = _ALL.where(_t.id == bindparam("key"))
_BY_KEY = _ALL.where(_t.key == bindparam("key"))
_BY_CARD = _ALL.where(_t.card_id == bindparam("key"))
_OF_REQUEST = _ALL.where(_t.request_id == bindparam("key")).order_by(_t.opened_at, _t.id)
_TO_FOLD = _ALL.where(approval_to_fold).order_by(_t.decided_at).limit(bindparam("most"))
_FOLDED = update(approvals).where(_t.id.in_(bindparam("keys", expanding=True))).values(folded=True)
_SET_CARD = (
    update(approvals)
    .where(_t.id == bindparam("this"))  # `key` is a column here
    .values(card_id=bindparam("card"), folded=False)
    .returning(_t.status)
)
_found = select(_t.id, _t.installation_id, _t.request_id)
_THIS = _found.add_columns(_t.closes_at).where(_t.id == bindparam("key"))
_some_open = _found.where(approval_is_open).order_by(_t.closes_at).limit(bindparam("most"))
_DUE = _some_open.where(_t.closes_at <= bindparam("now"))
_OF_MESSAGES = _some_open.where(_t.message_id.in_(bindparam("keys", expanding=True)))
_OF_INSTALLATION = _some_open.where(_t.installation_id == bindparam("of"))
_OF_MEMBER = _some_open.where(_t.asker_id == bindparam("of"))


@Upsert
def _add(insert: InsertInto) -> Executable:
    return insert(approvals).on_conflict_do_nothing(index_elements=["id"]).returning(_t.id)


class Approvals:
    """The store of approval cards."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def open(self, approval: Approval) -> bool:
        """Store a card; False when there is one with its id already.

        Where the request's writes were stopped meanwhile the card is stored as `stopped`, and where the
        asker's message was erased as `cancelled` and without texts; the request is then woken, so that it
        does not rest. Raises `ParentGone` when the installation or the request was removed.
        """

        async def work(connection: AsyncConnection) -> bool:
            stopped, erased = await approval_changes.hold(connection, approval)
            new = approval
            if stopped or erased:
                status: ApprovalStatus = "cancelled" if erased else "stopped"
                new = dataclasses.replace(approval, status=status, decided_at=approval.opened_at)
            if erased:
                new = dataclasses.replace(new, arguments=None, outside=None)
            if not await _insert(connection, new):
                return False
            if new.status != "open":
                await requests.wake(connection, new.request_id)
                await approval_changes.record(connection, new.opened_at, new)
            return True

        return await self._database.write(work)

    async def auto_approved(self, approval: Approval) -> bool:
        """Store that a write runs without a card, because its automatic review passed.

        False, and nothing is stored, when the id exists already, the request's writes were stopped
        meanwhile, or the asker's message was erased. Raises `ParentGone` as `open` does.
        """
        new = dataclasses.replace(
            approval, status="auto_approved", decided_at=approval.opened_at, folded=True
        )

        async def work(connection: AsyncConnection) -> bool:
            if any(await approval_changes.hold(connection, new)) or not await _insert(connection, new):
                return False
            await approval_changes.record(connection, new.opened_at, new)
            return True

        return await self._database.write(work)

    async def get(self, approval_id: str) -> Approval | None:
        """The card with this id, None when there is none."""
        return await self._one(_GET, approval_id)

    async def by_key(self, key: str) -> Approval | None:
        """The card whose buttons carry `key`."""
        return await self._one(_BY_KEY, key)

    async def by_card(self, card_id: str) -> Approval | None:
        """The card that this message shows."""
        return await self._one(_BY_CARD, card_id)

    async def of_request(self, request_id: str) -> tuple[Approval, ...]:
        """All cards of a request, closed ones too, oldest first."""
        return await self._many(_OF_REQUEST, {"key": request_id})

    async def set_card(self, approval_id: str, card_id: str) -> bool:
        """Store which message shows the card, which is to be folded if the card is closed.

        False when it is closed already, or gone.
        """

        async def work(connection: AsyncConnection) -> bool:
            values = {"this": approval_id, "card": card_id}
            return (await connection.execute(_SET_CARD, values)).scalar() == "open"

        return await self._database.write(work)

    async def decide(
        self, approval_id: str, status: ApprovalStatus, now: int, *, consent: Consent | None = None
    ) -> Approval | None:
        """Close an open card, wake its request, and keep the consent that came with it, all or nothing.

        Of all who decide, on whatever process, one gets the card as it is now; the others get None. `declined`
        and `expired` stop the request's writes and close its other open cards as `stopped`. At `closes_at` a
        card cannot be approved or declined any more: it becomes `expired`, and that gives None too.
        """

        async def work(connection: AsyncConnection) -> Approval | None:
            row = (await connection.execute(_THIS, {"key": approval_id})).first()
            if row is None:
                return None
            if status in _HAVE_A_DEADLINE and row.closes_at <= now:
                await approval_changes.close(connection, [row], "expired", now)
                return None
            closed = await approval_changes.close(connection, [row], status, now)
            if closed and consent is not None:
                await consents.store(connection, consent)
            return closed[0] if closed else None

        return await self._database.write(work)

    async def expire_due(self, now: int, limit: int) -> tuple[Approval, ...]:
        """Close up to `limit` open cards whose `closes_at` has come, as `decide` does; gives those back.

        One transaction; whoever wants all of them calls until nothing comes back.
        """
        return (await self._close_some(_DUE, {"now": now, "most": limit}, "expired", now))[1]

    async def cancel_of_messages(self, message_ids: Sequence[str], now: int) -> tuple[Approval, ...]:
        """Cancel the open cards of requests made by these messages, and wake the requests.

        The messages' texts are erased before: a card that is opened afterwards is cancelled by `open`.
        """
        cancelled: tuple[Approval, ...] = ()
        for start in range(0, len(message_ids), _BATCH):
            keys = list(message_ids[start : start + _BATCH])
            cancelled += await self._cancel(_OF_MESSAGES, {"keys": keys}, now)
        return cancelled

    async def cancel_of_installation(self, installation_id: str, now: int) -> tuple[Approval, ...]:
        """Cancel the open cards for tools of an installation, and wake their requests."""
        return await self._cancel(_OF_INSTALLATION, {"of": installation_id}, now)

    async def cancel_of_member(self, member_id: str, now: int) -> tuple[Approval, ...]:
        """Cancel a member's open cards in all servers, and wake their requests."""
        return await self._cancel(_OF_MEMBER, {"of": member_id}, now)

    async def to_fold(self, limit: int) -> tuple[Approval, ...]:
        """Up to `limit` closed cards whose messages do not show it yet, longest closed first.

        A card without a message is among them.
        """
        return await self._many(_TO_FOLD, {"most": limit})

    async def folded(self, approval_ids: Sequence[str]) -> None:
        """Store that the messages of these cards show that they are closed."""

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(_FOLDED, {"keys": list(approval_ids)})

        await self._database.write(work)

    async def _one(self, statement: Executable, key: str) -> Approval | None:
        row = await self._database.first(statement, {"key": key})
        return Approval(*row) if row else None

    async def _many(self, statement: Executable, values: Mapping[str, Any]) -> tuple[Approval, ...]:
        return tuple(Approval(*row) for row in await self._database.all(statement, values))

    async def _cancel(self, find: Executable, values: Mapping[str, Any], now: int) -> tuple[Approval, ...]:
        cancelled: tuple[Approval, ...] = ()
        found = True
        while found:
            found, batch = await self._close_some(find, {**values, "most": _BATCH}, "cancelled", now)
            cancelled += batch
        return cancelled

    async def _close_some(
        self, find: Executable, values: Mapping[str, Any], status: ApprovalStatus, now: int
    ) -> tuple[bool, tuple[Approval, ...]]:
        """Close the open cards found; says whether there were any, also when others closed them first."""

        async def work(connection: AsyncConnection) -> tuple[bool, tuple[Approval, ...]]:
            found = (await connection.execute(find, values)).all()
            return bool(found), await approval_changes.close(connection, found, status, now) if found else ()

        return await self._database.write(work)


async def _insert(connection: AsyncConnection, approval: Approval) -> bool:
    return (await connection.execute(_add.on(connection), to_values(approval))).first() is not None
