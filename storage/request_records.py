"""What the stores of conversations take and give: frozen values, one for each kind of row.

Fields stand in the order of the table's columns. Texts that came from members, tricks or the model stay out
of `repr`; every one of them is None once it was erased.
"""

from dataclasses import dataclass, field
from typing import Literal

RequestStatus = Literal["running", "waiting", "answered", "stopped", "failed"]
ApprovalStatus = Literal["open", "approved", "auto_approved", "declined", "expired", "cancelled", "stopped"]
ApprovalReason = Literal["always_ask", "web_search", "outside"]
TaskStatus = Literal["working", "waiting", "completed", "failed", "lost"]
QuestionStatus = Literal["open", "answered", "declined", "closed"]


@dataclass(frozen=True, slots=True)
class Request:
    """One message of an asker to the assistant, and how far the work for it is.

    `channel_id` is where the message was written, `thread_id` where answers go since a thread was opened.
    `content` is the message word for word, `state` the conversation as JSON with its version, None before the
    first step. `wakes` counts what happened to the request from outside; whoever runs it has it until
    `lease_until`.
    """

    id: str
    guild_id: str
    asker_id: str
    channel_id: str
    message_id: str
    thread_id: str | None
    content: str | None = field(repr=False)
    status: RequestStatus
    writes_stopped: bool
    state: str | None = field(repr=False)
    wakes: int
    lease_until: int | None
    created_at: int

    @property
    def speaks_in(self) -> str:
        """The channel or thread in which it is answered."""
        return self.thread_id or self.channel_id


@dataclass(frozen=True, slots=True)
class Approval:
    """One approval card. `id` is the call's id, reserved for the write that it is about.

    `key` is what its buttons carry; `arguments` is the JSON that was shown and that runs; `outside` is a JSON
    list of the outside texts. `card_id` is the card's message, None before it was posted. `folded` says
    whether the card's message shows that it is closed.
    """

    id: str
    key: str
    installation_id: str
    request_id: str
    guild_id: str
    asker_id: str
    channel_id: str
    message_id: str
    card_id: str | None
    tool: str
    definition_hash: str
    endpoint: str
    arguments: str | None = field(repr=False)
    outside: str | None = field(repr=False)
    reason: ApprovalReason
    reviewable: bool
    status: ApprovalStatus
    opened_at: int
    closes_at: int
    decided_at: int | None
    folded: bool


@dataclass(frozen=True, slots=True)
class Consent:
    """A member's agreement that one tool, exactly as defined and served then, is reviewed automatically."""

    member_id: str
    installation_id: str
    tool: str
    guild_id: str
    endpoint: str
    definition_hash: str
    created_at: int


@dataclass(frozen=True, slots=True)
class TaskRow:
    """Work that goes on at the trick after its call was answered. `id` is the call's id.

    `task_id` is sealed for the row, None while the trick asked before it began (`resume`, sealed JSON, then
    says how the call is sent again). `last_status` and `last_message` are what the trick reported last. The
    row is polled from `poll_at` on by whoever has it until `poll_until`. `news` is JSON that the asker has
    yet to be told, `news_number` counts it; who tells it has it until `tell_until`. `progress_id` is the
    message that shows progress, posted at `progress_at`.
    """

    id: str
    installation_id: str
    request_id: str
    guild_id: str
    asker_id: str
    channel_id: str
    message_id: str
    tool: str
    task_id: str | None = field(repr=False)
    resume: str | None = field(repr=False)
    status: TaskStatus
    last_status: str | None
    last_message: str | None = field(repr=False)
    poll_every: int
    poll_at: int | None
    poll_until: int | None
    expires_at: int
    news: str | None = field(repr=False)
    news_number: int
    tell_until: int | None
    progress_id: str | None
    progress_at: int | None
    created_at: int


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question of a task to its asker.

    `key` is what its buttons carry, `request_key` the trick's name for it; `message` and `schema` (JSON) are
    the trick's, `words` the bot's. `draft` (JSON) holds the pages of a form so far, `answer` (JSON) the
    content that was accepted. `wrong` counts replies that did not fit. Any next message answers until
    `words_until`; buttons, the form and direct replies until `closes_at`. `sent` says whether the trick has
    the answer, `folded` whether the message shows that it is closed. Who posts it has it until `post_until`.
    """

    id: str
    key: str
    installation_id: str
    task_id: str
    request_id: str
    guild_id: str
    asker_id: str
    channel_id: str
    message_id: str
    question_id: str | None
    request_key: str = field(repr=False)
    message: str | None = field(repr=False)
    schema: str | None = field(repr=False)
    words: str | None = field(repr=False)
    draft: str | None = field(repr=False)
    answer: str | None = field(repr=False)
    status: QuestionStatus
    wrong: int
    sent: bool
    folded: bool
    opened_at: int
    words_until: int
    closes_at: int
    post_until: int | None
