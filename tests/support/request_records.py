"""Rows of conversations for tests, every field filled in, and short ways to store them."""

import dataclasses
from typing import Any

from sqlalchemy import select

from storage import tables
from storage.approvals import Approvals
from storage.engine import Database
from storage.records import Claim
from storage.request_records import Approval, Consent, Request
from storage.requests import Requests
from tests.support.records import GUILD, NOW

ASKER = "70351110224678912"
CHANNEL = "60351110224678912"
QUARTER = 900_000


def request(id: str = "r1", **changes: Any) -> Request:
    """A request that runs and that nobody has, of a message of its own."""
    row = Request(
        id=id,
        guild_id=GUILD,
        asker_id=ASKER,
        channel_id=CHANNEL,
        message_id=f"message-{id}",
        thread_id=None,
        content="two pretzels, please",
        status="running",
        writes_stopped=False,
        state=None,
        wakes=0,
        lease_until=None,
        created_at=NOW,
    )
    return dataclasses.replace(row, **changes)


def approval(id: str = "a1", request_id: str = "r1", **changes: Any) -> Approval:
    """An open card of the tool `order_snack` that closes in a quarter of an hour."""
    row = Approval(
        id=id,
        key=f"key-{id}",
        installation_id="i1",
        request_id=request_id,
        guild_id=GUILD,
        asker_id=ASKER,
        channel_id=CHANNEL,
        message_id=f"message-{request_id}",
        card_id=None,
        tool="order_snack",
        definition_hash="hash",
        endpoint="https://snacks.example/mcp",
        arguments='{"n":2}',
        outside="[]",
        reason="outside",
        reviewable=True,
        status="open",
        opened_at=NOW,
        closes_at=NOW + QUARTER,
        decided_at=None,
        folded=False,
    )
    return dataclasses.replace(row, **changes)


def consent(tool: str = "order_snack", **changes: Any) -> Consent:
    """The asker's consent for the definition that `approval` is about."""
    row = Consent(ASKER, "i1", tool, GUILD, "https://snacks.example/mcp", "hash", NOW)
    return dataclasses.replace(row, **changes)


async def asked(database: Database, *new: Request) -> None:
    """Open requests, each under the claim of its message."""
    for each in new:
        assert await Requests(database).open(Claim(f"m:{each.message_id}", NOW + 1), each, NOW)


async def carded(database: Database, *new: Approval) -> None:
    """Open cards."""
    for each in new:
        assert await Approvals(database).open(each)


async def audited(database: Database) -> list[tuple[str, str | None]]:
    """What the audit trail says of cards: their ids and how each closed, sorted."""
    of = tables.audit.c
    rows = await database.all(select(of.call_id, of.outcome).where(of.what == "approval"))
    return sorted((row[0], row[1]) for row in rows)
