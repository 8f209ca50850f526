"""A tool that changed stops working until it is as pinned again; an hourly look notices by itself."""

import pytest

from bot.demo.sample_trick import JsonObject
from tests.cogs.test_event_posts import forget_server
from tests.support.journeys import let_pass, replies, said, tricks, typed
from tests.support.trick import TrickServer
from tests.support.trick_answers import status
from tests.support.world import World, text_of

HOUR = 3_600


def told_to_owner(world: World) -> list[str]:
    """The direct messages to the owner."""
    return [text_of(each) for each in world.guild.owner.dm_channel.history()]


async def an_hour_passes(world: World) -> None:
    """Until every installation's minute of the hour has come once, without waiting for the bot's own loop."""
    world.clock.advance(HOUR)
    await world.services.looks.look_at_due()


async def test_a_test_notices_a_changed_tool_and_lets_it_go_when_it_is_as_pinned_again(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    seen = trick.count("tools/call")
    trick.change_live("snack_menu", description="Now it does something else.")
    told = said(await tricks(world, "test", trick=trick.id))
    assert "`snack_menu` changed and is held back" in told
    assert "save_snack" not in told
    for refused in (await typed(world, "^snacks"), said(await world.member.slash(world.channel, "snacks"))):
        assert "is held back" in refused
    assert trick.count("tools/call") == seen
    assert "Saved" in await typed(world, "^save fruit", world.owner)
    assert "held back" in said(await tricks(world, "list"))
    assert "`snack_menu`" in said(await tricks(world, "show", trick=trick.id))
    trick.live_tools = list(trick.tools)
    assert "held back" not in said(await tricks(world, "test", trick=trick.id))
    assert "popcorn" in await typed(world, "^snacks")
    assert "held back" not in said(await tricks(world, "list"))


async def test_each_part_of_a_definition_counts_and_nothing_else_does(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    schema = {**trick.tools[0].schema, "description": "More"}
    changes = {"title": "Another title", "description": "Another description", "schema": schema}
    for part, value in changes.items():
        world.clock.advance(361)
        trick.live_tools = list(trick.tools)
        trick.change_live("snack_menu", **{part: value})
        assert "`snack_menu` changed" in said(await tricks(world, "test", trick=trick.id)), part
    trick.live_tools = list(trick.tools)

    async def decorated(trick: TrickServer, received: object) -> JsonObject:
        more: JsonObject = {"annotations": {"destructiveHint": True}, "outputSchema": {"type": "object"}}
        tools: list[JsonObject] = [{**tool.definition(), **more, "icons": []} for tool in trick.live_tools]
        return {"tools": tools[::-1], "ttlMs": 0, "cacheScope": "private"}

    world.clock.advance(361)
    trick.on("tools/list", decorated)
    assert "held back" not in said(await tricks(world, "test", trick=trick.id))
    assert "popcorn" in await typed(world, "^snacks")


async def test_an_hourly_look_notices_a_change_tells_the_owner_once_and_notices_the_way_back(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    trick.change_live("snack_menu", title="Something else")
    assert "popcorn" in await typed(world, "^snacks")
    world.clock.advance(HOUR)
    await let_pass(world, 61)
    assert "held back" in await typed(world, "^snacks")
    assert len(told_to_owner(world)) == 1
    assert "Snack Club changed some of its tools" in told_to_owner(world)[0]
    await an_hour_passes(world)
    assert len(told_to_owner(world)) == 1
    trick.live_tools = list(trick.tools)
    await an_hour_passes(world)
    assert "popcorn" in await typed(world, "^snacks")
    assert len(told_to_owner(world)) == 1


async def test_a_look_comes_once_an_hour_and_is_signed(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    seen = trick.count("tools/list")
    for _ in range(12):
        world.clock.advance(HOUR / 12)
        await world.services.looks.look_at_due()
    looks = trick.received("tools/list")[seen:]
    assert len(looks) == 1
    assert looks[0].verified
    assert looks[0].context["askerId"] == str(world.owner.id)
    assert not {"channelId", "callId"} & looks[0].context.keys()


async def test_a_look_names_the_owner_of_now_whoever_registered_the_trick(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    await world.services.privacy.erase(str(world.owner.id))
    await an_hour_passes(world)
    assert trick.received("tools/list")[-1].context["askerId"] == str(world.owner.id)
    world.env.backend.edit_guild(world.guild.id, {"owner_id": world.member.id})
    await an_hour_passes(world)
    assert trick.received("tools/list")[-1].context["askerId"] == str(world.member.id)


async def test_a_look_fails_while_discord_does_not_say_who_the_owner_is(
    world: World, trick: TrickServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.install(trick)
    seen = trick.count("tools/list")
    forget_server(world, monkeypatch)
    world.env.inject_error("GET", "/guilds/*", status=403, code=50001)
    await an_hour_passes(world)
    assert trick.count("tools/list") == seen
    await an_hour_passes(world)
    assert trick.count("tools/list") == seen + 1


async def test_a_tool_that_is_gone_is_held_back(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    trick.live_tools = trick.live_tools[1:]
    await an_hour_passes(world)
    assert "held back" in await typed(world, "^snacks")


async def test_a_look_that_fails_changes_nothing(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    trick.on("tools/list", status(500))
    for _ in range(6):
        await an_hour_passes(world)
    assert "popcorn" in await typed(world, "^snacks")
    trick.behave()
    trick.change_live("snack_menu", title="Something else")
    await an_hour_passes(world)
    trick.on("tools/list", status(500))
    await an_hour_passes(world)
    assert "held back" in await typed(world, "^snacks")


async def test_nobody_looks_at_a_trick_that_is_off(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await tricks(world, "disable", trick=trick.id)
    seen = len(trick.requests)
    await an_hour_passes(world)
    assert len(trick.requests) == seen


async def test_enabling_anew_accepts_no_change_by_itself(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await tricks(world, "disable", trick=trick.id)
    trick.change_live("snack_menu", title="Something else")
    told = said(await tricks(world, "enable", trick=trick.id))
    assert "Held back" in told
    assert "`snack_menu`" in told
    assert "held back" in await typed(world, "^snacks")


async def test_a_button_of_a_changed_tool_is_held_back(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await world.owner.send(world.channel, "^snacks")
    reply = world.channel.last_message
    assert reply is not None
    trick.change_live("save_snack", title="Something else")
    await an_hour_passes(world)
    assert "held back" in said(await world.owner.click(reply, label="Save fruit"))
    assert not trick.effects
    assert len(replies(world)) == 1


async def test_what_changes_between_the_panel_and_the_press_is_not_pinned(
    world: World, trick: TrickServer
) -> None:
    await world.register(trick)
    asked = await tricks(world, "enable", trick=trick.id)
    trick.change_live("snack_menu", title="Something else")
    assert asked.response is not None
    await world.owner.click(asked.response, label="Enable")
    assert "popcorn" in await typed(world, "^snacks")
    await an_hour_passes(world)
    assert "held back" in await typed(world, "^snacks")
