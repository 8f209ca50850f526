"""Who is known to wait for a server's screening."""

from bot.events.screening import Pair, Screening
from storage.engine import Database
from storage.event_posts import EventPosts
from tests.support.clock import TurnedClock


class SlowPosts(EventPosts):
    """While the waiting members are read, somebody begins to wait."""

    screening_of: Screening
    passed: list[Pair]

    async def screening(self, limit: int) -> frozenset[Pair]:
        found = await super().screening(limit)
        self.screening_of.waits("1", "70")
        return found

    async def screened(self, guild_id: str, member_id: str, now: int) -> None:
        self.passed.append((guild_id, member_id))


async def test_who_begins_to_wait_while_the_waiting_are_read_is_known(database: Database) -> None:
    store = SlowPosts(database)
    screening = store.screening_of = Screening(store, TurnedClock())
    store.passed = []
    screening.passed("1", "another", lambda: None)
    await screening.idle()
    screening.passed("1", "70", lambda: None)
    await screening.idle()
    assert store.passed == [("1", "70")]
