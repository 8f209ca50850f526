"""What a member may know of what is stored about them."""

from storage.engine import Database
from storage.member_data import MemberCounts, MemberData
from storage.partial_indexes import metadata
from tests.support.privacy_rows import Subject, store, texts_of
from tests.support.records import NOW

MINE, THEIRS = Subject("mine", NOW), Subject("theirs", NOW)
NOT_THEIRS_TO_READ = {
    "keys and sealed values": {
        *("approvals.key", "approvals.definition_hash", "questions.key", "questions.request_key"),
        *("tasks.task_id", "tasks.resume", "consents.definition_hash", "posts.nonce", "posts.keys"),
        *("installations.secret", "installations.previous_secret", "actions.key"),
    },
    "what only the owner reads": {
        *("calls.said", "calls.failure_kind", "deliveries.body", "deliveries.failure"),
        *("deliveries.failure_kind", "deliveries.occurrence", "drafts.payload", "installations.manifest"),
        *(
            "installations.manifest_url",
            "approvals.endpoint",
            "consents.endpoint",
            "installations.settings",
            "installations.access",
        ),
        *("installations.held_back", "installations.notice", "actions.tool", "actions.label"),
        "actions.arguments",
    },
    "what other people and tricks wrote": {"approvals.outside", "requests.state"},
    "what is told in a moment, or is part of a message that stands there": {
        "tasks.news",
        "tasks.progress_id",
    },
    "what is kept for an hour": {"claims.id"},
}


async def exported(database: Database, member_id: str) -> dict[str, list[dict[str, object]]]:
    """All rows by table."""
    rows: dict[str, list[dict[str, object]]] = {}
    async for table, some in MemberData(database).rows(member_id):
        rows.setdefault(table, []).extend(some)
    return rows


async def test_a_member_gets_all_of_theirs_but_what_is_not_theirs_to_read(database: Database) -> None:
    await store(database, MINE, THEIRS)
    rows = await exported(database, MINE.member_id)
    about_members = {
        table.name
        for table in metadata.sorted_tables
        if {"asker_id", "member_id", "owner_id", "actor_id", "created_by"} & set(table.columns.keys())
    }
    assert rows.keys() == about_members
    given = {(table, name) for table, of in rows.items() for row in of for name in row}
    texts = {place: values for place, values in texts_of(MINE).items() if place[0] in about_members}
    withheld = {f"{table}.{name}" for table, name in texts if (table, name) not in given}
    named = {name for names in NOT_THEIRS_TO_READ.values() for name in names}
    assert {name for name in withheld if name.split(".")[1] not in ("asker_id", "member_id")} - named == {
        "drafts.owner_id",
        "audit.actor_id",
        "installations.created_by",
    }
    assert not named & {f"{table}.{name}" for table, name in given}
    everything = str(rows)
    assert "<theirs" not in everything
    for place, values in texts.items():
        if place in given:
            assert all(value in everything for value in values), place


async def test_what_there_is_is_counted_and_of_others_nothing(database: Database) -> None:
    await store(database, MINE, THEIRS)
    counts = MemberCounts(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, calls_with_texts=1)
    assert await MemberData(database).counts(MINE.member_id) == counts
    nothing = MemberCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    assert await MemberData(database).counts("nobody") == nothing
    assert await exported(database, "nobody") == {}
