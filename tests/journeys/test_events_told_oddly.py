"""Joins and leaves as Discord really tells them: twice, out of order, during an outage."""

from tests.support.joining import join, join_again, joined, leave, tick, told
from tests.support.journeys import another_server, deliver_again
from tests.support.trick import TrickServer
from tests.support.world import World


async def test_a_member_who_leaves_and_comes_back_within_a_second_joined_twice(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    nina = world.guild.add_member(world.env.create_user("nina"))
    world.guild.remove_member(nina)
    world.env.backend.clock.advance(0.5)
    world.guild.add_member(nina.user)
    for _ in range(3):
        await tick(world)
    assert [kind for kind, _ in told(trick)] == ["member.joined", "member.left", "member.joined"]
    assert {member for _, member in told(trick)} == {str(nina.id)}


async def test_a_join_whose_update_came_first_is_told(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    backend, user = world.env.backend, world.env.create_user("nina")
    backend.add_member(world.guild.id, user.id)
    backend.announce_member_update(world.guild.id, user.id)
    backend.emit("GUILD_MEMBER_ADD", joined(world, user.id))
    await tick(world)
    assert told(trick) == [("member.joined", str(user.id))]


async def test_a_join_that_is_told_again_is_one_join(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    await join(world)
    await deliver_again(world, "GUILD_MEMBER_ADD", times=3)
    await tick(world)
    assert len(told(trick)) == 1


async def test_a_leave_that_is_told_again_is_one_leave(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    nina = await join(world)
    await leave(world, nina)
    await deliver_again(world, "GUILD_MEMBER_REMOVE", times=3)
    await tick(world)
    assert [kind for kind, _ in told(trick)] == ["member.joined", "member.left"]
    await join_again(world, nina)
    await leave(world, nina)
    assert [kind for kind, _ in told(trick)][2:] == ["member.joined", "member.left"]


async def test_a_join_during_an_outage_of_the_server_is_told(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    world.env.backend.emit("GUILD_DELETE", {"id": str(world.guild.id), "unavailable": True})
    nina = world.guild.add_member(world.env.create_user("nina"))
    await tick(world)
    assert told(trick) == [("member.joined", str(nina.id))]


async def test_the_members_of_one_server_are_not_told_to_another(world: World, trick: TrickServer) -> None:
    other = another_server(world)
    await world.install(trick)
    first = trick.secrets
    await join(other, "otis")
    assert told(trick) == []
    await other.install(trick)
    trick.trust(*first, *trick.secrets)
    here, there = await join(world, "nina"), await join(other, "nora")
    assert told(trick) == [("member.joined", str(each.id)) for each in (here, there)]
    ids = [each.context["installationId"] for each in trick.received("events")]
    assert len(set(ids)) == 2
