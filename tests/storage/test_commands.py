"""Finding commands and tools, and the table of all commands."""

from storage.commands import Commands
from storage.engine import Database
from storage.installations import Installations
from tests.support.records import GUILD, NOW, OWNER, command, installation, pin
from tests.support.storing import enabled


async def test_a_command_comes_with_its_installation_and_its_tools_definition(database: Database) -> None:
    await enabled(database, installation(held_back=("x",)), [command(), command("other", tool="eat_snack")])
    view = await Commands(database).find_command(GUILD, "snacks")
    assert view is not None
    assert view.installation.state == "enabled"
    assert view.installation.held_back == ("x",)
    assert view.command == command()
    assert view.pin == pin()


async def test_a_command_whose_tool_was_never_accepted_comes_without_a_definition(database: Database) -> None:
    await Installations(database).add(installation(), [command()])
    view = await Commands(database).find_command(GUILD, "snacks")
    assert view is not None
    assert (view.installation.state, view.pin) == ("registered", None)


async def test_a_command_is_its_servers_own(database: Database) -> None:
    await enabled(database, installation(), [command()])
    assert await Commands(database).find_command("2", "snacks") is None
    assert await Commands(database).find_command(GUILD, "Snacks") is None


async def test_a_tool_comes_with_its_definition_or_without(database: Database) -> None:
    await enabled(database, installation(), [command()])
    store = Commands(database)
    accepted, unknown = await store.find_tool("i1", "list_snacks"), await store.find_tool("i1", "eat_snack")
    assert accepted is not None
    assert unknown is not None
    assert (accepted.pin, unknown.pin) == (pin(), None)
    assert accepted.installation == unknown.installation
    assert await store.find_tool("i2", "list_snacks") is None


async def test_discord_is_to_know_the_commands_of_enabled_and_paused_tricks_in_a_fixed_order(
    database: Database,
) -> None:
    await enabled(database, installation("i2"), [command("z", "i2")])
    await enabled(database, installation("i1"), [command("b", position=1), command("a", position=0)])
    await enabled(database, installation("off"), [command("off", "off")])
    await Installations(database).set_state("off", {"enabled"}, "disabled", NOW, OWNER)
    await Installations(database).set_state("i2", {"enabled"}, "paused", NOW, OWNER)
    await Installations(database).add(installation("new"), [command("new", "new")])
    shown = await Commands(database).of_guild(GUILD)
    assert [row.command.name for row in shown] == ["a", "b", "z"]
    assert [row.pin and row.pin.installation_id for row in shown] == ["i1", "i1", "i2"]


async def test_the_table_holds_plain_tuples_of_all_servers_or_of_one(database: Database) -> None:
    store = Commands(database)
    await enabled(database, installation(), [command("a", prefix=False)])
    await enabled(
        database,
        installation("i2", guild_id="2"),
        [command("b", "i2", guild_id="2", visibility="ephemeral", slash=False)],
    )
    await Installations(database).add(installation("i3"), [command("c", "i3")])
    one, other = (GUILD, "a", "public", True, False), ("2", "b", "ephemeral", False, True)
    assert sorted(await store.table()) == sorted([one, other])
    assert await store.table_of("2") == [other]
    assert type((await store.table_of("2"))[0]) is tuple
