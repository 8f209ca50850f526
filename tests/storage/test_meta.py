"""Single values by key."""

import asyncio

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.engine import Database
from storage.meta import Meta

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200)


async def test_the_last_value_that_was_set_is_there(database: Database) -> None:
    store = Meta(database)
    assert await store.get("a") is None
    await store.set("a", "1")
    await store.set("a", "2")
    assert await store.get("a") == "2"


async def test_of_many_who_keep_a_value_all_get_the_first_one(database: Database) -> None:
    store = Meta(database)
    kept = await asyncio.gather(*(store.keep("fingerprint", str(n)) for n in range(10)))
    assert len(set(kept)) == 1
    assert await store.get("fingerprint") == kept[0]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(key=TEXTS, value=TEXTS | st.just("🐶\u200d👩‍🚀\u202e\ufeff'\"; DROP TABLE meta; --"))
async def test_any_text_without_nul_comes_back_as_it_was(database: Database, key: str, value: str) -> None:
    store = Meta(database)
    await store.set(key, value)
    assert await store.get(key) == value
