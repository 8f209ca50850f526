"""Every press, choice and submit of the owner's room, forged, late, doubled and out of place.

The rule is the page's: only the server's owner manages its tricks, checked at every press and submit too.
"""

from collections.abc import Callable

import discord
import pytest
import simcord

from bot.app import Kennel
from tests.support.forging import Forged, controls_of, forge, told
from tests.support.journeys import Rows, another_server, answer, rows_of, said, tricks
from tests.support.owners_tour import FORGED, KEPT, Tour
from tests.support.trick import TrickServer
from tests.support.world import World

REFUSALS = {
    "Only the server's owner can manage tricks.",
    "Only the server's owner can see and change what guides the assistant here.",
}
GONE = (
    "This is no longer open.",
    "There is no such trick here.",
    "This trick's settings are others by now",
)


def another_member(world: World) -> simcord.MemberActor:
    """Somebody with no rights."""
    return world.member


def administrator(world: World) -> simcord.MemberActor:
    """Somebody who may do everything that Discord lets anybody do."""
    role = world.guild.create_role("admin", permissions=discord.Permissions(administrator=True))
    return world.guild.add_member(world.env.create_user("ada"), roles=[role])


def former_owner(world: World) -> simcord.MemberActor:
    """Who made all of it, after giving the server to somebody else."""
    world.env.backend.edit_guild(world.guild.id, {"owner_id": world.member.id})
    return world.owner


def owner_elsewhere(world: World) -> simcord.MemberActor:
    """The owner of another server of the bot, who is a member of this one."""
    return world.guild.add_member(another_server(world).owner.user)


@pytest.mark.parametrize("somebody", [another_member, administrator, former_owner, owner_elsewhere])
async def test_nobody_but_the_owner_moves_anything_with_any_press_choice_or_submit(
    world: World, trick: TrickServer, sqlite_url: str, somebody: Callable[[World], simcord.MemberActor]
) -> None:
    tour = await Tour(world, trick).take()
    who = somebody(world)
    await world.env.settle()
    before, seen = await rows_of(sqlite_url), len(trick.requests)
    for each in tour.of():
        once, twice = await forge(world, who, each, each)
        for result in (once, twice):
            assert told(result) in REFUSALS, each.custom_id
            assert result.modal is None, each.custom_id
    assert await rows_of(sqlite_url) == before
    assert len(trick.requests) == seen


