"""The error tree of everything above the database (whose own is in `storage.errors`).

    KennelError
    ├── StartupError              told at the terminal, exit status 1
    ├── Refused                   a rule said no; its sentence is for the member
    │   ├── NotOpen               a button, draft or panel that is no longer there
    │   ├── TrickNotEnabled       disabled, registered only, or paused
    │   ├── NoSuchCommand
    │   ├── ToolHeldBack          the live definition differs from the pinned one
    │   ├── NotAllowed            this member, or this channel, may not use the tool
    │   ├── OwnerOnly
    │   ├── BadArguments          by our own check; the problems are told
    │   ├── LimitReached          "try again in N s"
    │   └── Restarting
    ├── Duplicate                 the same event once more: stop, say nothing
    ├── ManifestInvalid           every problem with its path
    ├── TrickFault                the trick's fault: counts towards the pause
    │   ├── UrlRefused            an address that Kennel does not call
    │   ├── TransportFailure      with `sent`: whether anything may have left
    │   │   ├── AddressRefused · NameNotFound · ConnectFailed · TlsFailed · ConnectionLost
    │   │   └── RedirectRefused · CompressedReply · ReplyTooLarge · DeadlineExceeded · HttpFailure
    │   ├── ProtocolFailure       the reply is not what the specification demands
    │   └── RpcFailure            a JSON-RPC error
    ├── ToolFailed                a result with isError: the tool's own word, no fault
    ├── NotInCommands             a task or a question as the answer to a command or button
    └── OutcomeUnknown            a write whose answer was lost

A member sees `sentence` and nothing else. `detail` is for the owner: plain, without inputs, results or secrets.
What a trick says itself is in `RpcFailure.said` and `ToolFailed.said`, which only `/tricks log` shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass


class KennelError(Exception):
    """Base of the tree. `sentence` is for the person who waits, `detail` for the owner."""

    @property
    def sentence(self) -> str:
        """One plain sentence for a member: what happened and what to do."""
        return "Something went wrong inside Kennel. Try again in a minute."

    @property
    def detail(self) -> str:
        """One plain sentence for the owner; falls back to the member's."""
        return self.sentence


@dataclass
class StartupError(KennelError):
    """Kennel cannot start; `problems` are sentences that each say what to do."""

    problems: Sequence[str]

    @property
    def sentence(self) -> str:
        return "\n".join(self.problems)


# --- a rule said no ---------------------------------------------------------------------------------------


class Refused(KennelError):
    """A rule said no before anything was sent."""


class NotOpen(Refused):
    """A button, draft or panel that is no longer there."""

    @property
    def sentence(self) -> str:
        return "This is no longer open. Use the command again."


class ButtonExpired(NotOpen):
    """A trick's button whose meaning is gone."""

    @property
    def sentence(self) -> str:
        return "This button has expired. Use the command again for a new one."


class AlreadyPressed(Refused):
    """The second half of one person's double press."""

    @property
    def sentence(self) -> str:
        return "You pressed this a moment ago, and it runs only once. Wait a few seconds to press it again."


@dataclass
class TrickNotEnabled(Refused):
    """The installation's state forbids calls; `state` is the state's word."""

    trick_name: str
    state: str

    @property
    def sentence(self) -> str:
        if self.state == "paused":
            return (
                f"{self.trick_name} is paused because it failed several times in a row. "
                "The server's owner can turn it on again with `/tricks enable`."
            )
        return (
            f"{self.trick_name} is turned off here. The server's owner can turn it on with `/tricks enable`."
        )


class NoSuchCommand(Refused):
    """The command, or the trick behind it, is not here any more."""

    @property
    def sentence(self) -> str:
        return "That command is not here any more. `/help` shows what you can use."


@dataclass
class ToolHeldBack(Refused):
    """The tool's live definition is not the one that the owner enabled."""

    trick_name: str
    tool: str

    @property
    def sentence(self) -> str:
        return (
            f"{self.trick_name} changed how this works, so it is held back until the server's owner accepts "
            "the change (`/tricks refresh`)."
        )


@dataclass
class NotAllowed(Refused):
    """This member, or this channel, may not use the tool; `who` says who may, in words."""

    who: str
    channel: bool = False

    @property
    def sentence(self) -> str:
        if self.channel:
            return f"This cannot be used in this channel. {self.who}"
        return f"You cannot use this here: it is for {self.who}."


class OwnerOnly(Refused):
    """Only the server's owner may."""

    @property
    def sentence(self) -> str:
        return "Only the server's owner can manage tricks."


@dataclass
class BadArguments(Refused):
    """Our own check of what a member gave; `problems` are sentences, `usage` the usage line or None."""

    problems: Sequence[str]
    usage: str | None = None

    @property
    def sentence(self) -> str:
        told = " ".join(self.problems)
        return f"{told}\nUsage: `{self.usage}`" if self.usage else told


