"""Sending what the outbox holds: each installation's deliveries in a lane of their own."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from bot.clock import Clock
from bot.errors import LimitReached, is_expected
from bot.events.attempts import Attempts, Target
from bot.log import logger
from bot.metrics import NO_METRICS, Metrics
from bot.tricks.limits import Limit, Limiter
from storage.event_records import Delivery, DeliveryEnd
from storage.outbox import Outbox

LANES: Final = 50
"""How many installations are sent to at once."""

AT_ONCE: Final = 4
A_SECOND: Final = 5
LEASE_MS: Final = 60_000
"""How long a batch may take: its four rounds of five seconds each, waiting for a turn, and much room."""

ROUNDS_IN_BATCH: Final = 4
ANEW_MS: Final = 200
"""For how long a batch goes where it was to go: the owner may have changed that meanwhile."""

LOOK_SECONDS: Final = 2.0
SHORTEST_LOOK_SECONDS: Final = 0.1
_log = logger(__name__)


@dataclass(slots=True)
class _Sending:
    """A batch on its way. `target` is None once nothing more is sent, `gone` where the trick said so."""

    installation_id: str
    rows: Iterator[Delivery]
    target: Target | None
    looked_at: int
    ends: list[DeliveryEnd] = field(default_factory=list[DeliveryEnd])
    gone: Target | None = None


class DeliveryWorker:
    """Sends due deliveries: five a second and four at once for each installation, fifty installations at once.

    `on_answered` is called when something is to be posted. Another `limit` (None for no limit) and `at_once`
    are for measurements.
    """

    def __init__(
        self,
        outbox: Outbox,
        attempts: Attempts,
        limiter: Limiter,
        clock: Clock,
        on_answered: Callable[[], object],
        *,
        limit: int | None = A_SECOND,
        at_once: int = AT_ONCE,
        metrics: Metrics = NO_METRICS,
    ) -> None:
        self._outbox = outbox
        self._attempts = attempts
        self._limiter = limiter
        self._clock = clock
        self._on_answered = on_answered
        self._limit = limit
        self._at_once = at_once
        self._metrics = metrics
        self._lanes: dict[str, asyncio.Task[None]] = {}
        self._finished: set[str] = set()
        self._round: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        self._stopped = False

    def nudge(self) -> None:
        """Something new is due: send it at once, without anybody waiting for it."""
        if self._stopped:
            return
        self._news.set()
        if self._round is None:
            self._round = asyncio.create_task(self._go_round())

    async def deliver_due(self) -> None:
        """Send what is due, and what becomes due meanwhile; comes back once no lane is at work any more.

        A failure is logged and never raised.
        """
        self.nudge()
        await self.idle()

    def stop(self) -> None:
        """Begin no new batch; what is under way is finished, and the rest is left to the next start."""
        self._stopped = True
        self._news.set()

    async def idle(self) -> None:
        """Wait until nothing is under way."""
        while self._round is not None:
            await asyncio.shield(self._round)

    async def _go_round(self) -> None:
        """Open a lane for each installation that is ready, and look again as long as one is open."""
        try:
            while await self._open_lanes() or (self._news.is_set() and not self._stopped):
                await self._until_something_happens()
        except Exception as error:  # noqa: BLE001 - the boundary of a task: the next look begins anew
            log = _log.warning if is_expected(error) else _log.exception
            log("looking for deliveries failed", failure=type(error).__name__)
            if self._lanes:
                await asyncio.wait(self._lanes.values())
        finally:
            self._round = None

    async def _until_something_happens(self) -> None:
        """A lane has ended, something new is due, or two seconds have passed.

        A flood of news is looked at ten times a second while lanes are at work.
        """
        if not self._lanes:
            return
        lanes = list(self._lanes.values())
        done, _ = await asyncio.wait(
            lanes, timeout=SHORTEST_LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED
        )
        if done:
            return
        news = asyncio.create_task(self._news.wait())
        done, _ = await asyncio.wait(
            [news, *lanes], timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED
        )
        news.cancel()
        if not done:
            self._finished.clear()

    async def _open_lanes(self) -> bool:
        """Whether a lane is open. One that has ended opens again once there is news, not at once."""
        if self._news.is_set():
            self._news.clear()
            self._finished.clear()
        room = LANES - len(self._lanes)
        if room > 0 and not self._stopped:
            # those at work already may be ready too
            ready = await self._outbox.ready(self._clock.now_ms(), LANES + len(self._finished))
            opened = [each for each in ready if each not in self._lanes and each not in self._finished]
            for installation_id in opened[:room]:
                self._lanes[installation_id] = asyncio.create_task(self._drive(installation_id))
        return bool(self._lanes)

    async def _drive(self, installation_id: str) -> None:
        try:
            while not self._stopped and await self._batch(installation_id):
                pass
        except Exception as error:  # noqa: BLE001 - the boundary: one trick must not hold up the others
            log = _log.warning if is_expected(error) else _log.exception
            log("deliveries failed", installation_id=installation_id, failure=type(error).__name__)
        finally:
            self._finished.add(installation_id)
            del self._lanes[installation_id]

    async def _batch(self, installation_id: str) -> bool:
        """Claim, send and end some deliveries, four at once; false when there was nothing to claim.

        Their ends are stored together: what is lost with the process is sent again, under the same id.
        """
        target = await self._attempts.target(installation_id)
        if target is None:
            return False
        now, most = self._clock.now_ms(), self._at_once * ROUNDS_IN_BATCH
        rows = await self._outbox.claim(installation_id, most, now, now + LEASE_MS, target.freeze)
        if not rows:
            return False
        sending = _Sending(installation_id, iter(rows), target, now)
        senders = [self._send(sending) for _ in range(min(self._at_once, len(rows)))]
        broken = [each for each in await asyncio.gather(*senders, return_exceptions=True) if each is not None]
        await self._outbox.finish(sending.ends, self._clock.now_ms())
        if any(end.presentation is not None for end in sending.ends):
            self._on_answered()
        if sending.gone is not None:
            await self._attempts.turn_off(sending.gone)
        if broken:
            raise broken[0]
        return sending.target is not None

    async def _send(self, sending: _Sending) -> None:
        """Send one after the other, as long as trick and owner want events and nobody has stopped this."""
        for row in sending.rows:
            target = await self._target_in_turn(sending)
            if target is None:
                sending.ends.append(DeliveryEnd(row.id, row.attempts, delivered=False, untried=True))
                continue
            end = await self._attempts.attempt(target, row)
            self._metrics.delivery_tried(_word_of(end))
            if end is None:
                sending.gone, sending.target = target, None
            else:
                sending.ends.append(end)

    async def _target_in_turn(self, sending: _Sending) -> Target | None:
        """Wait until one more may be sent, and say where; None for nowhere any more."""
        if self._stopped or sending.target is None:
            return None
        await self._turn(sending.installation_id)
        now = self._clock.now_ms()
        if now - sending.looked_at >= ANEW_MS:
            anew = await self._attempts.target(sending.installation_id)
            sending.looked_at = now
            sending.target = None if sending.gone else anew
        return None if self._stopped else sending.target

    async def _turn(self, installation_id: str) -> None:
        """Wait until one more may be sent."""
        while self._limit is not None:
            try:
                self._limiter.take(Limit(("deliveries", installation_id), self._limit, 1.0))
            except LimitReached as reached:
                await self._clock.sleep(reached.seconds)
            else:
                return


def _word_of(end: DeliveryEnd | None) -> str:
    """How an attempt ended, as it is counted; without an end the trick wants no events any more."""
    if end is None:
        return "off"
    if end.delivered:
        return "delivered"
    return "again" if end.next_at is not None else "failed"
