"""Events for a trick that is down, overloaded, wants no more, or answers nonsense."""

from datetime import timedelta
from email.utils import format_datetime

import pytest

from tests.support.joining import choose_channel, join, later, leave, posts, tick, told, welcomes
from tests.support.journeys import answer, labels, said, tricks, typed
from tests.support.trick import Handler, TrickServer
from tests.support.trick_answers import gzipped, html, oversize, raw, redirect, status
from tests.support.world import World, text_of

WAITS = (5, 30, 120, 600, 3_600, 3 * 3_600, 6 * 3_600, 12 * 3_600)
AT_MOST = 1.2
"""By which a wait may be longer."""


async def test_each_try_has_the_same_id_and_bytes_and_a_new_time_and_signature(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    trick.on("events", status(503))
    await join(world)
    await later(world, 6)
    trick.behave()
    await later(world, 36)
    await later(world, 7_200)
    tries = trick.received("events")
    assert len(tries) == 3
    assert all(each.verified for each in tries)
    assert len({each.headers["webhook-id"] for each in tries}) == 1
    assert len({each.body for each in tries}) == 1
    assert len({each.headers["webhook-timestamp"] for each in tries}) == 3
    assert len({each.headers["webhook-signature"] for each in tries}) == 3


async def test_the_bytes_stay_what_they_were_when_the_channel_changes_between_two_tries(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    await choose_channel(world, trick, world.channel)
    trick.on("events", status(503))
    await join(world)
    lobby = world.guild.create_text_channel("lobby")
    await choose_channel(world, trick, lobby)
    trick.on("events", welcomes())
    await later(world, 6)
    first, second = trick.received("events")
    assert first.body == second.body
    assert second.context["channelId"] == str(world.channel.id)
    assert posts(world) == []
    assert len(posts(world, lobby)) == 1


async def test_a_trick_that_is_down_and_comes_back_is_told_and_its_answer_is_posted_once(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    await choose_channel(world, trick, world.channel)
    trick.on("events", status(500))
    await join(world)
    for wait in WAITS[:3]:
        await later(world, wait * AT_MOST)
    trick.on("events", welcomes())
    await later(world, WAITS[3] * AT_MOST)
    await later(world, 2 * 86_400)
    assert len(told(trick)) == 5
    assert ["Welcome" in text_of(post) for post in posts(world)] == [True]


async def test_after_the_last_try_it_is_given_up_and_the_owner_can_see_why(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    trick.on("events", status(500))
    await join(world)
    await later(world, WAITS[0] * AT_MOST)
    for wait in WAITS[1:]:
        seen = len(told(trick))
        await later(world, wait * 0.7)
        assert len(told(trick)) == seen
        await later(world, wait * (AT_MOST - 0.7))
        assert len(told(trick)) == seen + 1
    await later(world, 7 * 86_400)
    assert len(told(trick)) == len(WAITS) + 1
    assert "Given up: 1" in said(await tricks(world, "events", trick=trick.id))
    assert "HTTP status 500" in said(await tricks(world, "log", trick=trick.id))


async def test_deliveries_that_fail_never_pause_a_trick(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    trick.on("events", status(500))
    for n in range(7):
        await join(world, f"nina{n}")
    assert len(told(trick)) >= 7
    assert "popcorn" in await typed(world, "^snacks")


@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_the_wait_that_an_overloaded_trick_asks_for_is_kept(
    world: World, trick: TrickServer, form: str
) -> None:
    now = world.clock.now() if form == "date" else None
    asked = format_datetime(now + timedelta(hours=2), usegmt=True) if now else "7200"
    await world.install(trick)
    trick.on("events", status(429, headers={"Retry-After": asked}))
    await join(world)
    trick.behave()
    await later(world, 7_000)
    assert len(told(trick)) == 1
    await later(world, 400)
    assert len(told(trick)) == 2


async def test_a_wait_that_makes_no_sense_is_passed_over_and_a_long_one_is_half_a_day(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    trick.on("events", status(503, headers={"Retry-After": "soon"}))
    await join(world)
    trick.on("events", status(503, headers={"Retry-After": "99999999"}))
    await later(world, 6)
    assert len(told(trick)) == 2
    trick.behave()
    await later(world, 11 * 3_600)
    assert len(told(trick)) == 2
    await later(world, 2 * 3_600)
    assert len(told(trick)) == 3


async def test_a_trick_that_wants_no_more_is_left_alone_and_the_owner_is_told(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    trick.on("events", status(410))
    await join(world)
    trick.behave()
    await join(world, "nora")
    await later(world, 86_400)
    assert len(told(trick)) == 1
    notices = [text_of(each) for each in world.guild.owner.dm_channel.history()]
    assert len(notices) == 1
    assert "/tricks events" in notices[0]
    assert "no more events" in said(await tricks(world, "list"))
    shown = await tricks(world, "events", trick=trick.id)
    assert labels(answer(shown)) == ["Start"]
    assert "popcorn" in await typed(world, "^snacks")


async def test_the_owner_starts_events_again_and_what_happened_meanwhile_is_not_sent(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    trick.on("events", status(410))
    await join(world)
    trick.behave()
    await join(world, "nora")
    panel = answer(await tricks(world, "events", trick=trick.id))
    await world.owner.click(panel, label="Start")
    otis = await join(world, "otis")
    assert told(trick)[1:] == [("member.joined", str(otis.id))]
    assert "no more events" not in said(await tricks(world, "list"))


async def test_what_waits_when_the_owner_stops_is_never_sent(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    trick.on("events", status(503))
    await join(world)
    trick.behave()
    panel = answer(await tricks(world, "events", trick=trick.id))
    await world.owner.click(panel, label="Stop sending events")
    await later(world, 86_400)
    await world.owner.click(panel, label="Start")
    await later(world, 86_400)
    assert len(told(trick)) == 1


async def test_the_panel_counts_what_is_on_its_way(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    trick.on("events", status(503))
    nina = await join(world)
    await leave(world, nina)
    assert "On the way to the trick: 2" in said(await tricks(world, "events", trick=trick.id))


NONSENSE: dict[str, Handler] = {
    "no JSON": raw(b"thanks!"),
    "a web page": html(),
    "NaN": raw(b'{"presentation": {"text": NaN}}'),
    "a list": raw(b"[]"),
    "presentation is a text": raw(b'{"presentation": "Welcome!"}'),
    "duplicate keys": raw(b'{"presentation": {"text": "a"}, "presentation": {"text": "b"}}'),
    "nothing": status(204),
    "compressed": gzipped(),
    "too large": oversize(),
}


@pytest.mark.parametrize("kind", NONSENSE)
async def test_an_answer_that_cannot_be_used_is_delivered_all_the_same_and_not_asked_for_again(
    world: World, trick: TrickServer, kind: str
) -> None:
    await world.install(trick)
    await choose_channel(world, trick, world.channel)
    trick.on("events", NONSENSE[kind])
    await join(world)
    trick.on("events", welcomes())
    await later(world, 86_400)
    assert len(told(trick)) == 1
    assert posts(world) == []


@pytest.mark.parametrize("code", [301, 307, 400, 401, 404, 429, 500])
async def test_every_other_status_is_tried_again(world: World, trick: TrickServer, code: int) -> None:
    await world.install(trick)
    trick.on("events", redirect(code=code) if code < 400 else status(code))
    await join(world)
    trick.behave()
    await later(world, 6)
    await tick(world)
    assert len(told(trick)) == 2
    assert trick.count("elsewhere") == 0
