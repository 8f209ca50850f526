"""A process dies between any two steps of an event: it is delivered all the same, and posted once."""

from collections.abc import AsyncGenerator

import pytest

from storage.engine import Database
from storage.event_records import DeliveryStatus
from tests.support.event_deaths import EventStage, Story, Told, event_stage
from tests.support.journeys import answer
from tests.support.trick import TrickServer
from tests.support.world import text_of

STORIES: dict[str, tuple[Story, DeliveryStatus, int]] = {
    "welcomed at once": (Story(), "delivered", 1),
    "after tries that fail": (Story([500, 503, 200]), "delivered", 1),
    "once the screening is passed": (Story(screened=True), "delivered", 1),
    "a farewell": (Story(kind="member.left"), "delivered", 1),
    "a trick that wants no more": (Story([410]), "off", 0),
    "a trick that wants no more later": (Story([500, 410]), "off", 0),
}
"""What happens, the status that the delivery ends with, and how many posts there are."""


@pytest.fixture
async def stage(database_url: str, database: Database, trick: TrickServer) -> AsyncGenerator[EventStage]:
    async with event_stage(database_url, database, trick) as stage:
        yield stage


@pytest.mark.parametrize("name", STORIES)
async def test_who_dies_anywhere_loses_nothing_and_posts_nothing_twice(stage: EventStage, name: str) -> None:
    story, status, posts = STORIES[name]
    whole = await stage.tell(story)
    await check(stage, whole, status, posts)
    first = whole.steps.index("Outbox.add")
    for last in range(first + 1, len(whole.steps) + 1):
        told = await stage.tell(story, last)
        assert len(told.steps) == last  # in which order the deliveries' and the posts' steps come may differ
        await check(stage, told, status, posts)


async def check(stage: EventStage, told: Told, status: DeliveryStatus, posts: int) -> None:
    """The delivery ended as it should, all tries were alike, and each post has a button that works."""
    died_after = told.steps[-1]
    assert told.delivery.status == status, died_after
    assert {each.headers["webhook-id"] for each in told.tries} == {told.delivery.id}, died_after
    assert len({each.body for each in told.tries}) == 1, died_after
    assert all(each.verified for each in told.tries), died_after
    assert len(told.messages) == posts, died_after
    for message in told.messages:
        shown = await stage.world.owner.click(message, label="See the snacks")
        assert "popcorn" in text_of(answer(shown)), died_after