@dataclass
class LimitReached(Refused):
    """Too often; `seconds` is the time to wait, rounded up."""

    seconds: int

    @property
    def sentence(self) -> str:
        return f"That was a lot at once. Try again in {self.seconds} s."


class Restarting(Refused):
    """The process is draining."""

    @property
    def sentence(self) -> str:
        return "Kennel is restarting. Try again in a minute."


class Duplicate(KennelError):
    """The same event came once more, or another process has it. Stop without a word."""


# --- manifests --------------------------------------------------------------------------------------------


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
        return "The manifest has problems: " + "; ".join(f"{p.path}: {p.message}" for p in self.problems)


# --- the trick's fault ------------------------------------------------------------------------------------


class TrickFault(KennelError):
    """The trick's fault: five in a row from calls pause the installation."""

    sent = True
    """Whether anything of the request may have reached the trick."""

    @property
    def kind(self) -> str:
        """A stable word for logs: the class's name."""
        return type(self).__name__

    @property
    def sentence(self) -> str:
        return "The trick did not answer as it should. Try again later; the server's owner can see why."


@dataclass
class UrlRefused(TrickFault):
    """A URL that Kennel does not call; `reason` completes "the address …"."""

    reason: str
    sent = False

    @property
    def detail(self) -> str:
        return f"The address {self.reason}."


class TransportFailure(TrickFault):
    """The exchange did not give a usable HTTP reply."""


class AddressRefused(TransportFailure):
    """The host resolves to an address that is not public."""

    sent = False

    @property
    def detail(self) -> str:
        return "The host resolves to an address that is not on the public internet."


class NameNotFound(TransportFailure):
    """The host name has no address."""

    sent = False

    @property
    def detail(self) -> str:
        return "The host name cannot be resolved."


class ConnectFailed(TransportFailure):
    """No TCP connection."""

    sent = False

    @property
    def detail(self) -> str:
        return "No connection could be made: nothing listens there, or it is blocked."


class TlsFailed(TransportFailure):
    """The TLS handshake failed, or the certificate is not valid for the host."""

    sent = False

    @property
    def detail(self) -> str:
        return "The secure connection failed: the certificate is not valid for this host, or TLS is broken."


class ConnectionLost(TransportFailure):
    """The connection ended before the reply did."""

    @property
    def detail(self) -> str:
        return "The connection was closed before the reply was complete."


class RedirectRefused(TransportFailure):
    """A 3xx reply."""

    @property
    def detail(self) -> str:
        return "The trick answered with a redirect. Give the final address instead."


class CompressedReply(TransportFailure):
    """A reply with a content or transfer coding."""

    @property
    def detail(self) -> str:
        return "The trick compressed its reply. Replies have to be sent as they are."


class ReplyTooLarge(TransportFailure):
    """More than 1 MiB, or oversized headers."""

    @property
    def detail(self) -> str:
        return "The reply is larger than 1 MiB."


class DeadlineExceeded(TransportFailure):
    """The whole exchange took longer than allowed."""

    @property
    def sentence(self) -> str:
        return "The trick took too long to answer. Try again later."

    @property
    def detail(self) -> str:
        return "The whole exchange took longer than five seconds."


@dataclass
class HttpFailure(TransportFailure):
    """An HTTP status that is no answer, without a JSON-RPC body."""

    status: int

    @property
    def detail(self) -> str:
        if self.status in (401, 403, 421):
            return f"The trick refused the signature or the host (HTTP {self.status})."
        if self.status == 404:
            return "Nothing is served at this address (HTTP 404)."
        return f"The trick answered with HTTP status {self.status}."


@dataclass
class ProtocolFailure(TrickFault):
    """The reply is not what the specification demands; `reason` is a sentence of ours without reply text."""

    reason: str

    @property
    def detail(self) -> str:
        return self.reason


@dataclass
class RpcFailure(TrickFault):
    """A JSON-RPC error: `code`, and `said` (at most 500 characters) for `/tricks log` alone."""

    code: int
    said: str

    @property
    def detail(self) -> str:
        return f"The trick answered with error {self.code}."


# --- answers that are no success --------------------------------------------------------------------------


@dataclass
class ToolFailed(KennelError):
    """A result with `isError`; `said` (at most 500 characters) is for `/tricks log` alone."""

    said: str

    @property
    def sentence(self) -> str:
        return "That did not work: the trick reported a problem. Check what you gave it, or try again later."


class NotInCommands(KennelError):
    """A task or a question came back from a command or a button."""

    @property
    def sentence(self) -> str:
        return "This takes longer than a command can wait. Ask Kennel for it in a conversation instead."


class OutcomeUnknown(KennelError):
    """A write may or may not have happened; it is never repeated."""

    @property
    def sentence(self) -> str:
        return (
            "The trick's answer was lost, so it is unknown whether this happened. "
            "It was not tried again; check before you repeat it."
        )
