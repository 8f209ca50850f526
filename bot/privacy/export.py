"""A member's data as JSON files, each small enough for Discord."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Any

from bot.strict_json import Json
from storage.member_data import MemberRow

MAX_FILE = 8_000_000
"""Bytes of one file; Discord takes 10 MiB."""
LEFT_OUT = (
    "Secrets, and the keys inside buttons.",
    "Texts of other people that a request has read, such as the message you replied to.",
    "What a trick said in an error, its instructions and its settings: these are the server owner's.",
    "What stands in Discord itself, and what a trick keeps on its own server.",
)
_NAMES = {
    "approvals": "cards",
    "deliveries": "events",
    "installations": "registered_tricks",
    "audit": "audit_trail",
}
_TIMES = frozenset({"at"})
_JSON = frozenset({"arguments", "result", "schema", "draft", "answer", "presentation"})

Rows = AsyncIterator[tuple[str, Sequence[MemberRow]]]


async def json_files(
    rows: Rows, member_id: str, now: datetime, most: int = MAX_FILE
) -> AsyncGenerator[bytes]:
    """The rows as files of about `most` bytes, at least one; each is a whole JSON document."""
    kept: dict[str, list[Json]] = {}
    size = number = 0
    async for table, some in rows:
        for row in some:
            readable = {name: _readable(name, value) for name, value in row.items()}
            length = len(_dump(readable))
            if size and size + length > most:
                number += 1
                yield _file(kept, member_id, now, number)
                kept, size = {}, 0
            kept.setdefault(_NAMES.get(table, table), []).append(readable)
            size += length
    if size or not number:
        yield _file(kept, member_id, now, number + 1)


def _file(kept: dict[str, list[Json]], member_id: str, now: datetime, number: int) -> bytes:
    return _dump(
        {
            "about": "What Kennel keeps about one member of Discord, in all servers.",
            "member_id": member_id,
            "exported_at": _time(now),
            "file": number,
            "left_out": list(LEFT_OUT),
            "data": kept,
        }
    )


def _dump(value: object) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode()


def _readable(name: str, value: Any) -> Json:
    """Times as text, and JSON as what it says; a number that is too large to be read stays text."""
    if value is None:
        return None
    if name in _TIMES or name.endswith("_at"):
        return _time(datetime.fromtimestamp(value / 1000, UTC))
    if name in _JSON:
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _time(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
