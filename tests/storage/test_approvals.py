"""Approval cards: decided once, by whoever comes first, with everything that follows in the same transaction."""

import asyncio
import dataclasses

import pytest
from sqlalchemy import update

from storage import request_tables
from storage.approvals import Approvals
from storage.consents import Consents
from storage.engine import Database
from storage.errors import ParentGone
from storage.request_records import ApprovalStatus
from storage.requests import Requests
from tests.support.records import NOW, installation
from tests.support.request_records import ASKER, QUARTER, approval, asked, audited, carded, consent, request
from tests.support.storing import counts, enabled

CLOSES = NOW + QUARTER
LEASE = NOW + 60_000
STOPPING: list[ApprovalStatus] = ["declined", "expired"]
OTHERS: list[ApprovalStatus] = ["approved", "auto_approved", "cancelled", "stopped"]


@pytest.fixture
async def store(database: Database) -> Approvals:
    """The store, with an installation and a request that waits."""
    await enabled(database, installation())
    await asked(database, request(status="waiting"))
    return Approvals(database)


async def status(store: Approvals, *ids: str) -> list[str | None]:
    cards = [await store.get(id) for id in ids]
    return [card and card.status for card in cards]


async def test_a_card_comes_back_by_its_id_its_key_its_message_and_its_request(
    database: Database, store: Approvals
) -> None:
    await asked(database, request("r2"))
    later = approval("a2", opened_at=NOW + 1, card_id="701")
    await carded(database, later, approval(card_id="700"), approval("a3", "r2"))
    assert await store.get("a1") == await store.by_key("key-a1") == await store.by_card("700")
    assert await store.get("a1") == approval(card_id="700")
    assert await store.of_request("r1") == (approval(card_id="700"), later)
    assert (await store.get("no"), await store.by_key("no"), await store.by_card("no")) == (None,) * 3
    assert await store.of_request("no") == ()


async def test_an_id_has_one_card(database: Database, store: Approvals) -> None:
    again = [approval(key=f"key-{n}", arguments=f'{{"n":{n}}}') for n in range(8)]
    opened = await asyncio.gather(*map(store.open, again))
    assert opened.count(True) == 1
    assert await store.of_request("r1") == (again[opened.index(True)],)
    assert not await store.auto_approved(approval(key="other"))


async def test_a_card_of_what_was_removed_is_not_stored(database: Database, store: Approvals) -> None:
    for orphan in (approval(installation_id="gone"), approval(request_id="gone")):
        with pytest.raises(ParentGone):
            await store.open(orphan)
        with pytest.raises(ParentGone):
            await store.auto_approved(orphan)
    assert "approvals" not in await counts(database)


async def test_a_card_opened_after_the_writes_were_stopped_is_stopped(
    database: Database, store: Approvals
) -> None:
    await carded(database, approval())
    assert await store.decide("a1", "declined", NOW)
    assert await store.open(approval("a2"))
    assert await store.get("a2") == approval("a2", status="stopped", decided_at=NOW)
    assert not await store.auto_approved(approval("a3"))
    assert await store.get("a3") is None
    assert await audited(database) == [("a1", "declined"), ("a2", "stopped")]
    row = await Requests(database).get("r1")
    assert row is not None
    assert row.wakes == 2


async def test_a_card_opened_after_its_message_was_erased_is_cancelled_and_keeps_no_text(
    database: Database, store: Approvals
) -> None:
    row = request_tables.requests
    await database.write(lambda connection: connection.execute(update(row).values(content=None)))
    assert await store.open(approval())
    expected = approval(status="cancelled", decided_at=NOW, arguments=None, outside=None)
    assert await store.get("a1") == expected
    assert not await store.auto_approved(approval("a2"))
    assert await Requests(database).get("r1") == request(content=None, wakes=1)


@pytest.mark.parametrize("end", [*STOPPING, *OTHERS])
async def test_a_decision_closes_the_card_and_wakes_the_waiting_request(
    database: Database, store: Approvals, end: ApprovalStatus
) -> None:
    await carded(database, approval())
    decided = await store.decide("a1", end, NOW + 1)
    assert decided == approval(status=end, decided_at=NOW + 1)
    assert await store.get("a1") == decided
    assert await Requests(database).get("r1") == request(
        status="running", lease_until=None, wakes=1, writes_stopped=end in STOPPING
    )
    assert await audited(database) == [("a1", end)]


