"""An endpoint that is busy, refuses, hangs or is not there."""

import asyncio
from email.utils import format_datetime

import pytest
from structlog.testing import capture_logs

from bot.errors import ModelRefused, ModelUnavailable
from bot.llm.retries import MAX_ATTEMPTS, Busy, repeated, retry_after
from tests.bot.llm.talking import HELLO, opened
from tests.support.clock import TurnedClock
from tests.support.model import KEY, ModelServer, hang, raw, say

SECRET = "words that nobody may log"


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
async def test_a_busy_endpoint_is_asked_again(model: ModelServer, status: int) -> None:
    model.script(raw(status, {"error": {"message": SECRET}}), raw(status), say("At last."))
    clock = TurnedClock()
    started = clock.monotonic()
    async with opened(model, clock) as talk:
        told = await talk.complete("", HELLO)
    assert told.message.text == "At last."
    assert clock.monotonic() - started == 0.5 + 1.0
    assert [asked.body for asked in model.asked[1:]] == [model.asked[0].body] * 2


@pytest.mark.parametrize("status", [301, 307, 400, 401, 402, 403, 404, 413, 422])
async def test_a_refusal_is_told_at_once_and_never_quoted(
    model: ModelServer, status: int, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    model.script(raw(status, {"error": {"message": SECRET}}, {"Location": "http://127.0.0.1:9/elsewhere"}))
    async with opened(model) as talk:
        with capture_logs() as logs, pytest.raises(ModelRefused) as caught:
            await talk.complete("", HELLO)
    assert len(model.asked) == 1
    (line,) = logs
    assert set(line) == {"event", "log_level", "kind", "status"}
    assert line["status"] == status
    said = str(logs)
    said += f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__context__!r} {caplog.text}"
    said += "".join(capfd.readouterr())
    assert SECRET not in said
    assert KEY not in said


async def test_an_account_without_money_is_not_asked_again(model: ModelServer) -> None:
    model.script(raw(429, {"error": {"message": "pay", "code": "insufficient_quota"}}))
    async with opened(model) as talk:
        with pytest.raises(ModelRefused):
            await talk.complete("", HELLO)


async def test_retry_after_is_waited_for_in_seconds_and_as_a_date(model: ModelServer) -> None:
    clock = TurnedClock()
    at = clock.now().replace(microsecond=0)
    date = format_datetime(at.replace(second=at.second + 20), usegmt=True)
    model.script(raw(429, b"", {"Retry-After": "7"}), raw(503, b"", {"Retry-After": date}), say("At last."))
    started = clock.monotonic()
    async with opened(model, clock) as talk:
        await talk.complete("", HELLO)
    assert clock.monotonic() - started == 20


async def test_a_pause_beyond_the_deadline_is_not_waited_for(model: ModelServer) -> None:
    clock = TurnedClock()
    started = clock.monotonic()
    model.script(raw(429, b"", {"Retry-After": "60"}))
    async with opened(model, clock) as talk:
        with pytest.raises(ModelUnavailable):
            await talk.complete("", HELLO, seconds=60)
    assert clock.monotonic() == started
    assert len(model.asked) == 1


async def test_an_endpoint_that_stays_busy_is_given_up(model: ModelServer) -> None:
    model.script(lambda _: raw(503))
    async with opened(model) as talk:
        with pytest.raises(ModelUnavailable) as caught:
            await talk.complete("", HELLO)
    assert len(model.asked) == MAX_ATTEMPTS
    assert caught.value.kind == "ModelUnavailable"


async def test_an_endpoint_that_hangs_is_given_up_at_the_deadline(model: ModelServer) -> None:
    model.script(hang())
    async with opened(model) as talk, asyncio.timeout(5):
        with pytest.raises(ModelUnavailable):
            await talk.complete("", HELLO, seconds=0.2)


async def test_a_caller_who_gives_up_is_let_go(model: ModelServer) -> None:
    model.script(hang(), say("Still here."))
    async with opened(model) as talk:
        asking = asyncio.create_task(talk.complete("", HELLO))
        await model.next()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert (await talk.complete("", HELLO)).message.text == "Still here."


async def test_an_endpoint_that_is_not_there_is_unavailable(model: ModelServer) -> None:
    clock = TurnedClock()
    started = clock.monotonic()
    async with opened(model, clock, base_url="http://127.0.0.1:9/v1") as talk:
        with pytest.raises(ModelUnavailable):
            await talk.complete("", HELLO)
    assert clock.monotonic() - started > 1


async def test_a_connection_that_breaks_is_made_again() -> None:
    accepted = 0

    async def slam(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal accepted
        accepted += 1
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(slam, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, opened(ModelServer(), base_url=f"http://127.0.0.1:{port}/v1") as talk:
        with pytest.raises(ModelUnavailable):
            await talk.complete("", HELLO)
    assert accepted == MAX_ATTEMPTS


async def test_proxies_and_keys_of_the_environment_are_left_alone(
    model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, SECRET)
    model.script(say("Hi."))
    async with opened(model, api_key=None) as talk:
        await talk.complete("", HELLO)
    assert SECRET not in str(model.asked[0].headers)


async def test_pauses_double_up_to_a_longest_one() -> None:
    clock = TurnedClock()
    began: list[float] = []
    started = clock.monotonic()

    async def attempt() -> None:
        began.append(clock.monotonic() - started)
        raise Busy("Test")

    with pytest.raises(Busy):
        await repeated(attempt, clock, started + 600)
    assert began == [0, 0.5, 1.5, 3.5, 7.5, 15.5]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        (" 1.5 ", 1.5),
        ("Thu, 01 Jan 2026 00:01:00 GMT", 60.0),
        ("Wed, 31 Dec 2025 00:00:00 GMT", 0.0),
        ("Thu Jan  1 00:00:05 2026", 5.0),
        ("-3", None),
        ("soon", None),
        ("", None),
        ("1.2.3", None),
        ("٣", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(value: str, seconds: float | None) -> None:
    assert retry_after(value, TurnedClock().now()) == seconds
