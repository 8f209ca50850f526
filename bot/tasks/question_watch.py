"""Where somebody's next message may be the answer to a question, kept in memory.

A member's every message is compared with it, so nothing is asked of the database for those who owe no answer.
"""

from typing import Protocol

from bot.clock import Clock


class OpenPlaces(Protocol):
    """The store of questions, as far as it is read here."""

    async def open_places(self, now: int) -> tuple[tuple[str, str], ...]:
        """Channel and asker of every posted question that any next message may answer at `now`."""
        ...


class QuestionWatch:
    """The places as they were at the last `refresh`, by whichever process, and those added since."""

    def __init__(self, questions: OpenPlaces, clock: Clock) -> None:
        self._questions = questions
        self._clock = clock
        self._places: set[tuple[str, str]] = set()
        self._added: set[tuple[str, str]] = set()

    async def refresh(self) -> None:
        """Read all places again. One refresh runs at a time."""
        self._added = set()
        read = await self._questions.open_places(self._clock.now_ms())
        self._places = {*read, *self._added}

    def add(self, channel_id: str, member_id: str) -> None:
        """A question was posted just now, and stored as posted."""
        place = (channel_id, member_id)
        self._places.add(place)
        self._added.add(place)

    def has(self, channel_id: str, member_id: str) -> bool:
        """Whether a question to this member may be open in the channel; the store knows which, and if still."""
        return (channel_id, member_id) in self._places
