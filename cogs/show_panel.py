"""The panel of `/tricks show`: what a trick is, how it stands, what is missing, and a button for all that follows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.events.choices import Events
from bot.outbound import Button, Embed, EmbedField, Reply
from bot.policy.audiences import Audience
from bot.text import clamp, escape, escaped_line, inline_code, length
from bot.tricks.installed import Installed
from bot.tricks.log import Troubles
from bot.tricks.setting_words import label_of, labels_in_words, value_in_words
from cogs.access_controls import KINDS
from cogs.owner_panels import about, command_line, kind_of, listed, named

_ABOUT = 700
_TODO = 900
_LONG, _SHORT = 900, 600
"""Units of a field; with all of them full the embed stays below Discord's 6,000."""
_CHANNELS_NAMED = 10
_ROLES_NAMED = 3
_NAMED = 350


@dataclass(frozen=True, slots=True)
class Overview:
    """All that the panel shows. `commands_problem` is a sentence or empty; times are in milliseconds."""

    installed: Installed
    events: Events
    troubles: Troubles
    commands_problem: str
    paused_since: int | None
    now: int


def show_panel(view: Overview) -> Reply:
    """One message that needs no documentation."""
    installed, row = view.installed, view.installed.row
    manifest = installed.manifest
    fields = [EmbedField("State", _state(view))]
    problems = (*todo(installed, view.events), *filter(None, (view.commands_problem,)))
    if problems:
        fields.append(EmbedField("To do", listed((f"⚠️ {line}" for line in problems), _TODO)))
    fields += [
        EmbedField(f"Tools ({len(manifest.tools)})", _tools(installed)),
        EmbedField("Commands", listed((command_line(each) for each in manifest.commands), _SHORT)),
    ]
    if manifest.settings:
        fields.append(EmbedField("Settings", listed(_settings(installed), _SHORT)))
    if view.events.subscription is not None:
        fields.append(EmbedField("Events", _events(view.events)))
    fields.append(EmbedField("Connection", "\n".join(_connection(view))))
    return Reply(
        embed=Embed(
            title=escaped_line(installed.name),
            description=about(manifest, _ABOUT),
            fields=tuple(fields),
            footer=f"Trick id {row.trick_id}",
        ),
        buttons=tuple(_buttons(view)),
    )


def _state(view: Overview) -> str:
    row = view.installed.row
    match row.state:
        case "registered":
            return (
                "Registered, not enabled yet: nobody can use it. Give its signing secret to whoever runs it. **Test** "
                "then checks the connection, and **Enable** shows its tools and turns it on."
            )
        case "enabled" if view.installed.missing_settings:
            return "Enabled, but nobody can use it yet: see below."
        case "enabled":
            return "Enabled: members can use it."
        case "disabled":
            return (
                "Disabled: its commands are off, and everything else is kept. **Enable** turns it on again."
            )
        case "paused":
            since = f" <t:{view.paused_since // 1000}:R>" if view.paused_since is not None else ""
            why = f" The last failure: {clamp(row.notice, 300)}" if row.notice else ""
            return (
                f"Paused{since} after five failures in a row: its commands stay and say so.{why}\n**Log** says what "
                "failed. **Enable** tests it and, if it passes, turns it on again."
            )


def todo(installed: Installed, events: Events) -> Iterator[str]:
    """What the owner should see to about one trick, the most urgent first."""
    row, subscription = installed.row, events.subscription
    missing = installed.missing_settings
    if missing:
        labels = labels_in_words(missing)
        if length(labels) > _NAMED:
            labels = f"{len(missing)} required settings"
        yield f"Fill in {labels} (`/tricks settings`). Until then it cannot be used."
    if row.held_back:
        yield (
            f"Changed since you enabled them, so held back: {named(row.held_back, 5)}. `/tricks refresh` shows how."
        )
    if row.notice and row.state != "paused":
        yield row.notice
    elif subscription is not None and not subscription.is_on:
        yield "Its events are off, so it is not told who joins or leaves (`/tricks events`)."
    if subscription is not None and subscription.paused_at is not None:
        yield f"Posting stopped <t:{subscription.paused_at // 1000}:R>; `/tricks events` says why."


