"""The commands that every member has: what they can use here, and the prefix."""

import pytest

from tests.support.journeys import answer, said, typed
from tests.support.trick import TrickServer
from tests.support.world import World


async def test_help_shows_what_this_member_can_use_here(world: World, trick: TrickServer) -> None:
    nothing = await world.member.slash(world.channel, "help")
    assert nothing.ephemeral
    assert "no commands of tricks that you can use here yet" in said(nothing)
    await world.install(trick)
    for told in (said(await world.member.slash(world.channel, "help")), await typed(world, "^help")):
        assert "Snack Club" in told
        assert "`/snacks` or `^snacks`: See the snacks" in told
        assert "save" not in told
        assert "`/privacy` shows, exports or erases what I keep about you." in told
        assert "/tricks" not in told
    owners = said(await world.owner.slash(world.channel, "help"))
    assert "`/save` or `^save`: Save a snack" in owners
    assert "/tricks" in owners
    assert "/guidance" in owners


async def test_the_prefix_is_shown_to_anybody_and_set_by_who_manages_the_server(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    shown = await world.member.slash(world.channel, "prefix")
    assert shown.ephemeral
    assert "The prefix here is `^`" in said(shown)
    refused = await world.member.slash(world.channel, "prefix", value="!")
    assert refused.ephemeral
    assert "members who may manage the server" in said(refused)
    assert await typed(world, "!snacks") == ""
    assert "`!` from now on" in said(await world.owner.slash(world.channel, "prefix", value="!"))
    assert "popcorn" in await typed(world, "!snacks")
    assert await typed(world, "^snacks") == ""
    assert "`!`" in said(await world.member.slash(world.channel, "prefix"))


@pytest.mark.parametrize("value", ["123456", "a b", "/", "@", "`", " ", "\n"])
async def test_what_is_no_prefix_is_refused_and_changes_nothing(world: World, value: str) -> None:
    refused = await world.owner.slash(world.channel, "prefix", value=value)
    assert "A prefix is 1 to 5 characters" in said(refused)
    assert "The prefix here is `^`" in said(await world.owner.slash(world.channel, "prefix"))


async def test_typed_help_and_prefix_are_answered_by_visible_replies(world: World) -> None:
    for content, told in {"^help": "What you can use here", "^prefix": "`^`", "^prefix !!": "`!!`"}.items():
        message = await world.owner.send(world.channel, content)
        reply = world.channel.last_message
        assert reply is not None
        assert reply.reference is not None
        assert reply.reference.message_id == message.id
        assert told in (reply.embeds[0].title or "") + (reply.embeds[0].description or "")
    assert "What you can use here" in await typed(world, "!!help")
    assert "members who may manage the server" in await typed(world, "!!prefix ?")


async def test_a_mention_is_answered_with_what_works_here(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    mention = f"<@{world.env.backend.bot_user.id}>"
    assert "commands work: `/help` or `^help`" in await typed(world, f"{mention} what is there to eat?")
    await world.owner.slash(world.channel, "prefix", value="!")
    assert "`!help`" in await typed(world, f"hello {mention}")
    assert await typed(world, "hello everybody") == ""
    assert not trick.received("tools/call")


async def test_help_leaves_out_what_was_turned_off(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await world.owner.slash(world.channel, "tricks disable", trick=trick.id)
    told = answer(await world.owner.slash(world.channel, "help")).embeds[0].description
    assert "snacks" not in told
