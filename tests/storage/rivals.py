"""One of several processes that all try the same things at once; prints as JSON what it got.

`python -m tests.storage.rivals URL NAME`: says `ready`, waits for a line, then tries.
"""

import asyncio
import json
import sys

from storage.calls import Calls
from storage.drafts import Drafts
from storage.engine import Database
from storage.guilds import Guilds
from storage.looks import Looks
from storage.records import Claim
from tests.support.records import GUILD, NOW, OWNER, call
from tests.support.storing import FAR

COUNT = 40


async def main(url: str, name: str) -> None:
    """Try to get each of `COUNT` claims, drafts, servers and looks."""
    database = await Database.open(url)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)
    won: dict[str, list[str]] = {"calls": [], "drafts": [], "servers": [], "looks": []}
    for number in map(str, range(COUNT)):
        new = call(f"{number}-{name}", "i0")
        if await Calls(database).begin(Claim(number, FAR), new, NOW):
            won["calls"].append(number)
        if await Drafts(database).take(number, GUILD, OWNER, NOW):
            won["drafts"].append(number)
        if await Guilds(database).claim_sync(number, name, NOW, FAR):
            won["servers"].append(number)
    while rows := await Looks(database).due(NOW, 3, FAR):
        won["looks"] += [row.id for row in rows]
    sys.stdout.write(json.dumps(won) + "\n")
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
