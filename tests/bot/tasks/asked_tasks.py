"""A task that has just asked its question, for the tests of how it is answered."""

from typing import Any

from storage.request_records import QuestionRow, TaskRow
from tests.support.tasks import TaskWorld
from tests.support.trick_tasks import TaskScript, asking, completed

TASTE: dict[str, Any] = {"taste": {"type": "string", "enum": ["sweet", "salty"]}}
NAME: dict[str, Any] = {"name": {"type": "string", "maxLength": 5}}
COUNT: dict[str, Any] = {"count": {"type": "integer", "minimum": 1, "maximum": 9}}
END = completed({"saved": "fruit"})
SWEET = {"action": "accept", "content": {"taste": "sweet"}}
ASKS = "Save your snack preference asks: Which?"


async def asked(world: TaskWorld, properties: dict[str, Any] = TASTE) -> tuple[TaskScript, TaskRow]:
    """A task whose question was just posted."""
    script = TaskScript(world.trick, "save_snack", asking("k1", "Which?", properties), END, ttlMs=None)
    task = await world.start()
    await world.round()
    return script, task


async def open_question(world: TaskWorld, task: TaskRow) -> QuestionRow:
    """The question of the task, which is open."""
    row = await world.question(task)
    assert row.status == "open"
    return row
