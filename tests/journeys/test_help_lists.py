"""`/help` lists exactly what works for this member in this channel, however much that is."""

from sqlalchemy import update

from storage.tables import installations
from tests.support.journeys import database_of, said, tricks, typed
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_answers import status
from tests.support.world import World, config_for, open_world


async def help_of(world: World, *, owner: bool = False) -> str:
    """What `/help` tells the member, or the owner."""
    result = await (world.owner if owner else world.member).slash(world.channel, "help")
    assert result.ephemeral
    return said(result)


async def test_what_is_paused_or_held_back_is_left_out(world: World, trick: TrickServer) -> None:
    await world.install(trick)
    trick.change_live("save_snack", title="Something else")
    await tricks(world, "test", trick=trick.id)
    told = await help_of(world, owner=True)
    assert "/snacks" in told
    assert "/save" not in told
    trick.on("tools/call", status(500))
    for _ in range(5):
        await typed(world, "^snacks")
    assert "no commands of tricks" in await help_of(world, owner=True)


async def test_what_may_not_be_used_in_this_channel_is_left_out_for_all_but_the_owner(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    await world.install(trick)
    async with database_of(sqlite_url) as database:
        await database.write(lambda c: c.execute(update(installations).values(access='{"channels": ["1"]}')))
    assert "no commands of tricks" in await help_of(world)
    assert "no commands of tricks" in await typed(world, "^help")
    assert "/snacks" in await help_of(world, owner=True)


async def test_each_command_is_shown_in_the_forms_that_it_has_with_this_servers_prefix(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    commands = [
        {"name": name, "description": f"Do {name}", "tool": "snack_menu", "surfaces": surfaces}
        for name, surfaces in (("one", ["slash"]), ("two", ["prefix"]), ("three", ["slash", "prefix"]))
    ]
    trick = await make_trick(commands=commands, name="**Snacks** @everyone")
    async with open_world(config_for(sqlite_url, trick)) as world:
        await world.install(trick)
        await world.owner.slash(world.channel, "prefix", value="?!")
        told = await help_of(world)
        for line in ("`/one`: Do one", "`?!two`: Do two", "`/three` or `?!three`: Do three"):
            assert line in told
        assert "\\*\\*Snacks\\*\\* \\@everyone" in told


async def test_the_longest_list_fits_and_says_how_much_is_missing(
    sqlite_url: str, make_trick: MakeTrick
) -> None:
    commands = [
        {"name": f"{'c' * 28}{n}", "description": "🦴" * 50, "tool": "snack_menu"} for n in range(100)
    ]
    trick = await make_trick(commands=commands)
    async with open_world(config_for(sqlite_url, trick)) as world:
        await world.install(trick)
        for told in (await help_of(world), await typed(world, "^help")):
            assert "more lines" in told
