"""A member's consents as they are shown, and whether they still hold."""

import pytest

from bot.approvals.consents import ConsentService, GivenConsent, consent_holds
from bot.manifest import dump_manifest
from storage import consents
from storage.consents import Consents
from storage.engine import Database
from storage.installations import Installations
from storage.request_records import Consent
from tests.support.manifests import SNACK_CLUB, manifest_json, read
from tests.support.records import GUILD, NOW, OWNER, installation, pin
from tests.support.request_records import ASKER, consent

MCP = SNACK_CLUB["endpoints"]["mcp"]


@pytest.fixture
def service(database: Database) -> ConsentService:
    """The service on the database."""
    return ConsentService(Consents(database), Installations(database))


async def installed(database: Database, id: str = "i1", **changes: str) -> None:
    """A trick with one accepted tool."""
    store = Installations(database)
    await store.add(installation(id, manifest=dump_manifest(read(manifest_json())), **changes), [])
    await store.enable_first(id, [pin("order_snack", id, title="Order a snack")], NOW, OWNER)


async def given(database: Database, **changes: str) -> None:
    new = consent(**{"endpoint": MCP, **changes})
    await database.write(lambda connection: consents.store(connection, new))


async def test_a_consent_is_shown_with_the_tricks_name_and_the_tools_title(
    database: Database, service: ConsentService
) -> None:
    await installed(database)
    await given(database)
    assert await service.of_member(ASKER, GUILD) == (
        GivenConsent("i1", "order_snack", "Snacks", "Order a snack", holds=True),
    )
    assert await service.of_member("somebody", GUILD) == ()
    assert await service.of_member(ASKER, "other") == ()


@pytest.mark.parametrize(
    "changed",
    [{"definition_hash": "older"}, {"endpoint": "https://elsewhere.example/mcp"}, {"tool": "never_accepted"}],
)
async def test_a_consent_for_what_is_served_no_more_does_not_hold(
    database: Database, service: ConsentService, changed: dict[str, str]
) -> None:
    await installed(database)
    await given(database, **changed)
    (shown,) = await service.of_member(ASKER, GUILD)
    assert not shown.holds


async def test_consents_for_several_tricks_are_judged_each_by_its_own(
    database: Database, service: ConsentService
) -> None:
    await installed(database)
    await installed(database, "i2", name="Lights")
    await given(database)
    await given(database, installation_id="i2", definition_hash="older")
    shown = await service.of_member(ASKER, GUILD)
    assert {(each.trick_name, each.holds) for each in shown} == {("Snacks", True), ("Lights", False)}


async def test_a_consent_taken_back_is_gone(database: Database, service: ConsentService) -> None:
    await installed(database)
    await given(database)
    assert await service.revoke(ASKER, "i1", "order_snack")
    assert await service.of_member(ASKER, GUILD) == ()
    assert not await service.revoke(ASKER, "i1", "order_snack")


def test_no_consent_and_no_definition_hold_nothing() -> None:
    given: Consent = consent(endpoint=MCP)
    assert consent_holds(given, MCP, pin("order_snack"))
    assert not consent_holds(None, MCP, pin("order_snack"))
    assert not consent_holds(given, MCP, None)
