"""Questions between the wire and their rows: what a trick asks, and what it is answered."""

import json
from collections.abc import Mapping, Sequence
from typing import TypeVar

from bot.clock import Clock
from bot.errors import TaskFailed
from bot.mcp import Elicitation, UnsupportedInput
from bot.strict_json import Json, dump
from bot.tasks.questions import Question, read_question
from bot.text import printable
from storage.request_records import QuestionRow, TaskRow

WORDS_MS = 15 * 60_000
"""How long any next message of the asker may be the answer."""

OPEN_MS = 86_400_000
"""How long buttons, form and direct replies answer."""

MAX_OPEN = 25
"""The most open questions of one task: each is a message to the asker."""

_TASK_ID = "\x1atask\x1a"
_T = TypeVar("_T")


def ask(
    row: TaskRow,
    requests: Mapping[str, Elicitation | UnsupportedInput],
    asked: Sequence[QuestionRow],
    clock: Clock,
) -> tuple[QuestionRow, ...]:
    """The rows of those `requests` that the task has not `asked` yet: a key is asked once.

    Raises `TaskFailed` for what cannot be asked, and for more at once than anybody would answer.
    """
    known = {question.request_key for question in asked}
    new = {key: request for key, request in requests.items() if key not in known}
    if len(new) + sum(question.status == "open" for question in asked) > MAX_OPEN:
        raise TaskFailed
    return tuple(_row(row, key, request, clock) for key, request in new.items())


def _row(row: TaskRow, key: str, request: Elicitation | UnsupportedInput, clock: Clock) -> QuestionRow:
    if isinstance(request, UnsupportedInput) or key != printable(key):
        raise TaskFailed
    message = printable(request.message)
    read_question(message, request.requested_schema)
    now = clock.now_ms()
    return QuestionRow(
        id=clock.new_id(),
        key=clock.new_key(),
        installation_id=row.installation_id,
        task_id=row.id,
        request_id=row.request_id,
        guild_id=row.guild_id,
        asker_id=row.asker_id,
        channel_id=row.channel_id,
        message_id=row.message_id,
        question_id=None,
        request_key=key,
        message=message,
        schema=dump(request.requested_schema).decode(),
        words=None,
        draft=None,
        answer=None,
        status="open",
        wrong=0,
        sent=False,
        folded=False,
        opened_at=now,
        words_until=now + WORDS_MS,
        closes_at=now + OPEN_MS,
        post_until=None,
    )


def question_of(row: QuestionRow) -> Question:
    """The question of a row. Raises `TaskFailed` when it cannot be asked, or was erased."""
    if row.message is None or row.schema is None:
        raise TaskFailed
    return read_question(row.message, json.loads(row.schema))


def without_id(by_key: Mapping[str, _T], task_id: str) -> dict[str, _T]:
    """By the keys that may be stored: some servers put the task's id into them, which is as good as a secret."""
    return {key.replace(task_id, _TASK_ID): value for key, value in by_key.items()}


def with_id(by_key: Mapping[str, _T], task_id: str) -> dict[str, _T]:
    """By the keys of the wire again."""
    return {key.replace(_TASK_ID, task_id): value for key, value in by_key.items()}


def unsent(rows: Sequence[QuestionRow]) -> tuple[QuestionRow, ...]:
    """Those that were answered or declined and of which the trick does not know yet."""
    return tuple(row for row in rows if row.status in ("answered", "declined") and not row.sent)


def responses(rows: Sequence[QuestionRow]) -> dict[str, Json]:
    """What settled questions are answered on the wire, by their keys."""
    return {row.request_key: _response(row) for row in rows}


def _response(row: QuestionRow) -> dict[str, Json]:
    if row.status == "answered" and row.answer is not None:
        return {"action": "accept", "content": json.loads(row.answer)}
    return {"action": "decline"}
