"""The error tree of everything above the database (whose own is in `storage.errors`).

    KennelError
    ├── StartupError              told at the terminal, exit status 1
    ├── Duplicate                 the same event once more: stop, say nothing
    ├── ManifestInvalid           every problem with its path
    ├── SecretInvalid             a text that is no signing secret
    ├── SecretUnreadable          a sealed value that does not open: wrong key, or another row's
    ├── Refused                   a rule said no before anything was sent
    │   ├── NotOpen               a draft or panel that is gone
    │   │   └── ButtonExpired · SettingsChanged
    │   ├── AlreadyPressed · TrickNotEnabled · SettingsMissing · NoSuchCommand · NoSuchTrick · NoSuchTool
    │   │   · ToolHeldBack · OwnerOnly · RotationUnderWay
    │   ├── CardClosed · NotYours · WritesStopped · TooManyRequests · ThreadRefused · UnknownTool
    │   │   · AlreadyCalled
    │   └── NotAllowed (ChannelNotAllowed) · BadArguments · LimitReached · Restarting
    ├── TrickFault                the trick's fault: counts towards the pause
    │   ├── UrlRefused            an address that Kennel does not call
    │   ├── TransportFailure      no usable HTTP reply
    │   │   ├── AddressRefused · NameNotFound · ConnectFailed · TlsFailed (nothing was sent)
    │   │   └── ConnectionLost · RedirectRefused · CompressedReply · ReplyTooLarge · DeadlineExceeded
    │   │       · HttpFailure
    │   ├── ProtocolFailure       the reply is not what the specification demands
    │   └── RpcFailure            a JSON-RPC error
    │       └── OtherMcpVersion
    ├── ToolFailed                a result with isError: the tool's own word, no fault
    ├── NotInCommands             a task or a question as the answer to a command or button
    ├── DiscordUnavailable        Discord did not say what has to be known; it is asked again later
    │   └── PostUncertain         the answer to a post was lost: it may stand there
    ├── PostRefused               Discord will not take a post
    ├── OutcomeUnknown            a write whose answer was lost
    ├── TaskFailed                a task that ended without a result
    └── ModelFault                the assistant's model did not give a usable answer
        └── ModelUnavailable · ModelRefused (ModelNotSetUp) · ModelNonsense

A member sees `sentence` and nothing else; `detail` is for the owner: plain, without inputs, results or
secrets. What a trick itself says is in `said`, which only `/tricks log` shows. Both texts are templates
(`to_member`, `to_owner`) filled from the error's own fields.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from storage.errors import StorageError


class KennelError(Exception):
    """Base of the tree."""

    to_member: ClassVar[str] = "Something went wrong inside Kennel. Try again in a minute."
    to_owner: ClassVar[str] = ""

    @property
    def sentence(self) -> str:
        """One plain sentence for the person who waits: what happened and what to do."""
        return self.to_member.format_map(vars(self))

    @property
    def detail(self) -> str:
        """One plain sentence for the owner; the member's where there is no other."""
        return self.to_owner.format_map(vars(self)) or self.sentence

    @property
    def kind(self) -> str:
        """A stable word for logs and stored rows: the class's name."""
        return type(self).__name__


@dataclass
class StartupError(KennelError):
    """Kennel cannot start; `problems` are sentences that each say what to do."""

    problems: Sequence[str]

    @property
    def sentence(self) -> str:
        """All problems, a line each."""
        return "\n".join(self.problems)


class Duplicate(KennelError):
    """The same event came once more, or another process has it. Stop without a word."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a manifest: `path` like `commands[0].name`, `message` a sentence."""

    path: str
    message: str


@dataclass
class ManifestInvalid(KennelError):
    """Every problem of a manifest at once."""

    problems: Sequence[Problem]

    @property
    def sentence(self) -> str:
        """All problems with their paths."""
        return "The manifest has problems: " + "; ".join(f"{p.path}: {p.message}" for p in self.problems)


class SecretInvalid(KennelError):
    """A text that is no signing secret of Standard Webhooks with 32 bytes."""


