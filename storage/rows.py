"""From rows to records. A joined row holds the columns of several tables one after the other."""

import json
from collections.abc import Sequence
from typing import Any

from storage import tables
from storage.records import Command, Guild, Installation, Pin

_HELD_BACK = tables.installations.c.keys().index("held_back")
_NAMES = tables.guilds.c.keys().index("command_names")
INSTALLATION_WIDTH = len(tables.installations.c)
COMMAND_WIDTH = len(tables.commands.c)


def to_values(record: Any) -> dict[str, Any]:
    """A record's fields by name, to be inserted; `dataclasses.asdict` copies deeply and is ten times slower."""
    return {name: getattr(record, name) for name in record.__slots__}


def dump_names(names: Sequence[str]) -> str:
    """A list of names as the JSON text that is stored."""
    return json.dumps(list(names))


def to_guild(row: Sequence[Any]) -> Guild:
    """A row of `guilds`."""
    values = list(row)
    values[_NAMES] = tuple(json.loads(values[_NAMES]))
    return Guild(*values)


def to_installation(row: Sequence[Any]) -> Installation:
    """A row that begins with the columns of `installations`."""
    values = list(row[:INSTALLATION_WIDTH])
    values[_HELD_BACK] = tuple(json.loads(values[_HELD_BACK]))
    return Installation(*values)


def to_command(row: Sequence[Any]) -> Command:
    """A row that begins with the columns of `commands`."""
    return Command(*row[:COMMAND_WIDTH])


def to_pin(row: Sequence[Any]) -> Pin | None:
    """The columns of `pins`, None when an outer join found none."""
    return Pin(*row) if row[0] is not None else None
