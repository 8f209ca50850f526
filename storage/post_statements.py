"""The statements of `storage.event_posts`, built once."""

from sqlalchemy import BigInteger, and_, bindparam, exists, func, or_, select, update

from storage.event_tables import deliveries, post_is_open, posts, subscriptions
from storage.pulse import PROBE_MS
from storage.tables import installations

_t, _s, _i = posts.c, subscriptions.c, installations.c
_now = bindparam("now", type_=BigInteger)
_until = bindparam("until", type_=BigInteger)
_sources = posts.join(subscriptions, _s.installation_id == _t.installation_id).join(
    installations, _i.id == _t.installation_id
)
_is_free = and_(post_is_open, _t.due_at <= _now, or_(_t.lease_until.is_(None), _t.lease_until <= _now))
_is_due = and_(
    _is_free,
    or_(_s.paused_at.is_(None), _s.paused_at <= _now - PROBE_MS),
    _i.state.in_(("enabled", "paused")),
)
ANY_DUE = select(exists().select_from(_sources).where(_is_due))
# Each installation in its turn: what a flood of joins has left in one server must not hold up the others.
_turn = func.row_number().over(partition_by=_t.installation_id, order_by=(_t.due_at, _t.created_at))
_in_turn = (
    select(_t.delivery_id, _turn.label("turn")).select_from(_sources).where(_is_due).subquery("in_turn")
)
# SQLite leaves FOR UPDATE out: its writers stand in line anyway
_due = (
    select(_t.delivery_id)
    .join(_in_turn, _in_turn.c.delivery_id == _t.delivery_id)
    .where(_in_turn.c.turn <= bindparam("each"), _is_free)
    .order_by(_in_turn.c.turn, _t.due_at, _t.created_at)
    .limit(bindparam("most"))
    .with_for_update(of=posts, skip_locked=True)
    .cte("due")
)
CLAIM = (
    update(posts)
    .where(_t.delivery_id.in_(select(_due.c.delivery_id)))
    .values(lease_until=_until)
    .returning(posts)
)
_one = update(posts).where(_t.delivery_id == bindparam("key"))
_held = _one.where(post_is_open, _t.lease_until == bindparam("held"))
_over = {"presentation": None, "keys": None, "due_at": None, "lease_until": None}
_goes_there = exists().where(
    _s.installation_id == _t.installation_id,
    _s.is_on,
    _s.channel_id == bindparam("channel"),
    _i.id == _t.installation_id,
    _i.state.in_(("enabled", "paused")),
)
INTEND = (
    _held.where(_goes_there)
    .values(
        status="posting",
        nonce=bindparam("mark"),
        keys=bindparam("button_keys"),
        channel_id=bindparam("channel"),
        intended_at=_now,
        lease_until=_until,
    )
    .returning(_t.delivery_id)
)
KEEP = _held.values(lease_until=_until).returning(_t.delivery_id)
POSTED = (
    _one.where(_t.status == "posting")
    .values(**_over, status="posted", message_id=bindparam("message"))
    .returning(_t.delivery_id)
)
DROPPED = _held.values(**_over, status="dropped").returning(_t.delivery_id)
BACK = _held.values(
    status="waiting",
    due_at=bindparam("next_due"),
    lease_until=None,
    checks=_t.checks + bindparam("step", type_=_t.checks.type),
    keys=None,
    nonce=None,
    channel_id=None,
    intended_at=None,
).returning(_t.delivery_id)
LOOK_LATER = _held.values(due_at=bindparam("next_due"), lease_until=None)
SCREENED = (
    update(posts)
    .where(
        _t.member_id == bindparam("member"),
        _t.guild_id == bindparam("guild"),
        _t.status == "waiting",
        _t.due_at > _now,
    )
    .values(due_at=_now)
)
WAITING = (
    select(_t.guild_id, _t.member_id)
    .where(post_is_open, _t.status == "waiting", _t.checks > 0)
    .distinct()
    .limit(bindparam("most"))
)
_newer = deliveries.alias("newer")
OVERTAKEN = select(
    exists().where(
        deliveries.c.id == bindparam("key"),
        _newer.c.installation_id == deliveries.c.installation_id,
        _newer.c.member_id == deliveries.c.member_id,
        _newer.c.seq > deliveries.c.seq,
        _newer.c.type == "member.left",
    )
)
