"""All that belongs to conversations, built once from what the command path has already."""

from __future__ import annotations

from dataclasses import dataclass

from bot.approvals.auto_review import AutoReview
from bot.approvals.consents import ConsentService
from bot.approvals.desk import ApprovalDesk
from bot.assistant.assistant import Assistant
from bot.assistant.calling import Calling
from bot.assistant.delivery import Delivery
from bot.assistant.narration import ModelNarrator
from bot.assistant.steering import Steering
from bot.assistant.threads import Threads
from bot.assistant.turn import Turn
from bot.clock import Clock
from bot.llm.absent import AbsentModel
from bot.llm.model import Model
from bot.llm.usage import Usage
from bot.mcp import McpClient
from bot.metrics import Metrics
from bot.policy.links import LinkRules
from bot.signing import SecretBox
from bot.speaker import Line
from bot.tasks.closing import Closing
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
from bot.tricks.catalogue import Catalogue
from bot.tricks.checks import Checks
from bot.tricks.guidance import Guidance
from bot.tricks.installed import InstalledReader
from bot.tricks.limits import Limiter
from bot.tricks.notices import OwnerNotices
from bot.tricks.once import Once
from bot.tricks.request_calls import RequestCalls
from storage import (
    approvals,
    calls,
    commands,
    consents,
    guilds,
    installations,
    looks,
    questions,
    requests,
    tasks,
    threads,
)
from storage.engine import Database


@dataclass(frozen=True, slots=True)
class Ground:
    """What conversations share with commands."""

    database: Database
    client: McpClient
    reader: InstalledReader
    box: SecretBox
    checks: Checks
    catalogue: Catalogue
    limiter: Limiter
    notices: OwnerNotices
    once: Once
    links: LinkRules
    line: Line
    metrics: Metrics
    clock: Clock


@dataclass(frozen=True, slots=True)
class Parts:
    """What the cogs call."""

    assistant: Assistant
    approvals: ApprovalDesk
    consents: ConsentService
    questions: QuestionDesk
    watch: QuestionWatch
    threads: Threads
    poller: Poller
    teller: Teller


class _Stores:
    """One of each store that conversations need."""

    def __init__(self, database: Database) -> None:
        self.requests = requests.Requests(database)
        self.tasks = tasks.Tasks(database)
        self.questions = questions.Questions(database)
        self.commands = commands.Commands(database)
        self.calls = calls.Calls(database)
        self.looks = looks.Looks(database)
        self.consents = consents.Consents(database)
        self.approvals = approvals.Approvals(database)
        self.installations = installations.Installations(database)
        self.threads = threads.Threads(database)
        self.guilds = guilds.Guilds(database)


@dataclass(frozen=True, slots=True)
class _Following:
    """What follows a task from its start to its end."""

    calls: RequestCalls
    ends: Ends
    polls: Polls
    rounds: Rounds


def build(ground: Ground, model: Model | None, member_hour: int, guild_day: int) -> Parts:
    """Without a model everything is there, and nothing can begin."""
    line, clock, stores = ground.line, ground.clock, _Stores(ground.database)
    talking = model or AbsentModel()
    following = _following(ground, stores)
    narrator = ModelNarrator(talking, stores.requests, ground.links)
    watch = QuestionWatch(stores.questions, clock)
    posts = QuestionPosts(
        stores.questions,
        stores.tasks,
        stores.requests,
        stores.commands,
        following.ends,
        narrator,
        watch,
        line,
        clock,
    )
    desk = ApprovalDesk(stores.approvals, stores.commands, ground.checks, line, clock)
    opened = Threads(stores.threads, stores.requests, line, clock)
    calling = Calling(
        ground.checks,
        following.calls,
        desk,
        Steering(stores.requests, stores.consents, line),
        AutoReview(talking, clock),
        Waiting(stores.tasks, following.polls, following.rounds, clock),
        opened,
    )
    assistant = Assistant(
        Turn(talking, stores.requests, Guidance(stores.guilds, clock), calling, line, ground.links, clock),
        stores.requests,
        ground.catalogue,
        desk,
        Closing(stores.tasks, stores.requests, line, clock),
        Usage(stores.requests, clock, member_hour, guild_day),
        ground.once,
        Delivery(line),
        line,
        clock,
        enabled=model is not None,
    )
    return Parts(
        assistant=assistant,
        approvals=desk,
        consents=ConsentService(stores.consents, stores.installations),
        questions=QuestionDesk(stores.questions, posts, narrator, clock),
        watch=watch,
        threads=opened,
        poller=Poller(stores.tasks, following.polls, following.rounds, clock),
        teller=Teller(stores.tasks, stores.requests, stores.calls, stores.commands, narrator, line, clock),
    )


def _following(ground: Ground, stores: _Stores) -> _Following:
    clock, limiter, box, reader = ground.clock, ground.limiter, ground.box, ground.reader
    ends, faults = Ends(stores.tasks, clock, ground.metrics), Faults(stores.calls, ground.notices, clock)
    request_calls = RequestCalls(
        ground.client,
        stores.calls,
        stores.looks,
        limiter,
        clock,
        ground.notices,
        box,
        stores.tasks,
        ground.metrics,
    )
    polls = Polls(
        ground.client,
        reader,
        box,
        stores.tasks,
        stores.questions,
        ends,
        faults,
        limiter,
        clock,
    )
    rounds = Rounds(
        request_calls,
        stores.commands,
        reader,
        box,
        stores.questions,
        stores.requests,
        ends,
        faults,
        limiter,
        clock,
    )
    return _Following(request_calls, ends, polls, rounds)
