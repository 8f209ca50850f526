"""What is due, asked in one read."""

import dataclasses

import pytest

from storage.engine import Database
from storage.installations import Installations
from storage.pulse import Due, Pulse
from storage.tasks import Tasks
from tests.support.records import NOW, OWNER, installation
from tests.support.request_records import approval, asked, carded, request
from tests.support.task_records import handed_over, task

NOTHING = Due(*(False,) * 10)


def only(**due: bool) -> Due:
    return dataclasses.replace(NOTHING, **due)


async def test_an_empty_database_has_nothing_to_do(database: Database) -> None:
    assert await Pulse(database).due(NOW) == NOTHING


@pytest.mark.parametrize(("lease", "due"), [(None, True), (NOW, True), (NOW + 1, False)])
async def test_a_running_request_is_due_once_nobody_has_it(
    database: Database, lease: int | None, due: bool
) -> None:
    await asked(database, request(lease_until=lease))
    assert await Pulse(database).due(NOW) == only(requests=due)


async def test_a_card_is_due_at_its_deadline_and_then_its_message(database: Database) -> None:
    await Installations(database).add(installation(), ())
    await asked(database, request(status="waiting"))
    await carded(database, approval(closes_at=NOW + 5))
    assert await Pulse(database).due(NOW + 4) == NOTHING
    assert await Pulse(database).due(NOW + 5) == only(cards=True)


async def test_a_task_is_due_at_its_time_unless_its_trick_is_paused(database: Database) -> None:
    await Installations(database).add(installation(), ())
    await asked(database, request(status="waiting"))
    await handed_over(database, task(poll_at=NOW + 5))
    await Installations(database).set_state("i1", {"registered"}, "enabled", NOW, OWNER)
    assert not (await Pulse(database).due(NOW + 4)).polls
    assert (await Pulse(database).due(NOW + 5)).polls
    await Installations(database).set_state("i1", {"enabled"}, "paused", NOW, OWNER)
    assert not (await Pulse(database).due(NOW + 5)).polls
    assert await Tasks(database).due(NOW + 5, 10, NOW + 100) == ()