async def test_what_belongs_to_one_server_does_nothing_in_another(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    tour, other = await Tour(world, trick).take(), another_server(world)
    before = await rows_of(sqlite_url)
    for each in tour.of():
        if each.custom_id == "g:text":
            continue
        (result,) = await forge(other, other.owner, each)
        assert told(result).startswith(GONE), (each.custom_id, told(result))
        assert result.modal is None, each.custom_id
    assert await rows_of(sqlite_url) == before


async def test_where_both_servers_have_the_trick_a_press_touches_the_one_it_is_made_in(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    tour, other = await Tour(world, trick).take(), another_server(world)
    world.clock.advance(3_600)
    secrets = trick.secrets
    await other.install(trick)
    trick.trust(*secrets, *trick.secrets)
    before = _of_server(await rows_of(sqlite_url), world)
    for each in tour.of():
        (result,) = await forge(other, other.owner, each)
        assert KEPT not in told(result), each.custom_id
        assert KEPT not in str(result.modal), each.custom_id
        if not each.custom_id.startswith(("p:", "v:", "l:", "g:")):
            assert told(result).startswith(GONE), each.custom_id
    assert _of_server(await rows_of(sqlite_url), world) == before


async def test_nothing_of_a_trick_that_was_removed_can_be_pressed_any_more(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    tour = await Tour(world, trick).take()
    (first, *_) = tour.of("o:remove:")
    (removed,) = await forge(world, world.owner, first)
    assert "is gone, with everything stored of it" in told(removed)
    await forge(world, world.owner, *tour.of("o:cancel:"))
    before, seen = await rows_of(sqlite_url), len(trick.requests)
    for each in tour.of():
        if not each.custom_id.startswith(("g:", "o:register:")):
            (result,) = await forge(world, world.owner, each)
            assert told(result).startswith(GONE), (each.custom_id, told(result))
            assert result.modal is None
    after = await rows_of(sqlite_url)
    assert after == before
    assert not any(after[table] for table in ("installations", "commands", "pins", "subscriptions"))
    assert len(trick.requests) == seen


async def test_no_panel_that_was_left_open_turns_a_disabled_trick_on(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    tour = await Tour(world, trick).take()
    assert "is off" in said(await tricks(world, "disable", trick=trick.id))
    for each in tour.of():
        if not each.custom_id.startswith("o:remove:"):
            (result,) = await forge(world, world.owner, each)
            assert told(result) or result.modal, each.custom_id
            assert "went wrong inside" not in told(result), each.custom_id
    (row,) = (await rows_of(sqlite_url))["installations"]
    assert row["state"] == "disabled"


async def test_after_fifteen_minutes_nothing_can_be_confirmed(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    tour = await Tour(world, trick).take()
    world.clock.advance(15 * 60 + 1)
    before = await rows_of(sqlite_url)
    for each in tour.of("o:register:", "o:enable:", "o:remove:", "f:accept:", "s:again:"):
        (result,) = await forge(world, world.owner, each)
        assert told(result).startswith("This is no longer open."), each.custom_id
        assert result.modal is None
    after = await rows_of(sqlite_url)
    assert {**after, "drafts": []} == {**before, "drafts": []}


async def test_after_a_restart_everything_is_answered_as_before(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    tour = await Tour(world, trick).take()
    await world.env.restart_bot(Kennel(world.services, shard_count=1))
    before = await rows_of(sqlite_url)
    for each in tour.of():
        (refused,) = await forge(world, world.member, each)
        assert told(refused) in REFUSALS, each.custom_id
    assert await rows_of(sqlite_url) == before
    for each in tour.of("s:", "g:", "x:", "e:", "l:", "v:", "p:log", "p:settings", "f:accept"):
        (result,) = await forge(world, world.owner, each)
        assert result.modal or not told(result).startswith(GONE), each.custom_id
    stored = await rows_of(sqlite_url)
    assert FORGED in stored["installations"][0]["settings"]
    assert stored["guilds"][0]["guidance"] == FORGED


async def test_in_a_direct_message_nobody_is_an_owner(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    tour = await Tour(world, trick).take()
    before = await rows_of(sqlite_url)
    for each in tour.of():
        (result,) = await forge(world, world.owner, each, direct=True)
        assert told(result) in REFUSALS, each.custom_id
    assert await rows_of(sqlite_url) == before


ONCE = [
    ("o:enable:", "no longer open", "is enabled"),
    ("o:remove:", "no longer open", "is gone, with everything"),
    ("f:accept:", "no longer open", "is now what you have just seen"),
    ("f:keep:", "no longer open", "stays what you accepted"),
    ("p:rotate:", "is being taken over until", "whsec_"),
]


@pytest.mark.parametrize(("prefix", "late", "done"), ONCE)
async def test_of_four_presses_at_once_one_does_it(
    world: World, trick: TrickServer, prefix: str, late: str, done: str
) -> None:
    tour = await Tour(world, trick).take()
    if prefix == "o:enable:":
        (first, *_) = tour.of("o:remove:")
        await forge(world, world.owner, first)
        world.clock.advance(3_600)
        await world.register(trick)
        tour.found.clear()
        await tour.ask_to_enable()
    (each, *_) = tour.of(prefix)
    answers = [told(result) for result in await forge(world, world.owner, *[each] * 4)]
    assert sorted((done in text, late in text) for text in answers) == [(False, True)] * 3 + [(True, False)]


async def test_a_trick_is_registered_once_however_often_register_is_pressed_at_once(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    shown = answer(await tricks(world, "register", manifest_url=trick.manifest_url))
    again = answer(await tricks(world, "register", manifest_url=trick.manifest_url))
    first, second = (Forged.of_control(controls_of([each])[0]) for each in (shown, again))
    answers = [told(result) for result in await forge(world, world.owner, first, second, first, second)]
    assert sum("whsec_" in text for text in answers) == 1
    assert len((await rows_of(sqlite_url))["installations"]) == 1


def _of_server(rows: Rows, world: World) -> Rows:
    """The rows that name the server or its installation."""
    ids = {row["id"] for row in rows["installations"] if row["guild_id"] == str(world.guild.id)}
    mine = {str(world.guild.id), *ids}
    return {
        table: [row for row in some if mine & set(map(str, row.values()))] for table, some in rows.items()
    }
