"""Actions: what the buttons of a result do, under the key that their custom ids carry."""

from collections.abc import Sequence

from sqlalchemy import RowMapping, and_, bindparam, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import tables
from storage.engine import Database
from storage.event_records import Post
from storage.records import ActionView, NewAction, StoredAction
from storage.rows import INSTALLATION_WIDTH, to_installation, to_pin, to_values

_t = tables.actions.c
_installations, _pins = tables.installations, tables.pins
_ADD = insert(tables.actions)
_FIND = (
    select(_installations, _pins, tables.actions)
    .select_from(
        tables.actions.join(_installations, _installations.c.id == _t.installation_id).outerjoin(
            _pins, and_(_pins.c.installation_id == _t.installation_id, _pins.c.tool == _t.tool)
        )
    )
    .where(_t.key == bindparam("key"))
)
_ACTION_AT = INSTALLATION_WIDTH + len(_pins.c)
_BIND = (
    update(tables.actions)
    .where(_t.key.in_(bindparam("keys", expanding=True)), _t.message_id.is_(None))
    .values(message_id=bindparam("message"))
)
_BIND_OF_DELIVERY = (
    update(tables.actions)
    .where(_t.delivery_id == bindparam("delivery"), _t.message_id.is_(None))
    .values(message_id=bindparam("message"))
)
_FORGET_UNPOSTED = delete(tables.actions).where(
    _t.delivery_id == bindparam("delivery"), _t.message_id.is_(None)
)
_FORGET = delete(tables.actions).where(_t.message_id.in_(bindparam("messages", expanding=True)))


class Actions:
    """The store of actions. `Calls.finish` adds them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, key: str) -> ActionView | None:
        """The action with its installation and its tool's accepted definition; None when it has expired."""
        row = await self._database.first(_FIND, {"key": key})
        if row is None:
            return None
        pin = to_pin(row[INSTALLATION_WIDTH:_ACTION_AT])
        return ActionView(StoredAction(*row[_ACTION_AT:]), to_installation(row), pin)

    async def bind(self, keys: Sequence[str], message_id: str) -> None:
        """Store which message shows the buttons; an action that has a message keeps it."""

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(_BIND, {"keys": list(keys), "message": message_id})

        await self._database.write(work)


async def add(
    connection: AsyncConnection, call: RowMapping, new: Sequence[NewAction], now: int, message_id: str | None
) -> None:
    """Store the buttons of a call's result; `call` is the call's row, `message_id` the message that shows them."""
    of_call = {key: call[key] for key in ("installation_id", "guild_id")}
    of_call |= {"call_id": call["id"], "delivery_id": None}
    rest = {"message_id": message_id, "created_at": now}
    await connection.execute(_ADD, [to_values(action) | of_call | rest for action in new])


async def add_of_delivery(
    connection: AsyncConnection, post: Post, new: Sequence[NewAction], now: int
) -> None:
    """Store the buttons of an event's post, before their message exists."""
    of_post = {"installation_id": post.installation_id, "guild_id": post.guild_id}
    of_post |= {"call_id": None, "delivery_id": post.delivery_id}
    rest = {"message_id": None, "created_at": now}
    await connection.execute(_ADD, [to_values(action) | of_post | rest for action in new])


async def bind_of_delivery(connection: AsyncConnection, delivery_id: str, message_id: str) -> None:
    """Store which message shows the buttons of an event's post."""
    await connection.execute(_BIND_OF_DELIVERY, {"delivery": delivery_id, "message": message_id})


async def forget_unposted(connection: AsyncConnection, delivery_id: str) -> None:
    """Erase the buttons of an event's post that no message shows."""
    await connection.execute(_FORGET_UNPOSTED, {"delivery": delivery_id})


async def forget(connection: AsyncConnection, message_ids: Sequence[str]) -> int:
    """Erase the buttons of these messages within a transaction; gives back how many there were."""
    return (await connection.execute(_FORGET, {"messages": list(message_ids)})).rowcount
