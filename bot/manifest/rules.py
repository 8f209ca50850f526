"""The rules between the parts of a manifest: names that are taken or missing, endpoints, events.

They read the raw JSON, so that they are told together with everything else that is wrong. What has not the
right shape is passed over here; the models report it.
"""

from collections.abc import Iterator, Mapping
from itertools import islice

from bot.errors import Problem, UrlRefused
from bot.manifest.checking import repeats
from bot.manifest.models import MAX_COMMANDS, MAX_SETTINGS, MAX_TOOLS
from bot.manifest.names import MAX_QUALIFIED, qualified_name
from bot.manifest.texts import quoted
from bot.strict_json import Json
from bot.urls import read_url


def cross_problems(raw: Mapping[str, Json], development_hosts: frozenset[str]) -> Iterator[Problem]:
    """Every problem between the parts of `raw`. `development_hosts` may be reached by plain HTTP."""
    tools = _texts(raw, "tools", "name", MAX_TOOLS)
    commands = _texts(raw, "commands", "name", MAX_COMMANDS)
    yield from _endpoint_problems(raw, development_hosts)
    yield from _taken(tools)
    yield from _too_long_together(raw.get("id"), tools)
    yield from _taken(commands)
    if isinstance(raw.get("tools"), list):
        yield from _unknown_tools(_texts(raw, "commands", "tool", MAX_COMMANDS), frozenset(tools.values()))
    yield from _taken(_texts(raw, "settings", "key", MAX_SETTINGS))


def _texts(raw: Mapping[str, Json], part: str, field: str, limit: int) -> dict[str, str]:
    """The readable `field`s of the first `limit` entries of the list `part`, by their paths."""
    entries = raw.get(part)
    found: dict[str, str] = {}
    for index, entry in enumerate(islice(entries, limit) if isinstance(entries, list) else ()):
        text = entry.get(field) if isinstance(entry, dict) else None
        if isinstance(text, str):
            found[f"{part}[{index}].{field}"] = text
    return found


def _taken(names: Mapping[str, str]) -> Iterator[Problem]:
    paths = list(names)
    for index, earlier in repeats(list(names.values())):
        holder = paths[earlier].rpartition(".")[0]
        yield Problem(paths[index], f"Must be unique; {holder} has it already.")


def _too_long_together(trick_id: Json, tools: Mapping[str, str]) -> Iterator[Problem]:
    if not isinstance(trick_id, str):
        return
    for path, tool in tools.items():
        if len(qualified_name(trick_id, tool)) > MAX_QUALIFIED:
            yield Problem(
                path,
                f"With the trick's id before it (`id__name`) it must be at most {MAX_QUALIFIED} characters.",
            )


def _unknown_tools(used: Mapping[str, str], known: frozenset[str]) -> Iterator[Problem]:
    for path, tool in used.items():
        if tool not in known:
            yield Problem(path, f"No tool has the name “{quoted(tool)}”.")


def _endpoint_problems(raw: Mapping[str, Json], development_hosts: frozenset[str]) -> Iterator[Problem]:
    endpoints = raw.get("endpoints")
    if not isinstance(endpoints, dict):
        return
    for name in ("challenge", "mcp", "events"):
        url = endpoints.get(name)
        if isinstance(url, str):
            try:
                read_url(url, development_hosts)
            except UrlRefused as refused:
                yield Problem(f"endpoints.{name}", f"The address {refused.reason}.")
    if raw.get("events") and "events" not in endpoints:
        yield Problem("endpoints.events", "This field is missing: events have to be sent somewhere.")