@pytest.mark.parametrize("end", [*STOPPING, *OTHERS])
async def test_only_declined_and_expired_stop_the_requests_other_open_cards(
    database: Database, store: Approvals, end: ApprovalStatus
) -> None:
    await asked(database, request("r2"))
    await carded(database, *map(approval, ("a1", "a2", "a3")), approval("of another", "r2"))
    await store.decide("a3", "approved", NOW)
    await store.decide("a1", end, NOW + 1)
    others = ["stopped" if end in STOPPING else "open", "approved", "open"]
    assert await status(store, "a2", "a3", "of another") == others
    second = [("a2", "stopped")] if end in STOPPING else []
    assert await audited(database) == [("a1", end), *second, ("a3", "approved")]
    assert await Requests(database).get("r2") == request("r2")


async def test_a_closed_card_is_decided_no_more(database: Database, store: Approvals) -> None:
    await carded(database, approval())
    decided = await store.decide("a1", "approved", NOW)
    for end in (*STOPPING, *OTHERS):
        assert await store.decide("a1", end, CLOSES) is None
    assert await store.expire_due(CLOSES, 10) == ()
    assert await store.get("a1") == decided
    assert await audited(database) == [("a1", "approved")]
    assert await Requests(database).get("r1") == request(wakes=1)
    assert await store.decide("unknown", "approved", NOW) is None


@pytest.mark.parametrize("end", ["approved", "auto_approved", "declined"])
async def test_a_press_at_the_deadline_finds_the_card_expired(
    database: Database, store: Approvals, end: ApprovalStatus
) -> None:
    await carded(database, *map(approval, ("a1", "a2")))
    assert await store.decide("a1", end, CLOSES, consent=consent()) is None
    assert await store.get("a1") == approval(status="expired", decided_at=CLOSES)
    assert await status(store, "a2") == ["stopped"]
    assert await Requests(database).get("r1") == request(wakes=1, writes_stopped=True)
    assert await Consents(database).find(ASKER, "i1", "order_snack") is None


async def test_the_last_moment_before_the_deadline_still_decides(
    database: Database, store: Approvals
) -> None:
    await carded(database, approval())
    assert await store.expire_due(CLOSES - 1, 10) == ()
    assert await store.decide("a1", "approved", CLOSES - 1)


@pytest.mark.parametrize("end", ["expired", "cancelled", "stopped"])
async def test_what_nobody_presses_needs_no_deadline(
    database: Database, store: Approvals, end: ApprovalStatus
) -> None:
    await carded(database, approval())
    assert await store.decide("a1", end, CLOSES + 1)


async def test_consent_is_kept_with_the_decision_and_replaces_the_older_one(
    database: Database, store: Approvals
) -> None:
    await carded(database, *map(approval, ("a1", "a2")))
    new = consent(definition_hash="newer", created_at=NOW + 1)
    await store.decide("a1", "approved", NOW, consent=consent())
    await store.decide("a2", "approved", NOW + 1, consent=new)
    assert await Consents(database).find(ASKER, "i1", "order_snack") == new


async def test_whoever_comes_second_leaves_no_consent(database: Database, store: Approvals) -> None:
    await carded(database, approval())
    await store.decide("a1", "cancelled", NOW)
    assert await store.decide("a1", "approved", NOW, consent=consent()) is None
    assert "consents" not in await counts(database)


async def test_a_decision_happens_whole_or_not_at_all(database: Database, store: Approvals) -> None:
    await carded(database, *map(approval, ("a1", "a2")))
    with pytest.raises(ParentGone):
        await store.decide("a1", "declined", NOW, consent=consent(installation_id="gone"))
    assert await status(store, "a1", "a2") == ["open", "open"]
    assert await Requests(database).get("r1") == request(status="waiting")
    assert await audited(database) == []


async def test_a_decision_during_the_run_lets_the_runner_go_on(database: Database, store: Approvals) -> None:
    requests = Requests(database)
    await asked(database, request("r2", lease_until=LEASE))
    await carded(database, approval("a2", "r2"))
    await store.decide("a2", "approved", NOW)
    assert not await requests.release("r2", "waiting", 0, held=LEASE)
    assert await requests.get("r2") == request("r2", lease_until=LEASE, wakes=1)


