"""One attempt to deliver one event: signed, sent, and what its reply means."""

from dataclasses import dataclass, field

import httpx

from bot.clock import Clock
from bot.errors import HttpFailure, TransportFailure, TrickFault
from bot.events.envelope import freeze, read_answer_body, stored
from bot.events.schedule import SPREAD, next_try, retry_after
from bot.log import logger
from bot.text import escaped_line
from bot.transport import Endpoint, SignedSender, read_body
from bot.tricks.installed import Installed, InstalledReader
from bot.tricks.notices import OwnerNotices
from storage.event_records import Delivery, DeliveryEnd
from storage.installations import Installations
from storage.subscriptions import Subscriptions

GONE = 410
SENT_WHILE = ("enabled", "paused")
"""The states of an installation in which it is told of events."""

_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Target:
    """Where an installation's deliveries go at this moment."""

    installed: Installed
    endpoint: Endpoint = field(repr=False)
    channel_id: str | None

    def freeze(self, delivery: Delivery) -> str:
        """The body of a delivery that was never tried."""
        return freeze(delivery, self.installed, self.channel_id)


class Attempts:
    """Makes attempts, and says how each of them ends."""

    def __init__(
        self,
        installations: Installations,
        subscriptions: Subscriptions,
        reader: InstalledReader,
        sender: SignedSender,
        notices: OwnerNotices,
        clock: Clock,
    ) -> None:
        self._installations = installations
        self._subscriptions = subscriptions
        self._reader = reader
        self._sender = sender
        self._notices = notices
        self._clock = clock

    async def target(self, installation_id: str) -> Target | None:
        """Where to send now; None when the installation is gone or disabled, or gets no events."""
        row = await self._installations.get(installation_id)
        subscription = await self._subscriptions.of(installation_id)
        if row is None or row.state not in SENT_WHILE or subscription is None or not subscription.is_on:
            return None
        installed = self._reader.read(row, self._clock.now_ms())
        url = installed.manifest.endpoints.events
        if url is None:
            return None
        return Target(installed, Endpoint(url, installed.secrets), subscription.channel_id)

    async def attempt(self, target: Target, delivery: Delivery) -> DeliveryEnd | None:
        """Send a claimed delivery once; None when the trick said that it wants no more events.

        Whatever the trick did wrong is an end to be stored, and never raised.
        """
        body = (delivery.body or "").encode()
        try:
            response = await self._sender.post(target.endpoint, body, webhook_id=delivery.id)
            if not response.is_success:
                await response.aclose()
                return self._refused(delivery, response)
        except TrickFault as fault:
            if isinstance(fault, TransportFailure) and fault.accepted:
                return self._delivered(delivery, problem=fault.kind)
            return self._failed(delivery, fault, None)
        return await self._read(target, delivery, response)

    async def turn_off(self, target: Target) -> None:
        """Send no more events, as the trick asked for, and tell the owner.

        Not where events go somewhere else by now: that address has not asked for it.
        """
        row = target.installed.row
        current = await self.target(row.id)
        if current is None or current.endpoint.url != target.endpoint.url:
            return
        if not await self._subscriptions.turn_off(row.id, self._clock.now_ms()):
            return
        _log.warning("events turned off by the trick", installation_id=row.id)
        self._notices.tell(
            row.guild_id,
            f"{escaped_line(row.name)} wants no more events about members, so Kennel sends none. "
            "`/tricks events` starts them again.",
        )

    def _refused(self, delivery: Delivery, response: httpx.Response) -> DeliveryEnd | None:
        if response.status_code == GONE:
            return None
        headers = response.headers
        asked = retry_after(headers.get("retry-after"), headers.get("date"), self._clock.now())
        return self._failed(delivery, HttpFailure(response.status_code), asked)

    def _failed(self, delivery: Delivery, fault: TrickFault, asked: int | None) -> DeliveryEnd:
        now, factor = self._clock.now_ms(), self._clock.jitter(SPREAD)
        next_at = next_try(delivery.attempts, now, factor, asked)
        _log.info(
            "event not delivered",
            delivery_id=delivery.id,
            installation_id=delivery.installation_id,
            count=delivery.attempts,
            failure=fault.kind,
            outcome="failed" if next_at is None else "again",
        )
        return DeliveryEnd(
            delivery.id,
            delivery.attempts,
            delivered=False,
            next_at=next_at,
            failure=fault.detail,
            failure_kind=fault.kind,
        )

    async def _read(self, target: Target, delivery: Delivery, response: httpx.Response) -> DeliveryEnd:
        try:
            answer = read_answer_body(await read_body(response))
        except TrickFault as fault:
            return self._delivered(delivery, problem=fault.kind)
        tools = target.installed.tools
        presentation = stored(answer.presentation, tools) if answer.presentation is not None else None
        return self._delivered(delivery, presentation, problem=answer.problem)

    def _delivered(
        self, delivery: Delivery, presentation: str | None = None, *, problem: str = ""
    ) -> DeliveryEnd:
        """The status has said that the event arrived: an answer that cannot be used is not asked for again."""
        _log.info(
            "event delivered",
            delivery_id=delivery.id,
            installation_id=delivery.installation_id,
            count=delivery.attempts,
            outcome="delivered",
        )
        if problem:
            _log.warning("the answer to an event cannot be used", delivery_id=delivery.id, failure=problem)
        return DeliveryEnd(delivery.id, delivery.attempts, delivered=True, presentation=presentation)
