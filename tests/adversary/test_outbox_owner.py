"""The owner changes their mind while events are on their way: what was decided holds from the next request on."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from bot.events.poster import Presence
from bot.signing import make_secret
from storage.actions import Actions
from storage.event_records import Delivery
from storage.installations import Installations
from storage.subscriptions import Subscriptions, subscribe
from tests.support.event_records import joined
from tests.support.events import (
    EventProcess,
    EventWorld,
    HeardPoster,
    answered,
    attempts,
    post,
    status,
    texts,
)
from tests.support.records import GUILD, NOW, OWNER
from tests.support.trick import Answer, TrickServer
from tests.support.trick_requests import Received

MANY = 12
Change = Callable[[EventWorld], Awaitable[object]]


async def turn_off(events: EventWorld) -> None:
    await Subscriptions(events.database).set_on("i1", False, events.clock.now_ms())


async def disable(events: EventWorld) -> None:
    await Installations(events.database).set_state("i1", {"enabled"}, "disabled", NOW, OWNER)


async def remove(events: EventWorld) -> None:
    await Installations(events.database).remove("i1", NOW, OWNER)


async def drop_events(events: EventWorld) -> None:
    await events.database.write(lambda connection: subscribe(connection, "i1", GUILD, ()))


async def point_elsewhere(events: EventWorld) -> None:
    """As accepting a refreshed manifest does."""
    manifest = events.trick.manifest()
    manifest["endpoints"]["events"] = events.other.url("/events")
    events.other.trust(*events.trick.secrets)
    await events.change_row(manifest=json.dumps(manifest))


@asynccontextmanager
async def half_sent(events: EventWorld, code: int = 200) -> AsyncGenerator[None]:
    """Four of many deliveries have reached the trick, which answers them when the block ends."""
    gate = asyncio.Event()

    async def answer(_trick: TrickServer, _received: Received) -> Answer:
        await gate.wait()
        return web.json_response({}, status=code)

    events.trick.on("events", answer)
    sending = asyncio.create_task(
        events.here.happen(*(joined(f"e{number}", member_id=str(number)) for number in range(MANY)))
    )
    for _ in range(4):
        await events.trick.next("events")
    yield
    events.clock.advance(1)
    gate.set()
    await sending


@pytest.mark.parametrize("change", [turn_off, disable, remove, drop_events])
async def test_nothing_more_is_sent_once_the_owner_does_not_want_it(
    events: EventWorld, change: Change
) -> None:
    async with half_sent(events):
        await change(events)
    assert len(attempts(events)) == 4
    events.clock.advance(3_600)
    await events.here.deliver()
    assert len(attempts(events)) == 4


async def test_what_was_not_sent_while_a_trick_was_disabled_is_sent_later_as_if_never_tried(
    events: EventWorld,
) -> None:
    async with half_sent(events):
        await disable(events)
    waiting = [row for row in await events.deliveries_of() if row.status == "pending"]
    assert len(waiting) == MANY - 4
    assert {(row.attempts, row.body, row.lease_until) for row in waiting} == {(0, None, None)}
    await Installations(events.database).set_state("i1", {"disabled"}, "enabled", NOW, OWNER)
    await events.here.deliver()
    assert sorted(each.json["eventId"] for each in attempts(events)) == sorted(f"e{n}" for n in range(MANY))


async def test_what_was_not_sent_yet_goes_to_the_address_of_now(events: EventWorld) -> None:
    async with half_sent(events):
        await point_elsewhere(events)
    assert (len(attempts(events)), events.other.count("events")) == (4, MANY - 4)


async def test_an_address_of_before_that_is_gone_does_not_turn_off_the_one_of_now(events: EventWorld) -> None:
    async with half_sent(events, code=410):
        await point_elsewhere(events)
    events.clock.advance(60)
    await events.here.deliver()
    subscription = await Subscriptions(events.database).of("i1")
    assert subscription is not None
    assert subscription.is_on
    told = {each.json["eventId"] for each in events.other.received("events")}
    assert told == {f"e{number}" for number in range(MANY)}
    assert events.notices.told == []


async def test_what_was_not_sent_yet_is_signed_with_the_secrets_of_now(events: EventWorld) -> None:
    fresh = make_secret(events.clock)
    async with half_sent(events):
        await events.change_row(secret=events.box.seal("i1", fresh.text))
        events.trick.trust(fresh.text)
    later = attempts(events)[4:]
    assert {each.signed_by for each in later} == {(fresh.text,)}
    assert len(later) == MANY - 4


async def test_who_is_stopped_again_and_again_uses_up_no_tries(
    events: EventWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    events.here.outbox.record(joined())
    await events.here.outbox.idle()
    for _ in range(12):
        await stopped_before_sending(EventProcess(events, events.database), monkeypatch)
    assert attempts(events) == []
    events.trick.on("events", status(500))
    await events.here.deliver()
    row = await events.delivery()
    assert (row.status, row.attempts, row.next_at) == ("pending", 1, events.clock.now_ms() + 5_000)
    await stopped_before_sending(EventProcess(events, events.database), monkeypatch)
    events.clock.advance(5)
    events.trick.behave()
    await events.here.deliver()
    first, second = attempts(events)
    assert first.body == second.body


async def stopped_before_sending(process: EventProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has claimed what is due when it is told to stop."""
    claim = process.store.claim

    async def claim_and_stop(*values: Any) -> tuple[Delivery, ...]:
        rows = await claim(*values)
        process.deliveries.stop()
        return rows

    monkeypatch.setattr(process.store, "claim", claim_and_stop)
    await process.deliver()


class Asked(HeardPoster):
    """A Discord that is slow to say who is there: `meanwhile` happens while it is asked."""

    meanwhile: Callable[[], Awaitable[object]] | None = None

    async def member(self, guild_id: str, member_id: str) -> Presence:
        presence = await super().member(guild_id, member_id)
        if self.meanwhile is not None:
            change, self.meanwhile = self.meanwhile, None
            await change()
        return presence


async def clear_channel(events: EventWorld) -> None:
    await Subscriptions(events.database).set_channel("i1", None, turn_on=False)


@pytest.mark.parametrize("change", [turn_off, clear_channel, disable, remove, drop_events])
async def test_nothing_is_posted_once_the_owner_does_not_want_it(events: EventWorld, change: Change) -> None:
    poster = await answered_and_asked(events)
    poster.meanwhile = lambda: change(events)
    await post(events)
    await post(events, 300)
    assert texts(events) == []


async def test_a_channel_that_is_chosen_just_then_gets_it(events: EventWorld) -> None:
    poster = await answered_and_asked(events)
    poster.meanwhile = lambda: Subscriptions(events.database).set_channel("i1", "701", turn_on=False)
    await post(events)
    (message,) = events.poster.posted
    assert message.channel_id == "701"
    assert await Actions(events.database).find(message.keys["menu"]) is not None


async def answered_and_asked(events: EventWorld) -> Asked:
    """An answer waits to be posted by a process with such a Discord."""
    events.poster = poster = Asked()
    events.here = EventProcess(events, events.database)
    await answered(events)
    return poster
