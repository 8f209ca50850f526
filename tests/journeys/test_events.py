"""Members join and leave: the trick is told, and what it answers is posted with buttons that work."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.demo.sample_trick import JsonObject
from tests.support.joining import (
    WELCOME,
    choose_channel,
    event_of,
    join,
    join_again,
    later,
    leave,
    posts,
    tick,
    told,
    welcomes,
)
from tests.support.journeys import said, tricks, typed
from tests.support.sent import message_bodies
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_answers import result, status
from tests.support.world import World, config_for, open_world, text_of


async def test_a_trick_is_told_who_joined_in_a_signed_envelope(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    nina = await join(world)
    (received,) = trick.received("events")
    assert received.verified
    envelope = received.json
    assert envelope["version"] == 1
    assert envelope["id"] == received.headers["webhook-id"]
    assert envelope["eventId"] not in ("", envelope["id"])
    occurred = datetime.fromisoformat(envelope["occurredAt"])
    assert envelope["occurredAt"].endswith("Z")
    assert abs(occurred - datetime.fromtimestamp(world.clock.now_ms() / 1000, UTC)) < timedelta(minutes=1)
    assert envelope["event"] == {"type": "member.joined", "memberId": str(nina.id)}
    context = dict(envelope["context"])
    for secretive in (str(world.guild.id), trick.id):
        assert secretive not in context.pop("installationId", "")
    assert context == {"settings": {}}


async def test_a_trick_is_told_who_left_also_when_nobody_knew_the_member(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    await leave(world, world.member)
    assert told(trick) == [("member.left", str(world.member.id))]


async def test_bots_are_no_people(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    robot = await join(world, "robot", bot=True)
    await leave(world, robot)
    assert told(trick) == []


async def test_a_trick_is_told_only_what_its_manifest_asks_for(world: World, trick: TrickServer) -> None:
    trick.events = ["member.left"]
    await world.install(trick)
    nina = await join(world)
    await leave(world, nina)
    assert told(trick) == [("member.left", str(nina.id))]


async def test_two_tricks_are_told_the_same_event_under_ids_of_their_own(
    sqlite_url: str, trick: TrickServer, make_trick: MakeTrick
) -> None:
    other = await make_trick(id="door_bell", commands=())
    async with open_world(config_for(sqlite_url, trick, other)) as world:
        await world.install(trick)
        await world.install(other)
        await join(world)
    (here,), (there,) = trick.received("events"), other.received("events")
    assert here.json["eventId"] == there.json["eventId"]
    assert here.json["id"] != there.json["id"]
    assert here.context["installationId"] != there.context["installationId"]


async def test_the_channel_of_the_owner_is_in_the_envelope_and_gets_the_answer(
    world: World, trick: TrickServer
) -> None:
    lobby = world.guild.create_text_channel("lobby")
    await world.install(trick)
    await choose_channel(world, trick, lobby)
    trick.on("events", welcomes())
    await join(world)
    assert trick.received("events")[-1].context["channelId"] == str(lobby.id)
    (post,) = posts(world, lobby)
    assert "Welcome to the club!" in text_of(post)
    assert posts(world) == []


async def test_a_button_of_a_post_runs_its_tool_for_whoever_presses_it(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    await choose_channel(world, trick, world.channel)
    trick.on("events", welcomes())
    nina = await join(world)
    (post,) = posts(world)
    shown = await nina.click(post, label="See the snacks")
    assert shown.ephemeral
    assert "popcorn" in said(shown)
    assert trick.received("tools/call")[-1].context["askerId"] == str(nina.id)
    assert "members who may manage the server" in said(await nina.click(post, label="Save fruit"))
    assert "Saved: fruit." in said(await world.owner.click(post, label="Save fruit"))
    assert "runs only once" in said(await world.owner.click(post, label="Save fruit"))
    assert trick.effects.total() == 1


async def test_without_a_channel_events_are_sent_and_nothing_is_posted(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    trick.on("events", welcomes())
    await join(world)
    assert len(told(trick)) == 1
    assert posts(world) == []
    await choose_channel(world, trick, world.channel)
    assert posts(world) == []


async def test_a_leave_is_answered_with_a_post_too(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await choose_channel(world, trick, world.channel)
    trick.on("events", welcomes({"text": "Farewell."}))
    await leave(world, world.member)
    assert [text_of(post) for post in posts(world)] == ["Farewell."]


async def test_a_post_pings_nobody_and_shows_no_link_that_is_not_allowed(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    await choose_channel(world, trick, world.channel)
    text = f"@everyone <@{world.owner.id}> [here](http://club.example)"
    trick.on("events", welcomes({"text": text, "links": [{"label": "x", "url": "http://club.example/"}]}))
    await join(world)
    body = message_bodies(world.env.http_requests)[-1]
    assert body["allowed_mentions"] == {"parse": []}
    assert "http://" not in str(body)
    (post,) = posts(world)
    assert post.components == []


NOTHING_TO_SHOW: tuple[JsonObject, ...] = (
    {},
    {"presentation": None},
    {"presentation": {}},
    {"presentation": {"text": " "}},
    {"presentation": {"actions": [{"id": "x", "label": "x", "tool": "no_such_tool", "arguments": {}}]}},
)


@pytest.mark.parametrize("nothing", NOTHING_TO_SHOW)
async def test_an_answer_that_shows_nothing_is_not_posted(
    world: World, trick: TrickServer, nothing: JsonObject
) -> None:
    await world.install(trick)
    await choose_channel(world, trick, world.channel)
    trick.on("events", result(nothing))
    await join(world)
    assert len(told(trick)) == 1
    assert posts(world) == []


async def test_the_broken_parts_of_an_answer_are_left_out_and_the_rest_is_posted(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    await choose_channel(world, trick, world.channel)
    broken = {"fields": ["no field"], "links": 7, "surprise": True}
    trick.on("events", welcomes(WELCOME | broken))
    await join(world)
    (post,) = posts(world)
    assert text_of(post) == "Welcome to the club!"


async def test_while_a_trick_is_disabled_nothing_is_kept_for_later(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await tricks(world, "disable", trick=trick.id)
    await join(world)
    await tricks(world, "enable", trick=trick.id)
    nina = await join(world, "nora")
    assert told(trick) == [("member.joined", str(nina.id))]


async def test_before_a_trick_is_enabled_it_is_told_nothing(world: World, trick: TrickServer) -> None:
    await world.register(trick)
    await join(world)
    await world.enable(trick)
    assert told(trick) == []


async def test_a_paused_trick_is_told_and_its_answers_are_posted(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await choose_channel(world, trick, world.channel)
    trick.on("events", welcomes())
    trick.on("tools/call", status(500))
    for _ in range(5):
        await typed(world, "^snacks")
    before = len(posts(world))
    await join(world)
    assert "is paused" in await typed(world, "^snacks")
    assert len(told(trick)) == 1
    assert any("Welcome" in text_of(post) for post in posts(world)[before:])


async def test_the_events_of_one_member_come_in_their_order(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    trick.on("events", status(503))
    nina = await join(world)
    await leave(world, nina)
    await join_again(world, nina)
    trick.behave()
    seen = len(trick.received("events"))
    await later(world, 60)
    await tick(world)
    assert [event_of(each)[0] for each in trick.received("events")[seen:]] == [
        "member.joined",
        "member.left",
        "member.joined",
    ]


async def test_the_settings_of_a_trick_are_told_with_each_event(world: World, trick: TrickServer) -> None:
    trick.settings = [{"key": "tone", "label": "Tone", "type": "text", "default": "kind"}]
    await world.install(trick)
    await join(world)
    assert trick.received("events")[-1].context["settings"] == {"tone": "kind"}