class SecretUnreadable(KennelError):
    """A sealed value was written with another key, for another row, or is damaged."""


class Refused(KennelError):
    """A rule said no before anything was sent."""


class NotOpen(Refused):
    """A draft or panel that is no longer there."""

    to_member = "This is no longer open. Use the command again."


class ButtonExpired(NotOpen):
    """A trick's button whose meaning is gone."""

    to_member = "This button has expired. Use the command again for a new one."


class SettingsChanged(NotOpen):
    """A form of settings that the trick does not have like that any more."""

    to_member = "This trick's settings are others by now, so nothing was saved. Use `/tricks settings` again."


class AlreadyPressed(Refused):
    """The second half of one person's double press."""

    to_member = "You pressed this a moment ago, and it runs only once. Wait a few seconds to press it again."


@dataclass
class TrickNotEnabled(Refused):
    """The installation's state forbids calls; `state` is the state's word, the name is made safe to show."""

    trick_name: str
    state: str

    @property
    def sentence(self) -> str:
        """Says whether it is paused or off, and who can change that."""
        if self.state == "paused":
            why = "is paused because it failed several times in a row"
        else:
            why = "is turned off here"
        return f"{self.trick_name} {why}. The server's owner can turn it on with `/tricks enable`."


class NoSuchCommand(Refused):
    """The command, or the trick behind it, is not here any more."""

    to_member = "That command is not here any more. `/help` shows what you can use."


@dataclass
class SettingsMissing(Refused):
    """Settings that the trick needs are empty; `labels` names them, both are made safe to show."""

    trick_name: str
    labels: str
    to_member = (
        "{trick_name} is not set up yet: the server's owner has to fill in {labels} with `/tricks settings`."
    )


class NoSuchTrick(Refused):
    """The server has no trick of that id."""

    to_member = "There is no such trick here. `/tricks list` shows what is installed."


class NoSuchTool(Refused):
    """The trick has no tool of that name."""

    to_member = "This trick has no such tool. `/tricks access` without `tool:` lists all of them."


@dataclass
class RotationUnderWay(Refused):
    """The last secret was made less than ten minutes before; `until` is in seconds since the epoch."""

    until: int
    to_member = (
        "The last new secret is being taken over until <t:{until}:t>. Another one now would cut off a trick that "
        "still has the old one. Wait until then."
    )


@dataclass
class ToolHeldBack(Refused):
    """The tool's live definition is not the one that the owner enabled."""

    trick_name: str
    to_member = (
        "{trick_name} changed how this works after the server's owner enabled it, so it is held back until the "
        "owner has seen to it (`/tricks refresh`)."
    )


@dataclass
class NotAllowed(Refused):
    """This member may not use the tool; `who` says who may, in words."""

    who: str
    to_member = "You cannot use this here: it is for {who}."


@dataclass
class ChannelNotAllowed(NotAllowed):
    """The trick may not be used in this channel; `who` names the channels, in words."""

    to_member = "This cannot be used in this channel. Use it in {who}."


class OwnerOnly(Refused):
    """Only the server's owner may."""

    to_member = "Only the server's owner can manage tricks."


@dataclass
class BadArguments(Refused):
    """Our own check of what a member gave; `problems` are sentences, `usage` the usage line or empty."""

    problems: Sequence[str]
    usage: str = ""

    @property
    def sentence(self) -> str:
        """What is wrong, then the usage line."""
        told = " ".join(self.problems)
        return f"{told}\nUsage: `{self.usage}`" if self.usage else told


@dataclass
class LimitReached(Refused):
    """Too often; `seconds` is the time to wait, rounded up."""

    seconds: int

    @property
    def sentence(self) -> str:
        """Says when, in minutes too where nobody would count seconds."""
        minutes = f" ({-(-self.seconds // 60)} minutes)" if self.seconds > 120 else ""
        return f"That was a lot at once. Try again in {self.seconds} s{minutes}."


class Restarting(Refused):
    """The process is draining."""

    to_member = "Kennel is restarting. Try again in a minute."


