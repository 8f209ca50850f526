"""The sweep of expired cards among many open ones: by the partial index, and in batches."""

import dataclasses
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, event

from storage import request_tables
from storage.approvals import Approvals
from storage.engine import Database
from tests.support.records import NOW, installation
from tests.support.request_records import approval, asked, request
from tests.support.storing import enabled

DUE = 100
Sent = list[tuple[str, Any]]


@contextmanager
def recorded() -> Generator[Sent]:
    """The statements that go to a database meanwhile, with their parameters."""
    sent: Sent = []

    def record(_c: object, _cursor: object, statement: str, parameters: Any, *_: object) -> None:
        sent.append((statement, parameters))

    event.listen(Engine, "before_cursor_execute", record)
    try:
        yield sent
    finally:
        event.remove(Engine, "before_cursor_execute", record)


async def plan(database: Database, statement: str, parameters: Any) -> str:
    explain = "EXPLAIN QUERY PLAN" if database.address.dialect == "sqlite" else "EXPLAIN"
    async with database.read() as connection:
        rows = await connection.exec_driver_sql(f"{explain} {statement}", parameters)
        return "\n".join(str(row[-1]) for row in rows)


async def many(database: Database, *, patient: int, closed: int) -> None:
    """`DUE` due cards, each of a request of its own, and many that are open longer or closed and folded."""
    await enabled(database, installation())
    await asked(database, request("patient", status="waiting"))
    await asked(database, *(request(f"r{n}", status="waiting") for n in range(DUE)))
    over = approval(request_id="patient", closes_at=NOW - DUE, status="approved", folded=True, decided_at=NOW)
    cards = [
        *(approval(f"due-{n}", f"r{n}", closes_at=NOW - n) for n in range(DUE)),
        *(approval(f"later-{n}", "patient", closes_at=NOW + 1 + n) for n in range(patient)),
        *(dataclasses.replace(over, id=f"over-{n}", key=f"over-{n}") for n in range(closed)),
    ]
    insert, rows = request_tables.approvals.insert(), [dataclasses.asdict(card) for card in cards]
    await database.write(lambda connection: connection.execute(insert, rows))
    await analyzed(database)


async def analyzed(database: Database) -> None:
    await database.write(lambda connection: connection.exec_driver_sql("ANALYZE"))


async def test_a_hundred_due_cards_of_ten_thousand_are_found_by_the_index_and_closed_in_batches(
    database: Database,
) -> None:
    await many(database, patient=10_000 - DUE, closed=0)
    store = Approvals(database)
    with recorded() as sent:
        batches = [await store.expire_due(NOW, 30) for _ in range(5)]
    assert [len(batch) for batch in batches] == [30, 30, 30, 10, 0]
    assert {card.id for batch in batches for card in batch} == {f"due-{n}" for n in range(DUE)}
    (find, *_) = (each for each in sent if each[0].startswith("SELECT approvals.id"))
    assert "ix_approvals_open" in await plan(database, *find)
    assert await store.decide("later-0", "approved", NOW)


async def test_cards_to_cancel_and_to_fold_are_found_without_reading_the_old_ones(database: Database) -> None:
    await many(database, patient=0, closed=3_000)
    store = Approvals(database)
    with recorded() as sent:
        assert await store.cancel_of_member("unknown", NOW) == ()
    assert "ix_approvals_open" in await plan(database, *sent[-1])
    await store.expire_due(NOW, DUE)
    await analyzed(database)
    with recorded() as sent:
        assert len(await store.to_fold(DUE)) == DUE
    assert "ix_approvals_to_fold" in await plan(database, *sent[-1])
