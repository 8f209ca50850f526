"""`observability.listen`: reading it, and saying in words why nothing can listen there."""

import errno
import http.client
import socket
from contextlib import closing

from bot.errors import StartupError

TAKEN = (
    "The address {listen} (`observability.listen`) is taken: another program listens there, or another Kennel. "
    "Choose another port."
)
NOT_HERE = "Nothing can listen on {listen} (`observability.listen`): {why}."
NO_PORT = "`observability.listen` names no port: it has to be host:port, with a port from 1 to 65535."
SERVER = "kennel"
"""The `Server` header, by which a Kennel that listens is known."""


def address(listen: str) -> tuple[str, int]:
    """Host and port. Raises `StartupError`."""
    host, _, port = listen.rpartition(":")
    if not 0 < int(port) < 65_536:
        raise StartupError([NO_PORT])
    return host.strip("[]"), int(port)


def refusal(listen: str, error: OSError) -> StartupError:
    """Why nothing can listen there, from what the system said."""
    if error.errno == errno.EADDRINUSE:
        return StartupError([TAKEN.format(listen=listen)])
    if isinstance(error, socket.gaierror):
        why = "this name has no address"
    elif error.errno == errno.EACCES:
        why = "ports below 1024 are not for everybody"
    elif error.errno == errno.EADDRNOTAVAIL:
        why = "this machine does not have this address"
    else:
        why = errno.errorcode.get(error.errno or 0, type(error).__name__)
    return StartupError([NOT_HERE.format(listen=listen, why=why)])


def problems(listen: str | None) -> list[str]:
    """What keeps Kennel from listening there, found by trying. A Kennel that runs there already is no problem."""
    if listen is None:
        return []
    try:
        host, port = address(listen)
        _try(listen, host, port)
    except StartupError as error:
        return list(error.problems)
    return []


def _try(listen: str, host: str, port: int) -> None:
    try:
        family, kind, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with closing(socket.socket(family, kind)) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(where)
            probe.listen(1)
    except OSError as error:
        if error.errno != errno.EADDRINUSE or not _is_kennel(host, port):
            raise refusal(listen, error) from None


def _is_kennel(host: str, port: int) -> bool:
    """Whether what listens there is a Kennel, most likely the one whose configuration is checked."""
    connection = http.client.HTTPConnection(host, port, timeout=2)
    try:
        connection.request("HEAD", "/healthz")
        return connection.getresponse().getheader("Server") == SERVER
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
