"""A conversation's calls of a scripted trick: the real client, a real database, and one request."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio
from sqlalchemy import select

from bot.mcp import CallToolResult, McpClient, UserRequest
from bot.policy.audiences import Asker, Place
from bot.signing import SecretBox
from bot.signing.secrets import new_key
from bot.strict_json import Json
from bot.transport import SignedSender
from bot.tricks.checks import Checks, Ready
from bot.tricks.installed import InstalledReader
from bot.tricks.limits import Limiter
from bot.tricks.notices import OwnerNotices
from bot.tricks.request_calls import RequestCall, RequestCalls, TaskStarted
from storage import tables
from storage.actions import Actions
from storage.calls import Calls
from storage.commands import Commands
from storage.engine import Database
from storage.installations import Installations
from storage.looks import Looks
from storage.request_records import TaskRow
from storage.tasks import Tasks
from tests.support.clock import TurnedClock
from tests.support.mcp import SECRET, open_transport
from tests.support.records import GUILD, NOW, OWNER, installation, pin
from tests.support.request_records import ASKER, CHANNEL, asked, request
from tests.support.trick import MakeTrick, TrickServer

FRUIT: dict[str, Json] = {"snack": "fruit"}
MEMBER = Asker(ASKER, GUILD, is_owner=False, manage_server=True, role_ids=frozenset())
HERE = Place(CHANNEL)


class KeptNotices(OwnerNotices):
    """Keeps what the owner would be told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def tell(self, guild_id: str, text: str) -> None:
        self.told.append(text)


class Conversing:
    """The request `r1` and an installed trick. Time stands still until it is turned."""

    def __init__(self, database: Database, trick: TrickServer, client: McpClient, clock: TurnedClock) -> None:
        self.database, self.trick, self.clock = database, trick, clock
        self.box, self.notices, self.limiter = SecretBox([new_key()]), KeptNotices(), Limiter(clock)
        self.store, self.tasks = Calls(database), Tasks(database)
        reader, looks = InstalledReader(self.box), Looks(database)
        self.checks = Checks(Commands(database), Actions(database), reader, clock, 30)
        self.calls = RequestCalls(
            client, self.store, looks, self.limiter, clock, self.notices, self.box, self.tasks
        )

    async def install(self, *unpinned: str, access: str = "{}") -> None:
        """Enable the trick with its tools' definitions pinned, and open the request."""
        sealed = self.box.seal("i1", SECRET.text)
        store = Installations(self.database)
        manifest = json.dumps(self.trick.manifest())
        await store.add(installation(manifest=manifest, secret=sealed, access=access), ())
        pins = [
            pin(
                tool.name,
                title=tool.title,
                input_schema=json.dumps(tool.schema),
                read_only=tool.read_only,
                definition_hash=f"hash-{tool.name}",
            )
            for tool in self.trick.tools
            if tool.name not in unpinned
        ]
        await store.enable_first("i1", pins, NOW, OWNER)
        await asked(self.database, request())

    async def ready(self, tool: str = "save_snack", asker: Asker = MEMBER, place: Place = HERE) -> Ready:
        """The tool as the asker may use it."""
        return await self.checks.tool("i1", tool, asker, place)

    async def run(
        self,
        tool: str = "save_snack",
        arguments: dict[str, Json] = FRUIT,
        call_id: str = "c1",
        user_request: UserRequest | None = None,
    ) -> CallToolResult | TaskStarted:
        """Call a tool for the request."""
        call = RequestCall(call_id, request(), MEMBER, HERE, user_request)
        return await self.calls.run(await self.ready(tool), arguments if tool == "save_snack" else {}, call)

    async def started(self, tool: str = "save_snack") -> TaskRow:
        """Call a tool that does not answer with a result."""
        started = await self.run(tool)
        assert isinstance(started, TaskStarted)
        return started.row

    async def resend(self, row: TaskRow, **answers: Json) -> CallToolResult | TaskStarted:
        """Send a call again, each of the trick's keys of the first round being answered."""
        responses = {f"1:{key}": answer for key, answer in answers.items()}
        return await self.calls.resend(await self.ready(row.tool), row, responses)

    async def stored(self, call_id: str = "c1") -> dict[str, Any]:
        """The call's row."""
        calls = tables.calls
        row = await self.database.first(select(calls).where(calls.c.id == call_id))
        return dict(zip(calls.c.keys(), row or (), strict=True))

    async def row(self, call_id: str = "c1") -> TaskRow:
        """The task as it is stored."""
        found = await self.tasks.get(call_id)
        assert found is not None
        return found

    async def standing(self) -> tuple[str, int]:
        """The installation's state and its faults in a row."""
        found = await Installations(self.database).get("i1")
        assert found is not None
        return found.state, found.failures


@pytest_asyncio.fixture
async def conversing(sqlite_url: str, make_trick: MakeTrick) -> AsyncIterator[Conversing]:
    """A trick, nothing installed yet."""
    clock = TurnedClock()
    trick = await make_trick(clock=clock)
    trick.trust(SECRET.text)
    database = await Database.open(sqlite_url)
    try:
        async with open_transport(trick.host_port) as transport:
            client = McpClient(SignedSender(transport, clock), clock, "1.2.3")
            yield Conversing(database, trick, client, clock)
    finally:
        await database.close()
