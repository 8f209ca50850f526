"""What stores take and give: frozen values, one for each kind of row.

Fields stand in the order of the table's columns. Texts that came from members or tricks, and sealed secrets,
stay out of `repr`.
"""

from dataclasses import dataclass, field
from typing import Literal

InstallationState = Literal["registered", "enabled", "disabled", "paused"]
CallOrigin = Literal["slash", "prefix", "button", "assistant"]
CallEnd = Literal["succeeded", "failed", "unknown"]
CallStatus = Literal["sent", "working", "succeeded", "failed", "unknown"]
CommandRow = tuple[str, str, str, bool, bool]
"""guild id, command name, visibility, slash, prefix."""


@dataclass(frozen=True, slots=True)
class Guild:
    """What Kennel knows of a server: its prefix, and how far its commands are written to Discord.

    `commands_wanted` counts the changes to the wanted set, `commands_written` is the count that was last
    written. `creates_used` commands were created on the UTC day `creates_day` (`2026-11-30`). A
    `commands_problem` parks the server until the next change or day. `sync_holder` writes until `sync_until`.
    `guidance` is the owner's text for the assistant. The bot has not been in the server since `left_at`.
    """

    guild_id: str
    prefix: str | None
    commands_wanted: int
    commands_written: int
    commands_hash: str | None
    command_names: tuple[str, ...]
    creates_day: str | None
    creates_used: int
    commands_problem: str | None
    sync_holder: str | None
    sync_until: int | None
    changed_seq: int
    guidance: str | None = field(repr=False)
    left_at: int | None


@dataclass(frozen=True, slots=True)
class WrittenCommands:
    """How one writing of a server's commands ended; `revision` is the `commands_wanted` that it wrote."""

    revision: int
    hash: str | None
    names: tuple[str, ...]
    creates_day: str
    creates_used: int
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Installation:
    """One trick in one server. Secrets are sealed; `manifest`, `settings` and `access` are JSON."""

    id: str
    guild_id: str
    trick_id: str
    name: str
    manifest_url: str = field(repr=False)
    manifest: str = field(repr=False)
    state: InstallationState
    secret: str = field(repr=False)
    previous_secret: str | None = field(repr=False)
    previous_secret_until: int | None
    settings: str = field(repr=False)
    access: str = field(repr=False)
    failures: int
    pinned: bool
    held_back: tuple[str, ...]
    notice: str | None
    next_look_at: int | None
    look_until: int | None
    created_at: int
    created_by: str


@dataclass(frozen=True, slots=True)
class Command:
    """One command of an installation; `spec` is the manifest's entry as JSON."""

    guild_id: str
    name: str
    installation_id: str
    position: int
    tool: str
    visibility: Literal["ephemeral", "public"]
    slash: bool
    prefix: bool
    spec: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Pin:
    """The definition of one tool that the owner accepted; `input_schema` is JSON."""

    installation_id: str
    tool: str
    title: str = field(repr=False)
    description: str = field(repr=False)
    input_schema: str = field(repr=False)
    read_only: bool
    always_ask: bool
    thread: bool
    user_request: bool
    definition_hash: str
    pinned_at: int

    @property
    def shown_title(self) -> str:
        """The title, the tool's name where it has none."""
        return self.title or self.tool


@dataclass(frozen=True, slots=True)
class PinnedCommand:
    """A command with its tool's accepted definition, None when the tool was never accepted."""

    command: Command
    pin: Pin | None


@dataclass(frozen=True, slots=True)
class CommandView:
    """All that checking one command needs."""

    installation: Installation
    command: Command
    pin: Pin | None


@dataclass(frozen=True, slots=True)
class ToolView:
    """All that checking one use of a tool needs."""

    installation: Installation
    pin: Pin | None


@dataclass(frozen=True, slots=True)
class Claim:
    """A one-time event: whoever takes `id` first has it until `expires_at`."""

    id: str
    expires_at: int


@dataclass(frozen=True, slots=True)
class NewCall:
    """A call about to be sent. `message_id` is the asker's message, if there is one; `arguments` is JSON."""

    id: str
    installation_id: str
    guild_id: str
    tool: str
    origin: CallOrigin
    asker_id: str
    channel_id: str
    message_id: str | None
    arguments: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class NewAction:
    """A button of a result; `key` is what its custom id carries, `arguments` JSON."""

    key: str
    tool: str
    label: str = field(repr=False)
    arguments: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """How a call ended.

    `result` is JSON, `failure` our own words for the owner, `said` what the trick said (at most 500
    characters), `failure_kind` a stable word for the failure. `fault` is True when the trick was at fault,
    False for a success that ends a row of faults, None for what counts neither way. `answer_id` is the
    message that shows the buttons, where it is known.
    """

    status: CallEnd
    result: str | None = field(default=None, repr=False)
    failure: str | None = None
    said: str | None = field(default=None, repr=False)
    fault: bool | None = None
    actions: tuple[NewAction, ...] = ()
    answer_id: str | None = None
    failure_kind: str | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """`stored` is False when the call was removed or ended already; `paused` when this fault paused it."""

    stored: bool
    paused: bool


@dataclass(frozen=True, slots=True)
class CallState:
    """How far a call is; `result` is JSON, None before it succeeded and once it was erased."""

    status: CallStatus
    result: str | None = field(repr=False)
    failure: str | None


@dataclass(frozen=True, slots=True)
class FailedCall:
    """One line of the owner's log: never inputs or results."""

    id: str
    tool: str
    origin: CallOrigin
    status: CallEnd
    started_at: int
    finished_at: int | None
    failure: str | None
    failure_kind: str | None
    said: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class StoredAction:
    """A button as it is stored, of a call's result or of an event's post.

    `message_id` is None until its message is known.
    """

    key: str
    installation_id: str
    guild_id: str
    call_id: str | None
    tool: str
    label: str = field(repr=False)
    arguments: str = field(repr=False)
    message_id: str | None
    created_at: int
    delivery_id: str | None


@dataclass(frozen=True, slots=True)
class ActionView:
    """All that checking one click needs."""

    action: StoredAction
    installation: Installation
    pin: Pin | None


@dataclass(frozen=True, slots=True)
class Draft:
    """What an owner was shown and has yet to confirm; `kind` says what `payload` (JSON) is."""

    id: str
    guild_id: str
    owner_id: str
    kind: str
    installation_id: str | None
    payload: str = field(repr=False)
    created_at: int
