"""What an owner sees of a trick, as values: previews, test reports, lists, questions."""

from collections.abc import Iterable, Sequence

from bot.errors import ManifestInvalid
from bot.manifest import Command, Manifest, ManifestTool, Setting
from bot.manifest.fingerprint import ToolDefinition
from bot.outbound import Button, Embed, EmbedField, Reply
from bot.text import clamp, escape, escaped_line, inline_code, length, one_line, visible
from bot.tricks.challenge import TestReport
from bot.tricks.installed import Installed
from bot.tricks.registration import Preview, Registered
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
        EmbedField("Events", listed(inline_code(event) for event in manifest.events)),
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


def problems_panel(error: ManifestInvalid) -> Reply:
    """Every problem of a manifest with its path, and no way to register it."""
    lines = problem_lines(error)
    return Reply(
        embed=Embed(
            title="This manifest cannot be registered",
            description=listed(lines, _DESCRIPTION),
            footer="Correct it at its address, then register again.",
        )
    )


def report_lines(report: TestReport) -> list[str]:
    """A test's steps, problems and notes, a line each."""
    lines: list[str] = []
    for step in report.steps:
        mark = "✅" if step.problem is None else "❌"
        lines.append(
            f"{mark} {step.name} ({step.seconds:.1f} s)" + (f": {step.problem}" if step.problem else "")
        )
    if report.definitions or report.problems:
        lines.append(
            "❌ Manifest and tool list do not fit:" if report.problems else "✅ Manifest and tool list fit"
        )
    lines += [f"• {problem}" for problem in report.problems]
    if report.comparison is not None:
        lines += [f"⚠️ {inline_code(n)} changed and is held back." for n in report.comparison.changed]
        lines += [f"⚠️ {inline_code(n)} is gone and is held back." for n in report.comparison.missing]
        if report.comparison.held_back:
            lines.append("`/tricks refresh` shows what changed, and there you accept it or not.")
    lines += [f"ℹ️ {note}" for note in report.notes]
    return lines


def report_panel(installed: Installed, report: TestReport, *, running: bool = False) -> Reply:
    """A test's outcome, or how far it has come."""
    name = escaped_line(installed.name)
    if running:
        title = f"Testing {name}…"
    else:
        title = f"{name} passed the test" if report.passed else f"{name} failed the test"
    return Reply(embed=Embed(title=title, description=listed(report_lines(report), _DESCRIPTION)))


def ask_enable_panels(
    installed: Installed, definitions: Iterable[ToolDefinition], draft_id: str
) -> tuple[Reply, ...]:
    """Every tool's title and full description over as many messages as it takes, the buttons on the last."""
    blocks = [line for tool in definitions for line in tool_lines(tool)]
    texts = pages(blocks, _DESCRIPTION)
    title = f"Enable {escaped_line(installed.name)} with these tools?"
    footer = "What you see here is kept. A tool that changes later is held back until you accept it (/tricks refresh)."
    buttons = (
        owner_button("enable", draft_id, "Enable", "success"),
        owner_button("cancel", draft_id, "Cancel"),
    )
    last = Reply(embed=Embed(title=title, description=texts[-1], footer=footer), buttons=buttons)
    return (*(Reply(embed=Embed(title=title, description=text)) for text in texts[:-1]), last)


def enabled_panel(installed: Installed, held_back: Sequence[str] = ()) -> Reply:
    """The commands that work now, and what is held back."""
    commands = [f"/{command.name}" for command in installed.manifest.commands]
    text = f"**{escape(installed.name)}** is enabled."
    if commands:
        text += f" Its commands appear in a moment: {named(commands)}."
    if held_back:
        text += (
            f"\n⚠️ Held back, because they changed since you accepted them: {named(held_back)}. `/tricks refresh` "
            "shows how."
        )
    return said("Enabled", text)


def ask_remove_panel(installed: Installed, draft_id: str) -> Reply:
    """The one question before everything of a trick is erased."""
    text = (
        f"Its commands go, and every stored row of **{escape(installed.name)}** in this server is erased. "
        "What its own server has stored is not Kennel's to erase."
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


def about(manifest: Manifest) -> str:
    """What a trick says of itself: summary, description and author."""
    parts = [
        escape(manifest.summary),
        escape(manifest.description),
        f"by {escape(one_line(manifest.author))}",
    ]
    return clamp("\n".join(part for part in parts if part), _ABOUT)


def tool_line(tool: ManifestTool) -> str:
    """A tool's name, and whether it reads or writes."""
    kind = "read" if tool.read_only else "write, asks first" if tool.always_ask else "write"
    return f"`{tool.name}` · {kind}"


def command_line(command: Command) -> str:
    """A command's name, its forms and its description."""
    forms = "/" if command.surfaces == ("slash",) else "^" if command.surfaces == ("prefix",) else "/ and ^"
    return f"`{command.name}` ({forms}) {escape(clamp(one_line(command.description), 100))}"


def _setting_line(setting: Setting) -> str:
    needed = ", required" if setting.required else ""
    return f"{escape(clamp(one_line(setting.label), 80))} ({setting.type}{needed})"


def tool_lines(tool: ToolDefinition) -> list[str]:
    """The tool in whole, its long lines broken so that none has to be shortened."""
    kind = "read" if tool.read_only else "write, always asks first" if tool.always_ask else "write"
    lines = [f"**{escape(one_line(visible(tool.title or tool.name)))}** (`{tool.name}`, {kind})"]
    for line in visible(tool.description).split("\n"):
        lines += [escape(line[at : at + _LINE]) for at in range(0, len(line), _LINE)] or [""]
    return lines


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
