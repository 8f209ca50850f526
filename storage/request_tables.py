"""The tables of conversations: requests, and what they wait for.

A row that belongs to a request goes with it. Whatever stands in a nullable text came from a member, a trick
or the model, and is erased with the asker's message (`message_id`).
"""

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    ForeignKey,
    Index,
    String,
    Table,
    UniqueConstraint,
    and_,
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

_FALSE: ColumnElement[bool] = literal_column(
    "false", Boolean
)  # the same word on both databases, as a partial index needs


def _request() -> Column[str]:
    return Column("request_id", String, ForeignKey("requests.id", ondelete="CASCADE"), nullable=False)


requests = Table(
    "requests",
    metadata,
    Column("id", String, primary_key=True),
    id_column("guild_id"),
    id_column("asker_id"),
    id_column("channel_id"),
    id_column("message_id"),
    id_column("thread_id", null=True),
    text_column("content", null=True),
    id_column("status"),
    flag_column("writes_stopped"),
    text_column("state", null=True),
    count_column("wakes"),
    ms_column("lease_until", null=True),
    ms_column("created_at"),
    UniqueConstraint("message_id"),
)
request_is_running = requests.c.status == literal_column("'running'")
request_has_text = or_(requests.c.content.is_not(None), requests.c.state.is_not(None))
Index("ix_requests_asker_id_created_at", requests.c.asker_id, requests.c.created_at)
Index("ix_requests_created_at", requests.c.created_at)
Index("ix_requests_guild_id_created_at", requests.c.guild_id, requests.c.created_at)

threads = Table(
    "threads",
    metadata,
    Column("thread_id", String, primary_key=True),
    Column("asker_id", String, primary_key=True),
    id_column("guild_id"),
    ms_column("created_at"),
)
Index("ix_threads_created_at", threads.c.created_at)

approvals = Table(
    "approvals",
    metadata,
    Column("id", String, primary_key=True),
    id_column("key"),
    installation_column(),
    _request(),
    id_column("guild_id"),
    id_column("asker_id"),
    id_column("channel_id"),
    id_column("message_id"),
    id_column("card_id", null=True),
    id_column("tool"),
    text_column("definition_hash"),
    text_column("endpoint"),
    text_column("arguments", null=True),
    text_column("outside", null=True),
    id_column("reason"),
    flag_column("reviewable"),
    id_column("status"),
    ms_column("opened_at"),
    ms_column("closes_at"),
    ms_column("decided_at", null=True),
    flag_column("folded"),
    UniqueConstraint("key"),
)
approval_is_open = approvals.c.status == literal_column("'open'")
approval_to_fold = and_(approvals.c.status != literal_column("'open'"), approvals.c.folded == _FALSE)
Index("ix_approvals_installation_id", approvals.c.installation_id)
Index("ix_approvals_request_id", approvals.c.request_id)
Index("ix_approvals_message_id", approvals.c.message_id)
Index("ix_approvals_card_id", approvals.c.card_id)
Index("ix_approvals_opened_at", approvals.c.opened_at)

consents = Table(
    "consents",
    metadata,
    Column("member_id", String, primary_key=True),
    installation_column(key=True),
    Column("tool", String, primary_key=True),
    id_column("guild_id"),
    text_column("endpoint"),
    text_column("definition_hash"),
    ms_column("created_at"),
)
Index("ix_consents_installation_id", consents.c.installation_id)

tasks = Table(
    "tasks",
    metadata,
    Column("id", String, primary_key=True),
    installation_column(),
    _request(),
    id_column("guild_id"),
    id_column("asker_id"),
    id_column("channel_id"),
    id_column("message_id"),
    id_column("tool"),
    text_column("task_id", null=True),
    text_column("resume", null=True),
    id_column("status"),
    id_column("last_status", null=True),
    text_column("last_message", null=True),
    ms_column("poll_every"),
    ms_column("poll_at", null=True),
    ms_column("poll_until", null=True),
    ms_column("expires_at"),
    text_column("news", null=True),
    count_column("news_number"),
    ms_column("tell_until", null=True),
    id_column("progress_id", null=True),
    ms_column("progress_at", null=True),
    ms_column("created_at"),
)
task_is_open = or_(
    tasks.c.status == literal_column("'working'"), tasks.c.status == literal_column("'waiting'")
)
task_has_news = tasks.c.news.is_not(None)
Index("ix_tasks_installation_id", tasks.c.installation_id)
Index("ix_tasks_request_id", tasks.c.request_id)
Index("ix_tasks_message_id", tasks.c.message_id)
Index("ix_tasks_created_at", tasks.c.created_at)

questions = Table(
    "questions",
    metadata,
    Column("id", String, primary_key=True),
    id_column("key"),
    installation_column(),
    Column("task_id", String, ForeignKey("tasks.id", ondelete="CASCADE"), nullable=False),
    _request(),
    id_column("guild_id"),
    id_column("asker_id"),
    id_column("channel_id"),
    id_column("message_id"),
    id_column("question_id", null=True),
    text_column("request_key"),
    text_column("message", null=True),
    text_column("schema", null=True),
    text_column("words", null=True),
    text_column("draft", null=True),
    text_column("answer", null=True),
    id_column("status"),
    count_column("wrong"),
    flag_column("sent"),
    flag_column("folded"),
    ms_column("opened_at"),
    ms_column("words_until"),
    ms_column("closes_at"),
    ms_column("post_until", null=True),
    UniqueConstraint("key"),
    UniqueConstraint("task_id", "request_key"),
)
question_is_open = questions.c.status == literal_column("'open'")
question_to_post = and_(question_is_open, questions.c.question_id.is_(None))
question_to_fold = and_(questions.c.status != literal_column("'open'"), questions.c.folded == _FALSE)
Index("ix_questions_installation_id", questions.c.installation_id)
Index("ix_questions_request_id", questions.c.request_id)
Index("ix_questions_message_id", questions.c.message_id)
Index("ix_questions_question_id", questions.c.question_id)
Index("ix_questions_opened_at", questions.c.opened_at)
