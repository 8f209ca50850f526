"""Conversations: requests, threads, approval cards, consents, tasks and their questions."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make them."""
    _requests()
    _threads()
    _approvals()
    _consents()
    _tasks()
    _questions()


def _goes_with(table: str, column: str, parent: str) -> sa.Constraint:
    return sa.ForeignKeyConstraint(
        [column], [f"{parent}.id"], name=f"fk_{table}_{column}", ondelete="CASCADE"
    )


def _partial(name: str, table: str, column: str, where: str) -> None:
    condition = sa.text(where)
    op.create_index(name, table, [column], sqlite_where=condition, postgresql_where=condition)


def _requests() -> None:
    op.create_table(
        "requests",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("guild_id", sa.String(), nullable=False),
        sa.Column("asker_id", sa.String(), nullable=False),
        sa.Column("channel_id", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("thread_id", sa.String(), nullable=True),
        sa.Column("content", sa.Text(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("writes_stopped", sa.Boolean(), nullable=False),
        sa.Column("state", sa.Text(), nullable=True),
        sa.Column("wakes", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_requests"),
        sa.UniqueConstraint("message_id", name="uq_requests_message_id"),
    )
    op.create_index("ix_requests_asker_id_created_at", "requests", ["asker_id", "created_at"])
    op.create_index("ix_requests_created_at", "requests", ["created_at"])
    op.create_index("ix_requests_guild_id_created_at", "requests", ["guild_id", "created_at"])
    _partial("ix_requests_running", "requests", "lease_until", "status = 'running'")


def _threads() -> None:
    op.create_table(
        "threads",
        sa.Column("thread_id", sa.String(), nullable=False),
        sa.Column("asker_id", sa.String(), nullable=False),
        sa.Column("guild_id", sa.String(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("thread_id", "asker_id", name="pk_threads"),
    )
    op.create_index("ix_threads_created_at", "threads", ["created_at"])


def _approvals() -> None:
    op.create_table(
        "approvals",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("installation_id", sa.String(), nullable=False),
        sa.Column("request_id", sa.String(), nullable=False),
        sa.Column("guild_id", sa.String(), nullable=False),
        sa.Column("asker_id", sa.String(), nullable=False),
        sa.Column("channel_id", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("card_id", sa.String(), nullable=True),
        sa.Column("tool", sa.String(), nullable=False),
        sa.Column("definition_hash", sa.Text(), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=True),
        sa.Column("outside", sa.Text(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("reviewable", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("closes_at", sa.BigInteger(), nullable=False),
        sa.Column("decided_at", sa.BigInteger(), nullable=True),
        sa.Column("folded", sa.Boolean(), nullable=False),
        _goes_with("approvals", "installation_id", "installations"),
        _goes_with("approvals", "request_id", "requests"),
        sa.PrimaryKeyConstraint("id", name="pk_approvals"),
        sa.UniqueConstraint("key", name="uq_approvals_key"),
    )
    op.create_index("ix_approvals_card_id", "approvals", ["card_id"])
    op.create_index("ix_approvals_installation_id", "approvals", ["installation_id"])
    op.create_index("ix_approvals_message_id", "approvals", ["message_id"])
    _partial("ix_approvals_open", "approvals", "closes_at", "status = 'open'")
    op.create_index("ix_approvals_opened_at", "approvals", ["opened_at"])
    op.create_index("ix_approvals_request_id", "approvals", ["request_id"])
    _partial("ix_approvals_to_fold", "approvals", "decided_at", "status != 'open' AND folded = false")


def _consents() -> None:
    op.create_table(
        "consents",
        sa.Column("member_id", sa.String(), nullable=False),
        sa.Column("installation_id", sa.String(), nullable=False),
        sa.Column("tool", sa.String(), nullable=False),
        sa.Column("guild_id", sa.String(), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("definition_hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        _goes_with("consents", "installation_id", "installations"),
        sa.PrimaryKeyConstraint("member_id", "installation_id", "tool", name="pk_consents"),
    )
    op.create_index("ix_consents_installation_id", "consents", ["installation_id"])


def _tasks() -> None:
    op.create_table(
        "tasks",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("installation_id", sa.String(), nullable=False),
        sa.Column("request_id", sa.String(), nullable=False),
        sa.Column("guild_id", sa.String(), nullable=False),
        sa.Column("asker_id", sa.String(), nullable=False),
        sa.Column("channel_id", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("tool", sa.String(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=True),
        sa.Column("resume", sa.Text(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("last_status", sa.String(), nullable=True),
        sa.Column("last_message", sa.Text(), nullable=True),
        sa.Column("poll_every", sa.BigInteger(), nullable=False),
        sa.Column("poll_at", sa.BigInteger(), nullable=True),
        sa.Column("poll_until", sa.BigInteger(), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("news", sa.Text(), nullable=True),
        sa.Column("news_number", sa.Integer(), nullable=False),
        sa.Column("tell_until", sa.BigInteger(), nullable=True),
        sa.Column("progress_id", sa.String(), nullable=True),
        sa.Column("progress_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        _goes_with("tasks", "installation_id", "installations"),
        _goes_with("tasks", "request_id", "requests"),
        sa.PrimaryKeyConstraint("id", name="pk_tasks"),
    )
    op.create_index("ix_tasks_created_at", "tasks", ["created_at"])
    op.create_index("ix_tasks_installation_id", "tasks", ["installation_id"])
    op.create_index("ix_tasks_message_id", "tasks", ["message_id"])
    _partial("ix_tasks_news", "tasks", "tell_until", "news IS NOT NULL")
    _partial("ix_tasks_open", "tasks", "poll_at", "status = 'working' OR status = 'waiting'")
    op.create_index("ix_tasks_request_id", "tasks", ["request_id"])


def _questions() -> None:
    op.create_table(
        "questions",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("installation_id", sa.String(), nullable=False),
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("request_id", sa.String(), nullable=False),
        sa.Column("guild_id", sa.String(), nullable=False),
        sa.Column("asker_id", sa.String(), nullable=False),
        sa.Column("channel_id", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("question_id", sa.String(), nullable=True),
        sa.Column("request_key", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("schema", sa.Text(), nullable=True),
        sa.Column("words", sa.Text(), nullable=True),
        sa.Column("draft", sa.Text(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("wrong", sa.Integer(), nullable=False),
        sa.Column("sent", sa.Boolean(), nullable=False),
        sa.Column("folded", sa.Boolean(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("words_until", sa.BigInteger(), nullable=False),
        sa.Column("closes_at", sa.BigInteger(), nullable=False),
        sa.Column("post_until", sa.BigInteger(), nullable=True),
        _goes_with("questions", "installation_id", "installations"),
        _goes_with("questions", "task_id", "tasks"),
        _goes_with("questions", "request_id", "requests"),
        sa.PrimaryKeyConstraint("id", name="pk_questions"),
        sa.UniqueConstraint("key", name="uq_questions_key"),
        sa.UniqueConstraint("task_id", "request_key", name="uq_questions_task_id_request_key"),
    )
    op.create_index("ix_questions_installation_id", "questions", ["installation_id"])
    op.create_index("ix_questions_message_id", "questions", ["message_id"])
    _partial("ix_questions_open", "questions", "closes_at", "status = 'open'")
    op.create_index("ix_questions_opened_at", "questions", ["opened_at"])
    op.create_index("ix_questions_question_id", "questions", ["question_id"])
    op.create_index("ix_questions_request_id", "questions", ["request_id"])
    _partial("ix_questions_to_fold", "questions", "closes_at", "status != 'open' AND folded = false")
    _partial("ix_questions_to_post", "questions", "post_until", "status = 'open' AND question_id IS NULL")