async def test_due_cards_expire_in_batches_and_each_is_given_back_once(
    database: Database, store: Approvals
) -> None:
    for number in range(5):
        await asked(database, request(f"due-{number}", status="waiting"))
        await carded(database, approval(f"a{number}", f"due-{number}", closes_at=NOW - number))
    await carded(database, approval("later", closes_at=NOW + 1))
    batches = [await store.expire_due(NOW, 2) for _ in range(4)]
    assert [{card.id for card in batch} for batch in batches] == [{"a3", "a4"}, {"a1", "a2"}, {"a0"}, set()]
    assert {card.status for batch in batches for card in batch} == {"expired"}
    assert await status(store, "later") == ["open"]
    assert {row.id for row in await Requests(database).take_lapsed(NOW, 9, LEASE)} == {
        f"due-{number}" for number in range(5)
    }


async def test_two_cards_of_one_request_that_are_due_both_expire_and_a_third_stops(
    database: Database, store: Approvals
) -> None:
    await carded(database, *(approval(id, closes_at=NOW) for id in ("a1", "a2")), approval("a3"))
    assert {card.id for card in await store.expire_due(NOW, 10)} == {"a1", "a2"}
    assert await status(store, "a1", "a2", "a3") == ["expired", "expired", "stopped"]
    assert await Requests(database).get("r1") == request(wakes=1, writes_stopped=True)


async def test_cards_go_with_their_messages_their_installation_and_their_member(
    database: Database, store: Approvals
) -> None:
    await enabled(database, installation("i2"))
    await asked(database, *(request(f"r{n}", status="waiting") for n in range(2, 6)))
    await carded(
        database,
        approval("by message", "r2"),
        approval("by trick", "r3", installation_id="i2"),
        approval("by member", "r4", asker_id="leaver"),
        approval("stays", "r5"),
        approval("done", "r2"),
    )
    await store.decide("done", "approved", NOW)
    found = (
        await store.cancel_of_messages(["message-r2", "unknown"], NOW),
        await store.cancel_of_installation("i2", NOW),
        await store.cancel_of_member("leaver", NOW),
    )
    assert [[card.id for card in cards] for cards in found] == [["by message"], ["by trick"], ["by member"]]
    assert {card.status for cards in found for card in cards} == {"cancelled"}
    assert await status(store, "stays", "done") == ["open", "approved"]
    rows = [await Requests(database).get(f"r{n}") for n in range(2, 6)]
    assert [row and (row.status, row.writes_stopped) for row in rows] == [
        ("running", False),
        ("running", False),
        ("running", False),
        ("waiting", False),
    ]
    assert await store.cancel_of_messages([], NOW) == ()
    assert await store.cancel_of_messages(["message-r2"], NOW) == ()


async def test_more_cards_than_one_batch_are_all_cancelled(database: Database, store: Approvals) -> None:
    row = request_tables.approvals
    cards = [dataclasses.asdict(approval(f"a{n}")) for n in range(501)]
    await database.write(lambda connection: connection.execute(row.insert(), cards))
    assert len(await store.cancel_of_messages(["message-r1"], NOW)) == 501


async def test_closed_cards_are_to_be_folded_until_they_are(database: Database, store: Approvals) -> None:
    await carded(database, *map(approval, ("a1", "a2", "a3")))
    await store.decide("a2", "approved", NOW)
    await store.decide("a1", "cancelled", NOW + 1)
    assert [card.id for card in await store.to_fold(10)] == ["a2", "a1"]
    assert [card.id for card in await store.to_fold(1)] == ["a2"]
    await store.folded(["a2", "unknown"])
    await store.folded([])
    assert [card.id for card in await store.to_fold(10)] == ["a1"]
    folded = await store.get("a2")
    assert folded is not None
    assert folded.folded


async def test_a_message_that_comes_after_its_card_closed_is_to_be_folded(
    database: Database, store: Approvals
) -> None:
    await carded(database, *map(approval, ("a1", "a2")))
    assert await store.set_card("a1", "700")
    await store.decide("a2", "cancelled", NOW)
    await store.folded(["a2"])
    assert not await store.set_card("a2", "701")
    assert [card.card_id for card in await store.to_fold(10)] == ["701"]
    assert await store.by_card("700") == approval(card_id="700")
    assert not await store.set_card("unknown", "702")


async def test_a_reviewed_write_has_a_row_without_a_card(database: Database, store: Approvals) -> None:
    assert await store.auto_approved(approval())
    stored = await store.get("a1")
    assert stored == approval(status="auto_approved", decided_at=NOW, folded=True)
    assert not await store.auto_approved(approval(key="again"))
    assert await store.to_fold(10) == ()
    assert await store.decide("a1", "declined", NOW) is None
    assert await audited(database) == [("a1", "auto_approved")]
    assert await Requests(database).get("r1") == request(status="waiting")
