"""Rows of tasks and questions for tests, every field filled in, and short ways to store them."""

import dataclasses
from typing import Any

from storage.calls import Calls
from storage.engine import Database
from storage.questions import Questions
from storage.request_records import QuestionRow, TaskRow
from tests.support.records import GUILD, NOW, OWNER, call
from tests.support.request_records import ASKER, CHANNEL, QUARTER

DAY = 86_400_000


def task(id: str = "t1", request_id: str = "r1", **changes: Any) -> TaskRow:
    """A task of the installation `i1` that is at work, to be polled now, and that nobody has."""
    row = TaskRow(
        id=id,
        installation_id="i1",
        request_id=request_id,
        guild_id=GUILD,
        asker_id=ASKER,
        channel_id=CHANNEL,
        message_id=f"message-{request_id}",
        tool="bake_snack",
        task_id=f"sealed-{id}",
        resume=None,
        status="working",
        last_status="working",
        last_message=None,
        poll_every=2_000,
        poll_at=NOW,
        poll_until=None,
        expires_at=NOW + DAY,
        news=None,
        news_number=0,
        tell_until=None,
        progress_id=None,
        progress_at=None,
        created_at=NOW,
    )
    return dataclasses.replace(row, **changes)


def question(id: str = "q1", task_id: str = "t1", request_id: str = "r1", **changes: Any) -> QuestionRow:
    """An open question of a task, not posted yet."""
    row = QuestionRow(
        id=id,
        key=f"key-{id}",
        installation_id="i1",
        task_id=task_id,
        request_id=request_id,
        guild_id=GUILD,
        asker_id=ASKER,
        channel_id=CHANNEL,
        message_id=f"message-{request_id}",
        question_id=None,
        request_key=f"trick's {id}",
        message="Which size?",
        schema='{"type":"object"}',
        words=None,
        draft=None,
        answer=None,
        status="open",
        wrong=0,
        sent=False,
        folded=False,
        opened_at=NOW,
        words_until=NOW + QUARTER,
        closes_at=NOW + DAY,
        post_until=None,
    )
    return dataclasses.replace(row, **changes)


async def handed_over(database: Database, *new: TaskRow) -> None:
    """Begin the calls of tasks, and let each go on as its task. Their requests have to be there."""
    store = Calls(database)
    for each in new:
        begun = call(each.id, each.installation_id, origin="assistant", message_id=each.message_id)
        assert await store.begin_plain(dataclasses.replace(begun, tool=each.tool, asker_id=OWNER), NOW)
        assert await store.hand_over(each.id, each)


async def put(database: Database, *new: QuestionRow) -> None:
    """Ask questions."""
    assert await Questions(database).ask(new) == len(new)
