"""Every table. `storage/migrations` builds exactly these, which a test proves on both databases.

Times are integer milliseconds since the epoch, UTC. Ids are text. JSON is text too, written and read by
whoever knows its shape. No column has a default in the database, so both databases store the same.
Texts must be free of NULs and lone surrogates: PostgreSQL takes neither.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Identity,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    literal_column,
    or_,
)

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
    }
)


def _id(name: str, *, null: bool = False) -> Column[str]:
    return Column(name, String, nullable=null)


def _text(name: str, *, null: bool = False) -> Column[str]:
    return Column(name, Text, nullable=null)


def _ms(name: str, *, null: bool = False) -> Column[int]:
    return Column(name, BigInteger, nullable=null)


def _count(name: str) -> Column[int]:
    return Column(name, Integer, nullable=False)


def _flag(name: str) -> Column[bool]:
    return Column(name, Boolean, nullable=False)


def _installation(*, null: bool = False, key: bool = False) -> Column[str]:
    parent = ForeignKey("installations.id", ondelete="CASCADE")
    return Column("installation_id", String, parent, nullable=null, primary_key=key)


meta = Table("meta", metadata, Column("key", String, primary_key=True), _text("value"))

counters = Table("counters", metadata, Column("name", String, primary_key=True), _ms("value"))

guilds = Table(
    "guilds",
    metadata,
    Column("guild_id", String, primary_key=True),
    _text("prefix", null=True),
    _count("commands_wanted"),
    _count("commands_written"),
    _text("commands_hash", null=True),
    _text("command_names"),
    _text("creates_day", null=True),
    _count("creates_used"),
    _text("commands_problem", null=True),
    _id("sync_holder", null=True),
    _ms("sync_until", null=True),
    _ms("changed_seq"),
)
Index("ix_guilds_changed_seq", guilds.c.changed_seq)
commands_unwritten = guilds.c.commands_wanted != guilds.c.commands_written

installations = Table(
    "installations",
    metadata,
    Column("id", String, primary_key=True),
    _id("guild_id"),
    _id("trick_id"),
    _text("name"),
    _text("manifest_url"),
    _text("manifest"),
    _id("state"),
    _text("secret"),
    _text("previous_secret", null=True),
    _ms("previous_secret_until", null=True),
    _text("settings"),
    _text("access"),
    _count("failures"),
    _flag("pinned"),
    _text("held_back"),
    _text("notice", null=True),
    _ms("next_look_at", null=True),
    _ms("look_until", null=True),
    _ms("created_at"),
    _id("created_by"),
    UniqueConstraint("guild_id", "trick_id"),
)
Index("ix_installations_next_look_at", installations.c.next_look_at)

commands = Table(
    "commands",
    metadata,
    Column("guild_id", String, primary_key=True),
    Column("name", String, primary_key=True),
    _installation(),
    _count("position"),
    _id("tool"),
    _id("visibility"),
    _flag("slash"),
    _flag("prefix"),
    _text("spec"),
)
Index("ix_commands_installation_id", commands.c.installation_id)

pins = Table(
    "pins",
    metadata,
    _installation(key=True),
    Column("tool", String, primary_key=True),
    _text("title"),
    _text("description"),
    _text("input_schema"),
    _flag("read_only"),
    _flag("always_ask"),
    _flag("thread"),
    _flag("user_request"),
    _text("definition_hash"),
    _ms("pinned_at"),
)

claims = Table("claims", metadata, Column("id", String, primary_key=True), _ms("expires_at"))
Index("ix_claims_expires_at", claims.c.expires_at)

calls = Table(
    "calls",
    metadata,
    Column("id", String, primary_key=True),
    _installation(),
    _id("guild_id"),
    _id("tool"),
    _id("origin"),
    _id("asker_id"),
    _id("channel_id"),
    _id("message_id", null=True),
    _text("arguments", null=True),
    _id("status"),
    _ms("started_at"),
    _ms("finished_at", null=True),
    _text("result", null=True),
    _text("failure", null=True),
    _text("said", null=True),
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
    _installation(),
    _id("guild_id"),
    Column("call_id", String, ForeignKey("calls.id", ondelete="CASCADE"), nullable=False),
    _id("tool"),
    _text("label"),
    _text("arguments"),
    _id("message_id", null=True),
    _ms("created_at"),
)
Index("ix_actions_installation_id", actions.c.installation_id)
Index("ix_actions_call_id", actions.c.call_id)
Index("ix_actions_message_id", actions.c.message_id)
Index("ix_actions_created_at", actions.c.created_at)

drafts = Table(
    "drafts",
    metadata,
    Column("id", String, primary_key=True),
    _id("guild_id"),
    _id("owner_id"),
    _id("kind"),
    _installation(null=True),
    _text("payload"),
    _ms("created_at"),
)
Index("ix_drafts_installation_id", drafts.c.installation_id)
Index("ix_drafts_created_at", drafts.c.created_at)

audit = Table(
    "audit",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), Identity(), primary_key=True),
    _ms("at"),
    _id("guild_id"),
    _installation(null=True),
    _id("call_id", null=True),
    _id("actor_id"),
    _id("what"),
    _id("tool", null=True),
    _id("outcome", null=True),
)
Index("ix_audit_installation_id", audit.c.installation_id)
