"""The first tables: servers, installations, calls and what hangs on them."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make them."""
    _servers()
    _installations()
    _definitions()
    _calls()


def _parent(table: str, column: str = "installation_id", parent: str = "installations") -> sa.Constraint:
    return sa.ForeignKeyConstraint(
        [column], [f"{parent}.id"], name=f"fk_{table}_{column}", ondelete="CASCADE"
    )


def _servers() -> None:
    op.create_table(
        "meta",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_meta"),
    )
    op.create_table(
        "counters",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_counters"),
    )
    op.create_table(
        "claims",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_claims"),
    )
    op.create_index("ix_claims_expires_at", "claims", ["expires_at"])
    op.create_table(
        "guilds",
        sa.Column("guild_id", sa.String(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=True),
        sa.Column("commands_wanted", sa.Integer(), nullable=False),
        sa.Column("commands_written", sa.Integer(), nullable=False),
        sa.Column("commands_hash", sa.Text(), nullable=True),
        sa.Column("command_names", sa.Text(), nullable=False),
        sa.Column("creates_day", sa.Text(), nullable=True),
        sa.Column("creates_used", sa.Integer(), nullable=False),
        sa.Column("commands_problem", sa.Text(), nullable=True),
        sa.Column("sync_holder", sa.String(), nullable=True),
        sa.Column("sync_until", sa.BigInteger(), nullable=True),
        sa.Column("changed_seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("guild_id", name="pk_guilds"),
    )
    op.create_index("ix_guilds_changed_seq", "guilds", ["changed_seq"])
    where = sa.text("commands_wanted != commands_written")
    op.create_index("ix_guilds_unwritten", "guilds", ["guild_id"], sqlite_where=where, postgresql_where=where)


def _installations() -> None:
    op.create_table(
        "installations",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("guild_id", sa.String(), nullable=False),
        sa.Column("trick_id", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("manifest_url", sa.Text(), nullable=False),
        sa.Column("manifest", sa.Text(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("previous_secret", sa.Text(), nullable=True),
        sa.Column("previous_secret_until", sa.BigInteger(), nullable=True),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("access", sa.Text(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("pinned", sa.Boolean(), nullable=False),
        sa.Column("held_back", sa.Text(), nullable=False),
        sa.Column("notice", sa.Text(), nullable=True),
        sa.Column("next_look_at", sa.BigInteger(), nullable=True),
        sa.Column("look_until", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_installations"),
        sa.UniqueConstraint("guild_id", "trick_id", name="uq_installations_guild_id_trick_id"),
    )
    op.create_index("ix_installations_next_look_at", "installations", ["next_look_at"])
    op.create_table(
        "commands",
        sa.Column("guild_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("installation_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("tool", sa.String(), nullable=False),
        sa.Column("visibility", sa.String(), nullable=False),
        sa.Column("slash", sa.Boolean(), nullable=False),
        sa.Column("prefix", sa.Boolean(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        _parent("commands"),
        sa.PrimaryKeyConstraint("guild_id", "name", name="pk_commands"),
    )
    op.create_index("ix_commands_installation_id", "commands", ["installation_id"])


def _definitions() -> None:
    op.create_table(
        "pins",
        sa.Column("installation_id", sa.String(), nullable=False),
        sa.Column("tool", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("input_schema", sa.Text(), nullable=False),
        sa.Column("read_only", sa.Boolean(), nullable=False),
        sa.Column("always_ask", sa.Boolean(), nullable=False),
        sa.Column("thread", sa.Boolean(), nullable=False),
        sa.Column("user_request", sa.Boolean(), nullable=False),
        sa.Column("definition_hash", sa.Text(), nullable=False),
        sa.Column("pinned_at", sa.BigInteger(), nullable=False),
        _parent("pins"),
        sa.PrimaryKeyConstraint("installation_id", "tool", name="pk_pins"),
    )
    op.create_table(
        "drafts",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("guild_id", sa.String(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("installation_id", sa.String(), nullable=True),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        _parent("drafts"),
        sa.PrimaryKeyConstraint("id", name="pk_drafts"),
    )
    op.create_index("ix_drafts_created_at", "drafts", ["created_at"])
    op.create_index("ix_drafts_installation_id", "drafts", ["installation_id"])
    op.create_table(
        "audit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), sa.Identity(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("guild_id", sa.String(), nullable=False),
        sa.Column("installation_id", sa.String(), nullable=True),
        sa.Column("call_id", sa.String(), nullable=True),
        sa.Column("actor_id", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("tool", sa.String(), nullable=True),
        sa.Column("outcome", sa.String(), nullable=True),
        _parent("audit"),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_installation_id", "audit", ["installation_id"])


def _calls() -> None:
    op.create_table(
        "calls",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("installation_id", sa.String(), nullable=False),
        sa.Column("guild_id", sa.String(), nullable=False),
        sa.Column("tool", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("asker_id", sa.String(), nullable=False),
        sa.Column("channel_id", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=True),
        sa.Column("arguments", sa.Text(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("said", sa.Text(), nullable=True),
        _parent("calls"),
        sa.PrimaryKeyConstraint("id", name="pk_calls"),
    )
    op.create_index("ix_calls_installation_id_started_at", "calls", ["installation_id", "started_at"])
    op.create_index("ix_calls_message_id", "calls", ["message_id"])
    where = sa.text("arguments IS NOT NULL OR result IS NOT NULL OR said IS NOT NULL")
    op.create_index("ix_calls_text", "calls", ["started_at"], sqlite_where=where, postgresql_where=where)
    where = sa.text("status = 'sent'")
    op.create_index("ix_calls_under_way", "calls", ["started_at"], sqlite_where=where, postgresql_where=where)
    op.create_table(
        "actions",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("installation_id", sa.String(), nullable=False),
        sa.Column("guild_id", sa.String(), nullable=False),
        sa.Column("call_id", sa.String(), nullable=False),
        sa.Column("tool", sa.String(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        _parent("actions"),
        _parent("actions", "call_id", "calls"),
        sa.PrimaryKeyConstraint("key", name="pk_actions"),
    )
    op.create_index("ix_actions_call_id", "actions", ["call_id"])
    op.create_index("ix_actions_created_at", "actions", ["created_at"])
    op.create_index("ix_actions_installation_id", "actions", ["installation_id"])
    op.create_index("ix_actions_message_id", "actions", ["message_id"])
