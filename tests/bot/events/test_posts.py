"""What tricks answer to events: posted once, for members who are there, where the owner wants it."""

import json

import pytest

from bot.events.posting import GIVEN_UP_MS
from bot.events.posts import LEASE_MS
from bot.speaker import nonce
from storage.actions import Actions
from storage.event_posts import EventPosts
from storage.installations import Installations
from storage.subscriptions import Subscriptions, subscribe
from tests.support.event_records import MEMBER, joined, left
from tests.support.events import BUTTON, CHANNEL, EventProcess, EventWorld, answered, post, texts
from tests.support.records import GUILD, NOW, OWNER
from tests.support.trick_answers import result

HOUR = 3_600


async def test_an_answer_is_posted_once_with_its_buttons(events: EventWorld) -> None:
    await answered(events)
    await post(events)
    await post(events, LEASE_MS)
    (message,) = events.poster.posted
    assert (message.channel_id, message.text, message.nonce) == (CHANNEL, "Welcome!", nonce("e1-i1"))
    row = await events.post()
    assert (row.status, row.message_id, row.presentation, row.keys) == (
        "posted",
        message.message_id,
        None,
        None,
    )
    view = await Actions(events.database).find(message.keys["menu"])
    assert view is not None
    assert (view.action.tool, json.loads(view.action.arguments)) == ("snack_menu", {"n": 1})
    assert (view.action.message_id, view.action.delivery_id) == (message.message_id, "e1-i1")


async def test_all_that_is_due_is_posted_at_once(events: EventWorld) -> None:
    for n in range(12):
        await answered(events, joined(f"e{n}", member_id=f"5{n}"))
    await post(events)
    assert texts(events) == ["Welcome!"] * 12


async def test_an_answer_that_shows_nothing_is_no_post(events: EventWorld) -> None:
    await answered(events, text=" ", actions=[BUTTON | {"tool": "nobody_has_it"}])
    await post(events)
    assert texts(events) == []
    assert (await events.delivery()).status == "delivered"


@pytest.mark.parametrize("how", ["cleared", "off"])
async def test_without_a_channel_or_with_events_off_nothing_is_posted(events: EventWorld, how: str) -> None:
    await answered(events)
    if how == "cleared":
        await Subscriptions(events.database).set_channel("i1", None, turn_on=False)
    else:
        await Subscriptions(events.database).set_on("i1", False, NOW)
    await post(events)
    row = await events.post()
    assert (row.status, row.presentation, texts(events)) == ("dropped", None, [])


async def test_it_goes_where_the_channel_is_when_it_is_posted(events: EventWorld) -> None:
    await answered(events)
    await Subscriptions(events.database).set_channel("i1", "701", turn_on=False)
    await post(events)
    assert [message.channel_id for message in events.poster.posted] == ["701"]


async def test_nobody_who_has_left_is_welcomed(events: EventWorld) -> None:
    events.poster.presence[MEMBER] = "gone"
    await answered(events)
    await post(events)
    assert ((await events.post()).status, texts(events)) == ("dropped", [])


async def test_a_welcome_is_not_posted_for_who_left_and_came_back_meanwhile(events: EventWorld) -> None:
    await answered(events)
    events.trick.on("events", result({"presentation": {"text": "Welcome back!"}}))
    await events.here.happen(left())
    await events.here.happen(joined("e3"))
    await post(events)
    assert [(await events.post(f"{id}-i1")).status for id in ("e1", "e3")] == ["dropped", "posted"]
    assert texts(events) == ["Welcome back!", "Welcome back!"]  # of leaving, and of joining again


async def test_a_farewell_is_posted_without_asking_who_is_there(events: EventWorld) -> None:
    events.poster.presence[MEMBER] = "gone"
    await answered(events, left(), text="Bye")
    await post(events)
    assert (texts(events), events.poster.asked) == (["Bye"], [])


async def test_a_welcome_waits_for_the_screening_and_comes_when_it_is_passed(events: EventWorld) -> None:
    events.poster.presence[MEMBER] = "screening"
    await answered(events)
    await post(events)
    assert ((await events.post()).status, texts(events)) == ("waiting", [])
    events.poster.presence[MEMBER] = "here"
    events.here.posts.screened(GUILD, "another")
    await events.here.posts.idle()
    assert texts(events) == []
    events.here.posts.screened(GUILD, MEMBER)
    await events.here.posts.idle()
    assert texts(events) == ["Welcome!"]


