"""One of several processes that all want the same requests and cards at once; prints as JSON what it got.

`python -m tests.storage.request_rivals URL NAME`: says `ready`, waits for a line, then tries.
"""

import asyncio
import json
import sys

from storage.approvals import Approvals
from storage.engine import Database
from storage.records import Claim
from storage.request_records import ApprovalStatus
from storage.requests import Requests
from tests.support.records import NOW
from tests.support.request_records import request
from tests.support.storing import FAR

COUNT = 30
_ENDS: dict[str, ApprovalStatus] = {"a": "approved", "b": "declined", "c": "cancelled"}


async def main(url: str, name: str) -> None:
    """Try to open, take and decide each of `COUNT` requests and cards, and to expire `COUNT` more."""
    database = await Database.open(url)
    requests, approvals = Requests(database), Approvals(database)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)
    won: dict[str, list[str]] = {"opened": [], "taken": [], "decided": [], "expired": [], "lapsed": []}
    for number in map(str, range(COUNT)):
        new = request(f"new-{number}-{name}", message_id=number, status="answered")
        if await requests.open(Claim(f"m:{number}", FAR), new, NOW):
            won["opened"].append(number)
        if await requests.take(f"take-{number}", NOW, FAR):
            won["taken"].append(f"take-{number}")
        if card := await approvals.decide(f"decide-{number}", _ENDS[name], NOW):
            won["decided"].append(card.id)
    while batch := await approvals.expire_due(NOW, 4):
        won["expired"] += [card.id for card in batch]
    while rows := await requests.take_lapsed(NOW, 4, FAR):
        won["lapsed"] += [row.id for row in rows]
    sys.stdout.write(json.dumps(won) + "\n")
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
