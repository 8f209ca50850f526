"""What goes after its time, and what goes with its message."""

from sqlalchemy import select

from storage import tables
from storage.actions import Actions
from storage.calls import Calls
from storage.drafts import Drafts
from storage.engine import Database
from storage.erase import Erase
from storage.records import CallOutcome, Claim
from tests.support.records import GUILD, NOW, OWNER, action, call, draft, installation
from tests.support.storing import FAR, begun, counts, enabled, ended, everything

OLD = NOW - 1_000_000


def answer(*keys: str) -> CallOutcome:
    return CallOutcome(
        "failed", result="RESULT", said="SAID", failure="Told.", actions=tuple(map(action, keys))
    )


async def test_texts_and_buttons_go_after_their_time_and_ids_stay(database: Database) -> None:
    await enabled(database, installation())
    await ended(database, call("old", arguments="ASKED"), answer("k-old"), OLD)
    before = await counts(database)
    assert await Erase(database).expired(NOW, NOW) == 2
    left = await everything(database)
    assert not any(word in left for word in ("ASKED", "RESULT", "SAID", "k-old"))
    assert "Told." in left
    assert await counts(database) == {name: n for name, n in before.items() if name != "actions"}


async def test_what_is_young_enough_stays(database: Database) -> None:
    await enabled(database, installation())
    await ended(database, call("young", arguments="ASKED"), answer("k-young"), NOW)
    await Drafts(database).add(draft())
    before = await everything(database)
    assert await Erase(database).expired(NOW, NOW) == 0
    assert await everything(database) == before


async def test_old_drafts_and_past_claims_go(database: Database) -> None:
    await enabled(database, installation())
    await Drafts(database).add(draft(created_at=OLD))
    await Drafts(database).add(draft("d2", created_at=NOW))
    await Calls(database).begin(Claim("past", NOW), call("c1"), OLD + 5_000_000)
    await begun(database, call("c2"), OLD + 5_000_000)
    assert await Erase(database).expired(NOW, NOW) == 2
    assert await Drafts(database).peek("d1", GUILD, OWNER, 0) is None
    assert await Drafts(database).peek("d2", GUILD, OWNER, 0) is not None
    assert [row[0] for row in await database.all(select(tables.claims.c.id))] == ["claim-c2"]


async def test_more_than_one_batch_goes_in_one_call(database: Database) -> None:
    await enabled(database, installation())
    keys = [f"k{n}" for n in range(1_203)]
    await ended(database, call(), answer(*keys), OLD)
    assert await Erase(database).expired(NOW, NOW) == 1_204
    assert "actions" not in await counts(database)


async def test_a_deleted_message_takes_its_calls_texts_and_its_buttons_along(database: Database) -> None:
    await enabled(database, installation())
    await ended(database, call("c1", message_id="m1", arguments="ASKED"), answer("k1"))
    await ended(database, call("c2", message_id="m2", arguments="ASKED"), answer("k2"))
    await Actions(database).bind(["k1"], "m1")
    await Actions(database).bind(["k2"], "m2")
    assert await Erase(database).messages_deleted(["m1", *map(str, range(700))]) == 2
    assert await Actions(database).find("k1") is None
    assert await Actions(database).find("k2") is not None
    texts = select(tables.calls.c.id).where(tables.call_has_text)
    assert [row[0] for row in await database.all(texts)] == ["c2"]
    assert await Erase(database).messages_deleted(["m1"]) == 0
    assert await Erase(database).messages_deleted([]) == 0


async def test_a_claim_that_has_not_ended_stays_however_old_it_is(database: Database) -> None:
    await enabled(database, installation())
    await Calls(database).begin(Claim("held", FAR), call(), OLD)
    await Erase(database).expired(NOW, NOW)
    assert not await Calls(database).begin(Claim("held", FAR), call("c2"), NOW)
