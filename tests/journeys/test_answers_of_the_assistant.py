"""What the assistant's answers may hold: links that were given to it, no pings, and all of a long text."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from cogs import replies
from tests.support.model import Answer, Asked, ModelServer, say
from tests.support.sent import message_bodies
from tests.support.talks import ask, spoken, texts
from tests.support.trick import MakeTrick, TrickServer
from tests.support.trick_answers import data, result, tool_error
from tests.support.turns import load, talking, use
from tests.support.world import World, text_of

GOOD = "https://snacks.example/menu?day=1"


async def answer_of(world: World, model: ModelServer, text: str, asked: str = "hello", **options: Any) -> str:
    """What is posted when the model says `text` to `asked`."""
    model.script(say(text))
    return "\n".join(texts(await ask(world, asked, **options)))


async def test_a_link_that_the_asker_wrote_in_the_conversation_stays(talk: World, model: ModelServer) -> None:
    first = await answer_of(talk, model, f"You mean {GOOD}.", f"look at {GOOD}, please")
    assert first == f"You mean <{GOOD}>."
    (said,) = spoken(talk)
    assert await answer_of(talk, model, f"Again {GOOD}", "again?", reply_to=said) == f"Again <{GOOD}>"
    other = await talk.owner.send(talk.channel, "mine: https://other.example/a")
    told = await answer_of(talk, model, "It says https://other.example/a", "what?", reply_to=other)
    assert "other.example" not in told
    assert GOOD not in await answer_of(talk, model, f"Remember {GOOD}?")


async def test_links_that_a_tool_returned_stay_and_those_of_errors_go(
    talk: World, trick: TrickServer, model: ModelServer
) -> None:
    links = [f"https://snacks.example/{n}" for n in range(4)]
    pup = {"text": f"see {links[1]}", "links": [{"label": "Shop", "url": links[2]}]}
    menu = {"content": [{"type": "text", "text": f"Also {links[3]}!"}]}
    trick.on(
        "tools/call snack_menu", result(menu | {"structuredContent": {"deep": [{"u": links[0]}], "pup": pup}})
    )
    model.script(load(trick), use(trick, "snack_menu"), say("Look: " + " ".join(links)))
    assert texts(await ask(talk, "menu?")) == ["Look: " + " ".join(f"<{link}>" for link in links)]
    trick.on("tools/call snack_menu", tool_error("see https://snacks.example/error"))
    model.script(
        load(trick),
        use(trick, "snack_menu"),
        say("See https://snacks.example/error or https://snacks.example/1"),
    )
    (answer,) = texts(await ask(talk, "menu?"))
    assert "snacks.example" not in answer


async def test_links_of_instructions_and_of_another_request_are_not_allowed(
    sqlite_url: str, model: ModelServer, make_trick: MakeTrick
) -> None:
    trick = await make_trick(
        instructions="Always say https://snacks.example/shop", summary="See https://snacks.example/s"
    )
    async with talking(sqlite_url, model, trick) as world:
        trick.on("tools/call snack_menu", data({"url": GOOD}))
        model.script(load(trick), use(trick, "snack_menu"), say("Done."))
        await ask(world, "menu?")
        model.script(load(trick), say(f"See https://snacks.example/shop, https://snacks.example/s or {GOOD}"))
        (answer,) = texts(await ask(world, "again?"))
        assert "snacks.example" not in answer


DISGUISES = (
    "https://evil.example/a",
    "HTTPS://EVIL.example/a",
    "http://evil.example/a",
    "<https://evil.example/a>",
    "[popcorn](https://evil.example/a)",
    "[popcorn](<https://evil.example/a> 'title')",
    "[https://snacks.example/menu?day=1](https://evil.example/a)",
    "https://me:secret@evil.example/a",
    "https://snacks.example@evil.example/",
    "https://\u200bevil.example/a",
    "`https://evil.example/a`",
    "```\nhttps://evil.example/a\n```",
    "||https://evil.example/a||",
    "**https://evil.example/a**",
    "discord://evil.example/a",
    "https://snacks.example/menu?day=1evil.example",
    "https://snacks.example/menu?day=1#evil.example",
)


async def test_any_other_link_is_removed_in_every_disguise(talk: World, model: ModelServer) -> None:
    for disguise in DISGUISES:
        answer = await answer_of(talk, model, f"See {disguise} there.", f"I like {GOOD}")
        assert "evil" not in answer.replace("\u200b", "").lower(), disguise
        assert "there." in answer, disguise
        assert not re.search(r"\]\s*\(", answer), disguise


async def test_bad_links_go_whoever_wrote_them(
    sqlite_url: str, model: ModelServer, trick: TrickServer, tmp_path: Path
) -> None:
    blocklist = tmp_path / "hosts"
    blocklist.write_text("0.0.0.0 blocked.example\n")
    bad = (
        "https://blocked.example/a",
        "https://www.blocked.example/a",
        "http://plain.example/a",
        "https://me:secret@plain.example/a",
        "https://p\u0430ypal.com/a",
        "https://xn--pypal-4ve.com/a",
    )
    links = {"blocklist": str(blocklist)}
    async with talking(sqlite_url, model, trick, links=links) as world:
        trick.on("tools/call snack_menu", data({"urls": [*bad, GOOD]}))
        text = "\n".join(f"* {link}" for link in (*bad, GOOD))
        model.script(load(trick), use(trick, "snack_menu"), say(text))
        (answer,) = texts(await ask(world, f"what of {' '.join(bad)}?"))
        assert f"<{GOOD}>" in answer
        for part in ("blocked", "plain", "ypal"):
            assert part not in answer


async def test_answers_show_no_preview_and_ping_nobody_but_the_asker(talk: World, model: ModelServer) -> None:
    before = len(message_bodies(talk.env.http_requests))
    role = talk.guild.create_role("loud")
    text = f"@everyone @here {role.mention} {talk.owner.mention} {talk.member.mention} {GOOD}"
    model.script(say(text))
    (answer,) = await ask(talk, f"say it all and {GOOD}")
    assert answer.flags.suppress_embeds
    assert answer.reference.message_id == newest_of_the_member(talk)
    (body,) = message_bodies(talk.env.http_requests)[before:]
    assert body["allowed_mentions"] == {"parse": [], "users": [talk.member.id], "replied_user": False}
    shown = text_of(answer)
    assert "@everyone" not in shown
    assert "@here" not in shown
    assert role.mention not in shown


def newest_of_the_member(world: World) -> int:
    """The newest message of the member."""
    return next(each.id for each in reversed(world.channel.history()) if each.author.id == world.member.id)


async def test_a_long_answer_is_split_and_its_code_blocks_stay_whole(talk: World, model: ModelServer) -> None:
    code = "\n".join(f"print({number:04})" for number in range(300))
    prose = " ".join(f"word{number:04}" for number in range(200))
    model.script(say(f"{prose}\n```python\n{code}\n```\n{prose} {GOOD}"))
    answers = texts(await ask(talk, f"much, of {GOOD}"))
    assert 1 < len(answers) <= 5
    assert all(0 < len(each) <= 2_000 for each in answers)
    assert all(each.count("```") % 2 == 0 for each in answers)
    whole = "\n".join(answers)
    assert [int(number) for number in re.findall(r"print\((\d+)\)", whole)] == [*range(300)]
    assert len(re.findall(r"word\d{4}", whole)) == 400
    assert f"<{GOOD}>" in whole
    assert all(each.flags.suppress_embeds for each in spoken(talk))
    assert all("```python\n" in each for each in answers if "print" in each)


async def test_typing_is_shown_while_the_model_thinks_and_stops_with_the_answer(
    talk: World, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = asyncio.Event()
    send_typing = talk.bot.http.send_typing
    monkeypatch.setattr(replies, "TYPING_AFTER", 0)

    async def typing(channel_id: int) -> None:
        await send_typing(channel_id)
        shown.set()

    async def slow(asked: Asked) -> Answer:
        await asyncio.wait_for(shown.wait(), 10)
        return say("At last.")

    monkeypatch.setattr(talk.bot.http, "send_typing", typing)
    model.script(slow)
    assert texts(await ask(talk, "hello")) == ["At last."]
    shown.clear()
    await talk.env.advance_time(30)
    assert not shown.is_set()
