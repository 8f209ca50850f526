"""Events: subscriptions, deliveries and posts; kinds of failures; a server's guidance and when it was left."""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make them."""
    op.add_column("calls", sa.Column("failure_kind", sa.String(), nullable=True))
    op.add_column("guilds", sa.Column("guidance", sa.Text(), nullable=True))
    op.add_column("guilds", sa.Column("left_at", sa.BigInteger(), nullable=True))
    _subscriptions()
    _deliveries()
    _posts()
    _actions()
    _subscribe_what_is_installed()


def _goes_with(table: str, column: str, parent: str) -> sa.Constraint:
    return sa.ForeignKeyConstraint(
        [column], [f"{parent}.id"], name=f"fk_{table}_{column}", ondelete="CASCADE"
    )


def _partial(name: str, table: str, column: str, where: str, *more: str) -> None:
    condition = sa.text(where)
    op.create_index(name, table, [column, *more], sqlite_where=condition, postgresql_where=condition)


def _subscriptions() -> None:
    op.create_table(
        "subscriptions",
        sa.Column("installation_id", sa.String(), nullable=False),
        sa.Column("guild_id", sa.String(), nullable=False),
        sa.Column("hears_joined", sa.Boolean(), nullable=False),
        sa.Column("hears_left", sa.Boolean(), nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.Column("channel_id", sa.String(), nullable=True),
        sa.Column("paused_at", sa.BigInteger(), nullable=True),
        _goes_with("subscriptions", "installation_id", "installations"),
        sa.PrimaryKeyConstraint("installation_id", name="pk_subscriptions"),
    )
    op.create_index("ix_subscriptions_guild_id", "subscriptions", ["guild_id"])


def _deliveries() -> None:
    op.create_table(
        "deliveries",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), sa.Identity(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("installation_id", sa.String(), nullable=False),
        sa.Column("guild_id", sa.String(), nullable=False),
        sa.Column("member_id", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("occurrence", sa.String(), nullable=False),
        sa.Column("occurred_at", sa.BigInteger(), nullable=False),
        sa.Column("screening", sa.Boolean(), nullable=False),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("failure_kind", sa.String(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        _goes_with("deliveries", "installation_id", "installations"),
        sa.PrimaryKeyConstraint("seq", name="pk_deliveries"),
        sa.UniqueConstraint("id", name="uq_deliveries_id"),
        sa.UniqueConstraint("installation_id", "occurrence", name="uq_deliveries_installation_id_occurrence"),
    )
    op.create_index(
        "ix_deliveries_installation_id_member_id", "deliveries", ["installation_id", "member_id", "seq"]
    )
    op.create_index("ix_deliveries_member_id", "deliveries", ["member_id"])
    op.create_index("ix_deliveries_occurred_at", "deliveries", ["occurred_at"])
    _partial("ix_deliveries_pending", "deliveries", "next_at", "status = 'pending'")
    _partial(
        "ix_deliveries_pending_of", "deliveries", "installation_id", "status = 'pending'", "next_at", "seq"
    )


def _posts() -> None:
    op.create_table(
        "posts",
        sa.Column("delivery_id", sa.String(), nullable=False),
        sa.Column("installation_id", sa.String(), nullable=False),
        sa.Column("guild_id", sa.String(), nullable=False),
        sa.Column("member_id", sa.String(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("presentation", sa.Text(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("checks", sa.Integer(), nullable=False),
        sa.Column("keys", sa.Text(), nullable=True),
        sa.Column("nonce", sa.String(), nullable=True),
        sa.Column("channel_id", sa.String(), nullable=True),
        sa.Column("message_id", sa.String(), nullable=True),
        sa.Column("intended_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        _goes_with("posts", "delivery_id", "deliveries"),
        _goes_with("posts", "installation_id", "installations"),
        sa.PrimaryKeyConstraint("delivery_id", name="pk_posts"),
    )
    op.create_index("ix_posts_created_at", "posts", ["created_at"])
    op.create_index("ix_posts_installation_id", "posts", ["installation_id"])
    op.create_index("ix_posts_member_id", "posts", ["member_id"])
    op.create_index("ix_posts_message_id", "posts", ["message_id"])
    _partial("ix_posts_open", "posts", "due_at", "status = 'waiting' OR status = 'posting'")


def _actions() -> None:
    """A button belongs to a call or to the post of an event."""
    with op.batch_alter_table("actions") as actions:
        actions.alter_column("call_id", existing_type=sa.String(), nullable=True)
        actions.add_column(sa.Column("delivery_id", sa.String(), nullable=True))
        actions.create_foreign_key(
            "fk_actions_delivery_id", "deliveries", ["delivery_id"], ["id"], ondelete="CASCADE"
        )
    op.create_index("ix_actions_delivery_id", "actions", ["delivery_id"])


def _subscribe_what_is_installed() -> None:
    """Tricks that were registered before and ask for events get them from now on."""
    connection = op.get_bind()
    rows: list[dict[str, Any]] = []
    for row in connection.execute(sa.text("SELECT id, guild_id, manifest FROM installations")):
        events = json.loads(row.manifest).get("events", [])
        if events:
            rows.append(
                {
                    "installation_id": row.id,
                    "guild_id": row.guild_id,
                    "joined": "member.joined" in events,
                    "left": "member.left" in events,
                }
            )
    if rows:
        connection.execute(
            sa.text(
                "INSERT INTO subscriptions (installation_id, guild_id, hears_joined, hears_left, is_on) "
                "VALUES (:installation_id, :guild_id, :joined, :left, true)"
            ),
            rows,
        )
