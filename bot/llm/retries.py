"""When a model request is made again: the endpoint is busy or was not reached, and there is time left."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt

from bot.clock import Clock

MAX_ATTEMPTS = 6
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0
SPREAD = 0.2
BUSY_STATUSES = frozenset({408, 409, 425, 429})
"""Besides every 5xx. 409 is how some endpoints say that something is locked for a moment."""

T = TypeVar("T")


class Busy(Exception):
    """This attempt may be repeated, after `pause` seconds if the endpoint said so. `str()` holds no data."""

    def __init__(self, kind: str, status: int | None = None, pause: float | None = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.status = status
        self.pause = pause


async def repeated(attempt: Callable[[], Awaitable[T]], clock: Clock, deadline: float) -> T:
    """The result of `attempt`, made again while it raises `Busy` and the next one can begin before `deadline`.

    `deadline` is on `clock.monotonic()`. Raises the last `Busy`, at once when the endpoint wants a longer
    pause than there is.
    """

    def pause(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, Busy) and error.pause is not None:
            return error.pause
        return min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (state.attempt_number - 1)) * clock.jitter(SPREAD)

    def too_late(state: RetryCallState) -> bool:
        return clock.monotonic() + state.upcoming_sleep >= deadline

    async for each in AsyncRetrying(
        sleep=clock.sleep,
        wait=pause,
        stop=lambda state: stop_after_attempt(MAX_ATTEMPTS)(state) or too_late(state),
        retry=retry_if_exception_type(Busy),
        reraise=True,
    ):
        with each:
            return await attempt()
    raise AssertionError("a retry ends with a result or an error")


def retry_after(value: str, now: datetime) -> float | None:
    """The seconds that a `Retry-After` asks for, as a number or an HTTP date (RFC 9110, 10.2.3), else None."""
    value = value.strip()
    if value.isascii() and value.replace(".", "", 1).isdigit():
        return float(value)
    try:
        then = parsedate_to_datetime(value)
    except ValueError:
        return None
    then = then if then.tzinfo is not None else then.replace(tzinfo=UTC)
    return max(0.0, (then - now).total_seconds())
