"""Which host and which address a request reaches, and that nothing else decides it."""

import asyncio
import ssl
from ipaddress import ip_network

import httpx
import pytest
import trustme

from bot.errors import (
    AddressRefused,
    ConnectFailed,
    NameNotFound,
    TlsFailed,
    TrickFault,
    UrlRefused,
)
from bot.transport import AddressPolicy, SystemResolver, Transport, read_body
from tests.support.tls import HOST, LOOPBACK, Names, Server, reply, running, sends


async def get(transport: Transport, url: str) -> bytes:
    return await read_body(await transport.handle_async_request(httpx.Request("GET", transport.url(url))))


async def test_name_host_and_certificate_stay_the_names_while_the_connection_goes_to_the_number(
    transport: Transport, tls_server: Server, names: Names
):
    assert await get(transport, tls_server.url("/mcp?a=%2F")) == b"{}"
    (request,) = tls_server.requests
    assert request.line == "GET /mcp?a=%2F HTTP/1.1"
    assert request.headers["host"] == f"{HOST}:{tls_server.port}"
    assert tls_server.names == [HOST]
    assert names.asked == [(HOST, tls_server.port)]


async def test_many_calls_are_one_connection_and_one_look_up(
    transport: Transport, tls_server: Server, names: Names
):
    for _ in range(21):
        await get(transport, tls_server.url())
    assert len(tls_server.requests) == 21
    assert tls_server.connections == 1
    assert len(names.asked) == 1


async def test_an_address_that_changes_between_connections_is_caught(
    tls_server: Server, trusting: ssl.SSLContext
):
    tls_server.behave = sends(reply(headers="Connection: close\r\n"), close=True)
    names = Names({HOST: [["127.0.0.1"], ["169.254.169.254"]]})
    async with Transport(names, LOOPBACK, ssl_context=trusting) as transport:
        await get(transport, tls_server.url())
        with pytest.raises(AddressRefused):
            await get(transport, tls_server.url())
    assert len(names.asked) == 2
    assert tls_server.connections == 1


async def test_the_address_that_was_checked_is_the_one_that_is_connected_to(
    tls_server: Server, trusting: ssl.SSLContext
):
    names = Names({HOST: [["127.0.0.1"], ["10.0.0.1"]]})
    async with Transport(names, LOOPBACK, ssl_context=trusting) as transport:
        await get(transport, tls_server.url())
    assert len(names.asked) == 1


@pytest.mark.parametrize("answer", [["127.0.0.1", "10.0.0.1"], ["::1"], ["::ffff:127.0.0.1"], ["fe80::1%lo"]])
async def test_one_bad_address_among_the_answers_refuses_all(
    tls_server: Server, trusting: ssl.SSLContext, answer: list[str]
):
    async with Transport(Names({HOST: [answer]}), LOOPBACK, ssl_context=trusting) as transport:
        with pytest.raises(AddressRefused) as caught:
            await get(transport, tls_server.url())
    assert caught.value.sent is False
    assert tls_server.connections == 0


async def test_of_two_addresses_the_one_that_answers_is_used(tls_server: Server, trusting: ssl.SSLContext):
    policy = AddressPolicy([ip_network("127.0.0.0/8")])
    names = Names({HOST: [["127.0.0.9", "127.0.0.1"]]})
    async with Transport(names, policy, ssl_context=trusting) as transport:
        assert await get(transport, tls_server.url()) == b"{}"


async def test_a_certificate_for_another_name_is_refused(
    transport: Transport, names: Names, authority: trustme.CA
):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("other.example.com").configure_cert(context)  # pyright: ignore[reportUnknownMemberType]
    async with running(Server(context)) as server:
        with pytest.raises(TlsFailed) as caught:
            await get(transport, server.url())
        assert caught.value.sent is False
        assert server.requests == []


async def test_a_certificate_of_an_authority_that_nobody_knows_is_refused(names: Names, tls_server: Server):
    async with Transport(names, LOOPBACK) as transport:
        with pytest.raises(TlsFailed):
            await get(transport, tls_server.url())
    assert tls_server.requests == []


