"""Tasks of a scripted trick, followed by the real services on a real database, told to nobody's Discord."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import pytest_asyncio

from bot.clock import Clock
from bot.mcp import CallToolResult, McpClient
from bot.policy.audiences import Asker, Place
from bot.signing import SecretBox
from bot.signing.secrets import new_key
from bot.speaker import Line
from bot.strict_json import Json
from bot.tasks.ends import Ends
from bot.tasks.faults import Faults
from bot.tasks.poller import Poller
from bot.tasks.polls import Polls
from bot.tasks.question_desk import QuestionDesk
from bot.tasks.question_posts import QuestionPosts
from bot.tasks.question_watch import QuestionWatch
from bot.tasks.rounds import Rounds
from bot.tasks.telling import Teller
from bot.tasks.waiting import Waiting
from bot.transport import SignedSender
from bot.tricks.checks import Ready
from bot.tricks.installed import InstalledReader
from bot.tricks.limits import Limiter
from bot.tricks.notices import OwnerNotices
from bot.tricks.request_calls import RequestCall, RequestCalls, TaskStarted
from storage import calls, commands, installations, looks, questions, requests, tasks
from storage.engine import Database
from storage.request_records import QuestionRow, Request, TaskRow
from tests.support.clock import TurnedClock
from tests.support.mcp import SECRET, open_transport
from tests.support.narrator import ScriptedNarrator
from tests.support.records import NOW, OWNER, installation, pin
from tests.support.request_records import ASKER, CHANNEL, asked, request
from tests.support.speaker import HeardSpeaker
from tests.support.trick import MakeTrick, TrickServer

INSTALLATION = "i1"


@dataclass
class Notices(OwnerNotices):
    """Keeps what the owner would be told."""

    told: list[str] = field(default_factory=list[str])

    def tell(self, guild_id: str, text: str) -> None:
        self.told.append(text)


class Following:
    """The services of one process that follow tasks."""

    def __init__(
        self,
        database: Database,
        client: McpClient,
        box: SecretBox,
        clock: Clock,
        speaker: HeardSpeaker,
        narrator: ScriptedNarrator,
        notices: Notices,
    ) -> None:
        self.tasks, self.questions = tasks.Tasks(database), questions.Questions(database)
        self.calls, self.requests = calls.Calls(database), requests.Requests(database)
        self.commands, self.limiter = commands.Commands(database), Limiter(clock)
        self.reader, self.line = InstalledReader(box), Line()
        self.line.attach(speaker)
        self.request_calls = RequestCalls(
            client, self.calls, looks.Looks(database), self.limiter, clock, notices, box, self.tasks
        )
        self.ends, self.faults = Ends(self.tasks, clock), Faults(self.calls, notices, clock)
        self.polls = Polls(
            client,
            self.reader,
            box,
            self.tasks,
            self.questions,
            self.ends,
            self.faults,
            self.limiter,
            clock,
        )
        self.rounds = Rounds(
            self.request_calls,
            self.commands,
            self.reader,
            box,
            self.questions,
            self.requests,
            self.ends,
            self.faults,
            self.limiter,
            clock,
        )
        self.watch = QuestionWatch(self.questions, clock)
        self.posts = QuestionPosts(
            self.questions,
            self.tasks,
            self.requests,
            self.commands,
            self.ends,
            narrator,
            self.watch,
            self.line,
            clock,
        )
        self.poller = Poller(self.tasks, self.polls, self.rounds, clock)
        self.waiting = Waiting(self.tasks, self.polls, self.rounds, clock)
        self.desk = QuestionDesk(self.questions, self.posts, narrator, clock)
        self.teller = Teller(self.tasks, self.requests, self.calls, self.commands, narrator, self.line, clock)


class TaskWorld:
    """One member's request to one installed trick. Time stands still until it is turned."""

    def __init__(
        self, url: str, database: Database, trick: TrickServer, client: McpClient, clock: TurnedClock
    ) -> None:
        self.url, self.database, self.trick, self.clock = url, database, trick, clock
        self.speaker, self.narrator, self.notices = HeardSpeaker(), ScriptedNarrator(), Notices()
        self._client = client
        self.box = SecretBox([new_key()])
        self.here = self.process(database)

    def process(self, database: Database) -> Following:
        """The services of one more process."""
        return Following(
            database, self._client, self.box, self.clock, self.speaker, self.narrator, self.notices
        )

    async def install(self) -> None:
        """Enable the trick, with its tools' definitions pinned, and open the request `r1`."""
        row = installation(
            INSTALLATION,
            manifest=json.dumps(self.trick.manifest()),
            secret=self.box.seal(INSTALLATION, SECRET.text),
        )
        store = installations.Installations(self.database)
        await store.add(row, ())
        pins = [
            pin(
                tool.name,
                INSTALLATION,
                title=tool.title,
                input_schema=json.dumps(tool.schema),
                read_only=tool.read_only,
                user_request=tool.user_request,
            )
            for tool in self.trick.tools
        ]
        await store.enable_first(INSTALLATION, pins, NOW, OWNER)
        await asked(self.database, request())

    async def start(
        self, tool: str = "save_snack", arguments: dict[str, Json] | None = None, **place: Any
    ) -> TaskRow:
        """Call a tool that answers with a task or a question, and leave it to the poller from now on."""
        view = await self.here.commands.find_tool(INSTALLATION, tool)
        assert view is not None
        assert view.pin is not None
        installed = self.here.reader.read(view.installation, self.clock.now_ms())
        ready = Ready(installed, view.pin, json.loads(view.pin.input_schema))
        asker = Asker(ASKER, view.installation.guild_id, False, True, frozenset())
        found = await self.here.requests.get("r1")
        assert isinstance(found, Request)
        call = RequestCall(self.clock.new_id(), found, asker, Place(place.get("channel_id", CHANNEL)))
        if arguments is None:
            arguments = {"snack": "fruit"} if tool == "save_snack" else {}
        started = await self.here.request_calls.run(ready, arguments, call)
        assert not isinstance(started, CallToolResult), "the trick answered at once"
        assert isinstance(started, TaskStarted)
        return started.row

    async def round(self, seconds: float = 10.0) -> None:
        """Let `seconds` pass, then do once all that the background does."""
        self.clock.advance(seconds)
        await self.here.poller.poll_due()
        await self.tell()

    async def tell(self) -> None:
        """Post, fold and tell what there is."""
        await self.here.desk.post_due()
        await self.here.desk.fold_due()
        await self.here.teller.tell_due()

    async def row(self, task: TaskRow) -> TaskRow:
        """The task as it is stored now."""
        found = await self.here.tasks.get(task.id)
        assert found is not None
        return found

    async def question(self, task: TaskRow, at: int = 0) -> QuestionRow:
        """One of the task's questions."""
        return (await self.here.questions.of_task(task.id))[at]

    async def failures(self) -> int:
        """How many faults in a row the installation has."""
        found = await installations.Installations(self.database).get(INSTALLATION)
        assert found is not None
        return found.failures

    async def state(self) -> str:
        """The installation's state."""
        found = await installations.Installations(self.database).get(INSTALLATION)
        assert found is not None
        return found.state


@pytest_asyncio.fixture
async def tasks_world(
    database_url: str, database: Database, make_trick: MakeTrick
) -> AsyncIterator[TaskWorld]:
    """A world of tasks on either database."""
    clock = TurnedClock()
    trick = await make_trick(clock=clock)
    trick.tools = [replace(tool, user_request=tool.name == "save_snack") for tool in trick.tools]
    trick.trust(SECRET.text)
    async with AsyncExitStack() as stack:
        transport = await stack.enter_async_context(open_transport(trick.host_port))
        client = McpClient(SignedSender(transport, clock), clock, "1.2.3")
        world = TaskWorld(database_url, database, trick, client, clock)
        await world.install()
        yield world
