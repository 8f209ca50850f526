"""What is due in conversations and events, asked in one read, so that an idle process writes nothing."""

from dataclasses import dataclass

from sqlalchemy import BigInteger, bindparam, exists, or_, select

from storage import request_tables as t
from storage.engine import Database
from storage.event_tables import deliveries, delivery_is_pending, post_is_open, posts, subscriptions
from storage.tables import installations

PROBE_MS = 3_600_000
"""How long after its channel was lost an installation's posts are tried there again."""

_now = bindparam("now", type_=BigInteger)


@dataclass(frozen=True, slots=True)
class Due:
    """Which kinds of work there are just now; somebody else may take them first."""

    requests: bool
    cards: bool
    card_messages: bool
    polls: bool
    news: bool
    questions: bool
    old_questions: bool
    question_messages: bool
    deliveries: bool
    posts: bool


_requests, _approvals, _tasks, _questions = t.requests.c, t.approvals.c, t.tasks.c, t.questions.c
DUE = select(
    exists().where(t.request_is_running, or_(_requests.lease_until.is_(None), _requests.lease_until <= _now)),
    exists().where(t.approval_is_open, _approvals.closes_at <= _now),
    exists().where(t.approval_to_fold),
    exists().where(
        t.task_is_open,
        _tasks.poll_at <= _now,
        or_(_tasks.poll_until.is_(None), _tasks.poll_until <= _now),
        _tasks.installation_id == installations.c.id,
        installations.c.state == "enabled",
    ),
    exists().where(t.task_has_news, or_(_tasks.tell_until.is_(None), _tasks.tell_until <= _now)),
    exists().where(t.question_to_post, or_(_questions.post_until.is_(None), _questions.post_until <= _now)),
    exists().where(t.question_is_open, _questions.closes_at <= _now),
    exists().where(t.question_to_fold),
    exists().where(
        delivery_is_pending,
        deliveries.c.next_at <= _now,
        or_(deliveries.c.lease_until.is_(None), deliveries.c.lease_until <= _now),
        deliveries.c.installation_id == installations.c.id,
        installations.c.state.in_(("enabled", "paused")),
    ),
    exists().where(
        post_is_open,
        posts.c.due_at <= _now,
        or_(posts.c.lease_until.is_(None), posts.c.lease_until <= _now),
        posts.c.installation_id == subscriptions.c.installation_id,
        or_(subscriptions.c.paused_at.is_(None), subscriptions.c.paused_at <= _now - PROBE_MS),
    ),
)


class Pulse:
    """Asks once for everything."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def due(self, now: int) -> Due:
        """What is due at `now`."""
        row = await self._database.first(DUE, {"now": now})
        return Due(*(bool(each) for each in row or (False,) * 10))
