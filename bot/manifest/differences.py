"""What is different between two manifests, in words for the owner who accepts the new one or not.

Every line is safe to show. Tools have a module of their own, because most of what they are stands in the live list.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from bot.manifest.commands import Command, Option
from bot.manifest.models import Endpoints, Manifest
from bot.manifest.settings import Setting, setting_problem
from bot.strict_json import Json
from bot.text import clamp, escape, inline_code, one_line, visible

_LINE = 900
_SHORT = 150
_Named = TypeVar("_Named")
_ADDRESSES = {
    "mcp": "Tools are called",
    "challenge": "The connection is tested",
    "events": "Joins and leaves are told",
}
_HEARS = {"member.joined": "who joins", "member.left": "who leaves"}


@dataclass(frozen=True, slots=True)
class Section:
    """Some differences under one heading, a line each."""

    title: str
    lines: tuple[str, ...]


def manifest_differences(
    old: Manifest, new: Manifest, stored: Mapping[str, Json], addresses: Sequence[str] = ()
) -> tuple[Section, ...]:
    """Everything in which `new` differs from `old`, but for the tools.

    `stored` are the values that the owner has set. `addresses` are origins that the owner has yet to confirm.
    """
    warning = [
        f"⚠️ {inline_code(origin, 300)} is another address than the manifest's own." for origin in addresses
    ]
    found = (
        Section("About", tuple(_about(old, new))),
        Section("Addresses", (*warning, *_endpoints(old.endpoints, new.endpoints))),
        Section("Commands", tuple(_commands(old.commands, new.commands))),
        Section("Settings", tuple(_settings(old.settings, new.settings, stored))),
        Section("Events", tuple(_events(old.events, new.events))),
        Section("Instructions", tuple(_instructions(old.instructions, new.instructions))),
    )
    return tuple(section for section in found if section.lines)


def quote(text: str) -> list[str]:
    """The whole of somebody else's `text`, everything in it visible, as quoted lines of a bounded length."""
    return [
        f"> {escape(line[at : at + _LINE])}"
        for line in visible(text).split("\n")
        for at in range(0, max(1, len(line)), _LINE)
    ]


def short(text: str) -> str:
    """Somebody else's short `text` between quotation marks."""
    return f"“{escape(clamp(one_line(visible(text)), _SHORT))}”"


def paired(
    old: Mapping[str, _Named], new: Mapping[str, _Named]
) -> Iterator[tuple[str, _Named | None, _Named | None]]:
    """Each name with what it stood for and what it stands for, None where it did or does not exist.

    First what is new, then what is gone, then what was there and still is.
    """
    yield from ((name, None, new[name]) for name in new if name not in old)
    yield from ((name, old[name], None) for name in old if name not in new)
    yield from ((name, old[name], new[name]) for name in new if name in old)


def _about(old: Manifest, new: Manifest) -> Iterator[str]:
    for label, was, now in (
        ("Its name", old.name, new.name),
        ("Its author", old.author, new.author),
        ("Its summary, which the assistant always sees,", old.summary, new.summary),
    ):
        if was != now:
            yield f"• {label} is now {short(now)} (was {short(was)})."
    if old.description != new.description:
        yield "• It is described as:"
        yield from quote(new.description)


def _instructions(old: str, new: str) -> Iterator[str]:
    if old == new:
        return
    if not new:
        yield "• The assistant gets no instructions any more."
        return
    yield "• The assistant gets these instructions when it uses the trick:"
    yield from quote(new)


def _endpoints(old: Endpoints, new: Endpoints) -> Iterator[str]:
    for field, what in _ADDRESSES.items():
        was, now = getattr(old, field), getattr(new, field)
        if was == now:
            continue
        place = f"at {inline_code(now, 500)}" if now else "nowhere any more"
        yield f"• {what} {place} (was {inline_code(was, 300)})." if was else f"• {what} {place}."


