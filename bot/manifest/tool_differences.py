"""What is different between two sets of tool definitions, in words for the owner. Every line is safe to show."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.manifest.differences import paired, short
from bot.manifest.fingerprint import ToolDefinition, definition_hash
from bot.strict_json import Json, canonical
from bot.text import inline_code, visible

_MANY = 40
_RULES = 8


@dataclass(frozen=True, slots=True)
class ToolDifferences:
    """The differences, a line each, and the tools that the owner has to read again in full."""

    lines: tuple[str, ...]
    to_read: tuple[ToolDefinition, ...]


def tool_differences(old: Mapping[str, ToolDefinition], new: Mapping[str, ToolDefinition]) -> ToolDifferences:
    """Which tools are new, gone, or defined in another way, and in which; by name."""
    lines: list[str] = []
    to_read: list[ToolDefinition] = []
    for name, was, now in paired(old, new):
        if now is None:
            lines.append(f"• `{name}` is gone.")
        elif was is None:
            lines.append(f"• `{name}` is new: {kind_of(now)}.")
            to_read.append(now)
        elif definition_hash(was) != definition_hash(now):
            lines += [f"• `{name}` {change}." for change in _changes(was, now)]
            to_read.append(now)
    return ToolDifferences(tuple(lines), tuple(to_read))


def kind_of(tool: ToolDefinition) -> str:
    """What a tool's flags say of it."""
    kind = "read" if tool.read_only else "write, always asks first" if tool.always_ask else "write"
    thread = ", works in a thread" if tool.thread else ""
    return kind + thread + (", is given the asker's message" if tool.user_request else "")


def _changes(old: ToolDefinition, new: ToolDefinition) -> Iterator[str]:
    if old.title != new.title:
        yield f"is called {short(new.title)} now (was {short(old.title)})"
    if old.description != new.description:
        yield "has another description, which stands below"
    yield from _flag_changes(old, new)
    if canonical(old.input_schema) != canonical(new.input_schema):
        changes = list(_schema_changes(old.input_schema, new.input_schema))
        changes = changes or ["says in another way what it takes"]
        yield from changes[:_MANY]
        if len(changes) > _MANY:
            yield f"has {len(changes) - _MANY} more changes of what it takes"


def _flag_changes(old: ToolDefinition, new: ToolDefinition) -> Iterator[str]:
    if old.read_only != new.read_only:
        yield "only reads now (was a write)" if new.read_only else "is a write now (was read)"
    if old.always_ask != new.always_ask:
        yield "always asks first now" if new.always_ask else "no longer always asks first"
    if old.thread != new.thread:
        yield "works in a thread now" if new.thread else "no longer works in a thread"
    if old.user_request != new.user_request:
        yield (
            "is given the asker's message word for word now"
            if new.user_request
            else "is no longer given the asker's message"
        )


def _schema_changes(old: Mapping[str, Json], new: Mapping[str, Json]) -> Iterator[str]:
    needed_before, needed_now = _required(old), _required(new)
    for name, was, now in paired(_properties(old), _properties(new)):
        shown = inline_code(visible(name), 80)
        if now is None:
            yield f"does not take {shown} any more"
        elif was is None:
            yield f"takes {shown} now" + (", and has to be given it" if name in needed_now else "")
        else:
            if canonical(was[0]) != canonical(now[0]):
                yield f"takes something else as {shown} now ({_rules(was[0], now[0])})"
            if (name in needed_before) != (name in needed_now):
                yield (
                    f"has to be given {shown} now" if name in needed_now else f"need not be given {shown} now"
                )
    outside = (needed_before ^ needed_now) - _properties(old).keys() - _properties(new).keys()
    others = [key for key in _different(old, new) if key not in ("properties", "required")]
    if outside:
        others.append("required")
    if others:
        yield f"has other rules for what it takes ({_named(others)})"


def _rules(old: Json, new: Json) -> str:
    """The keywords in which the schemas of one property differ."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return "all of it"
    return _named(_different(old, new))


def _different(old: Mapping[str, Json], new: Mapping[str, Json]) -> list[str]:
    """The keys that stand in one alone, or for something else, sorted."""
    same = {key for key in old if key in new and canonical(old[key]) == canonical(new[key])}
    return sorted({*old, *new} - same)


def _named(keywords: list[str]) -> str:
    more = f" and {len(keywords) - _RULES} more" if len(keywords) > _RULES else ""
    return ", ".join(inline_code(visible(keyword), 60) for keyword in keywords[:_RULES]) + more


def _properties(schema: Mapping[str, Json]) -> dict[str, tuple[Json]]:
    """The properties, each in a tuple of its own: a schema may be anything, None too."""
    found = schema.get("properties")
    return {name: (value,) for name, value in found.items()} if isinstance(found, dict) else {}


def _required(schema: Mapping[str, Json]) -> set[str]:
    found = schema.get("required")
    return {name for name in found if isinstance(name, str)} if isinstance(found, list) else set()
