"""What a trick is told of an event, and what may be read of its answer."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.events.envelope import freeze, read_answer_body, shown, stored
from bot.manifest import load_manifest
from bot.policy.audiences import AccessRules
from bot.tricks.installed import Installed
from storage.event_records import Delivery
from tests.support.documentation import example, page
from tests.support.event_records import MEMBER
from tests.support.manifests import SNACK_CLUB
from tests.support.records import GUILD, installation

TOOLS = frozenset(["snack_menu"])


def delivery(**changes: Any) -> Delivery:
    fields: dict[str, Any] = {
        "seq": 1, "id": "e1-i1", "installation_id": "i1", "guild_id": GUILD, "member_id": MEMBER,
        "event_id": "e1", "type": "member.left", "occurrence": "l:1", "occurred_at": 1_767_225_600_005,
        "screening": False, "body": None, "status": "pending", "attempts": 1, "next_at": 0,
        "lease_until": 0, "failure": None, "failure_kind": None, "ended_at": None,
    }  # fmt: skip
    return Delivery(**fields | changes)


def installed(**settings: Any) -> Installed:
    read = load_manifest(json.dumps(SNACK_CLUB))
    return Installed(installation(), read, AccessRules({}, frozenset()), settings, ())


def test_the_envelope_is_small_json_of_exactly_what_is_promised() -> None:
    assert freeze(delivery(), installed(greeting="Grüße"), "700") == (
        '{"version":1,"id":"e1-i1","eventId":"e1","occurredAt":"2026-01-01T00:00:00.005Z",'
        f'"event":{{"type":"member.left","memberId":"{MEMBER}"}},'
        '"context":{"installationId":"i1","settings":{"greeting":"Grüße"},"channelId":"700"}}'
    )
    assert "channelId" not in freeze(delivery(), installed(), None)


@given(
    st.dictionaries(st.text(max_size=20), st.text() | st.booleans() | st.integers(), max_size=5),
    st.none() | st.just("700"),
    st.integers(0, 253_402_300_799_999),
)
def test_what_an_envelope_is_made_of_can_be_read_from_it(
    settings: dict[str, Any], channel_id: str | None, at: int
) -> None:
    told = installed()
    told = Installed(told.row, told.manifest, told.access, settings, ())
    envelope = json.loads(freeze(delivery(occurred_at=at), told, channel_id))
    assert envelope["context"]["settings"] == settings
    assert envelope["context"].get("channelId") == channel_id
    moment = datetime.fromisoformat(envelope["occurredAt"])
    assert (moment - datetime.fromtimestamp(0, moment.tzinfo)) // timedelta(milliseconds=1) == at


def test_the_documented_event_is_what_is_sent() -> None:
    documented: dict[str, Any] = json.loads(example(page("docs/tricks.md"), "event"))
    context = documented["context"]
    at = datetime.fromisoformat(documented["occurredAt"]).timestamp() * 1000
    row = delivery(
        id=documented["id"],
        event_id=documented["eventId"],
        installation_id=context["installationId"],
        member_id=documented["event"]["memberId"],
        type=documented["event"]["type"],
        occurred_at=round(at),
    )
    assert row.id == f"{row.event_id}-{row.installation_id}"
    sent = freeze(row, installed(**context["settings"]), context["channelId"])
    assert json.loads(sent) == documented


@pytest.mark.parametrize("at", [0, 999, 1_000, 4_102_444_799_999])
def test_times_have_milliseconds_and_are_utc(at: int) -> None:
    written = json.loads(freeze(delivery(occurred_at=at), installed(), None))["occurredAt"]
    assert written[-5] == "."
    assert written.endswith(f"{at % 1000:03d}Z")


@pytest.mark.parametrize("body", [b"", b" \n", b"{}", b'{"presentation":null}', b'{"other":1}'])
def test_an_answer_may_say_nothing(body: bytes) -> None:
    answer = read_answer_body(body)
    assert (answer.presentation, answer.problem) == (None, "")


@pytest.mark.parametrize(
    "body", [b"x", b"[]", b"1", b"null", b'{"presentation":[]}', b'{"presentation":"Hi"}', b"\xff\xfe"]
)
def test_what_cannot_be_used_has_a_reason_without_the_tricks_words(body: bytes) -> None:
    answer = read_answer_body(body)
    assert answer.presentation is None
    assert answer.problem
    assert "Hi" not in answer.problem


@given(st.binary())
def test_no_body_breaks_anything(body: bytes) -> None:
    read_answer_body(body)


def test_a_presentation_is_kept_without_what_none_has_and_read_again() -> None:
    raw = {"text": "Hi \u0000", "secret": "x", "actions": [{"id": "a", "label": "A", "tool": "snack_menu"}]}
    text = stored(read_answer_body(json.dumps({"presentation": raw}).encode()).presentation or {}, TOOLS)
    assert text is not None
    assert "secret" not in text
    assert "\0" not in text
    presentation, dropped = shown(text, TOOLS)
    assert (presentation.text, [each.tool for each in presentation.actions], dropped) == (
        "Hi ", ["snack_menu"], ()
    )  # fmt: skip
    assert shown(text, frozenset())[0].actions == ()


@pytest.mark.parametrize(
    "raw", [{}, {"text": ""}, {"text": 5}, {"actions": [{"id": "a", "label": "A", "tool": "other"}]}]
)
def test_one_that_shows_nothing_is_not_kept(raw: dict[str, Any]) -> None:
    assert stored(raw, TOOLS) is None
