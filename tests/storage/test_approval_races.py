"""Approval cards that several want to close, open or remove at the same moment: one of them decides."""

import asyncio

import pytest

from storage.approvals import Approvals
from storage.engine import Database
from storage.installations import Installations
from storage.request_records import ApprovalStatus
from storage.requests import Requests
from tests.support.records import NOW, OWNER, installation
from tests.support.request_records import QUARTER, approval, asked, audited, carded, request
from tests.support.storing import enabled

CLOSES = NOW + QUARTER


@pytest.fixture
async def store(database: Database) -> Approvals:
    """The store, with an installation and a request that waits."""
    await enabled(database, installation())
    await asked(database, request(status="waiting"))
    return Approvals(database)


async def status(store: Approvals, *ids: str) -> list[str | None]:
    cards = [await store.get(id) for id in ids]
    return [card and card.status for card in cards]


async def test_of_two_presses_one_decides(database: Database, store: Approvals) -> None:
    for number in range(10):
        id = f"a{number}"
        await carded(database, approval(id))
        ends: list[ApprovalStatus] = ["approved", "cancelled", "approved", "auto_approved"]
        decided = await asyncio.gather(*(store.decide(id, end, NOW) for end in ends))
        (winner,) = [card for card in decided if card]
        assert await store.get(id) == winner
    assert len(await audited(database)) == 10
    assert await Requests(database).get("r1") == request(wakes=10)


async def test_of_a_press_and_an_expiry_one_decides(database: Database, store: Approvals) -> None:
    for number in range(10):
        id, mine = f"a{number}", f"r-{number}"
        await asked(database, request(mine, status="waiting"))
        await carded(database, approval(id, mine))
        pressed, expired = await asyncio.gather(
            store.decide(id, "approved", CLOSES - 1), store.expire_due(CLOSES, 10)
        )
        assert [card.status for card in (pressed, *expired) if card] == await status(store, id)
        row = await Requests(database).get(mine)
        assert row is not None
        assert (row.wakes, row.writes_stopped) == (1, pressed is None)


async def test_two_cards_declined_at_once_are_one_declined_and_one_stopped(
    database: Database, store: Approvals
) -> None:
    for number in range(10):
        mine, ids = f"r-{number}", (f"a{number}", f"b{number}")
        await asked(database, request(mine, status="waiting"))
        await carded(database, *(approval(id, mine) for id in ids))
        decided = await asyncio.gather(*(store.decide(id, "declined", NOW) for id in ids))
        assert len([card for card in decided if card]) == 1
        assert sorted(str(each) for each in await status(store, *ids)) == ["declined", "stopped"]


async def test_a_card_opened_while_another_is_declined_does_not_stay_open(
    database: Database, store: Approvals
) -> None:
    for number in range(10):
        mine = f"r-{number}"
        await asked(database, request(mine))
        await carded(database, approval(f"a{number}", mine))
        new = approval(f"b{number}", mine)
        await asyncio.gather(store.open(new), store.decide(f"a{number}", "declined", NOW))
        assert await status(store, new.id) == ["stopped"]


async def test_presses_while_the_trick_is_removed_end_without_a_fault(
    database: Database, store: Approvals
) -> None:
    for number in range(10):
        id = f"x{number}"
        await enabled(database, installation(id))
        cards = [approval(f"{id}-{n}", installation_id=id) for n in range(3)]
        await carded(database, *cards)
        await asyncio.gather(
            *(store.decide(card.id, "declined", NOW) for card in cards),
            Installations(database).remove(id, NOW, OWNER),
        )
    assert await store.of_request("r1") == ()