class CardClosed(NotOpen):
    """An approval card or a question that was decided, answered or ran out."""

    to_member = "This is no longer open. Ask again if you still want it."


class NotYours(Refused):
    """Somebody else's card or question."""

    to_member = "Only the member who asked can answer this."


class WritesStopped(Refused):
    """A write of a request whose writes were stopped by Don't or by time."""

    to_member = (
        "Nothing more is changed for this request, because a card was declined or ran out of time. "
        "Ask again to go on."
    )


@dataclass
class TooManyRequests(Refused):
    """Over a limit of the assistant; `at` is the time in seconds since the epoch when there is room again."""

    at: int
    to_member = "The assistant was asked very often. Ask again <t:{at}:R>; commands work meanwhile."


@dataclass
class ThreadRefused(Refused):
    """A thread is needed and cannot be had; `permission` is the name of what is missing."""

    permission: str
    to_member = (
        "This needs a thread, and I lack the permission {permission} here. Ask somebody who manages the "
        "server, then try again."
    )


class UnknownTool(Refused):
    """The model named a tool that it does not have."""

    to_member = "There is no such tool here."


class AlreadyCalled(Refused):
    """A call of a conversation that was begun before: it runs once."""

    to_member = "This was begun before, so it was not started again."


class TrickFault(KennelError):
    """The trick's fault: five in a row from calls pause the installation.

    `sent` says whether anything of the request may have reached the trick.
    """

    sent: bool = True
    to_member = "The trick did not answer as it should. Try again later; the server's owner can see why."


@dataclass
class UrlRefused(TrickFault):
    """A URL that Kennel does not call; `reason` completes "the address …"."""

    reason: str
    sent = False
    to_owner = "The address {reason}."


class TransportFailure(TrickFault):
    """The exchange did not give a usable HTTP reply; `accepted` when its status was 2xx all the same."""

    accepted: bool = False


class AddressRefused(TransportFailure):
    """The host resolves to an address that is not public."""

    sent = False
    to_owner = "The host resolves to an address that is not on the public internet."


class NameNotFound(TransportFailure):
    """The host name has no address."""

    sent = False
    to_owner = "The host name cannot be resolved."


class ConnectFailed(TransportFailure):
    """No TCP connection."""

    sent = False
    to_owner = "No connection could be made: nothing listens there, or it is blocked."


class TlsFailed(TransportFailure):
    """The TLS handshake failed, or the certificate is not valid for the host."""

    sent = False
    to_owner = "The secure connection failed: the certificate is not valid for this host, or TLS is broken."


class ConnectionLost(TransportFailure):
    """The connection ended before the reply did."""

    to_owner = "The connection was closed before the reply was complete."


class RedirectRefused(TransportFailure):
    """A 3xx reply."""

    to_owner = "The trick answered with a redirect. Give the final address instead."


class CompressedReply(TransportFailure):
    """A reply with a content or transfer coding."""

    to_owner = "The trick compressed its reply. Replies have to be sent as they are."


class ReplyTooLarge(TransportFailure):
    """More than 1 MiB, or oversized headers."""

    to_owner = "The reply is larger than 1 MiB, or its headers are too large."


class DeadlineExceeded(TransportFailure):
    """The whole exchange took longer than allowed; `sent` is false when it ended while still connecting."""

    to_member = "The trick took too long to answer. Try again later."
    to_owner = "The whole exchange took longer than it may: five seconds at most."

    def __init__(self, *, sent: bool = True) -> None:
        super().__init__()
        self.sent = sent


@dataclass
class HttpFailure(TransportFailure):
    """An HTTP status that is no answer, without a JSON-RPC body."""

    status: int

    @property
    def detail(self) -> str:
        """Names the status, with what it usually means."""
        if self.status in (401, 403, 421):
            return f"The trick refused the signature or the host (HTTP {self.status})."
        if self.status == 404:
            return "Nothing is served at this address (HTTP 404)."
        return f"The trick answered with HTTP status {self.status}."


@dataclass
class ProtocolFailure(TrickFault):
    """The reply is not what the specification demands; `reason` is a sentence of ours without its text."""

    reason: str
    to_owner = "{reason}"


