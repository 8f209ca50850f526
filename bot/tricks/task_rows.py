"""The row of a task, made from what the trick answered to its call. All times in milliseconds."""

from dataclasses import replace

from bot.mcp import InputRequiredResult, Task
from bot.signing import SecretBox
from bot.text import clamp, printable
from bot.tricks.resume import Resume
from storage.records import NewCall
from storage.request_records import TaskRow

MIN_POLL_MS = 250
MAX_POLL_MS = 60_000
DEFAULT_POLL_MS = 2_000
"""Between two polls where the trick has no wish."""

MAX_LIFE_MS = 86_400_000
"""The longest a task is followed, whatever its `ttlMs` says."""

MAX_STATUS_TEXT = 2_000


def poll_interval(wanted: int | None) -> int:
    """The interval between polls of one task, from the trick's `pollIntervalMs`."""
    return min(max(DEFAULT_POLL_MS if wanted is None else wanted, MIN_POLL_MS), MAX_POLL_MS)


def end_of_life(received_at: int, ttl: int | None) -> int:
    """When a task is given up: its `ttlMs` counts from when Kennel heard of it, by Kennel's clock."""
    return received_at + (MAX_LIFE_MS if ttl is None else min(ttl, MAX_LIFE_MS))


def status_text(task: Task) -> str | None:
    """The task's status text as it is compared, stored and told; None where it has none."""
    text = clamp(printable(task.status_message or "").strip(), MAX_STATUS_TEXT)
    return text or None


def row_of(call: NewCall, request_id: str, message_id: str, now: int) -> TaskRow:
    """The row of a call of which nothing is known yet."""
    return TaskRow(
        id=call.id,
        installation_id=call.installation_id,
        request_id=request_id,
        guild_id=call.guild_id,
        asker_id=call.asker_id,
        channel_id=call.channel_id,
        message_id=message_id,
        tool=call.tool,
        task_id=None,
        resume=None,
        status="working",
        last_status=None,
        last_message=None,
        poll_every=DEFAULT_POLL_MS,
        poll_at=now,
        poll_until=None,
        expires_at=end_of_life(now, None),
        news=None,
        news_number=0,
        tell_until=None,
        progress_id=None,
        progress_at=None,
        created_at=now,
    )


def became_task(row: TaskRow, task: Task, box: SecretBox, now: int, poll_at: int) -> TaskRow:
    """`row` once its call was answered with a task."""
    return replace(
        row,
        task_id=box.seal(row.id, task.task_id),
        resume=None,
        status="working",
        last_status=task.status,
        last_message=status_text(task) if task.status == "working" else None,
        poll_every=poll_interval(task.poll_interval_ms),
        poll_at=poll_at,
        poll_until=None,
        expires_at=end_of_life(now, task.ttl_ms),
    )


def asks_first(
    row: TaskRow, asked: InputRequiredResult, resume: Resume, box: SecretBox, now: int, poll_at: int
) -> TaskRow:
    """`row` once its call asked back; `resume` is the round before. Raises `TaskFailed` after the tenth."""
    return replace(
        row,
        resume=resume.asked_again(asked).seal(box, row.id),
        status="waiting",
        last_status="input_required",
        poll_at=poll_at,
        poll_until=None,
        expires_at=end_of_life(now, None),
    )
