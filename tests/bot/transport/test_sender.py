import dataclasses
import pickle

import pytest

from bot.errors import DeadlineExceeded, HttpFailure, NameNotFound, ReplyTooLarge, UrlRefused
from bot.signing import Secret, make_secret, verify
from bot.transport import Endpoint, SignedSender, Transport, read_body
from tests.support.clock import TurnedClock
from tests.support.tls import Names, Server, reply, sends

OLD, NEW = Secret(b"o" * 32), Secret(b"n" * 32)
BODY = '{"note": "Zoë",  "n":1}'.encode()


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock()


@pytest.fixture
def sender(transport: Transport, clock: TurnedClock) -> SignedSender:
    return SignedSender(transport, clock)


async def test_a_post_carries_exactly_the_signed_bytes(
    sender: SignedSender, tls_server: Server, clock: TurnedClock
):
    response = await sender.post(Endpoint(tls_server.url(), (NEW,)), BODY, {"Mcp-Method": "tools/list"})
    assert (response.status_code, await read_body(response)) == (200, b"{}")
    (request,) = tls_server.requests
    assert request.line == "POST /mcp HTTP/1.1"
    assert request.body == BODY
    assert verify(request.body, request.headers, [NEW], clock.now())
    assert not verify(request.body, request.headers, [OLD], clock.now())
    names = [name.lower() for name, _ in request.fields]
    assert len(set(names)) == len(names)
    assert request.headers["content-type"] == "application/json"
    assert request.headers["accept-encoding"] == "identity"
    assert request.headers["user-agent"].startswith("Kennel/")
    assert request.headers["mcp-method"] == "tools/list"


async def test_during_a_rotation_either_secret_verifies(
    sender: SignedSender, tls_server: Server, clock: TurnedClock
):
    await read_body(await sender.post(Endpoint(tls_server.url(), (NEW, OLD)), BODY))
    (request,) = tls_server.requests
    assert request.headers["webhook-signature"].count(" ") == 1
    assert all(verify(BODY, request.headers, [secret], clock.now()) for secret in (NEW, OLD))


async def test_every_attempt_has_its_own_id_time_and_signature(
    sender: SignedSender, tls_server: Server, clock: TurnedClock
):
    endpoint = Endpoint(tls_server.url(), (NEW,))
    for _ in range(2):
        await read_body(await sender.post(endpoint, BODY))
        clock.advance(360)
    first, second = (request.headers for request in tls_server.requests)
    assert first["webhook-id"] != second["webhook-id"]
    assert int(second["webhook-timestamp"]) - int(first["webhook-timestamp"]) == 360


async def test_a_delivery_keeps_its_id_while_each_attempt_is_signed_at_its_own_time(
    sender: SignedSender, tls_server: Server, clock: TurnedClock
):
    endpoint = Endpoint(tls_server.url(), (NEW,))
    for _ in range(2):
        await read_body(await sender.post(endpoint, BODY, webhook_id="delivery1"))
        assert verify(BODY, tls_server.requests[-1].headers, [NEW], clock.now())
        clock.advance(360)
    first, second = (request.headers for request in tls_server.requests)
    assert first["webhook-id"] == second["webhook-id"] == "delivery1"
    assert int(second["webhook-timestamp"]) - int(first["webhook-timestamp"]) == 360
    assert first["webhook-signature"] != second["webhook-signature"]


@pytest.mark.parametrize("status", ["400 Bad Request", "500 x"])
async def test_a_post_gives_the_reply_of_any_status(sender: SignedSender, tls_server: Server, status: str):
    tls_server.behave = sends(reply(b'{"error":{}}', status))
    response = await sender.post(Endpoint(tls_server.url(), (NEW,)), BODY)
    assert response.status_code == int(status[:3])
    assert await read_body(response) == b'{"error":{}}'


async def test_a_post_can_be_given_less_time(sender: SignedSender, tls_server: Server):
    tls_server.behave = sends()
    with pytest.raises(DeadlineExceeded):
        await sender.post(Endpoint(tls_server.url(), (NEW,)), BODY, timeout=0.05)
    with pytest.raises(DeadlineExceeded) as caught:
        await sender.post(Endpoint(tls_server.url(), (NEW,)), BODY, timeout=0)
    assert caught.value.sent is False


async def test_the_manifest_is_one_unsigned_get(sender: SignedSender, tls_server: Server):
    tls_server.behave = sends(reply(b'{"id":"snacks"}'))
    assert await sender.get(tls_server.url("/manifest.json")) == b'{"id":"snacks"}'
    (request,) = tls_server.requests
    assert request.line == "GET /manifest.json HTTP/1.1"
    assert request.body == b""
    assert not [name for name in request.headers if name.startswith("webhook-") or name == "content-type"]
    assert request.headers["accept"] == "application/json"
    assert request.headers["user-agent"].startswith("Kennel/")


@pytest.mark.parametrize("status", ["201 Created", "401 x", "404 Not Found", "500 x"])
async def test_a_manifest_with_another_status_is_none(sender: SignedSender, tls_server: Server, status: str):
    tls_server.behave = sends(reply(b"x" * 50, status))
    with pytest.raises(HttpFailure) as caught:
        await sender.get(tls_server.url())
    assert caught.value.status == int(status[:3])


async def test_a_manifest_keeps_the_same_limits(sender: SignedSender, tls_server: Server):
    tls_server.behave = sends(b"HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n")
    with pytest.raises(ReplyTooLarge):
        await sender.get(tls_server.url())
    tls_server.behave = sends()
    with pytest.raises(DeadlineExceeded):
        await sender.get(tls_server.url(), timeout=0.05)


@pytest.mark.parametrize("url", ["", "ftp://a.example/", "https://bücher.example/", "https://EXAMPLE.com:0/"])
async def test_an_odd_url_is_refused_by_both(sender: SignedSender, url: str):
    with pytest.raises(UrlRefused):
        await sender.get(url)
    with pytest.raises(UrlRefused):
        await sender.post(Endpoint(url, (NEW,)), BODY)


async def test_a_host_that_only_looks_like_an_international_name_is_any_name(
    sender: SignedSender, names: Names
):
    url = "https://xn--0.example.com/"
    with pytest.raises(NameNotFound):
        await sender.get(url)
    with pytest.raises(NameNotFound):
        await sender.post(Endpoint(url, (NEW,)), BODY)
    assert names.asked == [("xn--0.example.com", 443)] * 2


def test_an_endpoint_does_not_show_its_secrets(clock: TurnedClock):
    secret = make_secret(clock)
    endpoint = Endpoint("https://trick.example.com/mcp", (secret,))
    assert secret.text[6:] not in repr(endpoint)
    assert repr(secret.key) not in repr(endpoint)
    with pytest.raises(TypeError):
        pickle.dumps(endpoint)
    assert dataclasses.replace(endpoint, url="https://other.example.com/").secrets == (secret,)
