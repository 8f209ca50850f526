"""What an owner types and picks in the forms: odd texts, odd numbers, ids from elsewhere, on both databases."""

import json
import re
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from bot.signing import new_key
from bot.text import length
from tests.support.forging import (
    CHANNEL_SELECT,
    ROLE_SELECT,
    TEXT_SELECT,
    Forged,
    Sent,
    choose_events_channel,
    controls_of,
    forge,
    told,
)
from tests.support.journeys import another_server, rows_of
from tests.support.modal_limits import modal_problems
from tests.support.refreshing import messages
from tests.support.trick import TrickServer
from tests.support.world import World, config_for, open_world

CHOICES = [{"label": "Slow", "value": "s"}, {"label": "Fast", "value": "f"}]
KINDS: list[dict[str, Any]] = [
    {"key": "word", "label": "Word", "type": "text", "maxLength": 20},
    {"key": "words", "label": "Words", "type": "long_text"},
    {"key": "most", "label": "Most", "type": "number", "min": -5, "max": 1_000_000},
    {"key": "loud", "label": "Loud", "type": "boolean"},
    {"key": "pace", "label": "Pace", "type": "select", "options": CHOICES},
    {"key": "room", "label": "Room", "type": "channel"},
    {"key": "rooms", "label": "Rooms", "type": "channels"},
    {"key": "role", "label": "Role", "type": "role"},
    {"key": "roles", "label": "Roles", "type": "roles"},
]
NUMBERS: dict[str, int | float | None] = {
    "1e999": None,
    "-1e999": None,
    "NaN": None,
    "nan": None,
    "Infinity": None,
    "-inf": None,
    "１２３": 123,
    "１．５": 1.5,
    "٣": None,
    "0x10": None,
    "1_000": None,
    "1,5": None,
    "1e5": 100_000,
    "1e-400": 0,
    "9" * 400: None,
    "9" * 4_000: None,
    "-6": None,
    "1000001": None,
    "\x007": 7,
    "7\ud800": 7,
    "--7": None,
    "+7": 7,
    "−3": -3,
    "7\u200b": 7,
}


@pytest.fixture
async def anywhere(database_url: str, trick: TrickServer) -> AsyncGenerator[World]:
    """A world on either database, with a trick of all kinds of settings."""
    trick.settings = KINDS
    storage = {"url": database_url, "encryption_key": new_key()}
    async with open_world(config_for(database_url, trick, storage=storage)) as world:
        trick.clock = world.clock
        await world.install(trick)
        yield world


async def send(
    world: World, trick: TrickServer, page: int, values: dict[str, Sent]
) -> tuple[str, dict[str, Any]]:
    """Send a page of the form; what is told, and the form that "Correct it" opens, if there is that button."""
    shown = await world.owner.slash(world.channel, "tricks settings", trick=trick.id)
    assert shown.modal is not None
    if page:
        (saved,) = await forge(world, world.owner, Forged.of_form(shown.modal["custom_id"], {}))
        (button,) = controls_of(messages(saved))
        (shown,) = await forge(world, world.owner, Forged.of_control(button))
        assert shown.modal is not None
    (sent,) = await forge(world, world.owner, Forged.of_form(shown.modal["custom_id"], values))
    again = [each for each in controls_of(messages(sent)) if each["custom_id"].startswith("s:again:")]
    if not again:
        return told(sent), {}
    (opened,) = await forge(world, world.owner, Forged.of_control(again[0]))
    assert opened.modal is not None
    assert list(modal_problems(opened.modal)) == []
    return told(sent), opened.modal


async def stored(url: str) -> dict[str, Any]:
    """The settings of the only installation."""
    (row,) = (await rows_of(url))["installations"]
    return json.loads(row["settings"])


ODD = ["a\0b", "\ud800", "a\udfffb", "x" * 4_000, "\u202eabc", "a\x1b[31mb", "\u200b", "a\u2028b", "🦴" * 20]


