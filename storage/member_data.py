"""What is stored about one member: how much, and the rows themselves, without what is not theirs to read.

Left out of the rows are keys and sealed values, what only the owner reads (the trick's words in an error, the
settings within an event), and texts of other people.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, String, Table, bindparam, func, select

from storage.engine import Database
from storage.event_tables import deliveries, posts
from storage.request_tables import approvals, consents, questions, requests, tasks, threads
from storage.tables import audit, call_has_text, calls, drafts, installations

MemberRow = dict[str, Any]
"""Values by column; times in milliseconds, JSON as it is stored."""

_AT_ONCE = 10
"""Rows in memory at the same time: a result may have 1 MiB."""
_member = bindparam("member", type_=String)


class _Part:
    """One table's rows about the member: `key` finds them again, newest first by `order`."""

    def __init__(self, table: Table, key: str, member: str, order: str, columns: str) -> None:
        self.name = table.name
        self.theirs = table.c[member] == _member
        self.keys: Select[tuple[str | int]] = (
            select(table.c[key]).where(self.theirs).order_by(table.c[order].desc(), table.c[key])
        )
        self.columns = tuple(columns.split())
        self.rows: Select[tuple[Any, ...]] = select(
            table.c[key].label("_key"), *(table.c[name] for name in self.columns)
        ).where(self.theirs, table.c[key].in_(bindparam("keys", expanding=True)))
        self.count: ColumnElement[int] = (
            select(func.count()).select_from(table).where(self.theirs).scalar_subquery()
        )


_PARTS = (
    _Part(
        requests,
        "id",
        "asker_id",
        "created_at",
        "id guild_id channel_id message_id thread_id content status created_at",
    ),
    _Part(
        calls,
        "id",
        "asker_id",
        "started_at",
        "id installation_id guild_id tool origin channel_id message_id arguments status started_at finished_at "
        "result failure",
    ),
    _Part(
        approvals,
        "id",
        "asker_id",
        "opened_at",
        "id installation_id request_id guild_id channel_id message_id card_id tool arguments reason status "
        "opened_at closes_at decided_at",
    ),
    _Part(
        tasks,
        "id",
        "asker_id",
        "created_at",
        "id installation_id request_id guild_id channel_id message_id tool status last_status last_message "
        "created_at expires_at",
    ),
    _Part(
        questions,
        "id",
        "asker_id",
        "opened_at",
        "id installation_id task_id request_id guild_id channel_id message_id question_id message schema words "
        "draft answer status opened_at closes_at",
    ),
    _Part(
        consents,
        "installation_id",
        "member_id",
        "created_at",
        "installation_id tool guild_id created_at",
    ),
    _Part(threads, "thread_id", "asker_id", "created_at", "thread_id guild_id created_at"),
    _Part(
        deliveries,
        "id",
        "member_id",
        "occurred_at",
        "id event_id installation_id guild_id type occurred_at status attempts ended_at",
    ),
    _Part(
        posts,
        "delivery_id",
        "member_id",
        "created_at",
        "delivery_id installation_id guild_id type presentation status channel_id message_id created_at",
    ),
    _Part(drafts, "id", "owner_id", "created_at", "id guild_id kind installation_id created_at"),
    _Part(
        installations,
        "id",
        "created_by",
        "created_at",
        "id guild_id trick_id name created_at",
    ),
    _Part(
        audit,
        "id",
        "actor_id",
        "id",
        "id at guild_id installation_id call_id what tool outcome",
    ),
)
_WITH_TEXTS = (
    select(func.count())
    .select_from(calls)
    .where(calls.c.asker_id == _member, call_has_text)
    .scalar_subquery()
)
_COUNTS = select(*(part.count.label(part.name) for part in _PARTS), _WITH_TEXTS.label("calls_with_texts"))


@dataclass(frozen=True, slots=True)
class MemberCounts:
    """How many rows there are about a member, in all servers; `calls_with_texts` are among the calls."""

    requests: int
    calls: int
    approvals: int
    tasks: int
    questions: int
    consents: int
    threads: int
    deliveries: int
    posts: int
    drafts: int
    installations: int
    audit: int
    calls_with_texts: int


class MemberData:
    """Reads what is stored about a member, in all servers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def counts(self, member_id: str) -> MemberCounts:
        """How much there is."""
        rows = await self._database.all(_COUNTS, {"member": member_id})
        return MemberCounts(*rows[0])

    async def rows(self, member_id: str) -> AsyncIterator[tuple[str, Sequence[MemberRow]]]:
        """All of it: the name of a table with some of its rows, each table's newest first."""
        for part in _PARTS:
            found = await self._database.all(part.keys, {"member": member_id})
            keys = list(dict.fromkeys(row[0] for row in found))
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                rows = await self._database.all(part.rows, {"member": member_id, "keys": some})
                place = {key: number for number, key in enumerate(some)}
                ordered = sorted(rows, key=lambda row: place[row[0]])
                yield part.name, [dict(zip(part.columns, row[1:], strict=True)) for row in ordered]
