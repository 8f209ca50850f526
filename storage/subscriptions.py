"""Subscriptions: which events an installation hears, whether they are sent, and where its posts go.

A transaction that changes a subscription locks the installation before it, and its deliveries and posts after it.
"""

from collections.abc import Collection

from sqlalchemy import BigInteger, Executable, String, bindparam, delete, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.engine import Database
from storage.event_records import Subscription
from storage.event_tables import deliveries, delivery_is_pending, post_is_open, posts, subscriptions
from storage.tables import installations
from storage.upserts import InsertInto, Upsert

WANTS_NONE = "The trick wants no more events, so Kennel sends none. `/tricks events` starts them again."
"""The notice of an installation whose trick has turned its events off."""

_t = subscriptions.c
_now = bindparam("now", type_=BigInteger)
_OF = select(subscriptions).where(_t.installation_id == bindparam("key"))
_one = update(subscriptions).where(_t.installation_id == bindparam("key"))
_SET_CHANNEL = _one.values(
    channel_id=bindparam("channel", type_=String),
    paused_at=None,
    is_on=or_(_t.is_on, bindparam("turn_on", type_=_t.is_on.type)),
).returning(_t.installation_id)
_SET_ON = _one.values(is_on=bindparam("on")).returning(_t.installation_id)
_PAUSE = _one.where(_t.channel_id == bindparam("lost")).values(paused_at=_now).returning(_t.installation_id)
_IS_PAUSED = select(_t.paused_at).where(_t.installation_id == bindparam("key")).with_for_update()
_RESUME = _one.where(_t.paused_at.is_not(None)).values(paused_at=None)
_REMOVE = delete(subscriptions).where(_t.installation_id == bindparam("key"))
_deliveries = deliveries.c
_END_PENDING = (
    update(deliveries)
    .where(_deliveries.installation_id == bindparam("key"), delivery_is_pending)
    .values(status="off", body=None, next_at=None, lease_until=None, ended_at=_now)
)
_END_UNHEARD = (
    update(deliveries)
    .where(
        _deliveries.installation_id == bindparam("key"),
        delivery_is_pending,
        _deliveries.type.not_in(bindparam("heard", expanding=True)),
    )
    .values(
        status="off",
        body=None,
        next_at=None,
        lease_until=None,
        ended_at=_deliveries.occurred_at,
    )
)
_DROP_POSTS = (
    update(posts)
    .where(posts.c.installation_id == bindparam("key"), post_is_open)
    .values(status="dropped", presentation=None, keys=None, due_at=None, lease_until=None)
)
_TRY_POSTS = (
    update(posts)
    .where(
        posts.c.installation_id == bindparam("key"), posts.c.status == "waiting", posts.c.checks == 0
    )  # those that are checked wait for their member, not for the channel
    .values(due_at=posts.c.created_at)
)
_installations = installations.c
_LOCK = (
    select(_installations.id)
    .where(_installations.id == bindparam("key"))
    .with_for_update(key_share=True)  # rows that belong to it may be added meanwhile
)
_installation = update(installations).where(_installations.id == bindparam("key"))
# a paused one keeps the failure that paused it: its subscription says too that its events are off
_SET_NOTICE = _installation.where(_installations.state != "paused").values(notice=WANTS_NONE)
_FORGET_NOTICE = _installation.where(_installations.notice == WANTS_NONE).values(notice=None)


@Upsert
def _subscribe(insert: InsertInto) -> Executable:
    row = insert(subscriptions).values(is_on=True, channel_id=None, paused_at=None)
    kept = {name: row.excluded[name] for name in ("hears_joined", "hears_left")}
    return row.on_conflict_do_update(index_elements=["installation_id"], set_=kept)


async def subscribe(
    connection: AsyncConnection, installation_id: str, guild_id: str, events: Collection[str]
) -> None:
    """Store which events the installation hears from now on; to be used inside a transaction.

    New ones are sent, and have no channel; what the owner has chosen stays. Without events there is no
    subscription. What waits of a type that is heard no more is not sent, and without events not posted.
    """
    key = {"key": installation_id}
    if events:
        values = {
            "installation_id": installation_id,
            "guild_id": guild_id,
            "hears_joined": "member.joined" in events,
            "hears_left": "member.left" in events,
        }
        await connection.execute(_subscribe.on(connection), values)
    else:
        await connection.execute(_REMOVE, key)
        await connection.execute(_DROP_POSTS, key)
    await connection.execute(_END_UNHEARD, key | {"heard": list(events)})


class Subscriptions:
    """The store of subscriptions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, installation_id: str) -> Subscription | None:
        """The installation's subscription, None when its trick hears no events."""
        row = await self._database.first(_OF, {"key": installation_id})
        return Subscription(*row) if row else None

    async def set_channel(self, installation_id: str, channel_id: str | None, *, turn_on: bool) -> bool:
        """Store where posts go, None for nowhere; with `turn_on` events are sent from now on too.

        A channel that was lost is forgotten, and what waits because of it is due. False when there is no subscription.
        """
        values = {"key": installation_id, "channel": channel_id, "turn_on": turn_on}

        async def work(connection: AsyncConnection) -> bool:
            await connection.execute(_LOCK, {"key": installation_id})
            if (await connection.execute(_SET_CHANNEL, values)).first() is None:
                return False
            await connection.execute(_TRY_POSTS, {"key": installation_id})
            if turn_on:
                await connection.execute(_FORGET_NOTICE, {"key": installation_id})
            return True

        return await self._database.write(work)

    async def set_on(self, installation_id: str, on: bool, now: int) -> bool:
        """Start or stop to send events; what waits when they stop is not sent later.

        Starting takes the notice `WANTS_NONE` away. False when there is no subscription.
        """

        async def work(connection: AsyncConnection) -> bool:
            key = {"key": installation_id}
            await connection.execute(_LOCK, key)
            if (await connection.execute(_SET_ON, key | {"on": on})).first() is None:
                return False
            if on:
                await connection.execute(_FORGET_NOTICE, key)
            else:
                await connection.execute(_END_PENDING, key | {"now": now})
            return True

        return await self._database.write(work)

    async def turn_off(self, installation_id: str, now: int) -> bool:
        """As `set_on(…, False, …)`, with the notice `WANTS_NONE` unless the installation is paused.

        False when they were off already.
        """

        async def work(connection: AsyncConnection) -> bool:
            key = {"key": installation_id}
            await connection.execute(_LOCK, key)
            turned = await connection.execute(_SET_ON.where(_t.is_on), key | {"on": False})
            if turned.first() is None:
                return False
            await connection.execute(_END_PENDING, key | {"now": now})
            await connection.execute(_SET_NOTICE, key)
            return True

        return await self._database.write(work)

    async def pause(self, installation_id: str, channel_id: str, now: int) -> bool:
        """Stop to post for a while because `channel_id` was lost; True when it was not paused before.

        Nothing happens when another channel was chosen meanwhile.
        """

        async def work(connection: AsyncConnection) -> bool:
            key = {"key": installation_id}
            before = (await connection.execute(_IS_PAUSED, key)).scalar()
            paused = await connection.execute(_PAUSE, key | {"lost": channel_id, "now": now})
            return paused.first() is not None and before is None

        return await self._database.write(work)

    async def resume(self, installation_id: str) -> None:
        """Post again, because the channel is back."""

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(_RESUME, {"key": installation_id})

        await self._database.write(work)
