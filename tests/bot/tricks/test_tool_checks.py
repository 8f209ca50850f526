"""Which tools a member may use through the assistant."""

from dataclasses import replace

import pytest

from bot.errors import ChannelNotAllowed, NoSuchTrick, NotAllowed, ToolHeldBack, TrickNotEnabled
from bot.policy.audiences import Place
from storage.installations import Installations
from tests.support.records import NOW, OWNER
from tests.support.request_calls import HERE, MEMBER, Conversing, conversing
from tests.support.request_records import CHANNEL

__all__ = ["conversing"]

GUEST = replace(MEMBER, manage_server=False)


async def test_a_tool_comes_with_its_accepted_definition(conversing: Conversing) -> None:
    await conversing.install()
    ready = await conversing.ready()
    assert (ready.pin.tool, ready.title, ready.installed.row.id) == (
        "save_snack",
        "Save your snack preference",
        "i1",
    )
    assert ready.schema == conversing.trick.tools[1].schema
    assert await conversing.ready("snack_menu", GUEST)


async def test_a_trick_that_is_not_there_or_another_servers_is_no_trick(conversing: Conversing) -> None:
    await conversing.install()
    with pytest.raises(NoSuchTrick):
        await conversing.checks.tool("i2", "save_snack", MEMBER, HERE)
    with pytest.raises(NoSuchTrick):
        await conversing.ready(asker=replace(MEMBER, guild_id="another", is_owner=True))


async def test_a_trick_that_is_turned_off_is_told_before_anything_else(conversing: Conversing) -> None:
    await conversing.install()
    await Installations(conversing.database).set_state("i1", {"enabled"}, "disabled", NOW, OWNER)
    for tool in ("save_snack", "no such tool"):
        with pytest.raises(TrickNotEnabled):
            await conversing.ready(tool, GUEST)


async def test_a_tool_that_was_never_accepted_or_has_changed_is_held_back(conversing: Conversing) -> None:
    await conversing.install("save_snack")
    for tool in ("save_snack", "no such tool"):
        with pytest.raises(ToolHeldBack):
            await conversing.ready(tool, GUEST)
    await Installations(conversing.database).set_held_back("i1", ["snack_menu"])
    with pytest.raises(ToolHeldBack):
        await conversing.ready("snack_menu")


async def test_a_tool_is_for_those_whom_the_owner_admits_and_in_the_channels_of_the_trick(
    conversing: Conversing,
) -> None:
    await conversing.install(access='{"channels": ["1"]}')
    with pytest.raises(NotAllowed):
        await conversing.ready(asker=GUEST)
    with pytest.raises(ChannelNotAllowed):
        await conversing.ready()
    assert await conversing.ready(place=Place(CHANNEL, parent_id="1"))
    assert await conversing.ready(asker=replace(MEMBER, is_owner=True))
