"""Drafts, confirmed once by the owner who was shown them."""

import asyncio

import pytest

from storage.drafts import Drafts
from storage.engine import Database
from storage.errors import ParentGone
from tests.support.records import GUILD, NOW, OWNER, draft


async def test_a_draft_can_be_looked_at_often_and_taken_once(database: Database) -> None:
    store = Drafts(database)
    await store.add(draft(payload='{"a":"🐶"}'))
    for _ in range(2):
        assert await store.peek("d1", GUILD, OWNER, NOW) == draft(payload='{"a":"🐶"}')
    assert await store.take("d1", GUILD, OWNER, NOW) == draft(payload='{"a":"🐶"}')
    assert await store.take("d1", GUILD, OWNER, NOW) is None
    assert await store.peek("d1", GUILD, OWNER, NOW) is None


@pytest.mark.parametrize(
    ("guild_id", "owner_id", "not_before"),
    [("2", OWNER, NOW), (GUILD, "somebody else", NOW), (GUILD, OWNER, NOW + 1)],
)
async def test_a_draft_of_another_or_too_old_is_not_given_and_stays(
    database: Database, guild_id: str, owner_id: str, not_before: int
) -> None:
    store = Drafts(database)
    await store.add(draft())
    assert await store.peek("d1", guild_id, owner_id, not_before) is None
    assert await store.take("d1", guild_id, owner_id, not_before) is None
    assert await store.take("d1", GUILD, OWNER, NOW) == draft()


async def test_of_ten_who_take_at_once_one_gets_the_draft(database: Database) -> None:
    store = Drafts(database)
    await store.add(draft())
    taken = await asyncio.gather(*(store.take("d1", GUILD, OWNER, NOW) for _ in range(10)))
    assert [row for row in taken if row] == [draft()]


async def test_a_draft_for_an_installation_that_is_gone_is_refused(database: Database) -> None:
    with pytest.raises(ParentGone):
        await Drafts(database).add(draft(installation_id="gone"))