def _tools(installed: Installed) -> str:
    """The tools by who may use them, and where."""
    channels = sorted(installed.access.channel_ids)
    if not channels:
        return _grouped(installed, _LONG)
    mentions = ", ".join(f"<#{id}>" for id in channels[:_CHANNELS_NAMED])
    more = f" and {len(channels) - _CHANNELS_NAMED} more" if len(channels) > _CHANNELS_NAMED else ""
    return f"{_grouped(installed, _LONG - 350)}\nOnly in {mentions}{more}"


def _grouped(installed: Installed, limit: int) -> str:
    """A line for each audience, the widest first; the tools that find no room are counted."""
    lines: list[str] = []
    room, left = limit - 24, len(installed.manifest.tools)
    for audience, names in _by_audience(installed):
        heading = f"For {_audience(audience)}: "
        room -= length(heading) + 1
        shown: list[str] = []
        for name in names:
            room -= length(name) + 2
            if room < 0:
                break
            shown.append(name)
        if shown:
            lines.append(heading + ", ".join(shown))
        left -= len(shown)
        if room < 0:
            return "\n".join([*lines, f"… and {left} more"])
    return "\n".join(lines)


def _by_audience(installed: Installed) -> Iterable[tuple[Audience, list[str]]]:
    groups: dict[Audience, list[str]] = {}
    for tool in installed.manifest.tools:
        audience = installed.access.audience(tool.name, read_only=tool.read_only)
        kind = "" if tool.read_only else f" ({kind_of(tool)})"
        groups.setdefault(audience, []).append(f"`{tool.name}`{kind}")
    order = list(KINDS)
    return sorted(groups.items(), key=lambda group: order.index(group[0].kind))


def _audience(audience: Audience) -> str:
    if audience.kind == "owner":
        return "you alone"
    if audience.kind != "roles":
        return audience.in_words()
    roles = sorted(audience.role_ids)
    more = f" and {len(roles) - _ROLES_NAMED} more" if len(roles) > _ROLES_NAMED else ""
    return f"members with {', '.join(f'<@&{role}>' for role in roles[:_ROLES_NAMED])}{more}"


def _settings(installed: Installed) -> Iterable[str]:
    for setting in installed.manifest.settings:
        value = installed.settings.get(setting.key)
        needed = " (required)" if setting.required and value is None else ""
        yield f"{escape(clamp(label_of(setting), 80))}: {value_in_words(setting, value)}{needed}"


def _events(events: Events) -> str:
    subscription = events.subscription
    if subscription is None or not subscription.is_on:
        return "Off: it is not told who joins or leaves."
    if subscription.channel_id is None:
        return "On; nothing is posted, because no channel is chosen."
    return f"On; answers are posted in <#{subscription.channel_id}>."


def _connection(view: Overview) -> Iterator[str]:
    row, troubles = view.installed.row, view.troubles
    yield f"Manifest: {inline_code(row.manifest_url, 300)}"
    if troubles.count:
        more = " or more" if troubles.at_least else ""
        failures = "failure" if troubles.count == 1 else "failures"
        yield f"{troubles.count}{more} {failures} in the last 24 hours; **Log** says which."
    else:
        yield "Nothing failed in the last 24 hours."
    until = row.previous_secret_until
    if row.previous_secret is not None and until is not None and until > view.now:
        yield f"New secret: the old one signs alongside until <t:{until // 1000}:t>."


def _buttons(view: Overview) -> Iterator[Button]:
    installed, row = view.installed, view.installed.row

    def button(verb: str, label: str, style: str = "secondary") -> Button:
        return Button(f"p:{verb}:{row.trick_id}", label, style)

    yield button("test", "Test")
    if row.state != "enabled":
        yield button("enable", "Enable", "success")
    if row.state in ("enabled", "paused"):
        yield button("disable", "Disable")
    if installed.manifest.settings:
        yield button("settings", "Settings", "primary" if installed.missing_settings else "secondary")
    yield button("access", "Access")
    if view.events.subscription is not None:
        yield button("events", "Events")
    yield button("log", "Log")
    yield button("refresh", "Refresh", "primary" if row.held_back else "secondary")
    yield button("rotate", "New secret")
    yield button("remove", "Remove", "danger")
    yield Button(f"v:show:{row.trick_id}", "Update this panel")
