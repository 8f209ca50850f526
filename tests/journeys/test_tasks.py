"""Long work as a member sees it: within the turn, or told step by step in one message until it ends."""

import pytest

from bot.app import Kennel
from bot.services import open_services
from tests.support.brewing import WORKING, begin, find, heard, until, woken
from tests.support.journeys import answer, said, tricks
from tests.support.model import ModelServer, call, say
from tests.support.talks import ask, spoken, texts, tick
from tests.support.trick import TrickServer
from tests.support.trick_answers import status
from tests.support.trick_tasks import TaskScript, completed, working
from tests.support.world import World, config_for, outside_model, outside_transport, text_of

FIFTY_MINUTES = 50 * 60


async def much_later(world: World) -> None:
    """Fifty minutes pass, and the bot looks for what is due."""
    world.clock.advance(FIFTY_MINUTES)
    await tick(world)


async def test_quick_work_answers_within_the_turn(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    TaskScript(brewer, "brew", working("Grinding"), completed({"cups": 2}))
    model.script(
        call("load_trick", trick="brewer"),
        call("brewer__brew"),
        lambda asked: say(f"There you are: {asked.last['content']}"),
    )
    assert texts(await ask(brewing, "brew it")) == ['There you are: {"data":{"cups":2}}']
    assert model.asked[-1].tool_names != []
    await tick(brewing)
    assert len(spoken(brewing)) == 1
    assert woken(model) == []


async def test_longer_work_is_told_in_one_message_and_its_end_in_another(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    script = TaskScript(brewer, "brew", working(), ttlMs=None)
    assert texts(await begin(brewing, model)) == [WORKING]
    polls = brewer.count("tasks/get")
    for _ in range(3):
        await tick(brewing)
    assert brewer.count("tasks/get") > polls
    assert (woken(model), texts(spoken(brewing))) == ([], [WORKING])

    script.go_on(working("grinding"))
    progress = await heard(brewing, "So far: grinding")
    await tick(brewing)
    script.go_on(working("boiling"))
    assert (await heard(brewing, "So far: boiling")).id == progress.id
    assert texts(spoken(brewing)) == [WORKING, "So far: boiling"]
    assert progress.reference.message_id == spoken(brewing)[0].reference.message_id

    await much_later(brewing)
    script.go_on(working("cooling"))
    successor = await heard(brewing, "So far: cooling")
    assert successor.id != progress.id
    assert texts(spoken(brewing)) == [WORKING, "So far: boiling", "So far: cooling"]

    script.go_on(completed({"cups": 2}))
    end = await heard(brewing, "Done:")
    assert text_of(end) == 'Done: {"data":{"cups":2}}'
    assert [each.id for each in end.mentions] == [brewing.member.id]
    assert find(brewing, "So far: cooling") is None
    assert woken(model) == ["progress"] * 3 + ["result"]
    polls = brewer.count("tasks/get")
    await much_later(brewing)
    assert (brewer.count("tasks/get"), len(spoken(brewing))) == (polls, 4)


async def test_a_status_text_gives_no_links_but_the_result_does(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    script = TaskScript(brewer, "brew", working("see https://example.com/status"))
    await begin(brewing, model)
    progress = text_of(await heard(brewing, "So far:"))
    assert "example.com" not in progress
    script.go_on(completed({"at": "https://example.com/cup"}))
    assert "https://example.com/cup" in text_of(await heard(brewing, "Done:"))


async def test_work_in_a_thread_is_told_there(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    script = TaskScript(brewer, "brew_aside", working("grinding"))
    assert WORKING not in texts(await begin(brewing, model, "brew_aside"))
    [thread] = brewing.channel.threads
    assert brewer.received("tools/call")[-1].context["channelId"] == str(thread.id)
    assert WORKING in texts(spoken(brewing, thread))
    await heard(brewing, "So far: grinding", thread)
    script.go_on(completed({"cups": 2}))
    end = await heard(brewing, "Done:", thread)
    assert [each.id for each in end.mentions] == [brewing.member.id]
    assert find(brewing, "So far") is find(brewing, "Done:") is None


async def test_turning_the_trick_off_is_told_in_the_thread_where_its_work_was(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    TaskScript(brewer, "brew_aside", working(), ttlMs=None)
    await begin(brewing, model, "brew_aside")
    [thread] = brewing.channel.threads
    await tricks(brewing, "disable", trick="brewer")
    last = spoken(brewing, thread)[-1]
    assert "Brewer" in text_of(last)
    assert [each.id for each in last.mentions] == [brewing.member.id]


async def test_another_process_goes_on_after_a_restart(
    brewing: World, brewer: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    script = TaskScript(brewer, "brew", working())
    await begin(brewing, model)
    config = config_for(sqlite_url, brewer, assistant=model.config)
    outside = outside_transport(config), outside_model(config, brewing.clock)
    async with open_services(config, brewing.clock, *outside) as services:
        await brewing.env.restart_bot(Kennel(services, shard_count=1))
        script.go_on(working("grinding"))
        await heard(brewing, "So far: grinding")
        script.go_on(completed({"cups": 2}))
        await heard(brewing, "Done:")
    assert brewer.count("tools/call") == 1


async def test_a_paused_trick_is_not_polled_and_its_work_goes_on_after_enabling(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    script = TaskScript(brewer, "brew", working(), ttlMs=None)
    await begin(brewing, model)
    polls = brewer.count("tasks/get")
    script.fault = status(503)
    await until(brewing, lambda: brewer.count("tasks/get") == polls + 5)
    assert "paused" in said(await tricks(brewing, "list"))
    await much_later(brewing)
    assert brewer.count("tasks/get") == polls + 5

    script.fault = None
    script.go_on(completed({"cups": 2}))
    await tricks(brewing, "enable", trick="brewer")
    await heard(brewing, "Done:")


@pytest.mark.parametrize("verb", ["disable", "remove"])
async def test_turning_the_trick_off_ends_its_work_with_a_sentence(
    brewing: World, brewer: TrickServer, model: ModelServer, verb: str
) -> None:
    TaskScript(brewer, "brew", working("grinding"), ttlMs=None)
    await begin(brewing, model)
    await heard(brewing, "So far: grinding")
    asked = await tricks(brewing, verb, trick="brewer")
    if verb == "remove":
        await brewing.owner.click(answer(asked), label="Remove")
    last = spoken(brewing)[-1]
    assert "Brewer" in text_of(last)
    assert [each.id for each in last.mentions] == [brewing.member.id]
    polls = brewer.count("tasks/get")
    await much_later(brewing)
    assert (brewer.count("tasks/get"), woken(model)) == (polls, ["progress"])
    assert spoken(brewing)[-1].id == last.id


async def test_deleting_the_message_ends_the_work_and_nobody_is_told(
    brewing: World, brewer: TrickServer, model: ModelServer
) -> None:
    script = TaskScript(brewer, "brew", working(), ttlMs=None)
    (said,) = await begin(brewing, model)
    await brewing.member.delete(said.reference.resolved)
    script.go_on(completed({"cups": 2}))
    polls = brewer.count("tasks/get")
    await much_later(brewing)
    assert (brewer.count("tasks/get"), texts(spoken(brewing)), woken(model)) == (polls, [WORKING], [])
