"""What an owner sees of a trick, as values: previews, questions, and the lines that several panels share."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from bot.errors import ManifestInvalid
from bot.manifest import Command, EventType, Manifest, ManifestTool, Setting, SettingType
from bot.manifest.differences import forms
from bot.manifest.fingerprint import ToolDefinition
from bot.outbound import Button, Embed, EmbedField, Reply
from bot.text import clamp, escape, escaped_line, inline_code, length, one_line, visible
from bot.tricks.installed import Installed
from bot.tricks.registration import Preview, Registered
from bot.tricks.setting_words import labels_in_words
from cogs.rendering import pages

_FIELD = 1_024
_DESCRIPTION = 4_000
_ABOUT = 1_200  # with four full fields and a title an embed stays below Discord's 6,000
_LINE = 900
STATES = {
    "registered": "registered, not enabled yet",
    "enabled": "enabled",
    "disabled": "disabled",
    "paused": "paused after repeated failures",
}
_EVENTS: Mapping[EventType, str] = {"member.joined": "somebody joins", "member.left": "somebody leaves"}
_TYPES: Mapping[SettingType, str] = {
    "boolean": "yes or no",
    "text": "text",
    "long_text": "long text",
    "number": "number",
    "select": "one of a list",
    "channel": "a channel",
    "channels": "channels",
    "role": "a role",
    "roles": "roles",
}


def owner_button(verb: str, draft_id: str, label: str, style: str = "secondary") -> Button:
    """A button that only the owner may press; what it does is stored under `draft_id`."""
    return Button(f"o:{verb}:{draft_id}", label, style)


def preview_panel(preview: Preview) -> Reply:
    """What a manifest would add, with Register and Cancel."""
    manifest = preview.manifest
    fields = [
        EmbedField(f"Tools ({len(manifest.tools)})", listed(tool_line(tool) for tool in manifest.tools)),
        EmbedField("Commands", listed(command_line(command) for command in manifest.commands)),
        EmbedField("Settings", listed(_setting_line(setting) for setting in manifest.settings)),
        EmbedField("Events", listed(f"Is told when {_EVENTS[event]}" for event in manifest.events)),
    ]
    register = "Register"
    if preview.foreign_origins:
        register = "Register with these addresses"
        named = listed(inline_code(origin, 300) for origin in preview.foreign_origins)
        warning = f"Calls go to another address than the manifest's own:\n{named}"
        fields.insert(0, EmbedField("Check this", clamp(warning, _FIELD)))
    embed = Embed(
        title=f"Register {escaped_line(manifest.name)}?",
        description=about(manifest),
        fields=tuple(fields),
        footer=clamp(f"Trick id {manifest.id}. Nothing is stored until you press Register.", 2_048),
    )
    buttons = (
        owner_button("register", preview.draft_id, register, "primary"),
        owner_button("cancel", preview.draft_id, "Cancel"),
    )
    return Reply(embed=embed, buttons=buttons)


def registered_panel(registered: Registered) -> Reply:
    """The secret, once."""
    row = registered.installation
    description = (
        f"**{escape(row.name)}** is registered. Give this signing secret to whoever runs it; it is shown only "
        f"now.\n```\n{registered.secret_text}\n```\n"
        f"Then `/tricks test trick:{row.trick_id}` checks the connection, and `/tricks enable "
        f"trick:{row.trick_id}` turns its commands on."
    )
    return Reply(embed=Embed(title="Registered", description=description))


def problem_lines(error: ManifestInvalid) -> list[str]:
    """Every problem of a manifest with its path, a line each."""
    return [
        f"{inline_code(problem.path or 'manifest', 200)} {escape(problem.message)}"
        for problem in error.problems
    ]


def problems_panels(error: ManifestInvalid) -> tuple[Reply, ...]:
    """Every problem of a manifest with its path, over as many messages as it takes, and no way to register it."""
    footer = "Most of this only whoever runs the trick can put right. Then register again."
    return paged("This manifest cannot be registered", problem_lines(error), footer, ())


def ask_enable_panels(
    installed: Installed, definitions: Iterable[ToolDefinition], draft_id: str
) -> tuple[Reply, ...]:
    """Every tool's title and full description over as many messages as it takes, the buttons on the last."""
    title = f"Enable {escaped_line(installed.name)} with these tools?"
    footer = "What you see here is kept. A tool that changes later is held back until you accept it (/tricks refresh)."
    buttons = (
        owner_button("enable", draft_id, "Enable", "success"),
        owner_button("cancel", draft_id, "Cancel"),
    )
    return paged(title, [line for tool in definitions for line in tool_lines(tool)], footer, buttons)


