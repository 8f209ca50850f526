"""However an address is written, it is judged before anything leaves this machine."""

import socket
from collections.abc import Generator
from contextlib import contextmanager

import httpx
import pytest

from bot.errors import AddressRefused, TrickFault, UrlRefused
from bot.transport import AddressPolicy, SystemResolver, Transport, read_body


async def get(transport: Transport, url: str) -> bytes:
    return await read_body(await transport.handle_async_request(httpx.Request("GET", transport.url(url))))


@contextmanager
def no_packet_leaves(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Fail when a socket is even made meanwhile, or a name looked up."""

    def never(*args: object, **kwargs: object) -> None:
        raise AssertionError("something was about to be sent")

    with monkeypatch.context() as patched:
        patched.setattr(socket, "socket", never)
        patched.setattr(socket, "getaddrinfo", never)
        yield


ODD = [
    *[
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "017700000001",
    ],
    *[
        "0177.1",
        "127.0.0.1.",
        "127.0.0.01",
        "0127.0.0.1",
        "127.0.0.0x1",
        "1.1.1.1.",
        "0",
        "0.0.0.0",
        "00.0.0.0",
    ],
    *["256.0.0.1", "4294967297", "127。0。0。1", "１２７.0.0.1", "①②⑦.0.0.1", "%31%32%37.0.0.1", "0X7F.1"],
    *["[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]"],
    *["[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[fe80::1]"],
    *[
        "[fe80::1%25lo]",
        "[fe80::1%lo]",
        "[fd00:ec2::254]",
        "[fec0::1]",
        "[ff02::1]",
        "[::1",
        "::1",
        "[127.0.0.1]",
    ],
    *["169.254.169.254", "168.63.129.16", "100.100.100.200", "192.0.0.192", "10.1", "[::ffff:a9fe:a9fe]"],
    *[
        "[2606:4700::5efe:7f00:1]",
        "localhost.",
        "127.0.0.1\u00ad",
        "loc\u200balhost",
        "a@127.0.0.1",
        "127.0.0.1\t",
    ],
]


@pytest.mark.parametrize("host", ODD)
async def test_an_odd_spelling_of_an_address_is_refused_before_anything_is_sent(
    host: str, monkeypatch: pytest.MonkeyPatch
):
    async with Transport(SystemResolver(), AddressPolicy(), deadline=0.3) as transport:
        with no_packet_leaves(monkeypatch):
            for url in (f"https://{host}/", f"https://{host}:8443/a"):
                with pytest.raises(TrickFault) as caught:
                    await get(transport, url)
                assert isinstance(caught.value, UrlRefused | AddressRefused)
                assert caught.value.sent is False


@pytest.mark.parametrize("url", ["https://trick.example.com/", "https://1.1.1.1/"])
async def test_the_guard_of_these_tests_sees_an_ordinary_request(url: str, monkeypatch: pytest.MonkeyPatch):
    async with Transport(SystemResolver(), AddressPolicy(), deadline=0.3) as transport:
        with no_packet_leaves(monkeypatch), pytest.raises(AssertionError):
            await get(transport, url)


async def test_a_request_made_past_the_url_rules_is_refused_by_the_transport_itself(
    monkeypatch: pytest.MonkeyPatch,
):
    async with Transport(SystemResolver(), AddressPolicy()) as transport:
        with no_packet_leaves(monkeypatch):
            for url in ("http://example.com/", "https://user:pass@example.com/", "https://127.1/", "/mcp"):
                with pytest.raises(UrlRefused):
                    await transport.handle_async_request(httpx.Request("GET", url))
