import base64
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook

from bot.signing import Secret, sign, verify

OLD, NEW, STRANGE = Secret(b"o" * 32), Secret(b"n" * 32), Secret(b"s" * 32)
NOW = datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)
BODY = '{"name":"Zoë 🐶"}'.encode()


def test_the_signature_is_the_one_of_the_specification():
    headers = sign(BODY, [NEW], "msg1", NOW)
    mac = hmac.digest(NEW.key, b"msg1.1767323045." + BODY, "sha256")
    assert headers == {
        "webhook-id": "msg1",
        "webhook-timestamp": "1767323045",
        "webhook-signature": "v1," + base64.b64encode(mac).decode(),
    }


def test_the_reference_library_accepts_it():
    now = datetime.now(UTC)
    Webhook(NEW.text).verify(BODY, sign(BODY, [NEW], "msg1", now))


def test_a_time_in_another_zone_signs_the_same_instant():
    elsewhere = NOW.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert sign(BODY, [NEW], "msg1", elsewhere) == sign(BODY, [NEW], "msg1", NOW)


def test_during_a_rotation_both_signatures_stand_there_newest_first_with_one_space():
    both = sign(BODY, [NEW, OLD], "msg1", NOW)["webhook-signature"]
    alone = [sign(BODY, [secret], "msg1", NOW)["webhook-signature"] for secret in (NEW, OLD)]
    assert both == " ".join(alone)
    for secret in (NEW, OLD):
        Webhook(secret.text).verify(BODY, sign(BODY, [NEW, OLD], "msg1", datetime.now(UTC)))


@pytest.mark.parametrize(
    ("secrets", "webhook_id", "at"),
    [
        ([], "msg1", NOW),
        ([NEW], "msg1", NOW.replace(tzinfo=None)),
        ([NEW], "", NOW),
        ([NEW], "a.b", NOW),
        ([NEW], "a\r\nx: y", NOW),
        ([NEW], "ä", NOW),
        ([NEW], "a" * 257, NOW),
    ],
)
def test_what_could_be_read_in_two_ways_is_not_signed(secrets: list[Secret], webhook_id: str, at: datetime):
    with pytest.raises(ValueError):
        sign(BODY, secrets, webhook_id, at)


@given(
    st.text(st.characters(codec="utf-8")).map(str.encode),
    st.integers(0, 4_000_000_000_000),
    st.lists(st.binary(min_size=32, max_size=32).map(Secret), min_size=1, max_size=3),
)
def test_what_was_signed_verifies_with_each_of_its_secrets(body: bytes, at_ms: int, secrets: list[Secret]):
    at = datetime.fromtimestamp(at_ms / 1000, UTC)
    headers = sign(body, secrets, "0" * 32, at)
    assert all(verify(body, headers, [secret], at) for secret in secrets)
    assert STRANGE in secrets or not verify(body, headers, [STRANGE], at)
    assert not verify(body + b" ", headers, secrets, at)


@pytest.mark.parametrize("seconds", [-299, -1, 0, 1, 299])
def test_five_minutes_either_way_are_accepted(seconds: int):
    assert verify(BODY, sign(BODY, [NEW], "msg1", NOW), [NEW], NOW + timedelta(seconds=seconds))


@pytest.mark.parametrize("seconds", [-3600, -301, 301, 86_400])
def test_an_older_or_younger_signature_is_refused(seconds: int):
    assert not verify(BODY, sign(BODY, [NEW], "msg1", NOW), [NEW], NOW + timedelta(seconds=seconds))


def test_header_names_are_read_in_any_case():
    headers = {name.title(): value for name, value in sign(BODY, [NEW], "msg1", NOW).items()}
    assert verify(BODY, headers, [NEW], NOW)


SIGNED = sign(BODY, [NEW], "msg1", NOW)


@pytest.mark.parametrize(
    "change",
    [
        {"webhook-id": ""},
        {"webhook-id": "msg2"},
        {"webhook-id": "msg1.1"},
        {"webhook-timestamp": ""},
        {"webhook-timestamp": "1767323045.0"},
        {"webhook-timestamp": "01767323045"},
        {"webhook-timestamp": "+1767323045"},
        {"webhook-timestamp": "١٧٦٧٣٢٣٠٤٥"},
        {"webhook-timestamp": "1767323046"},
        {"webhook-timestamp": "NaN"},
        {"webhook-timestamp": "9" * 5_000},
        {"webhook-signature": ""},
        {"webhook-signature": "v1"},
        {"webhook-signature": "v1,"},
        {"webhook-signature": SIGNED["webhook-signature"].removesuffix("=")},
        {"webhook-signature": SIGNED["webhook-signature"].replace("v1,", "v2,")},
        {"webhook-signature": SIGNED["webhook-signature"].replace("v1,", "")},
        {"webhook-signature": SIGNED["webhook-signature"] + " "},
        {"webhook-signature": "x  " + SIGNED["webhook-signature"]},
        {"webhook-signature": "v1,ä"},
    ],
)
def test_a_malformed_header_is_a_refusal(change: Mapping[str, str]):
    assert verify(BODY, SIGNED, [NEW], NOW)
    assert not verify(BODY, {**SIGNED, **change}, [NEW], NOW)


@pytest.mark.parametrize("name", sorted(SIGNED))
def test_a_missing_header_is_a_refusal(name: str):
    assert not verify(BODY, {k: v for k, v in SIGNED.items() if k != name}, [NEW], NOW)


@given(st.binary(), st.dictionaries(st.sampled_from(sorted(SIGNED)), st.text()))
def test_no_input_makes_verifying_raise(body: bytes, headers: dict[str, str]):
    assert not verify(body, headers, [NEW], NOW)
    assert not verify(b"\xff" + body, {**SIGNED, **headers}, [NEW], NOW)
