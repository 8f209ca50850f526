"""When a delivery is tried again: pure functions of what is known after an attempt."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

WAITS: Final = (5.0, 30.0, 120.0, 600.0, 3_600.0, 10_800.0, 21_600.0, 43_200.0)
"""Seconds before the second attempt, the third, and so on; the attempt after the last of them is the last one."""

SPREAD: Final = 0.2
"""By how much of it each wait is drawn longer or shorter."""

MAX_ASKED_MS: Final = 43_200_000
"""A trick that asks for more patience than twelve hours gets twelve."""

_SECONDS = re.compile(r"[0-9]+")
_ENOUGH_DIGITS = 9


def next_try(attempts: int, now_ms: int, factor: float, retry_after_ms: int | None) -> int | None:
    """When to try again after `attempts` failed attempts (at least one), in milliseconds; None for never.

    `factor` is the jitter, `retry_after_ms` how long the trick asked to be left alone; the later one wins.
    """
    if attempts > len(WAITS):
        return None
    wait = round(WAITS[attempts - 1] * 1000 * factor)
    return now_ms + max(wait, retry_after_ms or 0)


def retry_after(value: str | None, date: str | None, now: datetime) -> int | None:
    """The wait that the header `Retry-After` asks for, in milliseconds from 0 to twelve hours.

    `value` may be seconds or a date. A date is measured from the reply's own `Date`, if it has one, since the
    trick's clock may be off; else from `now`. None without the header, and for what is neither.
    """
    if value is None:
        return None
    text = value.strip()
    if _SECONDS.fullmatch(text):
        digits = text.lstrip("0") or "0"
        return MAX_ASKED_MS if len(digits) > _ENOUGH_DIGITS else min(int(digits) * 1000, MAX_ASKED_MS)
    until = _moment(text)
    if until is None:
        return None
    begun = _moment(date.strip()) if date is not None else None
    asked = round((until - (begun or now)).total_seconds() * 1000)
    return max(0, min(asked, MAX_ASKED_MS))


def _moment(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    except (ValueError, OverflowError):
        return None
