"""Draws who may use a trick's tools and where; the selects and buttons are from `cogs.access_controls`.

A role or channel that was deleted stays in its rule, is shown as deleted, and admits nobody.
"""

from collections.abc import Iterable
from typing import Final

import discord

from bot.outbound import Embed, EmbedField, Reply
from bot.policy.audiences import Audience, AudienceKind
from bot.text import clamp, escaped_line, inline_code, length
from bot.tricks.access import ToolAccess, TrickAccess
from cogs.access_controls import (
    CHOSEN_AT_MOST,
    KINDS,
    Present,
    audience_select,
    button,
    channel_select,
    glance_buttons,
    role_select,
    tool_select,
)
from cogs.messenger import EditParts, edit_parts
from cogs.owner_panels import kind_of

PER_PAGE: Final = 25
_GLANCE = 3_900  # a page of 25 tools, one role of each named, fits as well
_ROLES_NAMED = 3
_ALWAYS = (
    "You may use everything everywhere. Administrators count as members who may manage the server. Choose a tool "
    "below to change who may use it."
)


def glance_panel(access: TrickAccess, present: Present, page: int = 0, told: str = "") -> EditParts:
    """All tools by who may use them, and the channels, under `told`; the select shows tools of one page."""
    pages = max(1, -(-len(access.tools) // PER_PAGE))
    page = min(max(page, 0), pages - 1)
    shown = access.tools[page * PER_PAGE : (page + 1) * PER_PAGE]
    listed = _groups(access.tools, present, _ROLES_NAMED)
    if length(listed) > _GLANCE:
        first = page * PER_PAGE + 1
        heading = f"Tools {first} to {first + len(shown) - 1} of {len(access.tools)}"
        listed = f"{heading}\n{_groups(shown, present, 1)}"
    view = discord.ui.View(timeout=None)
    view.add_item(tool_select(access.installation_id, shown, page, pages))
    view.add_item(channel_select(access, present, page))
    for each in glance_buttons(access, page, pages):
        view.add_item(each)
    where = EmbedField("Where", _where(access, present))
    title = f"Who may use {escaped_line(access.trick_name)}"
    return _panel(Embed(title, _joined(told, listed), (where,), _ALWAYS), view)


def tool_panel(
    access: TrickAccess, tool: ToolAccess, present: Present, *, choosing: bool = False, told: str = ""
) -> EditParts:
    """Who may use one tool, under `told`. With `choosing`, roles are to be chosen and nothing is stored yet."""
    parts = [
        told,
        f"{inline_code(tool.name)} of **{escaped_line(access.trick_name)}**, {kind_of(tool)}",
        f"**Now for:** {_audience(tool.audience, present, CHOSEN_AT_MOST)}",
    ]
    if choosing:
        parts.append("Choose at least one role below. Until then nothing changes.")
    if tool.always_ask:
        parts.append("In a conversation I ask each time before I use it, whoever may use it.")
    if _never_asks(tool):
        parts.append("Because everyone may use it, I never ask before I use it.")
    kind: AudienceKind = "roles" if choosing else tool.audience.kind
    view = discord.ui.View(timeout=None)
    view.add_item(audience_select(access.installation_id, tool.name, kind))
    if kind == "roles":
        view.add_item(role_select(access.installation_id, tool, present))
    position = next((at for at, each in enumerate(access.tools) if each.name == tool.name), 0)
    view.add_item(button("page", access.installation_id, position // PER_PAGE, "Back"))
    return _panel(Embed(f"Who may use {escaped_line(tool.title)}", _joined(*parts)), view)


def open_panel(access: TrickAccess, tool: ToolAccess) -> EditParts:
    """The question before a tool that writes is opened to everyone."""
    about = f"{inline_code(tool.name)} of **{escaped_line(access.trick_name)}** changes things."
    if tool.always_ask:
        then = (
            "Every member could run it with a command or a button at once. In a conversation I would still ask "
            "each time, because the trick says so."
        )
    else:
        then = (
            "When everyone may use it, **its writes never ask**: I use it at once in a conversation, also when a "
            "text that somebody else wrote has led me to it."
        )
    view = discord.ui.View(timeout=None)
    style = discord.ButtonStyle.danger
    verb = "openasking" if tool.always_ask else "open"
    view.add_item(button(verb, access.installation_id, tool.name, "Open to everyone", style))
    view.add_item(button("keep", access.installation_id, tool.name, "Keep"))
    return _panel(Embed(f"Open {escaped_line(tool.title)} to everyone?", _joined(about, then)), view)


def _panel(embed: Embed, view: discord.ui.View) -> EditParts:
    drawn = edit_parts(Reply(embed=embed))
    view.stop()  # before it is sent, as every view (`cogs.messenger`)
    drawn["view"] = view
    return drawn


def _joined(*parts: str) -> str:
    return clamp("\n\n".join(part for part in parts if part), 4_096)


def _groups(tools: Iterable[ToolAccess], present: Present, named: int) -> str:
    """The tools under who may use them, the widest first."""
    groups: dict[Audience, list[ToolAccess]] = {}
    for tool in tools:
        audience = tool.audience
        if audience.kind != "roles":  # only there does the rule's list of roles say anything
            audience = Audience(audience.kind)
        groups.setdefault(audience, []).append(tool)
    order = list(KINDS)
    blocks = [
        f"**For {_audience(audience, present, named)}**\n" + ", ".join(_named(tool) for tool in members)
        for audience, members in sorted(groups.items(), key=lambda group: order.index(group[0].kind))
    ]
    return "\n\n".join(blocks)


def _named(tool: ToolAccess) -> str:
    if tool.read_only:
        return inline_code(tool.name)
    return f"{inline_code(tool.name)} ({'write, never asks' if _never_asks(tool) else kind_of(tool)})"


def _never_asks(tool: ToolAccess) -> bool:
    return tool.audience.kind == "everyone" and not tool.read_only and not tool.always_ask


def _audience(audience: Audience, present: Present, named: int) -> str:
    match audience.kind:
        case "everyone":
            return "everyone"
        case "manage_server":
            return "members who may manage the server"
        case "owner":
            return "you alone"
        case "roles":
            return _roles(audience.role_ids, present, named)


def _roles(role_ids: frozenset[str], present: Present, named: int) -> str:
    there = sorted(role_ids & present.roles, key=int)
    gone = len(role_ids) - len(there)
    if not there:
        return "you alone, because its roles were deleted ⚠️"
    words = ", ".join(f"<@&{role_id}>" for role_id in there[:named])
    if len(there) > named:
        words += f" and {len(there) - named} more"
    return f"members with {words}" + (f" ({_counted(gone, 'deleted role')})" if gone else "")


def _where(access: TrickAccess, present: Present) -> str:
    if not access.channel_ids:
        return "In every channel"
    there = sorted(access.channel_ids & present.channels, key=int)
    gone = len(access.channel_ids) - len(there)
    if not there:
        return (
            "Nowhere, because every channel that you chose was deleted ⚠️ Choose others below, or press "
            "**All channels**."
        )
    named = ", ".join(f"<#{channel_id}>" for channel_id in there)
    return f"{named} and their threads" + (f" ({_counted(gone, 'deleted channel')})" if gone else "")


def _counted(count: int, noun: str) -> str:
    return f"and {count} {noun}" + ("" if count == 1 else "s")
