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
from bot.assistant.threads import Threads
from bot.assistant.turn import Turn
from bot.clock import Clock
from bot.llm.absent import AbsentModel
from bot.llm.model import Model
from bot.llm.usage import Usage
from bot.mcp import McpClient
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
from bot.tasks.rounds import Rounds
from bot.tasks.telling import Teller
from bot.tasks.waiting import Waiting
from bot.tasks.watch import QuestionWatch
from bot.tricks.catalogue import Catalogue
from bot.tricks.checks import Checks
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


def build(ground: Ground, model: Model | None, member_hour: int, guild_day: int) -> Parts:
    """Without a model everything is there, and nothing can begin."""
    database, line, clock = ground.database, ground.line, ground.clock
    request_store, task_store = requests.Requests(database), tasks.Tasks(database)
    question_store, command_store = questions.Questions(database), commands.Commands(database)
    call_store, consent_store = calls.Calls(database), consents.Consents(database)
    talking = model or AbsentModel()
    request_calls = RequestCalls(
        ground.client,
        call_store,
        looks.Looks(database),
        ground.limiter,
        clock,
        ground.notices,
        ground.box,
        task_store,
    )
    ends, faults = Ends(task_store, clock), Faults(call_store, ground.notices, clock)
    polls = Polls(
        ground.client,
        command_store,
        ground.reader,
        ground.box,
        task_store,
        question_store,
        ends,
        faults,
        ground.limiter,
        clock,
    )
    rounds = Rounds(
        request_calls,
        command_store,
        ground.reader,
        ground.box,
        question_store,
        request_store,
        ends,
        faults,
        ground.limiter,
        clock,
    )
    narrator = ModelNarrator(talking, request_store, ground.links)
    watch = QuestionWatch(question_store, clock)
    posts = QuestionPosts(
        question_store, task_store, request_store, command_store, ends, narrator, watch, line, clock
    )
    desk = ApprovalDesk(approvals.Approvals(database), command_store, ground.checks, line, clock)
    opened = Threads(threads.Threads(database), request_store, line, clock)
    calling = Calling(
        request_store,
        ground.checks,
        request_calls,
        desk,
        consent_store,
        AutoReview(talking, clock),
        Waiting(task_store, polls, rounds, clock),
        opened,
        line,
    )
    assistant = Assistant(
        Turn(talking, request_store, calling, line, ground.links, clock),
        request_store,
        ground.catalogue,
        desk,
        Closing(task_store, line, clock),
        Usage(request_store, clock, member_hour, guild_day),
        ground.once,
        Delivery(line),
        line,
        clock,
        enabled=model is not None,
    )
    return Parts(
        assistant=assistant,
        approvals=desk,
        consents=ConsentService(consent_store, installations.Installations(database)),
        questions=QuestionDesk(question_store, posts, narrator, clock),
        watch=watch,
        threads=opened,
        poller=Poller(task_store, polls, rounds, clock),
        teller=Teller(task_store, request_store, call_store, command_store, narrator, line, clock),
    )
