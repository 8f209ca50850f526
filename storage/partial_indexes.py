"""The partial indexes of `storage.tables`.

They stand apart because naming an option of PostgreSQL's loads its dialect, which only migrations need then.
"""

from sqlalchemy import ColumnElement, Index

from storage.tables import call_has_text, call_under_way, calls, commands_unwritten, guilds, metadata

__all__ = ["metadata"]


def _partial(name: str, column: ColumnElement[int] | ColumnElement[str], where: ColumnElement[bool]) -> None:
    Index(name, column, sqlite_where=where, postgresql_where=where)


_partial("ix_guilds_unwritten", guilds.c.guild_id, commands_unwritten)
_partial("ix_calls_text", calls.c.started_at, call_has_text)
_partial("ix_calls_under_way", calls.c.started_at, call_under_way)
