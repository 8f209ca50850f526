"""What a member may ask of what is kept about them: to see it, to get it, and that it goes."""

import json
from typing import Any

import simcord

from bot.app import Kennel
from bot.privacy.words import ASK, KEPT, NOTHING
from tests.support.brewing import begin, heard
from tests.support.journeys import another_server, answer, labels, rows_of, said, typed
from tests.support.model import ModelServer, say
from tests.support.talks import ask, mention, tick
from tests.support.trick import TrickServer
from tests.support.trick_tasks import TaskScript, asking, completed, working
from tests.support.turns import carded, load, open_to, saved, shown, use
from tests.support.world import World, text_of

MANY = {"name": {"type": "string"}}
HOUR = 3_600


async def privacy(world: World, verb: str, member: simcord.MemberActor | None = None) -> Any:
    """One `/privacy` command, whose answer is private; of the member unless of somebody else."""
    result = await (member or world.member).slash(world.channel, f"privacy {verb}")
    assert result.ephemeral
    return result


async def erase(world: World, member: simcord.MemberActor | None = None) -> str:
    """The member has everything erased; gives what they are told."""
    asked = answer(await privacy(world, "erase", member))
    return said(await (member or world.member).click(asked, label="Erase everything about me"))


async def tables_with(url: str, text: str) -> set[str]:
    """The tables in which a text stands anywhere."""
    return {name for name, rows in (await rows_of(url)).items() if text in json.dumps(rows)}


async def exported(world: World, member: simcord.MemberActor | None = None) -> tuple[str, dict[str, Any]]:
    """The one file that the member gets: its text, and what that says."""
    (attachment,) = answer(await privacy(world, "export", member)).attachments
    assert attachment.filename == "kennel-my-data.json"
    text = (await attachment.read()).decode()
    return text, json.loads(text)