async def test_plain_http_behind_an_https_address_is_a_tls_failure(transport: Transport):
    assert await greeted(transport, b"HTTP/1.1 400 Bad Request\r\n\r\n") is TlsFailed


async def test_a_connection_that_ends_within_the_handshake_is_a_tls_failure(transport: Transport):
    assert await greeted(transport, b"") is TlsFailed


async def greeted(transport: Transport, greeting: bytes) -> type[TrickFault]:
    """How a request fails at a server that says `greeting` and hangs up."""

    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(greeting)
        writer.close()

    async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
        with pytest.raises(TrickFault) as caught:
            await get(transport, f"https://{HOST}:{server.sockets[0].getsockname()[1]}/")
    assert caught.value.sent is False
    return type(caught.value)


async def test_a_name_that_does_not_exist(transport: Transport):
    with pytest.raises(NameNotFound) as caught:
        await get(transport, "https://nothing.example.com/mcp")
    assert caught.value.sent is False


async def test_a_port_where_nothing_listens(transport: Transport, tls_server: Server):
    await tls_server.stop()
    with pytest.raises(ConnectFailed) as caught:
        await get(transport, tls_server.url())
    assert caught.value.sent is False


async def test_proxies_of_the_environment_are_ignored(
    transport: Transport, tls_server: Server, monkeypatch: pytest.MonkeyPatch
):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    assert await get(transport, tls_server.url()) == b"{}"


async def test_credentials_of_a_netrc_file_are_not_sent(
    transport: Transport,
    tls_server: Server,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
):
    netrc = tmp_path_factory.mktemp("home") / ".netrc"
    netrc.write_text(f"machine {HOST} login me password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    await get(transport, tls_server.url())
    assert "authorization" not in tls_server.requests[0].headers


async def test_a_development_host_may_be_plain_and_private():
    async with running(Server(None)) as server:
        allowed = frozenset({f"localhost:{server.port}", f"127.0.0.1:{server.port}"})
        async with Transport(SystemResolver(), AddressPolicy(), allowed) as transport:
            assert await get(transport, f"http://127.0.0.1:{server.port}/mcp") == b"{}"
            assert await get(transport, f"http://localhost:{server.port}/mcp") == b"{}"


async def test_beside_a_development_host_every_other_host_and_port_keeps_the_rule(
    monkeypatch: pytest.MonkeyPatch,
):
    async with running(Server(None)) as server, running(Server(None)) as other:
        allowed = frozenset({f"127.0.0.1:{server.port}"})
        names = Names({"localhost": [["127.0.0.1"]], "127.0.0.1.example": [["127.0.0.1"]]})
        async with Transport(names, AddressPolicy(), allowed) as transport:
            await get(transport, server.url(host="127.0.0.1"))
            for url in (
                f"http://localhost:{server.port}/",
                f"http://127.0.0.1:{other.port}/",
                "http://127.0.0.1/",
            ):
                with pytest.raises(UrlRefused):
                    await get(transport, url)
            for url in (f"https://localhost:{server.port}/", f"https://127.0.0.1:{other.port}/"):
                with pytest.raises(AddressRefused):
                    await get(transport, url)
            assert (server.connections, other.connections) == (1, 0)


async def test_headers_of_a_request_cannot_change_its_host_or_length(
    transport: Transport, tls_server: Server
):
    request = httpx.Request(
        "POST",
        transport.url(tls_server.url()),
        headers={"Host": "other.example.com", "Content-Length": "1"},
        stream=httpx.ByteStream(b"body"),
    )
    await read_body(await transport.handle_async_request(request))
    (seen,) = tls_server.requests
    assert [field for field in seen.fields if field[0].lower() == "host"] == [
        ("Host", f"{HOST}:{tls_server.port}")
    ]
    assert seen.body == b"body"


async def test_an_async_client_of_httpx_can_stand_on_it(transport: Transport, tls_server: Server):
    async with httpx.AsyncClient(transport=transport) as client:
        response = await client.post(tls_server.url(), json={"a": 1})
    assert response.json() == {}
    assert tls_server.requests[0].headers["accept-encoding"]
    assert tls_server.requests[0].body == b'{"a":1}'
