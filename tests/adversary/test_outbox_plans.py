"""A hundred thousand deliveries: what is asked every few seconds reads an index, and little of it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from sqlalchemy import Executable, event, text
from sqlalchemy.ext.asyncio import AsyncConnection

from storage import gauges
from storage import outbox_statements as outbox
from storage import post_statements as posting
from storage.engine import Database
from storage.erase import DELIVERED
from storage.pulse import DUE, Pulse
from tests.support.event_records import hearing
from tests.support.records import GUILD, NOW

ROWS, INSTALLATIONS = 100_000, 20
FEW = 400
"""How many rows a look at what is due may touch, of all those that wait."""

OFTEN: Mapping[str, tuple[Executable, Mapping[str, Any]]] = {
    "ready": (outbox.READY, {"now": NOW, "most": 50}),
    "claim": (outbox.CLAIM, {"key": "i1", "now": NOW, "most": 16, "until": NOW + 60_000}),
    "end": (outbox.END, {"key": "d5", "number": 1, "to": "delivered", "why": None, "kind": None, "now": NOW}),
    "again": (outbox.AGAIN, {"key": "d5", "number": 1, "next_try": NOW, "why": None, "kind": None}),
    "freeze": (outbox.FREEZE, {"number": 5, "bytes": "x"}),
    "due posts": (posting.ANY_DUE, {"now": NOW}),
    "claimed posts": (posting.CLAIM, {"now": NOW, "most": 20, "each": 5, "until": NOW + 60_000}),
    "overtaken": (posting.OVERTAKEN, {"key": "d7"}),
    "retention": (DELIVERED, {"before": NOW - ROWS + 10}),
    "screened": (posting.SCREENED, {"now": NOW, "member": "5", "guild": GUILD}),
}
LONGER: Mapping[str, tuple[Executable, Mapping[str, Any]]] = {
    "failures": (outbox.FAILURES, {"key": "i1", "most": 15}),
    "counts": (gauges.COUNTS, {}),
}
"""What somebody asks now and then: by an index, but of all that waits, or of an installation's history."""

_FILL = """
    WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < {last})
    INSERT INTO deliveries (id, installation_id, guild_id, member_id, event_id, type, occurrence, occurred_at,
                            screening, status, attempts, next_at, ended_at)
    SELECT 'd' || n, 'i' || (n % {installations}), '{guild}', '' || n, 'e' || n, 'member.joined', 'j:' || n,
           {now} - {rows} + n, false, {status}, 1, {next_at}, {ended_at} FROM n
"""
_FILL_POSTS = """
    INSERT INTO posts (delivery_id, installation_id, guild_id, member_id, type, status, due_at, checks, created_at)
    SELECT id, installation_id, guild_id, member_id, type, CASE WHEN seq % 1000 = 0 THEN 'waiting' ELSE 'posted' END,
           CASE WHEN seq % 1000 = 0 THEN {now} END, 0, {now} FROM deliveries WHERE seq % 2 = 0
"""
BACKLOGS = {
    "all wait": ("'pending'", f"{NOW} - {ROWS} + n", "NULL"),
    "few wait": (
        "CASE WHEN n % 5000 = 0 THEN 'pending' ELSE 'delivered' END",
        f"CASE WHEN n % 5000 = 0 THEN {NOW} - 1 END",
        f"CASE WHEN n % 5000 = 0 THEN NULL ELSE {NOW} END",
    ),
}


@pytest.fixture
def database_url(own_url: str) -> str:
    """So many rows would slow down whatever comes after them in the same database."""
    return own_url


@pytest.fixture(params=BACKLOGS)
async def filled(request: pytest.FixtureRequest, database: Database) -> Database:
    """With so many rows that were written just now: PostgreSQL knows nothing about them yet."""
    for number in range(INSTALLATIONS):
        await hearing(database, f"i{number}")
    status, next_at, ended_at = BACKLOGS[request.param]
    names = {"guild": GUILD, "now": NOW, "rows": ROWS, "last": ROWS - 1, "installations": INSTALLATIONS}

    async def work(connection: AsyncConnection) -> None:
        fill = _FILL.format(**names, status=status, next_at=next_at, ended_at=ended_at)
        await connection.execute(text(fill))
        await connection.execute(text(_FILL_POSTS.format(**names)))

    await database.write(work)
    return database


class Undone(Exception):
    """Nothing of it is kept."""


async def plan_of(
    database: Database, statement: Executable, values: Mapping[str, Any]
) -> tuple[list[str], int]:
    """The reads of the plan that follow no index, and how many rows were touched (0 where nobody counts)."""
    on_sqlite = database.address.dialect == "sqlite"
    prefix = "EXPLAIN QUERY PLAN" if on_sqlite else "EXPLAIN (ANALYZE, FORMAT JSON)"
    sent: list[tuple[str, Any]] = []
    found: list[Any] = []

    def note(_connection: Any, _cursor: Any, sql: str, given: Any, *_: Any) -> None:
        sent.append((sql, given))

    async def run(connection: AsyncConnection) -> None:
        event.listen(connection.sync_connection, "before_cursor_execute", note)
        try:
            await connection.execute(statement, dict(values))
        finally:
            event.remove(connection.sync_connection, "before_cursor_execute", note)
        raise Undone

    async def explain(connection: AsyncConnection) -> None:
        ((sql, given),) = sent
        found.extend((await connection.exec_driver_sql(f"{prefix} {sql}", given)).all())
        raise Undone

    for work in (run, explain):
        with pytest.raises(Undone):
            await database.write(work)
    if on_sqlite:
        scans = [row[3] for row in found if row[3].startswith("SCAN") and " USING " not in row[3]]
        return [each for each in scans if "deliveries" in each or "posts" in each], 0
    plan = found[0][0]
    nodes = list(_nodes((json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]))
    scans = [f"{node['Node Type']} {node.get('Relation Name')}" for node in nodes]
    touched = (int(node["Actual Rows"] * node["Actual Loops"]) for node in nodes if "Relation Name" in node)
    return [each for each in scans if each in ("Seq Scan deliveries", "Seq Scan posts")], max(touched)


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)


async def test_what_is_asked_again_and_again_reads_little_and_by_an_index(filled: Database) -> None:
    for name, (statement, values) in {**OFTEN, **LONGER}.items():
        scans, touched = await plan_of(filled, statement, values)
        assert scans == [], name
        assert touched <= FEW or name in LONGER, (name, touched)
    scans, _ = await plan_of(filled, DUE, {"now": NOW})
    assert scans == []
    assert (await Pulse(filled).due(NOW)).deliveries
