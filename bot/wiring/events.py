"""Members joining and leaving, from the outbox to the posts."""

from __future__ import annotations

from dataclasses import dataclass

from bot.events.attempts import Attempts
from bot.events.outbox import EventOutbox
from bot.events.poster import PostLine
from bot.events.posting import Posting
from bot.events.posts import PostWorker
from bot.events.screening import Screening
from bot.events.worker import DeliveryWorker
from bot.wiring.base import Base


@dataclass(frozen=True, slots=True)
class Events:
    """Members joining and leaving: into the outbox, to the tricks, and what comes back."""

    outbox: EventOutbox
    deliveries: DeliveryWorker
    posts: PostWorker
    post_line: PostLine


def events(base: Base) -> Events:
    """Build them: each passes what it has done on to the next."""
    stores, reader, notices, clock = base.stores, base.reader, base.notices, base.clock
    line, screening = PostLine(), Screening(stores.event_posts, clock)
    posting = Posting(
        stores.event_posts,
        stores.installations,
        stores.subscriptions,
        reader,
        line,
        notices,
        screening,
        clock,
    )
    posts = PostWorker(stores.event_posts, posting, screening, clock)
    attempts = Attempts(stores.installations, stores.subscriptions, reader, base.sender, notices, clock)
    deliveries = DeliveryWorker(
        stores.outbox, attempts, base.limiter, clock, posts.nudge, metrics=base.metrics
    )
    return Events(EventOutbox(stores.outbox, clock, deliveries.nudge), deliveries, posts, line)
