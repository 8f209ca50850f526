"""Rows for tests, with every field filled in that the test does not care about."""

import dataclasses
from typing import Any

from storage.records import Command, Draft, Installation, NewAction, NewCall, Pin

NOW = 1_767_225_600_000
GUILD = "41771983423143937"
OWNER = "80351110224678912"


def installation(id: str = "i1", **changes: Any) -> Installation:
    """A registered installation of the trick with the same id."""
    row = Installation(
        id=id,
        guild_id=GUILD,
        trick_id=f"trick-{id}",
        name="Snacks",
        manifest_url="https://snacks.example/manifest.json",
        manifest="{}",
        state="registered",
        secret="sealed",
        previous_secret=None,
        previous_secret_until=None,
        settings="{}",
        access="{}",
        failures=0,
        pinned=False,
        held_back=(),
        notice=None,
        next_look_at=None,
        look_until=None,
        created_at=NOW,
        created_by=OWNER,
    )
    return dataclasses.replace(row, **changes)


def command(name: str = "snacks", installation_id: str = "i1", **changes: Any) -> Command:
    """A command of the tool `list_snacks` on both surfaces."""
    row = Command(GUILD, name, installation_id, 0, "list_snacks", "public", True, True, "{}")
    return dataclasses.replace(row, **changes)


def pin(tool: str = "list_snacks", installation_id: str = "i1", **changes: Any) -> Pin:
    """An accepted definition of a read tool."""
    row = Pin(
        installation_id, tool, "List snacks", "Lists them.", "{}", True, False, False, False, "hash", NOW
    )
    return dataclasses.replace(row, **changes)


def call(id: str = "c1", installation_id: str = "i1", **changes: Any) -> NewCall:
    """A slash command's call, kept with no message."""
    row = NewCall(id, installation_id, GUILD, "list_snacks", "slash", OWNER, "500", None, '{"q":1}')
    return dataclasses.replace(row, **changes)


def action(key: str = "k1", **changes: Any) -> NewAction:
    """A button that eats a snack."""
    return dataclasses.replace(NewAction(key, "eat_snack", "Eat it", '{"n":1}'), **changes)


def draft(id: str = "d1", **changes: Any) -> Draft:
    """A draft of the owner that belongs to no installation yet."""
    return dataclasses.replace(Draft(id, GUILD, OWNER, "register", None, "{}", NOW), **changes)
