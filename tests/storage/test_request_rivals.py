"""Several processes on the same conversations: each request and each card is somebody's, and only once."""

from collections import Counter

from storage.approvals import Approvals
from storage.engine import Database
from storage.requests import Requests
from tests.storage.request_rivals import COUNT
from tests.storage.test_rivals import race
from tests.support.records import NOW, installation
from tests.support.request_records import approval, asked, audited, carded, request
from tests.support.storing import FAR, enabled


async def test_three_processes_share_requests_and_cards_without_doing_anything_twice(
    database: Database, database_url: str
) -> None:
    await enabled(database, installation())
    for number in range(COUNT):
        decide, expire = f"decide-{number}", f"expire-{number}"
        await asked(database, request(f"take-{number}"))
        await asked(database, request(decide, status="waiting"), request(expire, status="waiting"))
        await carded(database, approval(decide, decide), approval(expire, expire, closes_at=NOW))
    won = await race(database_url, "tests.storage.request_rivals")
    woken = {f"{kind}-{number}" for kind in ("decide", "expire") for number in range(COUNT)}
    for kind, expected in (
        ("opened", set(map(str, range(COUNT)))),
        ("taken", {f"take-{number}" for number in range(COUNT)}),
        ("decided", {f"decide-{number}" for number in range(COUNT)}),
        ("expired", {f"expire-{number}" for number in range(COUNT)}),
        ("lapsed", woken),
    ):
        got = [one for share in won for one in share[kind]]
        assert len(got) == len(set(got)), kind
        assert set(got) == expected, kind
    await _assert_each_was_decided_as_its_winner_wanted(database, won)


async def _assert_each_was_decided_as_its_winner_wanted(
    database: Database, won: list[dict[str, list[str]]]
) -> None:
    for ending, share in zip(("approved", "declined", "cancelled"), won, strict=True):
        for id in share["decided"]:
            card, row = await Approvals(database).get(id), await Requests(database).get(id)
            assert card is not None
            assert row is not None
            assert card.status == ending
            assert (row.wakes, row.writes_stopped, row.lease_until) == (1, ending == "declined", FAR)
    assert max(Counter(id for id, _ in await audited(database)).values()) == 1
