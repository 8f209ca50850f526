"""Several processes on one database: nothing is done twice, nothing is left out."""

import asyncio
import json
import sys
from pathlib import Path

from sqlalchemy import func, select

from storage import tables
from storage.drafts import Drafts
from storage.engine import Database
from storage.looks import Looks
from tests.storage.rivals import COUNT
from tests.support.records import draft, installation
from tests.support.storing import enabled

ROOT = Path(__file__).parents[2]


async def rival(program: str, url: str, name: str) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", program, url, name, cwd=ROOT, stdin=pipe, stdout=pipe
    )


async def race(url: str, program: str = "tests.storage.rivals") -> list[dict[str, list[str]]]:
    """Start three processes of `program`, let them go together, and give back what each got."""
    rivals = [await rival(program, url, name) for name in ("a", "b", "c")]
    for process in rivals:
        assert process.stdout is not None
        assert await asyncio.wait_for(process.stdout.readline(), 60) == b"ready\n"
    ends = await asyncio.wait_for(asyncio.gather(*(p.communicate(b"go\n") for p in rivals)), 120)
    assert [process.returncode for process in rivals] == [0, 0, 0]
    return [json.loads(out) for out, _ in ends]


async def test_three_processes_share_the_work_without_doing_anything_twice(
    database: Database, database_url: str
) -> None:
    for number in map(str, range(COUNT)):
        await enabled(database, installation(f"i{number}", guild_id=number))
        await Looks(database).schedule(f"i{number}", 0)
        await Drafts(database).add(draft(number))
    won = await race(database_url)
    for kind, expected in (
        ("calls", set(map(str, range(COUNT)))),
        ("drafts", set(map(str, range(COUNT)))),
        ("servers", set(map(str, range(COUNT)))),
        ("looks", {f"i{number}" for number in range(COUNT)}),
    ):
        taken = [one for share in won for one in share[kind]]
        assert len(taken) == len(set(taken)), kind
        assert set(taken) == expected, kind
    stored = await database.all(select(func.count()).select_from(tables.calls))
    assert stored[0][0] == COUNT
