"""The manifest as immutable values: what a trick is, where it listens, its tools, commands and settings.

Where the contract for tricks sets no length, one is chosen that Discord can show whole: a name of 80 is the
label of a button or select, an author of 100 the footer's share, a description of 1,000 one embed field.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Strict

from bot.manifest.checking import DISTINCT, NOT_NULL, CheckedPart, Part, Place, entries, rule
from bot.manifest.commands import Command
from bot.manifest.names import Identifier
from bot.manifest.settings import Setting
from bot.manifest.texts import block, line, optional_block

MANIFEST_VERSION = 1
MAX_TOOLS = 100
MAX_COMMANDS = 100
MAX_SETTINGS = 25

EventType = Literal["member.joined", "member.left"]


def _version_problem(version: int) -> str | None:
    return None if version == MANIFEST_VERSION else f"Must be {MANIFEST_VERSION}."


class Endpoints(Part):
    """The URLs of a trick; `events` is None for a trick that gets no events."""

    challenge: str
    mcp: str
    events: Annotated[str | None, NOT_NULL] = None


class ManifestTool(CheckedPart):
    """A tool and its flags. A tool is a write unless it is `read_only`."""

    name: Identifier
    read_only: bool = False
    always_ask: bool = False
    thread: bool = False
    user_request: bool = False

    def contradictions(self) -> Iterator[tuple[Place, str]]:
        """A read that always asks: reads are never asked about, so one of the flags is a mistake."""
        if self.read_only and self.always_ask:
            yield ("alwaysAsk",), "A tool with readOnly is never asked about; leave one of the two out."


class Manifest(Part):
    """A whole manifest; what it names (tools, endpoints) has been checked by `bot.manifest.rules` as well."""

    manifest_version: Annotated[int, rule(_version_problem)]
    protocol_version: Literal["2026-07-28"]
    id: Identifier
    name: Annotated[str, line(80)]
    author: Annotated[str, line(100)]
    description: Annotated[str, block(1_000)]
    summary: Annotated[str, line(150)]
    instructions: Annotated[str, optional_block(2_000)] = ""
    endpoints: Endpoints
    tools: Annotated[tuple[ManifestTool, ...], Strict(False), entries(1, MAX_TOOLS)]
    commands: Annotated[tuple[Command, ...], Strict(False), entries(0, MAX_COMMANDS)] = ()
    settings: Annotated[tuple[Setting, ...], Strict(False), entries(0, MAX_SETTINGS)] = ()
    events: Annotated[tuple[EventType, ...], Strict(False), entries(0, 2), DISTINCT] = ()
