"""A trick that writes hostile texts wherever it may, seen through every panel and form of the owner's room."""

from collections.abc import Iterator
from typing import Any

import pytest
import simcord

from tests.support.forging import Forged, controls_of, forge, told
from tests.support.hostile import FLAVOURS, alive, filled, forgeries
from tests.support.hostile_trick import make_hostile
from tests.support.journeys import answer, said, tricks
from tests.support.modal_limits import modal_problems
from tests.support.refreshing import messages
from tests.support.sent import message_bodies, refused_messages
from tests.support.trick import TrickServer
from tests.support.trick_answers import rpc_error, tool_error
from tests.support.world import World, text_of


def modals(world: World) -> Iterator[dict[str, Any]]:
    """All forms that were opened."""
    for request in world.env.http_requests:
        body: Any = request.json
        if request.path.endswith("/callback") and body["type"] == 9:
            yield body["data"]


def choices(world: World) -> Iterator[dict[str, Any]]:
    """All choices that were offered while somebody typed."""
    for request in world.env.http_requests:
        body: Any = request.json
        if request.path.endswith("/callback") and body["type"] == 8:
            yield from body["data"]["choices"]


async def do(world: World, trick: TrickServer, verb: str, **options: Any) -> simcord.InteractionResult:
    """One command of the owner, not too soon after the one before."""
    world.clock.advance(361)
    return await world.owner.slash(world.channel, f"tricks {verb}", trick=trick.id, **options)


async def press(world: World, result: simcord.InteractionResult, prefix: str) -> str:
    """Press the one control of an answer whose custom id begins like this; what is told then."""
    (control,) = [each for each in controls_of(messages(result)) if each["custom_id"].startswith(prefix)]
    (pressed,) = await forge(world, world.owner, Forged.of_control(control))
    return told(pressed)


async def press_all(world: World, result: simcord.InteractionResult, *prefixes: str) -> None:
    """Press every control of an answer whose custom id begins like this."""
    for control in controls_of(messages(result)):
        if control["custom_id"].startswith(prefixes):
            values = [option["value"] for option in control.get("options", ())][:1]
            (pressed,) = await forge(world, world.owner, Forged.of_control(control, *values))
            assert told(pressed) or pressed.modal, control["custom_id"]


async def fill_in(world: World, trick: TrickServer, text: str) -> None:
    """Every page of the settings, with hostile values and with values that do not fit."""
    shown = await do(world, trick, "settings")
    assert shown.modal is not None
    for number in range(5):
        custom_id = shown.modal["custom_id"]
        labels = shown.modal["components"]
        fits: dict[str, Any] = {}
        for label in labels:
            control = label["component"]
            if control["type"] == 4:
                fits[control["custom_id"]] = "7" if "number" in (control.get("placeholder") or "") else text
            elif control["type"] == 3:
                fits[control["custom_id"]] = ["1"]
            else:
                place = world.channel.id if control["type"] == 8 else world.guild.default_role.id
                fits[control["custom_id"]] = [str(place)]
        wrong = {key: "\u200b" + text if isinstance(value, str) else ["99"] for key, value in fits.items()}
        (refused,) = await forge(world, world.owner, Forged.of_form(custom_id, wrong))
        assert "Nothing was changed" in told(refused)
        await press_all(world, refused, "s:again")
        (saved,) = await forge(world, world.owner, Forged.of_form(custom_id, fits))
        assert "Saved" in told(saved), told(saved)
        if number < 4:
            (again,) = [
                c for c in controls_of(messages(saved)) if c["custom_id"].startswith(f"s:open{number + 1}")
            ]
            (shown,) = await forge(world, world.owner, Forged.of_control(again))
            assert shown.modal is not None


async def tour(world: World, trick: TrickServer, text: str, other: str) -> None:
    """Everything that an owner does with it."""
    world.clock.advance(361)
    await world.register(trick)
    for verb in ("show", "test", "settings", "access", "events", "log", "refresh"):
        await do(world, trick, verb)
    await do(world, trick, "show")
    world.clock.advance(361)
    await world.enable(trick)
    for name in (tool.name for tool in trick.tools[:2]):
        await press_all(world, await do(world, trick, "access", tool=name), "x:")
    await press_all(world, await do(world, trick, "access"), "x:page", "x:reads", "x:tool", "x:all")
    await do(world, trick, "events", channel=world.channel)
    for written in ("", "z", text[:3]):
        await world.owner.autocomplete(world.channel, "tricks show", "trick", written)
        await world.owner.autocomplete(world.channel, "tricks access", "tool", written, trick=trick.id)
    for handler in (tool_error(text * 30), rpc_error(-1, text * 30)):
        trick.on("tools/call", handler)
        for _ in range(4):
            world.clock.advance(20)
            await world.owner.slash(world.channel, trick.commands[0]["name"])
    trick.behave()
    await press_all(world, await do(world, trick, "log"), "l:")
    await fill_in(world, trick, text)
    await do(world, trick, "rotate")
    await do(world, trick, "show")
    make_hostile(trick, other, tools=len(trick.tools), commands=len(trick.commands))
    await do(world, trick, "test")
    await tricks(world, "list")
    await do(world, trick, "show")
    await press_all(world, await do(world, trick, "refresh"), "f:keep")
    await press_all(world, await do(world, trick, "refresh"), "f:accept")
    await do(world, trick, "show")
    await tricks(world, "disable", trick=trick.id)
    await do(world, trick, "enable")
    await press_all(world, await do(world, trick, "remove"), "o:remove")


