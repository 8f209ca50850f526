"""What an owner can do about a failure, by its kind: the name of the error's class in `bot.errors`."""

from collections.abc import Mapping
from typing import Final

_AUTHOR = "Tell whoever runs the trick"
_OVERLOADED = "The trick was too slow. If it stays so, tell whoever runs it; `/tricks test` shows the times."
_MALFORMED = f"{_AUTHOR}: its reply is not what the contract for tricks demands."

ADVICE: Final[Mapping[str, str]] = {
    "TrickFault": f"{_AUTHOR}; `/tricks test` shows how far the connection works.",
    "UrlRefused": f"{_AUTHOR}: the address in its manifest has to change, then use `/tricks refresh`.",
    "TransportFailure": "`/tricks test` shows how far the connection works.",
    "AddressRefused": f"{_AUTHOR}: its server needs a public address.",
    "NameNotFound": f"{_AUTHOR}: its host name has no address, or no longer. `/tricks test` looks again.",
    "ConnectFailed": "The trick's server is probably down. `/tricks test` says when it is back.",
    "TlsFailed": f"{_AUTHOR}: its certificate has probably run out.",
    "ConnectionLost": "The trick's server probably broke or was restarted. `/tricks test` says if it is back.",
    "RedirectRefused": f"{_AUTHOR}: the manifest has to name the final address. Then use `/tricks refresh`.",
    "CompressedReply": f"{_AUTHOR}: it must not compress its replies to Kennel.",
    "ReplyTooLarge": f"{_AUTHOR}: it has to answer with less at once.",
    "DeadlineExceeded": _OVERLOADED,
    "HttpFailure": (
        f"{_AUTHOR}; `/tricks test` looks again. At 401 or 403 it lacks the signing secret: `/tricks rotate` makes a "
        "new one to give it."
    ),
    "ProtocolFailure": _MALFORMED,
    "RpcFailure": f"{_AUTHOR} the number, and what it said below.",
    "OtherMcpVersion": f"{_AUTHOR}: it has to be updated.",
    "ToolFailed": (
        "Nothing is wrong with the connection: the tool could not do what it was asked for. It may say why below."
    ),
    "NotInCommands": (
        "This tool is for conversations. The trick's author should take its command or button away."
    ),
    "OutcomeUnknown": "Look in the trick itself whether it happened before anybody repeats it.",
    "TaskFailed": "Whoever asked for it was told. They can ask again.",
}
"""One or two sentences for the owner; every `TrickFault` has one, and what else ends a call as failed."""

_UNKNOWN = ADVICE["OutcomeUnknown"]


def advice(kind: str | None, *, unknown: bool = False) -> str:
    """What to do about a failure of this kind, empty where there is nothing.

    `unknown` says that a write may have happened all the same, and that comes first.
    """
    told = ADVICE.get(kind or "", "")
    if not unknown or told == _UNKNOWN:
        return told or (_UNKNOWN if unknown else "")
    return f"{_UNKNOWN} {told}".rstrip()
