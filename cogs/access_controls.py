"""The selects and buttons that change who may use a trick's tools and where.

Everything a press needs stands in its custom id: `x:<verb>:<installation>:<page or tool>`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import discord

from bot.policy.audiences import AudienceKind
from bot.text import clamp
from bot.tricks.access import ToolAccess, TrickAccess
from cogs.owner_panels import kind_of

CHOSEN_AT_MOST: Final = 25
_OPTION = 100
CHANNEL_TYPES: Final = (
    discord.ChannelType.text,
    discord.ChannelType.news,
    discord.ChannelType.voice,
    discord.ChannelType.stage_voice,
    discord.ChannelType.forum,
    discord.ChannelType.media,
)
"""Where people write. Threads are left out, because they follow their parent."""
KINDS: Final[dict[AudienceKind, tuple[str, str]]] = {
    "everyone": ("Everyone", "Every member of this server"),
    "roles": ("Chosen roles", "Members who have at least one of the roles that you choose"),
    "manage_server": (
        "Members who may manage the server",
        "The permission Manage Server, and administrators",
    ),
    "owner": ("Only you", "Nobody but the server's owner"),
}


@dataclass(frozen=True, slots=True)
class Present:
    """The roles and channels that the server has now, by their ids."""

    roles: frozenset[str]
    channels: frozenset[str]

    @classmethod
    def of(cls, guild: discord.Guild) -> "Present":
        """Those that Discord has told of; only channels that can be chosen."""
        channels = (str(c.id) for c in guild.channels if c.type in CHANNEL_TYPES)
        return cls(frozenset(str(role.id) for role in guild.roles), frozenset(channels))


def custom_id(verb: str, installation_id: str, rest: str | int) -> str:
    """What a press is known by; `rest` is the number of a page or a tool's name."""
    return f"x:{verb}:{installation_id}:{rest}"


def button(
    verb: str,
    installation_id: str,
    rest: str | int,
    label: str,
    style: discord.ButtonStyle = discord.ButtonStyle.secondary,
) -> discord.ui.Button[discord.ui.View]:
    """A button of a panel."""
    return discord.ui.Button(label=label, custom_id=custom_id(verb, installation_id, rest), style=style)


def glance_buttons(
    access: TrickAccess, page: int, pages: int
) -> Iterable[discord.ui.Button[discord.ui.View]]:
    """What can be done for the whole trick, and the way to its other tools."""
    key = access.installation_id
    if access.channel_ids:
        yield button("all", key, page, "All channels")
    if access.closed_reads:
        yield button("reads", key, page, "Open all read tools to everyone")
    if page > 0:
        yield button("page", key, page - 1, "Previous tools")
    if page + 1 < pages:
        yield button("page", key, page + 1, "More tools")


def tool_select(
    installation_id: str, tools: Iterable[ToolAccess], page: int, pages: int
) -> discord.ui.Select[discord.ui.View]:
    """The way to each of at most 25 `tools`."""
    options = [
        discord.SelectOption(
            label=clamp(tool.title, _OPTION),
            value=tool.name,
            description=clamp(f"{kind_of(tool)} · {KINDS[tool.audience.kind][0]} · {tool.name}", _OPTION),
        )
        for tool in tools
    ]
    number = f" (page {page + 1} of {pages})" if pages > 1 else ""
    return discord.ui.Select(
        custom_id=custom_id("tool", installation_id, page),
        placeholder=f"Change who may use a tool…{number}",
        options=options,
    )


def channel_select(
    access: TrickAccess, present: Present, page: int
) -> discord.ui.ChannelSelect[discord.ui.View]:
    """The trick's channels. At least one is to be chosen: none could be taken for all or for nowhere."""
    there = sorted(access.channel_ids & present.channels, key=int)[:CHOSEN_AT_MOST]
    kind = discord.SelectDefaultValueType.channel
    return discord.ui.ChannelSelect(
        custom_id=custom_id("channels", access.installation_id, page),
        channel_types=list(CHANNEL_TYPES),
        placeholder="Use it only in these channels…",
        max_values=CHOSEN_AT_MOST,
        default_values=[discord.SelectDefaultValue(id=int(each), type=kind) for each in there],
    )


def audience_select(
    installation_id: str, tool: str, kind: AudienceKind
) -> discord.ui.Select[discord.ui.View]:
    """The four kinds of rule, `kind` being the present one."""
    options = [
        discord.SelectOption(label=label, value=value, description=description, default=value == kind)
        for value, (label, description) in KINDS.items()
    ]
    return discord.ui.Select(custom_id=custom_id("who", installation_id, tool), options=options)


def role_select(
    installation_id: str, tool: ToolAccess, present: Present
) -> discord.ui.RoleSelect[discord.ui.View]:
    """The roles of one tool's rule; deleted ones cannot be shown as chosen."""
    there = sorted(tool.audience.role_ids & present.roles, key=int)[:CHOSEN_AT_MOST]
    kind = discord.SelectDefaultValueType.role
    return discord.ui.RoleSelect(
        custom_id=custom_id("roles", installation_id, tool.name),
        placeholder="Which roles?",
        max_values=CHOSEN_AT_MOST,
        default_values=[discord.SelectDefaultValue(id=int(each), type=kind) for each in there],
    )
