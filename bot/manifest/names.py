"""Rules for the names in a manifest, and the command names that are Kennel's own."""

import re
import unicodedata
from typing import Annotated

from bot.manifest.checking import rule
from bot.text import length, visible

RESERVED_COMMANDS = frozenset({"tricks", "prefix", "autoreview", "guidance", "help", "privacy"})
"""Kennel's own commands; a trick may use none of these names, in either form."""

MAX_QUALIFIED = 64
_IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*")
_SCRIPTS_WITH_MARKS = (
    (0x0900, 0x0950),  # Devanagari
    (0x0955, 0x0963),
    (0x0966, 0x097F),
    (0xA8E0, 0xA8FF),
    (0x11B00, 0x11B09),
    (0x0E01, 0x0E3A),  # Thai
    (0x0E40, 0x0E5B),
)


def qualified_name(trick_id: str, tool: str) -> str:
    """The name under which the assistant knows a tool; unique, because neither part has two underscores."""
    return f"{trick_id}__{tool}"


def identifier_problem(name: str) -> str | None:
    """What is wrong with a trick's id, a tool's name or a setting's key; None if nothing."""
    if len(name) > 48:
        return "Must be at most 48 characters long."
    if not _IDENTIFIER.fullmatch(name):
        return "Must be a lower-case letter a-z, then lower-case letters a-z, digits and underscores."
    if "__" in name:
        return "Must not contain two underscores in a row."
    return None


def discord_name_problem(name: str) -> str | None:
    """What is wrong with a command's or option's name by Discord's rules; None if nothing.

    1 to 32 letters, digits, `-`, `_` and `'`, with everything that belongs to Devanagari and Thai, in lower
    case (Discord, application command naming). Letters that look like nothing are refused as well.
    """
    if not 1 <= length(name) <= 32:
        return "Must be 1 to 32 characters long."
    if not all(_in_discord_name(char) for char in name) or visible(name) != name:
        return "Must consist of letters, digits, hyphens, underscores and apostrophes."
    if name != name.lower():
        return "Must be in lower case."
    return None


def command_name_problem(name: str) -> str | None:
    """As `discord_name_problem`, and none of Kennel's own."""
    if name in RESERVED_COMMANDS:
        return "This is one of Kennel's own commands; choose another name."
    return discord_name_problem(name)


def _in_discord_name(char: str) -> bool:
    if char in "-_'" or unicodedata.category(char)[0] in "LN":
        return True
    return any(low <= ord(char) <= high for low, high in _SCRIPTS_WITH_MARKS)


Identifier = Annotated[str, rule(identifier_problem)]
CommandName = Annotated[str, rule(command_name_problem)]
OptionName = Annotated[str, rule(discord_name_problem)]
