"""Posts that meet a lost channel, a Discord that does not answer, a process that dies: never twice."""

import asyncio

import pytest

from bot.errors import DiscordUnavailable, KennelError, PostRefused, PostUncertain
from bot.events.posting import DOUBT_MS, GIVEN_UP_MS
from bot.events.posts import LEASE_MS
from storage.actions import Actions
from storage.pulse import PROBE_MS
from storage.subscriptions import Subscriptions
from tests.support.event_records import joined
from tests.support.events import CHANNEL, EventProcess, EventWorld, answered, post, texts
from tests.support.records import NOW

HOUR = 3_600


async def test_a_lost_channel_stops_the_posts_and_the_owner_is_told_once(events: EventWorld) -> None:
    events.poster.failing = PostRefused(lost=True)
    await answered(events)
    await answered(events, joined("e3", member_id="77"), text="Hello 77")
    await post(events)
    await post(events, 60)
    assert len(events.notices.told) == 1
    assert f"<#{CHANNEL}>" in events.notices.told[0]
    subscription = await Subscriptions(events.database).of("i1")
    assert subscription is not None
    assert (subscription.paused_at, subscription.is_on) == (NOW, True)
    assert (await events.post()).status == "waiting"
    await post(events, PROBE_MS / 1000)
    assert len(events.notices.told) == 1
    events.poster.failing = None
    await post(events, PROBE_MS / 1000)
    assert sorted(texts(events)) == ["Hello 77", "Welcome!"]
    subscription = await Subscriptions(events.database).of("i1")
    assert subscription is not None
    assert subscription.paused_at is None


async def test_another_channel_gets_what_waited_at_once(events: EventWorld) -> None:
    events.poster.failing = PostRefused(lost=True)
    await answered(events)
    await post(events)
    events.poster.failing = None
    await Subscriptions(events.database).set_channel("i1", "701", turn_on=True)
    await post(events)
    (message,) = events.poster.posted
    assert message.channel_id == "701"
    assert await Actions(events.database).find(message.keys["menu"]) is not None


@pytest.mark.parametrize("failure", [PostRefused(lost=True), DiscordUnavailable()])
async def test_what_cannot_be_posted_for_a_day_is_dropped(events: EventWorld, failure: KennelError) -> None:
    events.poster.failing = failure
    await answered(events)
    await post(events)
    await post(events, GIVEN_UP_MS / 1000)
    assert (await events.post()).status == "dropped"


async def test_what_discord_does_not_take_now_is_posted_a_minute_later(events: EventWorld) -> None:
    events.poster.failing = DiscordUnavailable()
    await answered(events)
    await post(events)
    events.poster.failing = None
    await post(events, 59)
    assert texts(events) == []
    await post(events, 1)
    assert texts(events) == ["Welcome!"]


async def test_a_post_that_discord_never_takes_is_not_repeated(events: EventWorld) -> None:
    events.poster.failing = PostRefused(lost=False)
    await answered(events)
    await post(events)
    assert ((await events.post()).status, events.notices.told) == ("dropped", [])


@pytest.mark.parametrize("taken", [True, False])
async def test_after_a_lost_answer_it_is_looked_for_before_it_is_sent_again(
    events: EventWorld, taken: bool
) -> None:
    events.poster.failing, events.poster.taken = PostUncertain(), taken
    await answered(events)
    await post(events)
    assert (await events.post()).status == "posting"
    events.poster.failing = None
    await post(events, 60)
    (message,) = events.poster.posted
    row = await events.post()
    assert (row.status, row.message_id) == ("posted", message.message_id)
    view = await Actions(events.database).find(message.keys["menu"])
    assert view is not None
    assert view.action.message_id == message.message_id


async def test_a_discord_that_never_says_whether_it_took_a_post_is_asked_for_a_day(
    events: EventWorld,
) -> None:
    events.poster.failing, events.poster.taken = PostUncertain(), False
    await answered(events)
    await post(events)
    await post(events, HOUR)
    assert (await events.post()).status == "posting"
    await post(events, GIVEN_UP_MS / 1000 - HOUR)
    assert (await events.post()).status == "dropped"


async def test_who_dies_while_posting_is_followed_by_somebody_who_looks_first(events: EventWorld) -> None:
    other = EventProcess(events, events.database)
    events.poster.failing = asyncio.CancelledError()
    await answered(events)
    with pytest.raises(asyncio.CancelledError):
        await events.here.posts.post_due()
    events.poster.failing = None
    await other.posts.post_due()
    assert texts(events) == []
    events.clock.advance(LEASE_MS / 1000)
    await other.posts.post_due()
    assert texts(events) == ["Welcome!"]


async def test_in_doubt_it_is_not_sent_twice(events: EventWorld) -> None:
    events.poster.failing, events.poster.taken = PostUncertain(), True
    await answered(events)
    await post(events)
    events.poster.failing, events.poster.blind = None, DiscordUnavailable()
    for _ in range(0, DOUBT_MS // 1000 + 600, 300):
        await post(events, 300)
    assert len(events.poster.posted) == 1
    row = await events.post()
    assert (row.status, row.presentation) == ("dropped", None)


async def test_two_processes_post_it_once(events: EventWorld) -> None:
    other = EventProcess(events, events.database)
    for number in range(20):
        await answered(events, joined(f"e{number}", member_id=str(number)), text=str(number))
    await asyncio.gather(events.here.posts.post_due(), other.posts.post_due())
    await post(events)
    assert sorted(texts(events)) == sorted(map(str, range(20)))


async def test_whoever_is_stopped_leaves_the_rest_as_it_is(events: EventWorld) -> None:
    await answered(events)
    events.here.posts.stop()
    await post(events)
    assert texts(events) == []
    await EventProcess(events, events.database).posts.post_due()
    assert texts(events) == ["Welcome!"]
