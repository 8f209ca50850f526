"""What the stores of events take and give: frozen values, fields in the order of the table's columns."""

from dataclasses import dataclass, field
from typing import Literal

EventType = Literal["member.joined", "member.left"]
DeliveryStatus = Literal["pending", "delivered", "failed", "off", "unheard"]
"""`off`: sending was turned off first. `unheard`: the trick does not ask for this type; kept to order events."""
PostStatus = Literal["waiting", "posting", "posted", "dropped"]


@dataclass(frozen=True, slots=True)
class Subscription:
    """Which events an installation hears, whether they are sent, and where its posts go.

    `paused_at` is when posting stopped because the channel was lost; None while it works.
    """

    installation_id: str
    guild_id: str
    hears_joined: bool
    hears_left: bool
    is_on: bool
    channel_id: str | None
    paused_at: int | None


@dataclass(frozen=True, slots=True)
class NewEvent:
    """One occurrence as the gateway told it.

    `occurrence` is the same whenever the same event is told again (for a join it names the member and when
    they joined); `screening` is true while the member has not passed the server's screening.

    Of a leave, `last_join` is the occurrence of the last join that its teller was told of before it, and
    `heard_since` the time since which it has been told everything. Without that it knows all that is stored.
    """

    event_id: str
    guild_id: str
    member_id: str
    type: EventType
    occurrence: str
    occurred_at: int
    screening: bool
    last_join: str = ""
    heard_since: int | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event for one installation. `body` is what is sent, None before the first try and after the end."""

    seq: int
    id: str
    installation_id: str
    guild_id: str
    member_id: str
    event_id: str
    type: EventType
    occurrence: str
    occurred_at: int
    screening: bool
    body: str | None = field(repr=False)
    status: DeliveryStatus
    attempts: int
    next_at: int | None
    lease_until: int | None
    failure: str | None
    failure_kind: str | None
    ended_at: int | None


@dataclass(frozen=True, slots=True)
class Post:
    """A presentation that a delivery gave back. `keys` is JSON: action id to button key.

    `waiting` until `due_at`; `posting` from the moment that its intent, nonce, keys and channel are stored.
    """

    delivery_id: str
    installation_id: str
    guild_id: str
    member_id: str
    type: EventType
    presentation: str | None = field(repr=False)
    status: PostStatus
    due_at: int | None
    lease_until: int | None
    checks: int
    keys: str | None = field(repr=False)
    nonce: str | None
    channel_id: str | None
    message_id: str | None
    intended_at: int | None
    created_at: int


@dataclass(frozen=True, slots=True)
class DeliveryEnd:
    """How the attempt with the number `attempts` ended.

    `delivered` with the presentation (JSON) that came back, if any; `failed`, or with `next_at` to be tried
    again then. `failure` is our sentence for the owner, `failure_kind` a stable word for it. `untried`: nothing
    was sent, so that the claim counts as no attempt, and all the rest stays as it was.
    """

    delivery_id: str
    attempts: int
    delivered: bool
    presentation: str | None = field(default=None, repr=False)
    next_at: int | None = None
    failure: str | None = None
    failure_kind: str | None = None
    untried: bool = False
