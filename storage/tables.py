"""The tables of servers, installations, commands and calls.

`storage.request_tables` has those of conversations, `storage.event_tables` those of events.

`storage/migrations` builds exactly these, which a test proves on both databases.
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

meta = Table("meta", metadata, Column("key", String, primary_key=True), text_column("value"))

counters = Table("counters", metadata, Column("name", String, primary_key=True), ms_column("value"))

guilds = Table(
    "guilds",
    metadata,
    Column("guild_id", String, primary_key=True),
    text_column("prefix", null=True),
    count_column("commands_wanted"),
    count_column("commands_written"),
    text_column("commands_hash", null=True),
    text_column("command_names"),
    text_column("creates_day", null=True),
    count_column("creates_used"),
    text_column("commands_problem", null=True),
    id_column("sync_holder", null=True),
    ms_column("sync_until", null=True),
    ms_column("changed_seq"),
    text_column("guidance", null=True),
    ms_column("left_at", null=True),
)
Index("ix_guilds_changed_seq", guilds.c.changed_seq)
commands_unwritten = guilds.c.commands_wanted != guilds.c.commands_written

installations = Table(
    "installations",
    metadata,
    Column("id", String, primary_key=True),
    id_column("guild_id"),
    id_column("trick_id"),
    text_column("name"),
    text_column("manifest_url"),
    text_column("manifest"),
    id_column("state"),
    text_column("secret"),
    text_column("previous_secret", null=True),
    ms_column("previous_secret_until", null=True),
    text_column("settings"),
    text_column("access"),
    count_column("failures"),
    flag_column("pinned"),
    text_column("held_back"),
    text_column("notice", null=True),
    ms_column("next_look_at", null=True),
    ms_column("look_until", null=True),
    ms_column("created_at"),
    id_column("created_by"),
    UniqueConstraint("guild_id", "trick_id"),
)
Index("ix_installations_next_look_at", installations.c.next_look_at)

commands = Table(
    "commands",
    metadata,
    Column("guild_id", String, primary_key=True),
    Column("name", String, primary_key=True),
    installation_column(),
    count_column("position"),
    id_column("tool"),
    id_column("visibility"),
    flag_column("slash"),
    flag_column("prefix"),
    text_column("spec"),
)
Index("ix_commands_installation_id", commands.c.installation_id)

pins = Table(
    "pins",
    metadata,
    installation_column(key=True),
    Column("tool", String, primary_key=True),
    text_column("title"),
    text_column("description"),
    text_column("input_schema"),
    flag_column("read_only"),
    flag_column("always_ask"),
    flag_column("thread"),
    flag_column("user_request"),
    text_column("definition_hash"),
    ms_column("pinned_at"),
)

claims = Table("claims", metadata, Column("id", String, primary_key=True), ms_column("expires_at"))
Index("ix_claims_expires_at", claims.c.expires_at)

calls = Table(
    "calls",
    metadata,
    Column("id", String, primary_key=True),
    installation_column(),
    id_column("guild_id"),
    id_column("tool"),
    id_column("origin"),
    id_column("asker_id"),
    id_column("channel_id"),
    id_column("message_id", null=True),
    text_column("arguments", null=True),
    id_column("status"),
    ms_column("started_at"),
    ms_column("finished_at", null=True),
    text_column("result", null=True),
    text_column("failure", null=True),
    text_column("said", null=True),
    id_column("failure_kind", null=True),
)
call_has_text = or_(calls.c.arguments.is_not(None), calls.c.result.is_not(None), calls.c.said.is_not(None))
# a literal, not a parameter: only so does a planner see that the partial index serves
call_under_way = calls.c.status == literal_column("'sent'")
Index("ix_calls_installation_id_started_at", calls.c.installation_id, calls.c.started_at)
Index("ix_calls_message_id", calls.c.message_id)

actions = Table(
    "actions",
    metadata,
    Column("key", String, primary_key=True),
    installation_column(),
    id_column("guild_id"),
    Column("call_id", String, ForeignKey("calls.id", ondelete="CASCADE"), nullable=True),
    id_column("tool"),
    text_column("label"),
    text_column("arguments"),
    id_column("message_id", null=True),
    ms_column("created_at"),
    Column("delivery_id", String, ForeignKey("deliveries.id", ondelete="CASCADE"), nullable=True),
)
Index("ix_actions_installation_id", actions.c.installation_id)
Index("ix_actions_call_id", actions.c.call_id)
Index("ix_actions_delivery_id", actions.c.delivery_id)
Index("ix_actions_message_id", actions.c.message_id)
Index("ix_actions_created_at", actions.c.created_at)

drafts = Table(
    "drafts",
    metadata,
    Column("id", String, primary_key=True),
    id_column("guild_id"),
    id_column("owner_id"),
    id_column("kind"),
    installation_column(null=True),
    text_column("payload"),
    ms_column("created_at"),
)
Index("ix_drafts_installation_id", drafts.c.installation_id)
Index("ix_drafts_created_at", drafts.c.created_at)

audit = Table(
    "audit",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), Identity(), primary_key=True),
    ms_column("at"),
    id_column("guild_id"),
    installation_column(null=True),
    id_column("call_id", null=True),
    id_column("actor_id"),
    id_column("what"),
    id_column("tool", null=True),
    id_column("outcome", null=True),
)
Index("ix_audit_installation_id", audit.c.installation_id)
