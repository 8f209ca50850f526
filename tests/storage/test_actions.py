"""Buttons: found by their key, bound to their message, forgotten with it."""

from storage.actions import Actions
from storage.engine import Database
from storage.erase import Erase
from storage.records import CallOutcome, StoredAction
from tests.support.records import GUILD, NOW, action, call, command, installation, pin
from tests.support.storing import counts, enabled, ended


async def shown(database: Database, *keys: str) -> None:
    await enabled(database, installation(), [command(), command("eat", tool="eat_snack")])
    await ended(database, call(), CallOutcome("succeeded", fault=False, actions=tuple(map(action, keys))))


async def test_a_button_comes_with_its_installation_and_its_tools_definition(database: Database) -> None:
    await shown(database, "k1")
    view = await Actions(database).find("k1")
    assert view is not None
    assert view.action == StoredAction(
        "k1",
        "i1",
        GUILD,
        "c1",
        "eat_snack",
        "Eat it",
        '{"n":1}',
        message_id=None,
        created_at=NOW,
        delivery_id=None,
    )
    assert view.installation.id == "i1"
    assert view.pin == pin("eat_snack")
    assert await Actions(database).find("k2") is None


async def test_buttons_are_bound_to_the_first_message_that_shows_them(database: Database) -> None:
    await shown(database, "k1", "k2", "k3")
    store = Actions(database)
    await store.bind(["k1", "k2"], "m1")
    await store.bind(["k2", "k3"], "m2")
    await store.bind([], "m3")
    views = [await store.find(key) for key in ("k1", "k2", "k3")]
    assert [view and view.action.message_id for view in views] == ["m1", "m1", "m2"]


async def test_the_buttons_of_a_message_go_with_it_and_others_stay(database: Database) -> None:
    await shown(database, "k1", "k2", "k3")
    store = Actions(database)
    await store.bind(["k1"], "m1")
    await store.bind(["k2"], "m2")
    await Erase(database).messages_deleted(["m1", "unknown"])
    await Erase(database).messages_deleted([])
    assert await store.find("k1") is None
    assert (await counts(database))["actions"] == 2
