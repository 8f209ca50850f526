"""A manifest to start from, as plain JSON that a test changes, and what reading it says."""

import copy
import json
from collections.abc import Iterable
from typing import Any

from bot.errors import ManifestInvalid
from bot.manifest import Manifest, read_manifest

SNACK_CLUB: dict[str, Any] = {
    "manifestVersion": 1,
    "protocolVersion": "2026-07-28",
    "id": "snack_club",
    "name": "Snack Club",
    "author": "Example author",
    "description": "List available snacks.",
    "summary": "Read the available snack choices.",
    "instructions": "Use snack_menu when asked for the available snacks.",
    "endpoints": {
        "challenge": "https://snacks.example.com/challenge",
        "mcp": "https://snacks.example.com/mcp",
    },
    "tools": [{"name": "snack_menu", "readOnly": True}],
    "commands": [{"name": "snacks", "description": "See available snacks", "tool": "snack_menu"}],
    "settings": [],
    "events": [],
}


def manifest_json(**changes: Any) -> dict[str, Any]:
    """The example with top-level fields replaced."""
    return {**copy.deepcopy(SNACK_CLUB), **changes}


def read(raw: Any, development_hosts: Iterable[str] = ()) -> Manifest:
    """`raw` through JSON bytes and `read_manifest`."""
    return read_manifest(json.dumps(raw).encode(), frozenset(development_hosts))


def problems(raw: Any, development_hosts: Iterable[str] = ()) -> dict[str, str]:
    """What is wrong with `raw`, by path; empty if it is accepted."""
    try:
        read(raw, development_hosts)
    except ManifestInvalid as invalid:
        return {problem.path: problem.message for problem in invalid.problems}
    return {}
