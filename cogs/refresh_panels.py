"""What an owner sees of a trick that was read anew: what is different, in words, and the question."""

from collections.abc import Iterable

from bot.errors import ManifestInvalid
from bot.manifest.differences import Section
from bot.outbound import Button, Reply
from bot.text import escaped_line, length
from bot.tricks.installed import Installed
from bot.tricks.refresh import Differs
from bot.tricks.setting_words import labels_in_words
from cogs.owner_panels import named, paged, problem_lines, said, tool_lines
from cogs.rendering import pages

_PAGE = 4_000
_SECTION = 12_000
_FOOTER = "Nothing changes until you accept. What is held back stays so."


def differs_panels(differs: Differs) -> tuple[Reply, ...]:
    """Every difference, then the tools to read in full, over as many messages as it takes; buttons on the last."""
    lines = [line for section in differs.sections for line in _section(section)]
    if differs.to_read:
        first, *rest = [line for tool in differs.to_read for line in tool_lines(tool)]
        lines += [f"**The new and changed tools in full**\n{first}", *rest]
    accept = "Accept with these addresses" if differs.addresses else "Accept"
    buttons = (
        Button(f"f:accept:{differs.draft_id}", accept, "success"),
        Button(f"f:keep:{differs.draft_id}", "Keep the old one"),
    )
    return paged(f"{escaped_line(differs.installed.name)} has changed", lines, _FOOTER, buttons)


def unchanged_panel(installed: Installed) -> Reply:
    """Nothing is different."""
    name = escaped_line(installed.name)
    return said(
        "Nothing has changed", f"**{name}** is exactly what you accepted. Nothing of it is held back."
    )


def unusable_panels(installed: Installed, error: ManifestInvalid) -> tuple[Reply, ...]:
    """Every problem of the new manifest with its path, over as many messages as it takes; nothing to accept."""
    kept = f"**{escaped_line(installed.name)}** stays as it was. What its manifest says now cannot be used:"
    texts = pages([kept, *problem_lines(error)], _PAGE)
    return tuple(said("The new manifest cannot be accepted", text) for text in texts)


def accepted_panel(installed: Installed) -> Reply:
    """What works now, and what the owner has to do yet."""
    row = installed.row
    name = escaped_line(installed.name)
    text = f"**{name}** is now what you have just seen. Nothing of it is held back."
    if row.state == "enabled":
        text += " Its commands follow in a moment."
    elif row.state == "registered":
        text += f" `/tricks enable trick:{row.trick_id}` turns its commands on."
    missing = installed.missing_settings
    if missing:
        labels = labels_in_words(missing)
        text += f"\n⚠️ It waits for {labels}: `/tricks settings trick:{row.trick_id}`."
    return said("Accepted", text)


def kept_panel(installed: Installed) -> Reply:
    """Nothing was changed."""
    text = f"**{escaped_line(installed.name)}** stays what you accepted before."
    if installed.row.held_back:
        held_back = named(installed.row.held_back)
        text += f"\n⚠️ Still held back: {held_back}. `/tricks refresh` asks you again."
    return said("Kept", text)


def _section(section: Section) -> Iterable[str]:
    """Its lines below its heading and an empty one, up to three pages of them, the rest counted."""
    heading = f"**{section.title}**\n"  # in one piece with the first line, so that no page ends with it
    room = _SECTION
    for index, line in enumerate(section.lines):
        room -= length(line)
        if room < 0:
            yield f"… and {len(section.lines) - index} more"
            break
        yield heading + line
        heading = ""
    yield ""
