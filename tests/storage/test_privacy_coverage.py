"""Every column of every table, and the ways in which what stands in it goes.

A new column has to be entered here. What is entered is done, on both databases: of what should go nothing is left in
any column of any table, and everything else is left.
"""

from typing import NamedTuple

import pytest

from storage.engine import Database
from storage.partial_indexes import metadata
from tests.support.privacy_rows import Subject, left_of, store, texts_of
from tests.support.privacy_ways import WAYS
from tests.support.records import NOW
from tests.support.storing import everything

OLD = NOW - 86_400_000
GOING, STAYING = Subject("going", OLD), Subject("staying", NOW + 1)


class Columns(NamedTuple):
    """Columns that go in the same ways; each way stands in `WAYS`. Without one, `why` says why that is right."""

    names: str
    ways: str
    why: str = ""


COVERAGE: dict[str, tuple[Columns, ...]] = {
    "meta": (Columns("key value", "", "facts about the whole database: a fingerprint, a hash"),),
    "counters": (Columns("name value", "", "how many changes there were"),),
    "guilds": (
        Columns(
            "guild_id prefix commands_wanted commands_written commands_hash command_names creates_day "
            "creates_used sync_holder sync_until changed_seq guidance left_at",
            "guild",
        ),
        Columns("commands_problem", "installation guild"),
    ),
    "installations": (
        Columns(
            "id guild_id trick_id name manifest_url manifest state secret previous_secret "
            "previous_secret_until settings access failures pinned held_back notice next_look_at look_until "
            "created_at",
            "installation guild",
        ),
        Columns("created_by", "member installation guild"),
    ),
    "commands": (
        Columns(
            "guild_id name installation_id position tool visibility slash prefix spec", "installation guild"
        ),
    ),
    "pins": (
        Columns(
            "installation_id tool title description input_schema read_only always_ask thread user_request "
            "definition_hash pinned_at",
            "installation guild",
        ),
    ),
    "claims": (Columns("id expires_at", "member retention"),),
    "calls": (
        Columns(
            "id installation_id guild_id tool origin asker_id channel_id message_id status started_at "
            "finished_at failure failure_kind",
            "member installation guild",
        ),
        Columns("arguments result said", "message member installation guild retention"),
    ),
    "actions": (
        Columns(
            "key installation_id guild_id call_id tool label arguments message_id created_at delivery_id",
            "message member installation guild retention",
        ),
    ),
    "drafts": (
        Columns(
            "id guild_id owner_id kind installation_id payload created_at",
            "member installation guild retention",
        ),
    ),
    "audit": (
        Columns("id at installation_id what tool outcome", "installation guild"),
        Columns("guild_id", "guild"),  # that a trick was removed stays, without saying which
        Columns("call_id actor_id", "member installation guild"),
    ),
    "requests": (
        Columns(
            "id guild_id asker_id channel_id message_id thread_id status writes_stopped wakes lease_until "
            "created_at",
            "member guild retention",
        ),
        Columns("content state", "message member guild retention"),
    ),
    "threads": (Columns("thread_id asker_id guild_id created_at", "member guild retention"),),
    "approvals": (
        Columns(
            "id key installation_id request_id guild_id asker_id channel_id message_id card_id tool "
            "definition_hash endpoint reason reviewable status opened_at closes_at decided_at folded",
            "member installation guild retention",
        ),
        Columns("arguments outside", "message member installation guild retention"),
    ),
    "consents": (
        Columns(
            "member_id installation_id tool guild_id endpoint definition_hash created_at",
            "member installation guild",
        ),
    ),
    "tasks": (
        Columns(
            "id installation_id request_id guild_id asker_id channel_id message_id tool task_id status "
            "last_status poll_every poll_at poll_until expires_at news_number tell_until progress_id "
            "progress_at created_at",
            "member installation guild retention",
        ),
        Columns("resume last_message news", "message member installation guild retention"),
    ),
    "questions": (
        Columns(
            "id key installation_id task_id request_id guild_id asker_id channel_id message_id question_id "
            "request_key status wrong sent folded opened_at words_until closes_at post_until",
            "member installation guild retention",
        ),
        Columns("message schema words draft answer", "message member installation guild retention"),
    ),
    "subscriptions": (
        Columns(
            "installation_id guild_id hears_joined hears_left is_on channel_id paused_at",
            "installation guild",
        ),
    ),
    "deliveries": (
        Columns(
            "seq id installation_id guild_id member_id event_id type occurrence occurred_at screening body "
            "status attempts next_at lease_until failure failure_kind ended_at",
            "member installation guild retention",
        ),
    ),
    "posts": (
        Columns(
            "delivery_id installation_id guild_id member_id type status due_at lease_until checks nonce "
            "channel_id message_id intended_at created_at",
            "member installation guild retention",
        ),
        Columns("presentation keys", "message member installation guild retention"),
    ),
}


EACH_WAY = pytest.mark.parametrize("way", WAYS)


def test_every_column_of_every_table_is_entered_once() -> None:
    entered = {name: sorted(" ".join(each.names for each in of).split()) for name, of in COVERAGE.items()}
    there = {table.name: sorted(table.columns.keys()) for table in metadata.sorted_tables}
    assert entered == there


def test_what_goes_in_no_way_has_a_reason_and_every_way_is_one_that_is_tried() -> None:
    for of in COVERAGE.values():
        for each in of:
            assert set(each.ways.split()) <= WAYS.keys()
            assert bool(each.ways) != bool(each.why)


def goes(way: str) -> set[tuple[str, str]]:
    """The columns whose texts go in this way."""
    return {
        (table, name)
        for table, of in COVERAGE.items()
        for each in of
        if way in each.ways.split()
        for name in each.names.split()
    }


@EACH_WAY
async def test_exactly_what_is_entered_goes_and_nothing_of_anybody_else(database: Database, way: str) -> None:
    await store(database, GOING, STAYING)
    assert await left_of(database, GOING) == texts_of(GOING)
    nowhere = await WAYS[way](database, GOING)
    left = await left_of(database, GOING)
    assert {place for place in texts_of(GOING) if place not in left} == {
        place for place in goes(way) if place in texts_of(GOING)
    }
    assert await left_of(database, STAYING) == texts_of(STAYING)
    stored = await everything(database)
    assert [id for id in nowhere if id in stored] == []
