"""When a task is asked for again, and what of an answer is progress: pure rules, all times in milliseconds.

From the Tasks extension of MCP (`pollIntervalMs`, `ttlMs`) and the limits of calls (`bot.tricks.limits`).
"""

from bot.mcp import Task
from bot.tricks.task_rows import MAX_POLL_MS, MIN_POLL_MS, status_text
from storage.request_records import TaskRow

POLL_SHARE_MS = 2_500
"""Each open task adds this much to the interval of all of its installation: 24 polls a minute together, of the
30 that are allowed; turns that wait for a task, and answers, need the rest."""

ASKED_MS = 10_000
"""The least interval while the asker owes an answer, which brings the next poll forward."""

SPREAD = 0.03
"""Little: what it adds, and the two seconds between two looks, stay within a tenth of a minute."""


def after_fault(interval: int) -> int:
    """The interval after a poll that failed: twice the one before."""
    return min(interval * 2, MAX_POLL_MS)


def next_poll(
    now: int, interval: int, *, open_tasks: int, jitter: float, expires_at: int, asked: bool = False
) -> int:
    """When a task is polled next: never earlier than `interval`, later where its installation has many.

    `jitter` is a factor around 1; it only ever adds. `asked` says that a question is open. The last poll is at
    the end of the task's life.
    """
    slowed = max(interval, open_tasks * POLL_SHARE_MS, ASKED_MS if asked else 0)
    due = now + slowed + round(slowed * abs(jitter - 1))
    return max(now + MIN_POLL_MS, min(due, expires_at))


def is_progress(row: TaskRow, task: Task) -> bool:
    """Whether the asker has to be told: a working task whose status text is another one than the last.

    Only texts of a working task count, so that the same text before and after a question is told once.
    `lastUpdatedAt` says nothing: servers renew it with every poll.
    """
    return task.status == "working" and status_text(task) not in (None, row.last_message)


def last_message(row: TaskRow, task: Task) -> str | None:
    """The status text to compare the next one with."""
    return status_text(task) if is_progress(row, task) else row.last_message