async def test_a_member_sees_what_is_kept_about_them_and_for_how_long(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    assert said(await privacy(talk, "show")) == NOTHING
    await open_to(sqlite_url, trick, "save_snack")
    await typed(talk, "^save fruit")
    model.script(say("Hello."))
    await ask(talk, "hello")
    told = said(await privacy(talk, "show"))
    assert "1 message to me" in told
    assert "1 use of tools. What you entered and what came back is still there for 1" in told
    assert "after 30 days at the latest" in told
    assert "fruit" not in told
    assert "1 trick" in said(await privacy(talk, "show", talk.owner))


async def test_a_member_gets_everything_of_theirs_as_a_file_and_nothing_of_anybody_else(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    await open_to(sqlite_url, trick, "save_snack")
    await typed(talk, "^save fruit")
    await typed(talk, "^save pretzels", talk.owner)
    model.script(load(trick), use(trick, "snack_menu"), say("There is popcorn."))
    await ask(talk, "what is there?")
    text, file = await exported(talk)
    assert file["member_id"] == str(talk.member.id)
    data = file["data"]
    assert [request["content"] for request in data["requests"]] == [f"{mention(talk)} what is there?"]
    assert {call["tool"] for call in data["calls"]} == {"save_snack", "snack_menu"}
    (saving,) = (call for call in data["calls"] if call["tool"] == "save_snack")
    assert (saving["arguments"], saving["status"]) == ({"snack": "fruit"}, "succeeded")
    assert "popcorn" in json.dumps([call["result"] for call in data["calls"]])
    assert {row["what"] for row in data["audit_trail"]} == {"called"}
    assert "pretzels" not in text
    (installation,) = (await rows_of(sqlite_url))["installations"]
    for secret in (*trick.secrets, installation["secret"], installation["manifest_url"], str(talk.owner.id)):
        assert secret not in text
    keys = [action["key"] for action in (await rows_of(sqlite_url))["actions"]]
    assert not [key for key in keys if key in text]


async def test_who_asks_too_often_for_the_file_waits(world: World) -> None:
    for _ in range(5):
        await exported(world)
    assert "Try again in" in said(await privacy(world, "export"))
    await exported(world, world.owner)
    world.clock.advance(600)
    await exported(world)


async def test_looking_and_erasing_again_and_again_waits_a_while(world: World) -> None:
    for _ in range(5):
        await privacy(world, "show")
    assert "Try again in" in said(await privacy(world, "show"))
    assert said(await privacy(world, "show", world.owner)) == NOTHING
    for _ in range(3):
        await erase(world)
    asked = answer(await privacy(world, "erase"))
    pressed = await world.member.click(asked, label="Erase everything about me")
    assert "(60 minutes)" in text_of(pressed.followups[-1])
    world.clock.advance(HOUR)
    assert "nothing about you" in await erase(world)
    assert said(await privacy(world, "show")) == NOTHING


async def test_an_erasure_is_asked_for_once_and_can_be_left(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    await world.install(trick)
    await typed(world, "^snacks")
    asked = answer(await privacy(world, "erase"))
    assert (asked.content, labels(asked)) == (ASK, ["Erase everything about me", "Keep it"])
    kept = answer(await world.member.click(asked, label="Keep it"))
    assert (kept.content, labels(kept)) == (KEPT, [])
    assert "calls" in await tables_with(sqlite_url, str(world.member.id))


async def test_nothing_about_a_member_is_left_in_any_table_and_everything_about_others_is(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    await open_to(sqlite_url, trick, "save_snack")
    for member in (talk.owner, talk.member):
        await typed(talk, "^save fruit", member)
        await typed(talk, "^snacks", member)
        model.script(load(trick), use(trick, "snack_menu"), say("There is popcorn."))
        await ask(talk, "what is there?", member=member)
    owners = await tables_with(sqlite_url, str(talk.owner.id))
    before = {name: len(rows) for name, rows in (await rows_of(sqlite_url)).items()}
    button = await talk.member.slash(talk.channel, "snacks")
    assert "Done: what I kept about you is erased" in await erase(talk)
    assert await tables_with(sqlite_url, str(talk.member.id)) == set()
    assert await tables_with(sqlite_url, str(talk.owner.id)) == owners
    after = {name: len(rows) for name, rows in (await rows_of(sqlite_url)).items()}
    assert (after["requests"], after["calls"]) == (before["requests"] - 1, before["calls"] - 3)
    writes = [row for row in (await rows_of(sqlite_url))["audit"] if row["tool"] == "save_snack"]
    assert [(row["actor_id"], row["call_id"] is None) for row in writes] == [
        (str(talk.owner.id), False),
        ("0", True),
    ]
    assert said(await privacy(talk, "show")) == NOTHING
    assert "expired" in said(await talk.member.click(answer(button), label="Save fruit"))
    assert "popcorn" in await typed(talk, "^snacks")


async def test_an_erasure_holds_for_all_servers(world: World, trick: TrickServer, sqlite_url: str) -> None:
    other = another_server(world)
    await world.install(trick)
    first = trick.secrets
    await other.install(trick)
    trick.trust(*first, *trick.secrets)
    for here in (world, other):
        await here.member.slash(here.channel, "snacks")
    await erase(world)
    assert await tables_with(sqlite_url, str(world.member.id)) == set()


async def test_the_question_works_after_a_restart_and_a_second_press_finds_nothing(
    world: World, trick: TrickServer, sqlite_url: str
) -> None:
    await world.install(trick)
    await typed(world, "^snacks")
    asked = answer(await privacy(world, "erase"))
    second = answer(await privacy(world, "erase"))
    await world.env.restart_bot(Kennel(world.services, shard_count=1))
    told = said(await world.member.click(asked, label="Erase everything about me"))
    assert "is erased" in told
    told = said(await world.member.click(second, label="Erase everything about me"))
    assert told == "There was nothing about you to erase."


async def test_open_cards_close_without_what_they_showed_and_nothing_runs(
    talk: World, trick: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    (card,) = await carded(talk, trick, model)
    requests = len(model.asked)
    await erase(talk, talk.owner)
    folded = shown(talk, card)
    assert labels(folded) == []
    assert "called off" in text_of(folded).lower()
    assert "popcorn" not in text_of(folded)
    await tick(talk)
    assert (saved(trick), len(model.asked)) == ([], requests)
    rows = await rows_of(sqlite_url)
    assert rows["requests"] == rows["approvals"] == []
    assert await tables_with(sqlite_url, str(talk.owner.id)) == set()


async def test_open_questions_close_and_their_work_ends(
    brewing: World, brewer: TrickServer, model: ModelServer, sqlite_url: str
) -> None:
    script = TaskScript(brewer, "brew", working())
    await begin(brewing, model)
    script.go_on(asking("k1", "Which?", MANY), completed({}))
    question = await heard(brewing, "Tell me: Which?")
    assert labels(question) == ["Answer", "Skip"]
    await erase(brewing)
    assert labels(shown(brewing, question)) == []
    polls = brewer.count("tasks/get")
    await tick(brewing, 60)
    assert brewer.count("tasks/get") == polls
    assert await tables_with(sqlite_url, str(brewing.member.id)) == set()


async def test_everybody_may_ask(world: World) -> None:
    for member in (world.member, world.owner):
        assert said(await privacy(world, "show", member)) == NOTHING
