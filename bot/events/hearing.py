"""What this process has been told of members lately: so that an old leave told late is not taken for a new one."""

from collections import OrderedDict
from dataclasses import replace
from typing import Final

from bot.clock import Clock
from storage.event_records import NewEvent
from storage.outbox import SAME_LEAVE_MS

MOST: Final = 100_000
"""How many joins are remembered; beyond them the oldest are forgotten sooner."""

Pair = tuple[str, str]
"""Guild id and member id."""


class Hearing:
    """Remembers each member's newest join for as long as leaves are compared with each other."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since = clock.now_ms()
        self._joins: OrderedDict[Pair, NewEvent] = OrderedDict()

    def begin(self) -> None:
        """From now on everything is told; what was before may have been missed."""
        self._since = self._clock.now_ms()

    def heard(self, event: NewEvent) -> NewEvent:
        """The event, a leave with what this process was told of the member before."""
        self._forget()
        pair = (event.guild_id, event.member_id)
        if event.type == "member.joined":
            self._joins[pair] = event
            self._joins.move_to_end(pair)
            return event
        join = self._joins.get(pair)
        return replace(event, last_join=join.occurrence if join else "", heard_since=self._since)

    def _forget(self) -> None:
        before = self._clock.now_ms() - SAME_LEAVE_MS
        while self._joins:
            oldest = next(iter(self._joins.values()))
            if oldest.occurred_at > before and len(self._joins) <= MOST:
                return
            self._joins.popitem(last=False)
