"""The statements of `storage.tasks`, built once."""

from sqlalchemy import Integer, Text, bindparam, case, func, or_, select, update

from storage import tables
from storage.request_tables import question_is_open, questions, task_has_news, task_is_open, tasks

_t = tasks.c
_installations = tables.installations.c
ONE = select(tasks).where(_t.id == bindparam("key"))
OF_REQUEST = select(tasks).where(_t.request_id == bindparam("request_id")).order_by(_t.created_at, _t.id)
_open_tasks = (
    select(func.count()).where(_t.installation_id == _installations.id, task_is_open).scalar_subquery()
)
INSTALLATIONS = select(tables.installations, _open_tasks).where(
    _installations.id.in_(bindparam("keys", expanding=True))
)
# SQLite leaves FOR UPDATE out: its writers stand in line anyway
_due = (
    select(_t.id)
    .join(tables.installations, _installations.id == _t.installation_id)
    .where(
        task_is_open,
        _t.poll_at <= bindparam("now"),
        or_(_t.poll_until.is_(None), _t.poll_until <= bindparam("now")),
        _installations.state == "enabled",
    )
    .order_by(_t.poll_at)
    .limit(bindparam("most"))
    .with_for_update(of=tasks, skip_locked=True)
    .cte("due")
)
CLAIM_DUE = (
    update(tasks)
    .where(_t.id.in_(select(_due.c.id)))
    .values(poll_at=bindparam("until"), poll_until=bindparam("until"))
    .returning(tasks)
)
_untold = (
    select(_t.id)
    .where(task_has_news, or_(_t.tell_until.is_(None), _t.tell_until <= bindparam("now")))
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True)
    .cte("untold")
)
CLAIM_UNTOLD = (
    update(tasks)
    .where(_t.id.in_(select(_untold.c.id)))
    .values(tell_until=bindparam("until"))
    .returning(tasks)
)
_open_one = update(tasks).where(_t.id == bindparam("key"), task_is_open)
# a claim sets both times alike: an earlier one was set since then by an answer, and is kept
_next_poll = case(
    (_t.poll_at < _t.poll_until, _t.poll_at), else_=bindparam("next_poll", type_=_t.poll_at.type)
)
REST = _open_one.values(poll_at=_next_poll, poll_until=None, poll_every=bindparam("every"))
REPORT = _open_one.values(
    status=bindparam("to"),
    last_status=bindparam("said_status"),
    last_message=bindparam("said"),
    news=func.coalesce(bindparam("told", type_=Text), _t.news),
    news_number=_t.news_number + bindparam("step", type_=Integer),
    poll_at=_next_poll,
    poll_until=None,
    poll_every=bindparam("every"),
    expires_at=func.coalesce(bindparam("expires", type_=_t.expires_at.type), _t.expires_at),
).returning(_t.id)
MARK = _open_one.where(_t.resume == bindparam("was")).values(resume=bindparam("marked")).returning(_t.id)
RENEW = _open_one.values(
    task_id=bindparam("sealed"),
    resume=bindparam("again"),
    status=bindparam("to"),
    last_status=bindparam("said_status"),
    last_message=bindparam("said"),
    poll_at=bindparam("next_poll"),
    poll_until=None,
    poll_every=bindparam("every"),
    expires_at=bindparam("expires"),
).returning(_t.id)
_over = {"task_id": None, "resume": None, "poll_at": None, "poll_until": None}
END = _open_one.values(
    **_over,
    status=bindparam("to"),
    news=func.coalesce(bindparam("told", type_=Text), _t.news),
    news_number=_t.news_number + bindparam("step", type_=Integer),
).returning(_t.id)
WORDED = (
    update(tasks)
    .where(_t.id == bindparam("key"), _t.news_number == bindparam("number"), task_has_news)
    .values(news=bindparam("words"))
    .returning(_t.id)
)
TOLD = (
    update(tasks)
    .where(_t.id == bindparam("key"))
    .values(
        news=case((_t.news_number != bindparam("number"), _t.news)),
        tell_until=None,
        progress_id=func.coalesce(bindparam("message", type_=Text), _t.progress_id),
        progress_at=func.coalesce(bindparam("at", type_=_t.progress_at.type), _t.progress_at),
    )
)
CLOSE = (
    update(tasks)
    .where(_t.id.in_(bindparam("keys", expanding=True)), task_is_open)
    .values(**_over, status="lost", news=None, tell_until=None)
    .returning(tasks)
)
CLOSE_QUESTIONS = (
    update(questions)
    .where(questions.c.task_id.in_(bindparam("keys", expanding=True)), question_is_open)
    .values(status="closed")
)
OPEN_OF_MESSAGES = select(_t.id).where(_t.message_id.in_(bindparam("keys", expanding=True)), task_is_open)
OPEN_OF_INSTALLATIONS = select(_t.id).where(
    _t.installation_id.in_(bindparam("keys", expanding=True)), task_is_open
)
OPEN_OF_MEMBERS = select(_t.id).where(_t.asker_id.in_(bindparam("keys", expanding=True)), task_is_open)
