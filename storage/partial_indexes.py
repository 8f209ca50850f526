"""The partial indexes of `storage.tables`, `storage.request_tables` and `storage.event_tables`.

They stand apart because naming an option of PostgreSQL's loads its dialect, which only migrations need then.
"""

from sqlalchemy import ColumnElement, Index

from storage.columns import metadata
from storage.event_tables import deliveries, delivery_is_pending, post_is_open, posts
from storage.request_tables import (
    approval_is_open,
    approval_to_fold,
    approvals,
    question_is_open,
    question_to_fold,
    question_to_post,
    questions,
    request_is_running,
    requests,
    task_has_news,
    task_is_open,
    tasks,
)
from storage.tables import call_has_text, call_under_way, calls, commands_unwritten, guilds

__all__ = ["metadata"]

Indexed = ColumnElement[int] | ColumnElement[str] | ColumnElement[int | None]


def _partial(name: str, column: Indexed, where: ColumnElement[bool], *more: Indexed) -> None:
    Index(name, column, *more, sqlite_where=where, postgresql_where=where)


_partial("ix_guilds_unwritten", guilds.c.guild_id, commands_unwritten)
_partial("ix_calls_text", calls.c.started_at, call_has_text)
_partial("ix_calls_under_way", calls.c.started_at, call_under_way)
_partial("ix_requests_running", requests.c.lease_until, request_is_running)
_partial("ix_approvals_open", approvals.c.closes_at, approval_is_open)
_partial("ix_approvals_to_fold", approvals.c.decided_at, approval_to_fold)
_partial("ix_tasks_open", tasks.c.poll_at, task_is_open)
_partial("ix_tasks_news", tasks.c.tell_until, task_has_news)
_partial("ix_questions_open", questions.c.closes_at, question_is_open)
_partial("ix_questions_to_post", questions.c.post_until, question_to_post)
_partial("ix_questions_to_fold", questions.c.closes_at, question_to_fold)
_partial("ix_deliveries_pending", deliveries.c.next_at, delivery_is_pending)
_partial(
    "ix_deliveries_pending_of",
    deliveries.c.installation_id,
    delivery_is_pending,
    deliveries.c.next_at,
    deliveries.c.seq,
)
_partial("ix_posts_open", posts.c.due_at, post_is_open)