async def test_another_process_hears_that_the_screening_was_passed(events: EventWorld) -> None:
    other = EventProcess(events, events.database)
    events.poster.presence[MEMBER] = "screening"
    await answered(events)
    await post(events)
    events.poster.presence[MEMBER] = "here"
    other.posts.screened(GUILD, MEMBER)
    await other.posts.idle()
    assert texts(events) == ["Welcome!"]


async def test_who_passes_while_they_are_asked_about_does_not_wait_an_hour(events: EventWorld) -> None:
    events.poster.presence[MEMBER] = "screening"

    def passes() -> None:
        events.poster.presence[MEMBER] = "here"
        events.here.posts.screened(GUILD, MEMBER)

    events.poster.on_asked = passes
    await answered(events)
    await post(events)
    events.poster.on_asked = lambda: None
    await events.here.posts.idle()
    assert texts(events) == ["Welcome!"]


async def test_updates_of_other_members_read_nothing(
    events: EventWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    events.here.posts.screened(GUILD, "1")
    await events.here.posts.idle()
    reads: list[int] = []

    async def read(_: EventPosts, limit: int) -> frozenset[tuple[str, str]]:
        reads.append(limit)
        return frozenset()

    monkeypatch.setattr(EventPosts, "screening", read)
    for number in range(1_000):
        events.here.posts.screened(GUILD, str(number))
    await events.here.posts.idle()
    assert reads == []


async def test_another_process_may_hear_of_it_before_it_knows_that_somebody_waits(events: EventWorld) -> None:
    other = EventProcess(events, events.database)
    other.posts.screened(GUILD, "another")
    await other.posts.idle()
    events.poster.presence[MEMBER] = "screening"
    await answered(events)
    await post(events)
    events.poster.presence[MEMBER] = "here"
    other.posts.screened(GUILD, MEMBER)
    await other.posts.idle()
    assert texts(events) == []
    await post(events, 10)
    assert texts(events) == ["Welcome!"]


async def test_somebody_in_the_screening_is_looked_at_again_soon_after_an_hour_then_ever_less_often(
    events: EventWorld,
) -> None:
    events.poster.presence[MEMBER] = "screening"
    await answered(events)
    await post(events)
    for seconds in (10, *(hours * HOUR for hours in (1, 2, 4, 8, 16, 24, 24))):
        asked = len(events.poster.asked)
        await post(events, seconds - 1)
        assert len(events.poster.asked) == asked
        await post(events, 1)
        assert len(events.poster.asked) == asked + 1
    events.poster.presence[MEMBER] = "here"
    await post(events, 24 * HOUR)
    assert texts(events) == ["Welcome!"]


async def test_a_trick_that_is_disabled_posts_nothing_until_it_is_on_again(events: EventWorld) -> None:
    store = Installations(events.database)
    await answered(events)
    await store.set_state("i1", {"enabled"}, "disabled", NOW, OWNER)
    await post(events)
    assert texts(events) == []
    await store.set_state("i1", {"disabled"}, "enabled", NOW, OWNER)
    await post(events)
    assert texts(events) == ["Welcome!"]


async def test_nobody_is_welcomed_when_a_trick_is_on_again_after_a_day(events: EventWorld) -> None:
    store = Installations(events.database)
    await answered(events)
    await store.set_state("i1", {"enabled"}, "disabled", NOW, OWNER)
    await post(events)
    await store.set_state("i1", {"disabled"}, "enabled", NOW, OWNER)
    await post(events, GIVEN_UP_MS / 1000)
    assert texts(events) == []
    assert (await events.post()).status == "dropped"


async def test_a_trick_that_hears_no_events_any_more_posts_nothing(events: EventWorld) -> None:
    await answered(events)
    await events.database.write(lambda connection: subscribe(connection, "i1", GUILD, []))
    await post(events)
    assert ((await events.post()).status, texts(events)) == ("dropped", [])
