"""Consents: one for each member and tool, found, shown with names, and taken back."""

import asyncio

import pytest

from storage import consents
from storage.consents import Consents
from storage.engine import Database
from storage.errors import ParentGone
from storage.installations import Installations
from storage.request_records import Consent
from tests.support.records import GUILD, NOW, OWNER, installation, pin
from tests.support.request_records import ASKER, consent
from tests.support.storing import enabled


async def given(database: Database, *new: Consent) -> None:
    for each in new:
        await database.write(lambda connection, each=each: consents.store(connection, each))


async def test_a_consent_is_found_by_member_installation_and_tool(database: Database) -> None:
    await enabled(database, installation())
    await given(database, consent())
    store = Consents(database)
    assert await store.find(ASKER, "i1", "order_snack") == consent()
    for other in (("somebody", "i1", "order_snack"), (ASKER, "i2", "order_snack"), (ASKER, "i1", "list")):
        assert await store.find(*other) is None


async def test_a_newer_consent_takes_the_place_of_the_older_one(database: Database) -> None:
    await enabled(database, installation())
    newer = consent(endpoint="https://new.example/mcp", definition_hash="newer", created_at=NOW + 1)
    await given(database, consent(), newer)
    assert await Consents(database).of_member(ASKER, GUILD) == ((newer, "Snacks", "order_snack"),)


async def test_consents_given_at_once_are_kept_as_one(database: Database) -> None:
    await enabled(database, installation())
    await asyncio.gather(*(given(database, consent(definition_hash=f"{n}")) for n in range(8)))
    assert len(await Consents(database).of_member(ASKER, GUILD)) == 1


async def test_a_member_sees_their_own_consents_of_this_server_newest_first(database: Database) -> None:
    await enabled(database, installation())
    await enabled(database, installation("i2", name="Lights", guild_id="other"))
    mine, newer = consent(), consent("paint", created_at=NOW + 1)
    elsewhere = consent(installation_id="i2", guild_id="other")
    await given(database, mine, newer, elsewhere, consent(member_id="somebody"))
    store = Consents(database)
    assert [row[0] for row in await store.of_member(ASKER, GUILD)] == [newer, mine]
    assert await store.of_member(ASKER, "other") == ((elsewhere, "Lights", "order_snack"),)
    assert await store.of_member("nobody", GUILD) == ()


async def test_a_tool_is_called_by_its_title_or_else_by_its_name(database: Database) -> None:
    new = installation()
    await Installations(database).add(new, [])
    titled, untitled = pin("order_snack", title="Order a snack"), pin("paint", title="")
    await Installations(database).enable_first("i1", [titled, untitled], NOW, OWNER)
    tools = ("order_snack", "paint", "gone")
    await given(database, *(consent(tool, created_at=NOW - n) for n, tool in enumerate(tools)))
    titles = [title for _, _, title in await Consents(database).of_member(ASKER, GUILD)]
    assert titles == ["Order a snack", "paint", "gone"]


async def test_a_consent_is_taken_back_once_and_no_other_goes_with_it(database: Database) -> None:
    await enabled(database, installation())
    await given(database, consent(), consent("paint"), consent(member_id="somebody"))
    store = Consents(database)
    revoked = await asyncio.gather(*(store.revoke(ASKER, "i1", "order_snack") for _ in range(4)))
    assert revoked.count(True) == 1
    assert await store.find(ASKER, "i1", "order_snack") is None
    assert await store.find(ASKER, "i1", "paint") is not None
    assert await store.find("somebody", "i1", "order_snack") is not None


async def test_consents_go_with_their_installation(database: Database) -> None:
    await enabled(database, installation())
    await given(database, consent())
    await Installations(database).remove("i1", NOW, OWNER)
    assert await Consents(database).find(ASKER, "i1", "order_snack") is None
    with pytest.raises(ParentGone):
        await given(database, consent())
