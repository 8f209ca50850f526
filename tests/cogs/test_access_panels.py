"""The panels of `/tricks access`: what they say, and that the largest of them fit."""

from collections.abc import Iterator, Mapping
from typing import Any

import discord
import pytest

from bot.policy.audiences import EVERYONE, MANAGE_SERVER, Audience, AudienceKind
from bot.tricks.access import ToolAccess, TrickAccess
from cogs.access_controls import Present
from cogs.access_panels import glance_panel, open_panel, tool_panel
from cogs.messenger import EditParts
from tests.support.limits import payload_problems

KEY = "a" * 32
OWNER_ONLY = Audience("owner")
PRESENT = Present(frozenset({"71", "72"}), frozenset({"81", "82"}))


def tool(name: str, audience: Audience = EVERYONE, **flags: bool) -> ToolAccess:
    flags = {"read_only": False, "always_ask": False, **flags}
    return ToolAccess(name, f"Title of {name}", audience=audience, **flags)


def trick(*tools: ToolAccess, channels: tuple[str, ...] = ()) -> TrickAccess:
    return TrickAccess(KEY, "Shelf", tools, frozenset(channels))


def payload(parts: EditParts) -> dict[str, Any]:
    """The message as Discord gets it."""
    view = parts["view"]
    assert view is not None
    embeds = [embed.to_dict() for embed in parts["embeds"]]
    return {"content": parts["content"], "embeds": embeds, "components": view.to_components()}


def text(parts: EditParts) -> str:
    (embed,) = parts["embeds"]
    fields = [f"{field.name}: {field.value}" for field in embed.fields]
    return "\n".join([embed.title or "", embed.description or "", *fields, embed.footer.text or ""])


def controls(parts: EditParts) -> Iterator[Mapping[str, Any]]:
    for row in payload(parts)["components"]:
        yield from row["components"]


def labels(parts: EditParts) -> list[str]:
    return [each["label"] for each in controls(parts) if each["type"] == 2]


def chosen(parts: EditParts, kind: int) -> list[int]:
    """What the select of this type shows as chosen."""
    return [
        int(v["id"])
        for each in controls(parts)
        if each["type"] == kind
        for v in each.get("default_values", ())
    ]


def test_tools_stand_under_who_may_use_them_with_what_they_are() -> None:
    parts = glance_panel(
        trick(
            tool("wipe", OWNER_ONLY, always_ask=True),
            tool("fill", MANAGE_SERVER),
            tool("note", Audience("roles", frozenset({"71"}))),
            tool("peek", read_only=True),
            tool("save"),
            tool("ring", always_ask=True),
        ),
        PRESENT,
    )
    assert (parts["embeds"][0].description or "").splitlines() == [
        "**For everyone**",
        "`peek`, `save` (write, never asks), `ring` (write, always asks first)",
        "",
        "**For members with <@&71>**",
        "`note` (write)",
        "",
        "**For members who may manage the server**",
        "`fill` (write)",
        "",
        "**For you alone**",
        "`wipe` (write, always asks first)",
    ]
    assert "Where: In every channel" in text(parts)
    assert labels(parts) == []


def test_what_can_be_done_for_all_has_a_button_only_where_it_changes_something() -> None:
    parts = glance_panel(trick(tool("peek", OWNER_ONLY, read_only=True), channels=("81",)), PRESENT)
    assert labels(parts) == ["All channels", "Open all read tools to everyone"]
    assert "Where: <#81> and their threads" in text(parts)
    assert chosen(parts, 8) == [81]


def test_deleted_channels_are_counted_and_never_shown_as_chosen() -> None:
    parts = glance_panel(trick(tool("peek"), channels=("81", "98", "99")), PRESENT)
    assert "<#81> and their threads (and 2 deleted channels)" in text(parts)
    assert chosen(parts, 8) == [81]


def test_with_only_deleted_channels_it_works_nowhere_and_says_what_to_do() -> None:
    parts = glance_panel(trick(tool("peek"), channels=("99",)), PRESENT)
    assert "Nowhere, because every channel that you chose was deleted" in text(parts)
    assert "All channels" in labels(parts)
    assert chosen(parts, 8) == []


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        (("71", "99"), "members with <@&71> (and 1 deleted role)"),
        (("98", "99"), "you alone, because its roles were deleted"),
        (("71", "72"), "members with <@&71>, <@&72>"),
    ],
)
def test_deleted_roles_are_told_and_never_shown_as_chosen(roles: tuple[str, ...], words: str) -> None:
    one = tool("note", Audience("roles", frozenset(roles)))
    assert words in text(glance_panel(trick(one), PRESENT))
    parts = tool_panel(trick(one), one, PRESENT)
    assert words in text(parts)
    assert chosen(parts, 6) == [int(role) for role in roles if role in PRESENT.roles]


