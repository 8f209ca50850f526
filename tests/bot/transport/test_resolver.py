import asyncio
import socket
import threading
from collections.abc import Sequence
from ipaddress import ip_network

import pytest

from bot.errors import AddressRefused, NameNotFound
from bot.transport import AddressPolicy, SystemResolver
from bot.transport.resolver import PermittedResolver, permitted_sockets
from tests.support.tls import Names


async def test_the_system_resolver_finds_this_machine():
    found = await SystemResolver().resolve("localhost", 443)
    assert set(found) <= {"127.0.0.1", "::1"}
    assert found


@pytest.mark.parametrize("host", ["nothing.invalid", "a" * 64 + ".example", "a..b"])
async def test_a_name_without_an_address_is_not_found(host: str):
    with pytest.raises(NameNotFound):
        await SystemResolver().resolve(host, 443)


async def test_a_hanging_look_up_holds_one_thread_however_often_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
):
    release = threading.Event()
    asked: list[str] = []

    def slow(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        asked.append(host)
        if host == "hangs.example":
            release.wait(30)
            raise socket.gaierror
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    resolver = SystemResolver(threads=2)
    try:
        for _ in range(10):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(resolver.resolve("hangs.example", 443), 0.01)
        assert await asyncio.wait_for(resolver.resolve("answers.example", 443), 5) == ["192.0.2.1"]
        assert asked == ["hangs.example", "answers.example"]
        waiting = asyncio.ensure_future(resolver.resolve("hangs.example", 443))
        await asyncio.sleep(0)
    finally:
        release.set()
    with pytest.raises(NameNotFound):
        await waiting
    release.set()
    with pytest.raises(NameNotFound):
        await resolver.resolve("hangs.example", 443)
    assert asked == ["hangs.example", "answers.example", "hangs.example"]


@pytest.mark.parametrize(
    "addresses",
    [["10.0.0.1"], ["1.1.1.1", "10.0.0.1"], ["::1", "1.1.1.1"], ["1.1.1.1", "fe80::1%eth0"], ["1.1.1.1", ""]],
)
async def test_one_address_that_is_not_permitted_refuses_the_host(addresses: Sequence[str]):
    resolver = PermittedResolver(Names({"a.example": [addresses]}), AddressPolicy())
    with pytest.raises(AddressRefused):
        await resolver.resolve("a.example", 443)


async def test_permitted_addresses_are_handed_on_as_numbers_and_once_each():
    resolver = PermittedResolver(
        Names({"a.example": [["1.1.1.1", "2606:4700::1111", "1.1.1.1"]]}), AddressPolicy()
    )
    found = await resolver.resolve("a.example", 8443)
    assert [(one["hostname"], one["host"], one["port"], one["family"]) for one in found] == [
        ("a.example", "1.1.1.1", 8443, socket.AF_INET),
        ("a.example", "2606:4700::1111", 8443, socket.AF_INET6),
    ]


async def test_an_empty_answer_is_a_name_that_is_not_found():
    class Empty:
        async def resolve(self, host: str, port: int) -> Sequence[str]:
            return []

    with pytest.raises(NameNotFound):
        await PermittedResolver(Empty(), AddressPolicy()).resolve("a.example", 443)


def test_a_socket_is_made_for_a_permitted_address_alone():
    make = permitted_sockets(AddressPolicy([ip_network("127.0.0.1/32")]))
    with make((socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", 443))) as made:
        assert made.family is socket.AF_INET
    for family, address in (
        (socket.AF_INET, ("127.0.0.2", 443)),
        (socket.AF_INET6, ("::1", 443, 0, 0)),
        (socket.AF_INET6, ("::ffff:127.0.0.1", 443, 0, 0)),
    ):
        with pytest.raises(AddressRefused):
            make((family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", address))