@dataclass
class RpcFailure(TrickFault):
    """A JSON-RPC error: `code`, and `said` (at most 500 characters) for `/tricks log` alone."""

    code: int
    said: str

    @property
    def detail(self) -> str:
        """Names the code, with what it means where MCP gives it a meaning."""
        meaning = _RPC_MEANINGS.get(self.code)
        return f"The trick answered with error {self.code}" + (f": {meaning}." if meaning else ".")


_RPC_MEANINGS = {
    -32700: "it could not read the request",
    -32600: "it did not take this for a request",
    -32601: "it does not know the method",
    -32602: "it did not accept the parameters",
    -32603: "something broke inside it",
    -32020: "it says that headers and body of the request disagree",
    -32021: "it needs something that Kennel does not offer",
}


class OtherMcpVersion(RpcFailure):
    """The trick does not speak the revision of MCP that Kennel speaks."""

    @property
    def detail(self) -> str:
        """Says which one it has to speak."""
        return "The trick speaks an older MCP version, or another one; it has to speak 2026-07-28."


@dataclass
class ToolFailed(KennelError):
    """A result with `isError`; `said` (at most 500 characters) is for `/tricks log` alone."""

    said: str
    to_member = "That did not work: the trick reported a problem. Check what you gave it, or try again later."


class NotInCommands(KennelError):
    """A task or a question came back from a command or a button."""

    to_member = "This takes longer than a command can wait. Ask Kennel for it in a conversation instead."


class OutcomeUnknown(KennelError):
    """A write may or may not have happened; it is never repeated."""

    to_member = (
        "The trick's answer was lost, so it is unknown whether this happened. It was not tried again; check "
        "before you repeat it."
    )


class DiscordUnavailable(KennelError):
    """Discord did not answer what has to be known to go on."""

    to_member = "Discord does not answer at the moment. Try again in a minute."


class PostUncertain(DiscordUnavailable):
    """The answer to a post was lost, so it may stand in its channel or not."""


@dataclass
class PostRefused(KennelError):
    """Discord will not take a post; `lost` when it is the channel: gone, or without a permission to post."""

    lost: bool


@dataclass
class TaskFailed(KennelError):
    """A task ended without a result, or Kennel cannot go on with it; `why` is a sentence, or empty."""

    why: str = ""
    to_member = "That did not work: the trick could not finish it. Try again later."

    @property
    def sentence(self) -> str:
        """Says why, where there is more to say than that it failed."""
        return self.why or self.to_member


class ModelFault(KennelError):
    """The assistant's model did not give a usable answer."""

    to_member = "The assistant cannot answer right now. Try again in a minute; commands work meanwhile."


class ModelUnavailable(ModelFault):
    """The endpoint cannot be reached, is overloaded, or did not answer in time."""


class ModelRefused(ModelFault):
    """The endpoint does not take the request, as one that is too long or that it takes offence at."""

    to_member = (
        "The assistant's model did not take this. Try it in other words or in a new message; if that does not "
        "help, tell whoever runs Kennel here."
    )


class ModelNotSetUp(ModelRefused):
    """The endpoint knows neither the key nor the model's name: nothing that an asker could change."""

    to_member = (
        "The assistant is not set up right: its model or its key does not work. Tell whoever runs Kennel here; "
        "commands work meanwhile."
    )


class ModelNonsense(ModelFault):
    """The answer has no usable form."""

    to_member = "The assistant's answer made no sense. Ask again, perhaps in other words."


def sentence_for(error: BaseException) -> str | None:
    """What a person is told of `error`: its own sentence when it is one of ours, else a general one.

    None for a `Duplicate`: whoever waits is being answered elsewhere.
    """
    if isinstance(error, Duplicate):
        return None
    if isinstance(error, KennelError | StorageError):
        return error.sentence
    return KennelError.to_member


def is_expected(error: BaseException) -> bool:
    """Whether `error` belongs to our trees; any other is a fault of Kennel's own and is logged as one."""
    return isinstance(error, KennelError | StorageError)