@pytest.mark.parametrize("kind", ["everyone", "manage_server", "owner"])
def test_the_present_rule_is_the_one_that_is_chosen_and_roles_are_asked_for_only_there(
    kind: AudienceKind,
) -> None:
    one = tool("note", Audience(kind))
    (select,) = [each for each in controls(tool_panel(trick(one), one, PRESENT)) if each["type"] == 3]
    assert [option["value"] for option in select["options"] if option["default"]] == [kind]
    assert chosen(tool_panel(trick(one), one, PRESENT), 6) == []
    choosing = tool_panel(trick(one), one, PRESENT, choosing=True)
    assert "Until then nothing changes" in text(choosing)
    assert [each["type"] for each in controls(choosing)] == [3, 6, 2]


def test_opening_a_write_says_that_it_will_never_ask_unless_the_trick_always_does() -> None:
    plain, careful = tool("fill", MANAGE_SERVER), tool("wipe", MANAGE_SERVER, always_ask=True)
    asked = open_panel(trick(plain), plain)
    assert "its writes never ask" in text(asked)
    assert labels(asked) == ["Open to everyone", "Keep"]
    assert "still ask each time" in text(open_panel(trick(careful), careful))
    assert "never ask" not in text(open_panel(trick(careful), careful))
    assert "I never ask before I use it" in text(tool_panel(trick(tool("fill")), tool("fill"), PRESENT))
    assert "I ask each time" in text(tool_panel(trick(careful), careful, PRESENT))


def test_texts_of_a_trick_cannot_format_the_panel() -> None:
    one = ToolAccess("note", "**bold** `x`" * 40, read_only=False, always_ask=False, audience=EVERYONE)
    hostile = TrickAccess(KEY, "**Shelf** @everyone", (one,), frozenset())
    for parts in (tool_panel(hostile, one, PRESENT), open_panel(hostile, one)):
        assert "\\*\\*Shelf\\*\\* \\@everyone" in text(parts)
        assert payload_problems(payload(parts)) == []


def test_all_of_many_tools_are_seen_at_a_glance_where_they_fit() -> None:
    many = [tool(f"tool_{number}", read_only=True) for number in range(100)]
    for page in (0, 3):
        shown = text(glance_panel(trick(*many), PRESENT, page))
        assert all(f"`{one.name}`" in shown for one in many)


def test_the_largest_panels_fit_and_every_tool_is_reached_over_the_pages() -> None:
    ids = [str(10**19 + number) for number in range(60)]
    present = Present(frozenset(ids), frozenset(ids))
    tools = [
        ToolAccess(
            f"{'t' * 45}{number:03}",
            "🦴" * 200,
            read_only=False,
            always_ask=True,
            audience=Audience("roles", frozenset(ids[number % 35 : number % 35 + 25])),
        )
        for number in range(100)
    ]
    large = TrickAccess(KEY, "🦴" * 40, tuple(tools), frozenset(ids[:25]))
    reached: list[str] = []
    for page in range(4):
        parts = glance_panel(large, present, page, "✅ Saved.")
        assert payload_problems(payload(parts)) == []
        assert f"Tools {page * 25 + 1} to {page * 25 + 25} of 100" in text(parts)
        select = next(each for each in controls(parts) if each["type"] == 3)
        names = [option["value"] for option in select["options"]]
        assert all(f"`{name}`" in text(parts) for name in names)
        reached += names
    assert reached == [one.name for one in tools]
    assert payload(glance_panel(large, present, 7)) == payload(glance_panel(large, present, 3))
    for parts in (tool_panel(large, tools[-1], present, told="✅ Saved."), open_panel(large, tools[0])):
        assert payload_problems(payload(parts)) == []


def test_back_leads_to_the_page_of_the_tool() -> None:
    many = [tool(f"tool_{number}") for number in range(60)]
    (back,) = [each for each in controls(tool_panel(trick(*many), many[30], PRESENT)) if each["type"] == 2]
    assert (back["label"], back["custom_id"]) == ("Back", f"x:page:{KEY}:1")


def test_only_channels_where_people_write_can_be_chosen() -> None:
    (select,) = [each for each in controls(glance_panel(trick(tool("peek")), PRESENT)) if each["type"] == 8]
    kinds = {discord.ChannelType(number) for number in select["channel_types"]}
    assert discord.ChannelType.text in kinds
    assert not kinds & {discord.ChannelType.category, discord.ChannelType.public_thread}
    assert (select.get("min_values", 1), select["max_values"]) == (1, 25)
