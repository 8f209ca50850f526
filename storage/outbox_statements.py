"""The statements of `storage.outbox`, built once."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Executable,
    Integer,
    String,
    and_,
    bindparam,
    case,
    cast,
    exists,
    func,
    literal,
    literal_column,
    or_,
    select,
    update,
)

from storage.event_tables import deliveries, delivery_is_pending, posts, subscriptions
from storage.tables import installations
from storage.upserts import InsertInto, Upsert

_t, _s, _i = deliveries.c, subscriptions.c, installations.c
_now = bindparam("now", type_=BigInteger)
# literals, not parameters: a list of these would be written out anew for each execution
_works = or_(_i.state == literal_column("'enabled'"), _i.state == literal_column("'paused'"))
_member = bindparam("member_id", type_=String)
_occurred_at = bindparam("occurred_at", type_=BigInteger)


def _adding(
    heard: ColumnElement[bool], occurrence: ColumnElement[str], *where: ColumnElement[bool]
) -> Upsert:
    """Copies one event to every subscription of its server; two transactions at once make one row of it.

    PostgreSQL keeps the subscription from being turned off until the row can be seen by who turns it off.
    """
    given = {
        "id": bindparam("event_id", type_=String) + "-" + _s.installation_id,
        "installation_id": _s.installation_id,
        "guild_id": _s.guild_id,
        "member_id": _member,
        "event_id": bindparam("event_id", type_=String),
        "type": bindparam("type", type_=String),
        "occurrence": occurrence,
        "occurred_at": _occurred_at,
        "screening": bindparam("screening", type_=Boolean),
        "status": case((heard, "pending"), else_="unheard"),
        "attempts": literal(0, Integer),
        "next_at": case((heard, _occurred_at)),
    }
    source = (
        select(*given.values())
        .join(installations, _i.id == _s.installation_id)
        .where(_s.guild_id == bindparam("guild_id"), _s.is_on, _works, *where)
        .with_for_update(read=True, of=subscriptions)
    )

    def build(insert: InsertInto) -> Executable:
        row = insert(deliveries).from_select(list(given), source, include_defaults=False)
        return row.on_conflict_do_nothing(index_elements=["installation_id", "occurrence"])

    return Upsert(build)


_known, _newer = deliveries.alias("known"), deliveries.alias("newer")
_newest = (
    select(func.max(_known.c.seq))
    .where(_known.c.installation_id == _s.installation_id, _known.c.member_id == _member)
    .scalar_subquery()
)
_left_just_now = exists().where(
    _known.c.installation_id == _s.installation_id,
    _known.c.member_id == _member,
    _known.c.type == "member.left",
    _known.c.occurred_at > bindparam("since", type_=BigInteger),
    ~exists().where(
        _newer.c.installation_id == _known.c.installation_id,
        _newer.c.member_id == _known.c.member_id,
        _newer.c.seq > _known.c.seq,
        _newer.c.type == "member.joined",
        or_(
            _newer.c.occurrence == bindparam("last_join", type_=String),
            _newer.c.occurred_at < bindparam("heard_since", type_=BigInteger),
        ),
    ),
)
JOINED = _adding(_s.hears_joined, bindparam("occurrence", type_=String))
# a leave is told apart by what was known of the member before it: two processes that hear it find the same
LEFT = _adding(
    _s.hears_left,
    literal("l:") + _member + ":" + cast(func.coalesce(_newest, 0), String),
    ~_left_just_now,
)

# What is pending has a next try, and nothing else has. Said by the status, PostgreSQL would look for earlier ones in
# the partial index of all that are pending, which it believes to be nearly empty when a flood comes.
_earlier = deliveries.alias("earlier")
_is_first_of_member = ~exists().where(
    _earlier.c.installation_id == _t.installation_id,
    _earlier.c.member_id == _t.member_id,
    _earlier.c.next_at.is_not(None),
    _earlier.c.seq < _t.seq,
)
_can_be_claimed = and_(
    delivery_is_pending,
    _t.next_at <= _now,
    or_(_t.lease_until.is_(None), _t.lease_until <= _now),
    _is_first_of_member,
)
# One short look into the index of what is pending for each installation: a flood for one costs the others nothing.
_oldest = (
    select(_t.next_at)
    .where(_t.installation_id == _s.installation_id, _can_be_claimed)
    .order_by(_t.next_at)
    .limit(1)
    .scalar_subquery()
)
_waiting = (
    select(_s.installation_id, _oldest.label("since"))
    .join(installations, _i.id == _s.installation_id)
    .where(_s.is_on, _works)
    .cte("waiting")
    .prefix_with("MATERIALIZED")
)
READY = (
    select(_waiting.c.installation_id)
    .where(_waiting.c.since.is_not(None))
    .order_by(_waiting.c.since)
    .limit(bindparam("most"))
)
# SQLite leaves FOR UPDATE out: its writers stand in line anyway
_due = (
    select(_t.seq)
    .join(subscriptions, _s.installation_id == _t.installation_id)
    .join(installations, _i.id == _t.installation_id)
    .where(_t.installation_id == bindparam("key"), _s.is_on, _works, _can_be_claimed)
    .order_by(_t.next_at, _t.seq)
    .limit(bindparam("most"))
    .with_for_update(of=deliveries, skip_locked=True)
    .cte("due")
)
CLAIM = (
    update(deliveries)
    .where(_t.seq.in_(select(_due.c.seq)))
    .values(attempts=_t.attempts + 1, lease_until=bindparam("until"))
    .returning(deliveries)
)
FREEZE = update(deliveries).where(_t.seq == bindparam("number")).values(body=bindparam("bytes"))
_attempt = update(deliveries).where(
    _t.id == bindparam("key"), delivery_is_pending, _t.attempts == bindparam("number")
)
END = _attempt.values(
    status=bindparam("to"),
    body=None,
    next_at=None,
    lease_until=None,
    failure=bindparam("why"),
    failure_kind=bindparam("kind"),
    ended_at=_now,
)
# what was sent before with these bytes keeps them, and nothing else does
UNTRIED = _attempt.values(attempts=_t.attempts - 1, body=case((_t.attempts > 1, _t.body)), lease_until=None)
AGAIN = _attempt.values(
    next_at=bindparam("next_try"),
    lease_until=None,
    failure=bindparam("why"),
    failure_kind=bindparam("kind"),
)


def _post(insert: InsertInto) -> Executable:
    given = {
        "delivery_id": _t.id,
        "installation_id": _t.installation_id,
        "guild_id": _t.guild_id,
        "member_id": _t.member_id,
        "type": _t.type,
        "presentation": bindparam("shown", type_=String),
        "status": literal("waiting"),
        "due_at": _now,
        "checks": literal(0, Integer),
        "created_at": _now,
    }
    delivered = select(*given.values()).where(
        _t.id == bindparam("key"), _t.status == "delivered", _t.attempts == bindparam("number")
    )
    row = insert(posts).from_select(list(given), delivered, include_defaults=False)
    return row.on_conflict_do_nothing(index_elements=["delivery_id"])


ADD_POST = Upsert(_post)
"""Adds the post of a delivery that this very attempt delivered."""
FAILURES = (
    select(deliveries)
    .where(
        _t.installation_id == bindparam("key"),
        _t.failure.is_not(None),
        _t.status.in_(("failed", "pending")),
    )
    .order_by(_t.occurred_at.desc(), _t.seq.desc())
    .limit(bindparam("most"))
)
