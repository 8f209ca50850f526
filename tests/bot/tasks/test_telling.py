"""Telling an asker what became of a task: once, where they look, and after a crash too."""

import dataclasses

import pytest

from bot.outbound import Reply
from bot.speaker import Where, nonce
from bot.tasks.narrator import Worded
from tests.support.records import GUILD
from tests.support.request_records import ASKER, CHANNEL
from tests.support.tasks import TaskWorld
from tests.support.trick_tasks import TaskScript, completed, working

TITLE = "Save your snack preference"
END = completed({"saved": "fruit"})
STEPS = (working("One"), working("Two"), working("Three"))
TOLD = "completed: {'saved': 'fruit'}"


async def test_the_end_replies_to_the_askers_message_and_pings_nobody_else(tasks_world: TaskWorld) -> None:
    TaskScript(tasks_world.trick, "save_snack", END)
    await tasks_world.start()
    await tasks_world.round()
    where = Where(GUILD, CHANNEL, reply_to="message-r1", ping=ASKER, notify=True, after="message-r1")
    assert (tasks_world.speaker.last.where, tasks_world.speaker.last.text) == (where, TOLD)


async def test_in_a_thread_opened_from_the_message_the_asker_is_mentioned_instead(
    tasks_world: TaskWorld,
) -> None:
    TaskScript(tasks_world.trick, "save_snack", END)
    await tasks_world.start(channel_id="4711")
    await tasks_world.round()
    where = Where(GUILD, "4711", reply_to=None, ping=ASKER, notify=True, after="message-r1")
    assert tasks_world.speaker.last.where == where
    assert tasks_world.speaker.said == [f"<@{ASKER}> {TOLD}"]


async def test_progress_pings_nobody_and_stays_one_message(tasks_world: TaskWorld) -> None:
    TaskScript(tasks_world.trick, "save_snack", *STEPS, ttlMs=None)
    await tasks_world.start()
    for _ in range(3):
        await tasks_world.round(20 * 60)
    (message,) = tasks_world.speaker.messages.values()
    assert (message.text, message.edits) == (f"{TITLE}: Three", 2)
    assert (message.where.ping, message.where.notify) == (None, False)


async def test_a_progress_message_that_is_old_or_gone_gets_a_successor(tasks_world: TaskWorld) -> None:
    TaskScript(tasks_world.trick, "save_snack", *STEPS, ttlMs=None)
    await tasks_world.start()
    await tasks_world.round()
    await tasks_world.round(50 * 60)
    assert tasks_world.speaker.said == [f"{TITLE}: One", f"{TITLE}: Two"]

    tasks_world.speaker.messages.clear()
    await tasks_world.round()
    assert tasks_world.speaker.said == [f"{TITLE}: Three"]


async def test_what_discord_refuses_is_told_later_in_the_same_words(tasks_world: TaskWorld) -> None:
    TaskScript(tasks_world.trick, "save_snack", END)
    await tasks_world.start()
    tasks_world.speaker.refuses = True
    await tasks_world.round()
    await tasks_world.round()
    tasks_world.speaker.refuses = False
    await tasks_world.round(120)
    assert (tasks_world.speaker.said, tasks_world.narrator.worded) == ([TOLD], 1)


async def test_what_discord_refuses_for_an_hour_is_given_up(tasks_world: TaskWorld) -> None:
    TaskScript(tasks_world.trick, "save_snack", END)
    task = await tasks_world.start()
    tasks_world.speaker.refuses = True
    await tasks_world.round()
    await tasks_world.round(3_599)
    assert (await tasks_world.row(task)).news is not None
    await tasks_world.round(120)
    assert (await tasks_world.row(task)).news is None


async def test_after_a_crash_the_post_is_looked_for_before_it_is_made_again(
    tasks_world: TaskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    TaskScript(tasks_world.trick, "save_snack", END)
    task = await tasks_world.start()
    tasks_world.clock.advance(10)
    await tasks_world.here.poller.poll_due()

    async def dies(*_: object) -> None:
        raise RuntimeError("killed between posting and storing")

    with monkeypatch.context() as killed:
        killed.setattr(tasks_world.here.tasks, "told", dies)
        await tasks_world.tell()
    assert tasks_world.speaker.said == [TOLD]
    tasks_world.speaker.messages["posted-1"] = dataclasses.replace(
        tasks_world.speaker.last, nonce="which Discord has forgotten"
    )

    await tasks_world.round(120)
    assert tasks_world.speaker.said == [TOLD]
    assert tasks_world.speaker.looked_for == [Reply(content=TOLD)]
    assert (await tasks_world.row(task)).news is None


async def test_newer_news_is_told_although_it_came_while_the_older_was_told(tasks_world: TaskWorld) -> None:
    TaskScript(tasks_world.trick, "save_snack", working("One"), END)
    await tasks_world.start()
    tasks_world.clock.advance(10)
    await tasks_world.here.poller.poll_due()
    progress = tasks_world.narrator.progress

    async def slow(request_id: str, tool_title: str, status_text: str) -> Worded:
        tasks_world.clock.advance(10)
        await tasks_world.here.poller.poll_due()
        return await progress(request_id, tool_title, status_text)

    tasks_world.narrator.progress = slow
    await tasks_world.tell()
    await tasks_world.tell()
    assert tasks_world.speaker.said == [TOLD]


def test_a_nonce_is_short_and_belongs_to_one_message() -> None:
    nonces = {nonce(row, number, part) for row in ("a" * 32, "b") for number in (1, 2) for part in (0, 1)}
    assert len(nonces) == 8
    assert {len(each) for each in nonces} == {24}


async def test_a_trick_that_reports_for_ever_wakes_the_model_forty_times(tasks_world: TaskWorld) -> None:
    TaskScript(tasks_world.trick, "save_snack", *(working(f"No. {n}") for n in range(1, 44)), ttlMs=None)
    await tasks_world.start()
    for _ in range(43):
        await tasks_world.round(60)
    (message,) = tasks_world.speaker.messages.values()
    assert message.text == "Still working on it."
