"""What stays of an owner's choices when a trick's manifest takes the place of another one: pure rules."""

import dataclasses
import json
from collections.abc import Iterator
from typing import Any, cast

from bot.manifest import Manifest, ManifestTool, setting_problem
from bot.policy.audiences import AccessRules
from bot.tricks.access import dump_access
from bot.tricks.installed import read_access


def kept_settings(stored: str, manifest: Manifest) -> str:
    """The stored settings (JSON) without those that `manifest` does not have, or takes no longer."""
    values = cast("dict[str, Any]", json.loads(stored))
    settings = {setting.key: setting for setting in manifest.settings}
    kept = {
        key: value
        for key, value in values.items()
        if key in settings and setting_problem(settings[key], value) is None
    }
    return stored if kept == values else json.dumps(kept)


def kept_access(stored: str, old: Manifest, new: Manifest) -> str:
    """The stored access rules (JSON) that still say what the owner meant by them.

    Rules of tools that are gone go too, and so does "everyone" for a tool whose calls by everyone were harmless
    or asked about, and would no longer be: a write that is open to everyone never asks.
    """
    rules = read_access(stored)
    before, after = _by_name(old), _by_name(new)
    kept = {
        tool: audience
        for tool, audience in rules.audiences.items()
        if tool in before
        and tool in after
        and not (audience.kind == "everyone" and _loses_its_guard(before[tool], after[tool]))
    }
    return stored if kept == rules.audiences else dump_access(dataclasses.replace(rules, audiences=kept))


def access_differences(rules: AccessRules, old: Manifest, new: Manifest) -> tuple[str, ...]:
    """What the new flags mean for who may use the tools, a line each."""
    return tuple(_access_differences(rules, old, new))


def _access_differences(rules: AccessRules, old: Manifest, new: Manifest) -> Iterator[str]:
    before = _by_name(old)
    for tool in new.tools:
        was, rule = before.get(tool.name), rules.audiences.get(tool.name)
        default = AccessRules().audience(tool.name, read_only=tool.read_only).in_words()
        if was is None:
            yield f"• `{tool.name}` is for {default}."
        elif rule is not None and rule.kind == "everyone" and _loses_its_guard(was, tool):
            yield (
                f"• `{tool.name}` was open to everyone. It is for {default} now: as a write of everyone it would "
                "never ask. `/tricks access` opens it again."
            )
        elif was.read_only != tool.read_only:
            if rule is None:
                yield f"• `{tool.name}` is for {default} now, as you have set nothing else."
            else:
                yield f"• `{tool.name}` stays for {rule.in_words()}, as you have set it."
    gone = before.keys() - _by_name(new).keys()
    for name in sorted(gone & rules.audiences.keys()):
        yield f"• `{name}` was for {rules.audiences[name].in_words()}, as you had set it. That is forgotten with it."


def _loses_its_guard(was: ManifestTool, now: ManifestTool) -> bool:
    asks_never = not now.read_only and not now.always_ask
    return asks_never and (was.read_only or was.always_ask)


def _by_name(manifest: Manifest) -> dict[str, ManifestTool]:
    return {tool.name: tool for tool in manifest.tools}