def paged(title: str, lines: Sequence[str], footer: str, buttons: tuple[Button, ...]) -> tuple[Reply, ...]:
    """`lines`, at least one, over as many numbered messages as it takes; footer and buttons on the last."""
    texts = pages(lines, _DESCRIPTION)
    which = [f" ({at} of {len(texts)})" for at in range(1, len(texts) + 1)] if len(texts) > 1 else [""]
    shown = [Embed(title + part, text) for part, text in zip(which, texts, strict=True)]
    last = Reply(embed=replace(shown[-1], footer=footer), buttons=buttons)
    return (*(Reply(embed=embed) for embed in shown[:-1]), last)


def enabled_panel(installed: Installed, held_back: Sequence[str] = ()) -> Reply:
    """The commands that work now, and what is held back."""
    commands = [f"/{command.name}" for command in installed.manifest.commands]
    row = installed.row
    text = f"**{escape(installed.name)}** is enabled."
    if commands:
        text += f" Its commands appear in a moment: {named(commands)}."
    if held_back:
        text += (
            f"\n⚠️ Held back, because they changed since you accepted them: {named(held_back)}. `/tricks refresh` "
            "shows how."
        )
    if installed.missing_settings:
        labels = labels_in_words(installed.missing_settings)
        text += f"\n⚠️ Nobody can use it before you fill in {labels}: `/tricks settings trick:{row.trick_id}`."
    text += f"\n`/tricks access trick:{row.trick_id}` shows and changes who may use it."
    return said("Enabled", text)


def ask_remove_panel(installed: Installed, draft_id: str) -> Reply:
    """The one question before everything of a trick is erased."""
    text = (
        f"Its commands go, what is under way with it ends, and everything that Kennel keeps of "
        f"**{escape(installed.name)}** for this server is erased. This cannot be undone.\n"
        "What the trick keeps on its own server, only whoever runs it can erase."
    )
    return Reply(
        embed=Embed(title=f"Remove {escaped_line(installed.name)}?", description=text),
        buttons=(
            owner_button("remove", draft_id, "Remove", "danger"),
            owner_button("cancel", draft_id, "Keep it"),
        ),
    )


def said(title: str, text: str) -> Reply:
    """A short answer to the owner."""
    return Reply(embed=Embed(title=clamp(title, 256), description=clamp(text, _DESCRIPTION)))


def about(manifest: Manifest, limit: int = _ABOUT) -> str:
    """What a trick says of itself in at most `limit` units (700 or more): summary, author, then description."""
    parts = [
        escape(manifest.summary),
        f"by {escape(one_line(manifest.author))}",
        escape(manifest.description),
    ]
    return clamp("\n".join(part for part in parts if part), limit)


class Flagged(Protocol):
    """Anything that says of a tool what it does."""

    @property
    def read_only(self) -> bool:
        """Whether it changes nothing."""
        ...

    @property
    def always_ask(self) -> bool:
        """Whether the asker is asked each time."""
        ...


def kind_of(tool: Flagged) -> str:
    """Whether the tool reads or writes, in words."""
    return "read" if tool.read_only else "write, always asks first" if tool.always_ask else "write"


def tool_line(tool: ManifestTool) -> str:
    """A tool's name, and whether it reads or writes."""
    return f"`{tool.name}` · {kind_of(tool)}"


def command_line(command: Command) -> str:
    """A command's name, its forms and its description."""
    return f"`{command.name}` ({forms(command)}) {escape(clamp(one_line(command.description), 100))}"


def _setting_line(setting: Setting) -> str:
    needed = ", required" if setting.required else ""
    return f"{escape(clamp(one_line(setting.label), 80))} ({_TYPES[setting.type]}{needed})"


def tool_lines(tool: ToolDefinition) -> list[str]:
    """The tool in whole and an empty line, its long lines broken so that none has to be shortened."""
    lines = [f"**{escape(one_line(visible(tool.title or tool.name)))}** (`{tool.name}`, {kind_of(tool)})"]
    for line in visible(tool.description).split("\n"):
        lines += [escape(line[at : at + _LINE]) for at in range(0, len(line), _LINE)] or [""]
    return [*lines, ""]


def named(names: Sequence[str], most: int = 35) -> str:
    """The first `most` names as code with commas between them, the rest counted."""
    shown = ", ".join(inline_code(name) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def listed(lines: Iterable[str], limit: int = _FIELD) -> str:
    """Lines up to `limit`, the rest counted; "none" where there are none."""
    kept: list[str] = []
    every = list(lines)
    room = limit - 24
    for line in every:
        line = clamp(line, 500)
        room -= length(line) + 1
        if room < 0:
            return "\n".join([*kept, f"… and {len(every) - len(kept)} more"])
        kept.append(line)
    return "\n".join(kept) or "none"