@pytest.mark.parametrize("text", ODD, ids=lambda text: ascii(text[:8]))
async def test_a_text_that_nobody_can_read_is_refused_and_opens_again(
    anywhere: World, trick: TrickServer, database_url: str, text: str
) -> None:
    for number, limit in (("0", 20), ("1", 4_000)):
        if number == "1" and text in ("x" * 4_000, "🦴" * 20):
            continue
        words, form = await send(anywhere, trick, 0, {number: text, "2": "3"})
        assert "Nothing was changed" in words
        value = form["components"][int(number)]["component"].get("value", "")
        assert length(value) <= limit
        assert not re.search("[\0\ud800-\udfff]", value)
    assert await stored(database_url) == {}


async def test_a_number_is_what_is_written_or_is_refused(
    anywhere: World, trick: TrickServer, database_url: str
) -> None:
    for text, number in NUMBERS.items():
        words, _ = await send(anywhere, trick, 0, {"2": text})
        kept = await stored(database_url)
        if number is None:
            assert "Nothing was changed" in words, text[:20]
            assert kept.get("most") in {None, *NUMBERS.values()}
        else:
            assert kept == {"most": number}, text


async def test_channels_and_roles_of_another_server_cannot_be_chosen(
    anywhere: World, trick: TrickServer, database_url: str
) -> None:
    other = another_server(anywhere)
    channel, role = str(other.channel.id), str(other.guild.create_role("theirs").id)
    mine = str(anywhere.channel.id)
    for values in (
        {"0": [channel]},
        {"1": [mine, channel]},
        {"2": [role]},
        {"3": [str(anywhere.guild.default_role.id), role]},
        {"0": [role]},
        {"2": [mine]},
        {"0": ["1"]},
        {"0": ["x"]},
        {"1": ["-1", "1e3"]},
    ):
        words, _ = await send(anywhere, trick, 1, dict(values))
        assert "gone from the server" in words, values
    assert await stored(database_url) == {}


async def test_what_another_server_has_cannot_be_chosen_for_access_and_events(
    anywhere: World, trick: TrickServer, database_url: str
) -> None:
    other = another_server(anywhere)
    channel, role = str(other.channel.id), str(other.guild.create_role("theirs").id)
    (row,) = (await rows_of(database_url))["installations"]
    for sent in (
        Forged(f"x:channels:{row['id']}:0", CHANNEL_SELECT, (channel,)),
        Forged(f"x:roles:{row['id']}:save_snack", ROLE_SELECT, (role, str(other.guild.id))),
        Forged(f"x:who:{row['id']}:save_snack", TEXT_SELECT, ("nobody",)),
        Forged(f"x:who:{row['id']}:no_such_tool", TEXT_SELECT, ("owner",)),
        Forged(f"x:open:{row['id']}:no_such_tool"),
        Forged(f"x:page:{row['id']}:99"),
    ):
        (result,) = await forge(anywhere, anywhere.owner, sent)
        assert told(result)
        assert "went wrong inside" not in told(result)
    refused = await choose_events_channel(anywhere, trick.id, other.channel)
    rows = await rows_of(database_url)
    assert rows["installations"][0]["access"] == "{}"
    assert [each["channel_id"] for each in rows["subscriptions"]] == [None], told(refused)


async def test_guidance_keeps_what_can_be_read_and_refuses_what_is_too_long(
    anywhere: World, database_url: str
) -> None:
    for text in (*ODD, "🦴" * 2_001, "a" * 4_001, "\n \t", "@everyone `x` **y**"):
        (result,) = await forge(anywhere, anywhere.owner, Forged.of_form("g:text", {"0": text}))
        assert told(result)
        assert "went wrong inside" not in told(result), ascii(text[:20])
        kept = (await rows_of(database_url))["guilds"][0]["guidance"]
        assert kept is None or (length(kept) <= 4_000 and not re.search("[\0\ud800-\udfff]", kept))
        shown = await anywhere.owner.slash(anywhere.channel, "guidance")
        assert shown.modal is not None
        assert list(modal_problems(shown.modal)) == []
