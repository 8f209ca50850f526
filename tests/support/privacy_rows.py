"""Rows of every table that belong to one member, one server, one installation and one message.

Every text of theirs stands nowhere else, so that a search for it tells what is left.
"""

import random
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Integer, String, Table, Text, select

from storage.engine import Database
from storage.partial_indexes import metadata

Row = dict[str, Any]
Place = tuple[str, str]
WORDS = frozenset({"status", "state", "what", "type", "visibility", "origin", "outcome", "last_status"})
"""Columns with one of a few words, of which none says anything about a person."""
_STATES = {
    "installations": "enabled",
    "calls": "succeeded",
    "requests": "answered",
    "approvals": "declined",
    "tasks": "completed",
    "questions": "answered",
    "deliveries": "delivered",
    "posts": "posted",
}
_LONG = 6_000
"""Characters that fill more than one page of SQLite, and that PostgreSQL stores apart from their row."""


@dataclass(frozen=True)
class Subject:
    """Whose rows they are; `name` stands in every text of theirs, `at` is every time of them."""

    name: str
    at: int

    @property
    def member_id(self) -> str:
        """The member, who asked, acted, registered and joined."""
        return f"<{self.name}-member>"

    @property
    def guild_id(self) -> str:
        """The server."""
        return f"<{self.name}-guild>"

    @property
    def installation_id(self) -> str:
        """The trick in that server."""
        return f"<{self.name}-installation>"

    @property
    def message_id(self) -> str:
        """The message with which everything is kept that is kept with one."""
        return f"<{self.name}-message>"

    def text(self, table: str, column: str) -> str:
        """What stands in a column that names nothing else."""
        return f"<{self.name}.{table}.{column}>"

    def rows(self) -> dict[str, list[Row]]:
        """The rows of each table."""
        rows = {table.name: [self._row(table)] for table in metadata.sorted_tables}
        read = self.text("pins", "tool")
        rows["pins"][0] |= {"read_only": True}
        of_a_read = {"tool": read, "call_id": self.text("audit", "call_id") + "read"}
        rows["audit"].append(rows["audit"][0] | of_a_read)
        of_the_post = {"key": self.text("actions", "key") + "post", "call_id": None}
        rows["actions"].append(rows["actions"][0] | of_the_post)
        rows["actions"][0]["delivery_id"] = None
        return rows

    def _row(self, table: Table) -> Row:
        return {
            column.name: self._value(table.name, column)
            for column in table.columns
            if (table.name, column.name) not in (("audit", "id"), ("deliveries", "seq"))
        }

    def _value(self, table: str, column: Column[Any]) -> Any:
        named = {
            "guild_id": self.guild_id,
            "installation_id": self.installation_id,
            "message_id": self.message_id,
            "request_id": self.text("requests", "id"),
            "delivery_id": self.text("deliveries", "id"),
            **dict.fromkeys(("asker_id", "member_id", "owner_id", "actor_id", "created_by"), self.member_id),
        }
        special = {
            ("installations", "id"): self.installation_id,
            ("actions", "call_id"): self.text("calls", "id"),
            ("questions", "task_id"): self.text("tasks", "id"),
            ("claims", "id"): f"p:key:{self.member_id}",
            ("audit", "what"): "called",
            ("guilds", "left_at"): None,
        }
        if (table, column.name) in special:
            return special[table, column.name]
        if column.name in named:
            return named[column.name]
        if column.name in ("status", "state") and table in _STATES:
            return _STATES[table]
        return self._plain(table, column)

    def _plain(self, table: str, column: Column[Any]) -> Any:
        if isinstance(column.type, Boolean):
            return False
        if isinstance(column.type, BigInteger):
            return self.at
        if isinstance(column.type, Integer):
            return 0
        text = self.text(table, column.name)
        if not (isinstance(column.type, Text) and column.nullable):
            return text
        noise = random.Random(text)
        return text + "".join(noise.choices("0123456789abcdefghijklmnopqrstuvwxyz", k=_LONG))


async def store(database: Database, *subjects: Subject) -> None:
    """Put the rows of the subjects into the database."""

    async def work(connection: Any) -> None:
        for subject in subjects:
            rows = subject.rows()
            for table in metadata.sorted_tables:  # parents before their children
                for row in rows[table.name]:
                    await connection.execute(table.insert(), row)

    await database.write(work)


def texts_of(subject: Subject) -> dict[Place, set[str]]:
    """What stands in each column whose values tell one subject from another."""
    rows = subject.rows()
    return {
        (table.name, column.name): {row[column.name] for row in rows[table.name] if row[column.name]}
        for table in metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, String) and column.name not in WORDS
    }


async def left_of(database: Database, subject: Subject) -> dict[Place, set[str]]:
    """The columns in which something of the subject's still stands, with what that is."""
    stored: dict[Place, set[Any]] = {}
    for table in metadata.sorted_tables:
        for row in await database.all(select(table)):
            for column, value in zip(table.columns.keys(), row, strict=True):
                stored.setdefault((table.name, column), set()).add(value)
    left = {place: texts & stored.get(place, set()) for place, texts in texts_of(subject).items()}
    return {place: texts for place, texts in left.items() if texts}
