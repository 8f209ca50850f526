"""Two servers with the same trick share nothing of it."""

import pytest

from tests.support.journeys import another_server, answer, rows_of, said, tricks, typed, writes
from tests.support.trick import TrickServer
from tests.support.trick_answers import status
from tests.support.world import World

Two = tuple[World, World]


@pytest.fixture
async def two(world: World, trick: TrickServer) -> Two:
    """Both servers have the trick enabled, and it knows both secrets."""
    other = another_server(world)
    await world.install(trick)
    first = trick.secrets
    await other.install(trick)
    trick.trust(*first, *trick.secrets)
    return world, other


async def test_each_server_has_its_own_secret_and_its_own_opaque_installation_id(
    two: Two, trick: TrickServer
) -> None:
    here, there = two
    assert len(set(trick.secrets)) == 2
    seen: list[tuple[tuple[str, ...], str]] = []
    for world in (here, there, here, there):
        assert "popcorn" in await typed(world, "^snacks")
        call = trick.received("tools/call")[-1]
        seen.append((call.signed_by, call.context["installationId"]))
        assert call.context["askerId"] == str(world.member.id)
        for text in (str(world.guild.id), trick.id, "snack"):
            assert text not in call.context["installationId"]
    assert seen[:2] == seen[2:]
    assert seen[0][0] == (trick.secrets[0],)
    assert seen[1][0] == (trick.secrets[1],)
    assert seen[0][1] != seen[1][1]


async def test_a_prefix_is_one_servers_own(two: Two) -> None:
    here, there = two
    await here.owner.slash(here.channel, "prefix", value="!")
    assert "popcorn" in await typed(here, "!snacks")
    assert await typed(there, "!snacks") == ""
    assert "popcorn" in await typed(there, "^snacks")
    assert await typed(here, "^snacks") == ""


async def test_a_button_of_one_server_means_nothing_in_the_other(two: Two, trick: TrickServer) -> None:
    here, there = two
    shown = answer(await here.owner.slash(here.channel, "snacks"))
    panel = answer(await tricks(there, "list"))
    backend = here.env.backend
    backend.get_message(there.channel.id, panel.id).components[:] = backend.get_message(
        here.channel.id, shown.id
    ).components
    assert "expired" in said(await there.owner.click(panel, label="Save fruit"))
    assert not trick.effects
    assert "Saved" in said(await here.owner.click(shown, label="Save fruit"))


async def test_a_panel_of_one_server_means_nothing_in_the_other(two: Two) -> None:
    here, there = two
    asked = answer(await tricks(here, "remove", trick="snack_club"))
    panel = answer(await tricks(there, "list"))
    backend = here.env.backend
    backend.get_message(there.channel.id, panel.id).components[:] = backend.get_message(
        here.channel.id, asked.id
    ).components
    assert "no longer open" in said(await there.owner.click(panel, label="Remove"))
    for world in two:
        assert "popcorn" in await typed(world, "^snacks")


async def test_limits_of_a_trick_are_counted_for_each_server(two: Two, trick: TrickServer) -> None:
    here, there = two
    for _ in range(20):
        await here.member.send(here.channel, "^snacks")
    assert "Try again" in await typed(here, "^snacks")
    assert "popcorn" in await typed(there, "^snacks")


async def test_pausing_disabling_and_removing_concern_one_server(
    two: Two, trick: TrickServer, sqlite_url: str
) -> None:
    here, there = two
    trick.on("tools/call", status(500))
    for _ in range(5):
        await typed(here, "^snacks")
    trick.behave()
    assert "is paused" in await typed(here, "^snacks")
    assert "popcorn" in await typed(there, "^snacks")
    await tricks(here, "disable", trick=trick.id)
    assert writes(here, here.guild)[-1] == []
    assert writes(there, there.guild) == [["save", "snacks"]]
    asked = answer(await tricks(here, "remove", trick=trick.id))
    await here.owner.click(asked, label="Remove")
    assert "popcorn" in await typed(there, "^snacks")
    assert "No tricks here yet" in said(await tricks(here, "list"))
    assert "Snack Club" in said(await tricks(there, "list"))
    rows = await rows_of(sqlite_url)
    assert {row["guild_id"] for row in rows["calls"]} == {str(there.guild.id)}


async def test_a_changed_tool_is_held_back_where_it_was_noticed(two: Two, trick: TrickServer) -> None:
    here, there = two
    trick.change_live("snack_menu", title="Something else")
    await tricks(here, "test", trick=trick.id)
    assert "held back" in await typed(here, "^snacks")
    assert "popcorn" in await typed(there, "^snacks")


async def test_owning_one_server_means_nothing_in_the_other(two: Two, trick: TrickServer) -> None:
    here, there = two
    stranger = there.guild.add_member(here.owner.user)
    assert "manage the server" in await typed(there, "^save fruit", stranger)
    assert not trick.effects
