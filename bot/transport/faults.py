"""The one place where an exception of aiohttp becomes an error of ours."""

import aiohttp
from aiohttp.http_exceptions import LineTooLong

from bot.errors import (
    ConnectFailed,
    ConnectionLost,
    DeadlineExceeded,
    NameNotFound,
    ProtocolFailure,
    ReplyTooLarge,
    TlsFailed,
    TrickFault,
)

FOREIGN = (aiohttp.ClientError, OSError)
"""What aiohttp raises for a failed exchange; `TimeoutError` is an `OSError`."""


def fault_of(exc: aiohttp.ClientError | OSError, *, sent: bool) -> TrickFault:
    """Our error for `exc`; `sent` says whether anything of the request may have left before it."""
    match exc:
        case TimeoutError():
            return DeadlineExceeded(sent=sent)
        case aiohttp.ClientConnectorDNSError():
            return NameNotFound()
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientConnectorSSLError():
            return TlsFailed()
        case aiohttp.ClientConnectorError():
            # A connection that was made and then closed can only have ended in the handshake.
            closed = isinstance(exc.os_error, ConnectionResetError | ConnectionAbortedError)
            return TlsFailed() if closed else ConnectFailed()
        case aiohttp.ClientResponseError():
            return (
                ReplyTooLarge()
                if _is_oversized(exc)
                else ProtocolFailure("The reply is not valid HTTP, or has too many headers.")
            )
        case _:
            return ConnectionLost()


def _is_oversized(exc: BaseException | None) -> bool:
    while exc is not None:
        if isinstance(exc, LineTooLong):
            return True
        exc = exc.__cause__
    return False
