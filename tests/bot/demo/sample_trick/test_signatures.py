"""Who is let in: signatures over exact bytes, their age, replays, rotation."""

import base64
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.sample_trick import serving
from tests.support.signed_client import OTHER_SECRET, SECRET, SignedClient, request, routing, sign

CHALLENGE = b'{"challenge":"abc"}'
UNKNOWN_SECRET = "whsec_" + base64.b64encode(b"a secret of somebody else").decode()
SLOW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


async def test_the_manifest_is_served_to_anybody(snack_club: SignedClient) -> None:
    response = await snack_club.http.get("/manifest.json")
    assert response.status_code == 200
    assert response.json()["id"] == "snack_club"


@pytest.mark.parametrize("path", ["/challenge", "/mcp", "/events"])
async def test_a_post_without_a_signature_is_refused(snack_club: SignedClient, path: str) -> None:
    assert (await snack_club.http.post(path, content=CHALLENGE)).status_code == 401


async def test_a_signed_challenge_is_echoed(snack_club: SignedClient) -> None:
    response = await snack_club.post("/challenge", CHALLENGE)
    assert (response.status_code, response.json()) == (200, {"challenge": "abc"})


async def test_a_body_changed_by_one_blank_is_refused(snack_club: SignedClient) -> None:
    headers = sign(CHALLENGE, "msg_1", SECRET)
    response = await snack_club.http.post("/challenge", content=CHALLENGE + b" ", headers=headers)
    assert response.status_code == 401


@pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp", "webhook-signature"])
async def test_a_changed_or_missing_header_is_refused(snack_club: SignedClient, name: str) -> None:
    headers = sign(CHALLENGE, "msg_1", SECRET)
    changed = {**headers, name: headers[name].replace("1", "2") + "2"}
    missing = {key: value for key, value in headers.items() if key != name}
    for given_headers in (changed, missing):
        response = await snack_club.http.post("/challenge", content=CHALLENGE, headers=given_headers)
        assert response.status_code == 401


@pytest.mark.parametrize(("age", "status"), [(290, 200), (310, 401), (-290, 200), (-310, 401)])
async def test_a_signature_holds_five_minutes_either_way(
    snack_club: SignedClient, age: float, status: int
) -> None:
    assert (await snack_club.post("/challenge", CHALLENGE, age=age)).status_code == status


async def test_a_challenge_and_an_mcp_request_are_taken_once(snack_club: SignedClient) -> None:
    message = request("tools/list")
    posts: list[tuple[str, bytes, dict[str, str]]] = [
        ("/challenge", CHALLENGE, {}),
        ("/mcp", json.dumps(message).encode(), routing(message)),
    ]
    for path, body, headers in posts:
        once = headers | {"webhook-id": f"msg{path}"}
        assert (await snack_club.post(path, body, once)).status_code == 200
        assert (await snack_club.post(path, body, once)).status_code == 409


async def test_a_refused_request_does_not_use_up_its_id(snack_club: SignedClient) -> None:
    stranger = SignedClient(str(snack_club.http.base_url), UNKNOWN_SECRET)
    once = {"webhook-id": "msg_1"}
    assert (await stranger.post("/challenge", CHALLENGE, once)).status_code == 401
    assert (await snack_club.post("/challenge", CHALLENGE, once)).status_code == 200
    await stranger.http.aclose()


async def test_either_secret_is_accepted_during_rotation() -> None:
    trusted = [SECRET, OTHER_SECRET]
    async with serving(trusted) as base:
        for secrets in ([SECRET], [OTHER_SECRET], [OTHER_SECRET, SECRET], [UNKNOWN_SECRET, SECRET]):
            async with SignedClient(base, *secrets) as client:
                assert (await client.post("/challenge", CHALLENGE)).status_code == 200
        async with SignedClient(base, UNKNOWN_SECRET) as client:
            assert (await client.post("/challenge", CHALLENGE)).status_code == 401
        trusted.remove(SECRET)
        async with SignedClient(base, SECRET) as client:
            assert (await client.post("/challenge", CHALLENGE)).status_code == 401


@SLOW
@given(
    signature=st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=80),
    stamp=st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=30),
    body=st.binary(max_size=60),
)
async def test_garbage_for_a_signature_is_a_plain_refusal(
    snack_club: SignedClient, signature: str, stamp: str, body: bytes
) -> None:
    for given_stamp in (stamp, sign(b"", "x", SECRET)["webhook-timestamp"]):
        headers = {"webhook-id": "x", "webhook-timestamp": given_stamp, "webhook-signature": signature}
        assert (await snack_club.http.post("/mcp", content=body, headers=headers)).status_code == 401


async def test_a_body_that_is_not_compressed_as_it_says_is_no_server_error(snack_club: SignedClient) -> None:
    response = await snack_club.post("/challenge", CHALLENGE, {"Content-Encoding": "gzip"})
    assert 400 <= response.status_code < 500
