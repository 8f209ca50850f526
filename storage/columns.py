"""What all tables are made of: the metadata that collects them, and the kinds of columns.

Times are integer milliseconds since the epoch, UTC. Ids are text. JSON is text too, written and read by
whoever knows its shape. No column has a default in the database, so both databases store the same.
Texts must be free of NULs and lone surrogates: PostgreSQL takes neither.
"""

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Integer, MetaData, String, Text

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
    }
)


def id_column(name: str, *, null: bool = False) -> Column[str]:
    """An id or a word."""
    return Column(name, String, nullable=null)


def text_column(name: str, *, null: bool = False) -> Column[str]:
    """Any text; JSON too."""
    return Column(name, Text, nullable=null)


def ms_column(name: str, *, null: bool = False) -> Column[int]:
    """A time or a number that may be large."""
    return Column(name, BigInteger, nullable=null)


def count_column(name: str) -> Column[int]:
    """A small number."""
    return Column(name, Integer, nullable=False)


def flag_column(name: str) -> Column[bool]:
    """Yes or no."""
    return Column(name, Boolean, nullable=False)


def installation_column(*, null: bool = False, key: bool = False) -> Column[str]:
    """The installation that a row belongs to, and goes with."""
    parent = ForeignKey("installations.id", ondelete="CASCADE")
    return Column("installation_id", String, parent, nullable=null, primary_key=key)
