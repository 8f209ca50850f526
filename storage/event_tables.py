"""The tables of events: which installation hears what, the outbox of deliveries, and the posts that came back.

Whatever stands in a nullable text here came from a trick or names a member's event, and is erased with it.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Identity,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
    literal_column,
    or_,
)

from storage.columns import (
    count_column,
    flag_column,
    id_column,
    installation_column,
    metadata,
    ms_column,
    text_column,
)

subscriptions = Table(
    "subscriptions",
    metadata,
    installation_column(key=True),
    id_column("guild_id"),
    flag_column("hears_joined"),
    flag_column("hears_left"),
    flag_column("is_on"),
    id_column("channel_id", null=True),
    ms_column("paused_at", null=True),
)
Index("ix_subscriptions_guild_id", subscriptions.c.guild_id)

deliveries = Table(
    "deliveries",
    metadata,
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), Identity(), primary_key=True),
    id_column("id"),
    installation_column(),
    id_column("guild_id"),
    id_column("member_id"),
    id_column("event_id"),
    id_column("type"),
    id_column("occurrence"),
    ms_column("occurred_at"),
    flag_column("screening"),
    text_column("body", null=True),
    id_column("status"),
    count_column("attempts"),
    ms_column("next_at", null=True),
    ms_column("lease_until", null=True),
    text_column("failure", null=True),
    id_column("failure_kind", null=True),
    ms_column("ended_at", null=True),
    UniqueConstraint("id"),
    UniqueConstraint("installation_id", "occurrence"),
)
delivery_is_pending = deliveries.c.status == literal_column("'pending'")
Index(
    "ix_deliveries_installation_id_member_id",
    deliveries.c.installation_id,
    deliveries.c.member_id,
    deliveries.c.seq,
)
Index("ix_deliveries_member_id", deliveries.c.member_id)
Index("ix_deliveries_occurred_at", deliveries.c.occurred_at)

posts = Table(
    "posts",
    metadata,
    Column("delivery_id", String, ForeignKey("deliveries.id", ondelete="CASCADE"), primary_key=True),
    installation_column(),
    id_column("guild_id"),
    id_column("member_id"),
    id_column("type"),
    text_column("presentation", null=True),
    id_column("status"),
    ms_column("due_at", null=True),
    ms_column("lease_until", null=True),
    count_column("checks"),
    text_column("keys", null=True),
    id_column("nonce", null=True),
    id_column("channel_id", null=True),
    id_column("message_id", null=True),
    ms_column("intended_at", null=True),
    ms_column("created_at"),
)
post_is_open = or_(
    posts.c.status == literal_column("'waiting'"), posts.c.status == literal_column("'posting'")
)
Index("ix_posts_installation_id", posts.c.installation_id)
Index("ix_posts_member_id", posts.c.member_id)
Index("ix_posts_message_id", posts.c.message_id)
Index("ix_posts_created_at", posts.c.created_at)
