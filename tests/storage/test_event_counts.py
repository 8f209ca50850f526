"""How many events of an installation wait, were given up, and wait to be posted."""

from storage.engine import Database
from storage.event_counts import Counts, EventCounts
from storage.outbox import Outbox
from tests.support.event_records import again, claimed, delivered, failed, hearing, joined, left
from tests.support.records import NOW


async def test_what_waits_was_given_up_and_waits_to_be_posted_is_counted_for_one_installation(
    database: Database,
) -> None:
    await hearing(database)
    await hearing(database, "i2")
    counts, outbox = EventCounts(database), Outbox(database)
    assert await counts.of("i1") == Counts(waiting=0, failed=0, posts=0)
    await outbox.add([joined("e1", member_id="1"), joined("e2", member_id="2"), left("e3", member_id="3")])
    assert await counts.of("i1") == Counts(waiting=3, failed=0, posts=0)
    first, second, third = await claimed(database)
    await outbox.finish([delivered(first, '{"text":"Hi"}'), failed(second), again(third, NOW)], NOW)
    assert await counts.of("i1") == Counts(waiting=1, failed=1, posts=1)
    assert await counts.of("i2") == Counts(waiting=3, failed=0, posts=0)
