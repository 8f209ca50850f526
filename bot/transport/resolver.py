"""Looking a host up for each connection, and letting only permitted addresses through.

A connection goes to the very addresses that were checked: between the check and the connection nothing is
looked up again.
"""

import asyncio
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeAlias

from aiohttp.abc import AbstractResolver, ResolveResult

from bot.errors import AddressRefused, NameNotFound
from bot.transport.addresses import AddressPolicy

AddressInfo: TypeAlias = tuple[int, int, int, str, tuple[Any, ...]]
"""Family, type, protocol, canonical name and socket address, as `socket.getaddrinfo` gives them."""


class Resolver(Protocol):
    """Where the addresses of a host come from."""

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """All addresses of `host` as texts. Raises `NameNotFound` when there is none."""
        ...


class SystemResolver:
    """The operating system's resolver, in threads of its own.

    A look-up cannot be cancelled, so a host whose name server hangs keeps a thread for as long as the system
    waits. It keeps one and no more: connections that begin while its look-up runs share that look-up.
    """

    def __init__(self, threads: int = 16) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="lookup")
        self._running: dict[tuple[str, int], asyncio.Future[list[str]]] = {}

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """As `Resolver.resolve`."""
        try:
            return await asyncio.shield(self._running.get((host, port)) or self._start(host, port))
        except (OSError, UnicodeError):
            raise NameNotFound from None

    def _start(self, host: str, port: int) -> asyncio.Future[list[str]]:
        running = asyncio.get_running_loop().run_in_executor(self._executor, _look_up, host, port)
        self._running[host, port] = running

        def ended(lookup: asyncio.Future[list[str]]) -> None:
            del self._running[host, port]
            if not lookup.cancelled():
                lookup.exception()  # seen, also when nobody waits any more

        running.add_done_callback(ended)
        return running


def _look_up(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [str(address[0]) for *_, address in found]


class PermittedResolver(AbstractResolver):
    """Gives aiohttp the addresses of a host if `policy` permits all of them; without one, any address.

    Raises `AddressRefused` when a single one is not permitted, and `NameNotFound` when there is none.
    """

    def __init__(self, resolver: Resolver, policy: AddressPolicy | None) -> None:
        self._resolver = resolver
        self._policy = policy

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """As `AbstractResolver.resolve`."""
        addresses = list(dict.fromkeys(await self._resolver.resolve(host, port)))
        if not addresses:
            raise NameNotFound
        if self._policy is not None and not all(map(self._policy.permits, addresses)):
            raise AddressRefused
        return [_result(host, address, port) for address in addresses]

    async def close(self) -> None:
        """Nothing to close: the inner resolver belongs to whoever made it."""


def _result(host: str, address: str, port: int) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return ResolveResult(
        hostname=host, host=address, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST
    )


def permitted_sockets(policy: AddressPolicy) -> Callable[[AddressInfo], socket.socket]:
    """Makes sockets for permitted addresses alone.

    It sees the very address that is connected to, so it also covers a host that is written as an address and
    is therefore never looked up. What it makes raises `AddressRefused`.
    """

    def make(info: AddressInfo) -> socket.socket:
        family, kind, protocol, _, address = info
        if not policy.permits(str(address[0])):
            raise AddressRefused
        return socket.socket(family, kind, protocol)

    return make
