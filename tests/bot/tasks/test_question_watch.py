"""Where answers are awaited: what the store said last, and what was posted since."""

from bot.tasks.question_watch import QuestionWatch
from tests.support.clock import TurnedClock


class Store:
    """Open places, during whose reading something may happen."""

    def __init__(self) -> None:
        self.places: tuple[tuple[str, str], ...] = ()
        self.asked: list[int] = []
        self.meanwhile: QuestionWatch | None = None

    async def open_places(self, now: int) -> tuple[tuple[str, str], ...]:
        self.asked.append(now)
        if self.meanwhile is not None:
            self.meanwhile.add("c2", "m2")
        return self.places


async def test_a_place_is_watched_from_the_next_look_until_one_in_which_it_is_gone() -> None:
    store, clock = Store(), TurnedClock()
    watch = QuestionWatch(store, clock)
    store.places = (("c1", "m1"),)
    assert not watch.has("c1", "m1")
    await watch.refresh()
    assert watch.has("c1", "m1")
    assert not watch.has("c1", "m2")
    assert not watch.has("c2", "m1")
    assert store.asked == [clock.now_ms()]
    store.places = ()
    await watch.refresh()
    assert not watch.has("c1", "m1")


async def test_what_is_posted_is_watched_at_once_and_not_lost_to_a_look_that_began_before() -> None:
    store = Store()
    watch = QuestionWatch(store, TurnedClock())
    watch.add("c1", "m1")
    assert watch.has("c1", "m1")
    store.meanwhile = watch
    await watch.refresh()
    assert watch.has("c2", "m2")
    assert not watch.has("c1", "m1")
    store.meanwhile = None
    await watch.refresh()
    assert not watch.has("c2", "m2")
