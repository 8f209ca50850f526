"""INSERT … ON CONFLICT, which SQLAlchemy has once for each database; PostgreSQL's is loaded only there."""

from collections.abc import Callable
from typing import Any, cast

from sqlalchemy import Executable, Table
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.sqlite import Insert
from sqlalchemy.ext.asyncio import AsyncConnection

InsertInto = Callable[[Table], Insert]


class Upsert:
    """One statement, built at its first use on either database from that database's `insert`."""

    def __init__(self, build: Callable[[InsertInto], Executable]) -> None:
        self._build = build
        self._built: dict[str, Executable] = {}

    def on(self, connection: AsyncConnection) -> Executable:
        """The statement for the database of `connection`."""
        dialect = connection.dialect.name
        if dialect not in self._built:
            self._built[dialect] = self._build(_insert_of(dialect))
        return self._built[dialect]


def _insert_of(dialect: str) -> InsertInto:
    if dialect != "postgresql":
        return sqlite.insert
    from sqlalchemy.dialects import postgresql

    return cast("Any", postgresql.insert)  # the same methods under another class