def judge(world: World) -> None:
    """Nothing pings, nothing is over a limit, and nothing of the trick's text comes alive."""
    assert refused_messages(world.env.http_requests) == []
    assert [problem for modal in modals(world) for problem in modal_problems(modal)] == []
    for choice in choices(world):
        assert 1 <= len(choice["name"].encode("utf-16-le")) // 2 <= 100
    found = [each for body in message_bodies(world.env.http_requests) for each in forgeries(body)]
    assert found == []


@pytest.mark.parametrize("flavour", FLAVOURS)
async def test_no_text_of_a_trick_pings_forges_or_breaks_a_panel(
    world: World, trick: TrickServer, flavour: str
) -> None:
    others = list(FLAVOURS.values())
    text = FLAVOURS[flavour]
    other = others[(others.index(text) + 1) % len(others)]
    make_hostile(trick, text)
    await tour(world, trick, text, other)
    judge(world)


async def test_as_many_tools_commands_and_settings_as_there_can_be_fit_every_panel(
    world: World, trick: TrickServer
) -> None:
    text, other = FLAVOURS["bold"], FLAVOURS["odd fences"]
    make_hostile(trick, text, tools=100, commands=100)
    await tour(world, trick, text, other)
    judge(world)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("**a zq b**", []),
        ("\\*\\*zq\\*\\*", []),
        ("`**zq**` ```[zq](https://zq)```", []),
        ("**zq", ["*zq"]),
        ("`a` *zq* `b`", ["*zq"]),
        ("\\\\*zq", ["*zq"]),
        ("a\n# zq", ["# zq"]),
        ("see <@666> or @everyone", ["<@666", "@everyone"]),
        ("https://a.zq", ["https://a.zq"]),
    ],
)
def test_the_judge_of_these_tests_finds_what_discord_would_draw(text: str, found: list[str]) -> None:
    assert alive(text) == found


LABELS = [
    {"key": f"key_{n}", "label": f"{'*' * 97}{n:02}", "type": "text", "required": True} for n in range(25)
]


async def test_what_is_still_to_be_done_is_said_however_long_the_labels_are(
    world: World, trick: TrickServer
) -> None:
    trick.settings = [*({**each, "required": False} for each in LABELS[:5]), *LABELS[5:]]
    trick.manifest_changes["name"] = "*" * 80
    await world.install(trick)
    refused = await world.member.slash(world.channel, "snacks")
    assert "with `/tricks settings`" in text_of(answer(refused))
    for verb in ("show", "list"):
        assert "Until then it cannot be used." in said(
            await world.owner.slash(
                world.channel, f"tricks {verb}", **({"trick": trick.id} if verb == "show" else {})
            )
        )
    shown = await do(world, trick, "settings")
    saved = await world.owner.submit_modal(shown, {str(n): "*" * 500 for n in range(5)})
    assert "Nothing of it can be used before you fill in" in said(saved)
    assert len(controls_of(messages(saved))) == 4


async def test_what_is_held_back_is_said_however_many_commands_and_tools_there_are(
    world: World, trick: TrickServer
) -> None:
    make_hostile(trick, "a", tools=100, settings=0)
    trick.commands = [
        {"name": f"{'c' * 30}{n:02}", "description": "a", "tool": trick.tools[0].name} for n in range(100)
    ]
    await world.install(trick)
    for tool in trick.tools:
        trick.change_live(tool.name, title="Something else")
    enabled = said(await do(world, trick, "enable"))
    assert "and 65 more. `/tricks refresh` shows how." in enabled
    kept = await press(world, await do(world, trick, "refresh"), "f:keep")
    assert "Still held back" in kept
    assert kept.endswith("and 65 more. `/tricks refresh` asks you again.")


async def test_every_problem_of_a_new_manifest_is_told_however_long_its_path(
    world: World, trick: TrickServer
) -> None:
    await world.install(trick)
    for n in range(24):
        trick.manifest_changes[f"{n:02}{'_' * 190}"] = 1
    told_all = "\n".join(map(text_of, messages(await do(world, trick, "refresh"))))
    assert all(f"`{n:02}_" in told_all for n in range(24))
    judge(world)


@pytest.mark.parametrize("flavour", ["mentions", "bold", "links"])
async def test_what_the_owner_is_told_without_asking_pings_nobody_and_draws_nothing(
    world: World, trick: TrickServer, flavour: str
) -> None:
    make_hostile(trick, FLAVOURS[flavour], settings=0)
    keeper = world.guild.create_role("keeper")
    trick.settings = [
        {"key": "keeper", "label": filled(FLAVOURS[flavour], 100), "type": "role", "required": True}
    ]
    await world.install(trick)
    await world.owner.submit_modal(await do(world, trick, "settings"), {"0": [keeper]})
    world.env.backend.delete_role(world.guild.id, keeper.id)
    await world.env.settle()
    other = world.guild.create_role("other")
    await world.owner.submit_modal(await do(world, trick, "settings"), {"0": [other]})
    trick.change_live(trick.tools[1].name, title="Something else")
    world.clock.advance(3_601)
    await world.services.looks.look_at_due()
    trick.on("tools/call", rpc_error(-1, FLAVOURS[flavour]))
    for _ in range(5):
        await world.owner.slash(world.channel, trick.commands[0]["name"])
    await world.env.settle()
    told_unasked = [str(body.get("content")) for body in message_bodies(world.env.http_requests)]
    for words in ("waits: the role", "changed some of its tools", "5 times in a row"):
        assert sum(words in text for text in told_unasked) == 1, words
    judge(world)
