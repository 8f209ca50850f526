"""A member's data as JSON files, each small enough for Discord."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
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
    """The rows as files of about `most` bytes, at least one; each is a whole JSON document, a row to a line.

    They are written beside the event loop: a result is somebody else's, and may be a million numbers.
    """
    kept: dict[str, list[bytes]] = {}
    size = number = 0
    async for table, some in rows:
        for row in some:
            line = await asyncio.to_thread(_line, row)
            if size and size + len(line) > most:
                number += 1
                yield _file(kept, member_id, now, number)
                kept, size = {}, 0
            kept.setdefault(_NAMES.get(table, table), []).append(line)
            size += len(line)
    if size or not number:
        yield _file(kept, member_id, now, number + 1)


def _file(kept: Mapping[str, Sequence[bytes]], member_id: str, now: datetime, number: int) -> bytes:
    about = {
        "about": "What Kennel keeps about one member of Discord, in all servers.",
        "member_id": member_id,
        "exported_at": _time(now),
        "file": number,
        "left_out": list(LEFT_OUT),
    }
    head = json.dumps(about, indent=2, ensure_ascii=False).encode().removesuffix(b"\n}")
    tables = [b'    "%s": [\n%s\n    ]' % (name.encode(), b",\n".join(lines)) for name, lines in kept.items()]
    data = b"\n%s\n  " % b",\n".join(tables) if tables else b""
    return b'%s,\n  "data": {%s}\n}' % (head, data)


def _line(row: MemberRow) -> bytes:
    readable = {name: _readable(name, value) for name, value in row.items()}
    return b"      " + json.dumps(readable, ensure_ascii=False).encode()


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
