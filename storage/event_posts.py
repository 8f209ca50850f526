"""Posts of events: what a trick answered to a delivery, on its way into the events channel.

Each is worked on by one process at a time. The intent to post is stored before anything is posted, so that who
comes after a crash knows what to look for.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Executable
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import actions
from storage import post_statements as statements
from storage.engine import Database
from storage.event_records import Post
from storage.records import NewAction


class EventPosts:
    """The store of posts. `Outbox.finish` adds them.

    A post that is given is one that was claimed: what its claim no longer covers changes nothing.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, now: int, limit: int, lease_until: int, *, each: int = 5) -> tuple[Post, ...]:
        """Take up to `limit` due posts, nobody else's until `lease_until`, the longest due first.

        Of one installation at most `each`, and first one of every installation.

        Those are the waiting ones, and those whose posting was begun by somebody who did not end it. Nothing
        is due while its installation is not on, and while its channel is lost only once in `pulse.PROBE_MS`.
        """
        due = await self._database.first(statements.ANY_DUE, {"now": now})
        if due is None or not due[0]:  # nothing to do is no reason to write
            return ()
        values = {"now": now, "most": limit, "until": lease_until, "each": each}

        async def work(connection: AsyncConnection) -> list[Post]:
            return [Post(*row) for row in await connection.execute(statements.CLAIM, values)]

        rows = await self._database.write(work)
        return tuple(sorted(rows, key=lambda row: (row.due_at, row.created_at, row.delivery_id)))

    async def overtaken(self, post: Post) -> bool:
        """Whether the member has left after the event that the post answers."""
        row = await self._database.first(statements.OVERTAKEN, {"key": post.delivery_id})
        return row is not None and bool(row[0])

    async def keep(self, post: Post, lease_until: int) -> bool:
        """Hold the claim until then; False when it is another's by now."""
        return await self._held(statements.KEEP, post, {"until": lease_until})

    async def intend(
        self,
        post: Post,
        nonce: str,
        channel_id: str,
        keys: str,
        new: Sequence[NewAction],
        now: int,
        lease_until: int,
    ) -> bool:
        """Store that the post is about to be sent there, and its buttons; `keys` is JSON, action id to key.

        The claim then holds until `lease_until`. False when it is another's by now, or when posts of the
        installation do not go there any more.
        """
        values = {
            **_held(post),
            "mark": nonce,
            "channel": channel_id,
            "button_keys": keys,
            "now": now,
            "until": lease_until,
        }

        async def work(connection: AsyncConnection) -> bool:
            if (await connection.execute(statements.INTEND, values)).first() is None:
                return False
            if new:
                await actions.add_of_delivery(connection, post, new, now)
            return True

        return await self._database.write(work)

    async def posted(self, post: Post, message_id: str) -> bool:
        """The message stands there: store its id with the post and its buttons, and forget what it shows.

        Also after the claim lapsed, for it does stand there. False when it was posted or dropped already.
        """
        values = {"key": post.delivery_id, "message": message_id}

        async def work(connection: AsyncConnection) -> bool:
            if (await connection.execute(statements.POSTED, values)).first() is None:
                return False
            await actions.bind_of_delivery(connection, post.delivery_id, message_id)
            return True

        return await self._database.write(work)

    async def dropped(self, post: Post) -> bool:
        """It will not be posted: forget what it shows, and its buttons."""
        return await self._forgetting(statements.DROPPED, post, {})

    async def later(self, post: Post, due_at: int, *, checked: bool = False) -> bool:
        """It was not posted: let it wait until `due_at`, and begin anew then.

        `checked` counts that the member was found to be in the server's screening.
        """
        return await self._forgetting(statements.BACK, post, {"next_due": due_at, "step": int(checked)})

    async def look_later(self, post: Post, due_at: int) -> None:
        """It may have been posted: let it be looked for at `due_at`."""
        values = _held(post) | {"next_due": due_at}

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(statements.LOOK_LATER, values)

        await self._database.write(work)

    async def screened(self, guild_id: str, member_id: str, now: int) -> None:
        """The member has passed the server's screening: their waiting posts are due now."""
        values = {"guild": guild_id, "member": member_id, "now": now}

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(statements.SCREENED, values)

        await self._database.write(work)

    async def screening(self, limit: int) -> frozenset[tuple[str, str]]:
        """The guild and member ids of up to `limit` members whose posts wait for their screening."""
        rows = await self._database.all(statements.WAITING, {"most": limit})
        return frozenset((row[0], row[1]) for row in rows)

    async def _held(self, statement: Executable, post: Post, values: dict[str, Any]) -> bool:
        async def work(connection: AsyncConnection) -> bool:
            return (await connection.execute(statement, _held(post) | values)).first() is not None

        return await self._database.write(work)

    async def _forgetting(self, statement: Executable, post: Post, values: dict[str, Any]) -> bool:
        async def work(connection: AsyncConnection) -> bool:
            if (await connection.execute(statement, _held(post) | values)).first() is None:
                return False
            await actions.forget_unposted(connection, post.delivery_id)
            return True

        return await self._database.write(work)


def _held(post: Post) -> dict[str, Any]:
    return {"key": post.delivery_id, "held": post.lease_until}