def _events(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    for event, who in _HEARS.items():
        if (event in old) != (event in new):
            yield f"• It is told {who} from now on." if event in new else f"• It is no longer told {who}."


def _commands(old: Sequence[Command], new: Sequence[Command]) -> Iterator[str]:
    before, after = {c.name: c for c in old}, {c.name: c for c in new}
    for name, was, now in paired(before, after):
        if now is None:
            yield f"• `{name}` is gone."
        elif was is None:
            yield f"• `{name}` ({forms(now)}) is new and runs `{now.tool}`: {short(now.description)}."
        else:
            yield from (f"• `{name}` {change}." for change in _command_changes(was, now))
    if _reordered(before, after):
        yield "• They stand in another order."


def forms(command: Command) -> str:
    """How a command is typed: "/", "^" or both."""
    if len(command.surfaces) > 1:
        return "/ and ^"
    return "/" if "slash" in command.surfaces else "^"


def _command_changes(old: Command, new: Command) -> Iterator[str]:
    if old.tool != new.tool:
        yield f"runs `{new.tool}` now (was `{old.tool}`)"
    if old.visibility != new.visibility:
        yield "answers for everybody to see now" if new.visibility == "public" else "answers privately now"
    if set(old.surfaces) != set(new.surfaces):
        yield f"is typed with {forms(new)} now (was {forms(old)})"
    if old.description != new.description:
        yield f"is described as {short(new.description)}"
    before, after = {o.name: o for o in old.options}, {o.name: o for o in new.options}
    for name, was, now in paired(before, after):
        if now is None:
            yield f"has no option `{name}` any more"
        elif was is None:
            needed = ", required" if now.required else ""
            yield f"has a new option `{name}` ({now.type}{needed}): {short(now.description)}"
        else:
            yield from (f"has an option `{name}` that {change}" for change in _option_changes(was, now))
    if _reordered(before, after):
        yield "takes its options in another order"


def _option_changes(old: Option, new: Option) -> Iterator[str]:
    if old.type != new.type:
        yield f"is {new.type} now (was {old.type})"
    if old.required != new.required:
        yield "is required now" if new.required else "is optional now"
    if old.description != new.description:
        yield f"is described as {short(new.description)}"
    if repr(old.choices) != repr(new.choices):  # 1, 1.0 and True are equal, and are not the same
        offered = ", ".join(short(choice.name) for choice in new.choices)
        yield f"offers {clamp(offered, _LINE)} now" if offered else "may be anything now"


def _settings(old: Sequence[Setting], new: Sequence[Setting], stored: Mapping[str, Json]) -> Iterator[str]:
    before, after = {s.key: s for s in old}, {s.key: s for s in new}
    for key, was, now in paired(before, after):
        if now is None:
            yield f"• `{key}` is gone" + (", and what you set for it is erased." if key in stored else ".")
        elif was is None:
            needed = ", required" if now.required else ""
            yield f"• {short(now.label)} (`{key}`) is new: {now.type}{needed}."
        else:
            yield from (f"• `{key}` {change}." for change in _setting_changes(was, now))
            if key in stored and setting_problem(now, stored[key]) is not None:
                yield f"• What you set for `{key}` does not fit any more and is erased."
    if _reordered(before, after):
        yield "• They stand in another order."


def _setting_changes(old: Setting, new: Setting) -> Iterator[str]:
    if old.label != new.label:
        yield f"is called {short(new.label)} now (was {short(old.label)})"
    if old.type != new.type:
        yield f"is {new.type} now (was {old.type})"
    if old.required != new.required:
        yield "is required now" if new.required else "need not be filled in any more"
    if old.description != new.description:
        yield (
            f"is described as {short(new.description)}" if new.description else "has no description any more"
        )
    if repr(old.default) != repr(new.default):
        yield "has no default any more" if new.default is None else "has another default"
    if old.options != new.options:
        offered = ", ".join(short(option.label) for option in new.options)
        yield f"offers {clamp(offered, _LINE) or 'nothing'} now"
    if repr((old.min, old.max, old.max_length)) != repr((new.min, new.max, new.max_length)):
        yield "has other limits"


def _reordered(old: Iterable[str], new: Iterable[str]) -> bool:
    """Whether the names in both stand in another order."""
    before, after = list(old), list(new)
    return [name for name in before if name in after] != [name for name in after if name in before]
