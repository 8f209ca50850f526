"""What becomes of the gateway's events about members, before discord.py has them."""

from collections.abc import AsyncGenerator, Callable, Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.app import Kennel
from cogs.members import Members
from storage.event_records import NewEvent
from tests.support.clock import TurnedClock

JOINED_AT = "2026-01-01T00:00:00.000000+00:00"
ADD, REMOVE, UPDATE = "GUILD_MEMBER_ADD", "GUILD_MEMBER_REMOVE", "GUILD_MEMBER_UPDATE"
READY = "READY"
Parser = Callable[[Mapping[str, Any]], None]


class Gateway:
    """discord.py's parsers, and what came of each event."""

    def __init__(self) -> None:
        self.clock = TurnedClock()
        self.events: list[NewEvent] = []
        self.screened: list[tuple[str, str]] = []
        self.passed_on: list[str] = []
        self.parsers: dict[str, Parser] = {
            event: self._parser(event) for event in (ADD, REMOVE, UPDATE, READY)
        }
        self.sessions = 0

    def begin(self) -> None:
        self.sessions += 1

    def _parser(self, event: str) -> Parser:
        def parse(_: Mapping[str, Any]) -> None:
            self.passed_on.append(event)

        return parse

    def record(self, event: NewEvent) -> None:
        assert len(self.passed_on) == len(self.events)  # noted before discord.py may drop it
        self.events.append(event)

    def pass_screening(self, guild_id: str, member_id: str) -> None:
        self.screened.append((guild_id, member_id))

    @property
    def bot(self) -> Kennel:
        """As much of a client as the cog needs."""
        services = SimpleNamespace(
            clock=self.clock,
            outbox=SimpleNamespace(record=self.record, begin=self.begin),
            posts=SimpleNamespace(screened=self.pass_screening),
        )
        connection = SimpleNamespace(parsers=self.parsers)
        return cast("Kennel", SimpleNamespace(services=services, _connection=connection))

    def tell(self, event: str, **changes: Any) -> None:
        """An event of member 9 in server 7, as the gateway tells it."""
        payload: dict[str, Any] = {"guild_id": "7", "user": {"id": "9", "username": "nina"}}
        if event != REMOVE:
            payload |= {"joined_at": JOINED_AT, "pending": False, "roles": []}
        self.parsers[event](payload | changes)


@pytest.fixture
async def gateway() -> AsyncGenerator[Gateway]:
    """With the cog before its parsers."""
    gateway = Gateway()
    cog = Members(gateway.bot)
    await cog.cog_load()
    yield gateway
    await cog.cog_unload()
    before = len(gateway.events)
    gateway.tell(ADD)
    assert len(gateway.events) == before


def test_a_join_is_noted_with_the_moment_that_tells_it_from_other_joins(gateway: Gateway) -> None:
    gateway.tell(ADD)
    gateway.tell(ADD)
    first, again = gateway.events
    assert (first.guild_id, first.member_id, first.type) == ("7", "9", "member.joined")
    assert first.occurrence == again.occurrence == f"j:9:{JOINED_AT}"
    assert first.occurred_at == gateway.clock.now_ms()
    assert first.event_id != again.event_id
    assert not first.screening
    assert gateway.passed_on == [ADD, ADD]


def test_a_member_who_still_has_to_pass_the_screening_is_noted_as_such(gateway: Gateway) -> None:
    gateway.tell(ADD, pending=True)
    assert gateway.events[0].screening


def test_a_guest_has_joined_at_no_moment_and_is_one_all_the_same(gateway: Gateway) -> None:
    gateway.tell(ADD, joined_at=None)
    gateway.tell(ADD, joined_at=None)
    first, second = gateway.events
    assert first.occurrence != second.occurrence


def test_a_leave_is_noted_under_an_occurrence_of_its_own(gateway: Gateway) -> None:
    gateway.tell(REMOVE)
    gateway.tell(REMOVE)
    first, second = gateway.events
    assert (first.guild_id, first.member_id, first.type) == ("7", "9", "member.left")
    assert first.occurrence.startswith("l:9:")
    assert first.occurrence != second.occurrence


@pytest.mark.parametrize("kind", ["bot", "system"])
def test_whoever_is_no_person_is_passed_over(gateway: Gateway, kind: str) -> None:
    gateway.tell(ADD, user={"id": "9", kind: True})
    gateway.tell(REMOVE, user={"id": "9", kind: True})
    assert gateway.events == []
    assert gateway.passed_on == [ADD, REMOVE]


def test_an_update_says_who_is_past_the_screening(gateway: Gateway) -> None:
    gateway.tell(UPDATE, pending=True)
    gateway.tell(UPDATE, pending=None)
    assert gateway.screened == []
    gateway.tell(UPDATE)
    assert gateway.screened == [("7", "9")]
    assert gateway.events == []
    assert gateway.passed_on == [UPDATE, UPDATE, UPDATE]


def test_what_cannot_be_read_is_logged_without_its_content_and_still_reaches_discord_py(
    gateway: Gateway, capsys: pytest.CaptureFixture[str]
) -> None:
    gateway.tell(ADD, user={"username": "nina the member"})
    gateway.tell(REMOVE, user=None)
    assert gateway.events == []
    assert gateway.passed_on == [ADD, REMOVE]
    told = capsys.readouterr().out
    assert "an event of the gateway was lost" in told
    assert "nina" not in told


def test_a_new_session_is_noted_for_what_was_before_it_is_not_told(gateway: Gateway) -> None:
    gateway.tell(READY)
    assert (gateway.sessions, gateway.passed_on) == (1, [READY])
