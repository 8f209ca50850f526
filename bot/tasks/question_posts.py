"""The messages of questions: posted once, and made to look closed when they are."""

import asyncio

from bot.clock import Clock
from bot.errors import TaskFailed, is_expected
from bot.log import logger
from bot.outbound import Reply
from bot.speaker import Line, addressed, nonce, where_of
from bot.tasks.ends import Ends
from bot.tasks.narrator import Narrator
from bot.tasks.question_messages import closed_message, open_message
from bot.tasks.question_rows import question_of
from bot.tasks.question_watch import QuestionWatch
from bot.tasks.questions import Question
from bot.tasks.telling import GIVEN_UP_MS, LEASE_MS
from storage.commands import Commands
from storage.questions import Questions
from storage.request_records import QuestionRow, TaskRow
from storage.requests import Requests
from storage.tasks import Tasks

BATCH = 10
_log = logger(__name__)


class QuestionPosts:
    """Posts questions in the bot's words, and folds those that were decided."""

    def __init__(
        self,
        questions: Questions,
        tasks: Tasks,
        requests: Requests,
        commands: Commands,
        ends: Ends,
        narrator: Narrator,
        watch: QuestionWatch,
        line: Line,
        clock: Clock,
    ) -> None:
        self._questions = questions
        self._tasks = tasks
        self._requests = requests
        self._commands = commands
        self._ends = ends
        self._narrator = narrator
        self._watch = watch
        self._line = line
        self._clock = clock

    async def post_due(self) -> int:
        """Post up to a batch of new questions; gives back how many there were.

        What fails is tried again once its lease has lapsed. Raises `Restarting` before anything can speak.
        """
        _ = self._line.speaker
        now = self._clock.now_ms()
        rows = await self._questions.to_post(now, BATCH, now + LEASE_MS)
        await asyncio.gather(*(self._post(row) for row in rows))
        return len(rows)

    async def fold_due(self) -> int:
        """Take the buttons from up to a batch of questions that are open no more; gives back how many."""
        _ = self._line.speaker
        rows = await self._questions.to_fold(BATCH)
        for row in rows:
            await self._show_closed(row)
        if rows:
            await self._questions.folded([row.id for row in rows])
        return len(rows)

    async def fold(self, row: QuestionRow) -> None:
        """Take the buttons from this question, which was decided just now."""
        await self._show_closed(row)
        await self._questions.folded([row.id])

    def closed(self, row: QuestionRow) -> Reply:
        """How the question's message looks once it is decided."""
        try:
            question = question_of(row)
        except TaskFailed:
            question = None
        return closed_message(row, question)

    async def _show_closed(self, row: QuestionRow) -> None:
        """A message that is gone, or that Discord lets nobody edit, stays as it is."""
        if row.question_id is not None:
            await self._line.speaker.edit(row.channel_id, row.question_id, self.closed(row))

    async def _post(self, row: QuestionRow) -> None:
        try:
            await self._post_or_raise(row)
        except Exception as error:  # noqa: BLE001 - the boundary: one question must not hold up the others
            log = _log.warning if is_expected(error) else _log.exception
            log("a question could not be posted", call_id=row.task_id, failure=type(error).__name__)

    async def _post_or_raise(self, row: QuestionRow) -> None:
        now = self._clock.now_ms()
        request = await self._requests.get(row.request_id)
        task = await self._tasks.get(row.task_id)
        if request is None or task is None or row.message is None:
            await self._questions.settle(row.id, "declined", None, now)
            return
        try:
            question = question_of(row)
        except TaskFailed as failure:
            await self._ends.failed(task, failure)
            return
        again = row.words is not None
        words = row.words or await self._words(row, task, question)
        where = where_of(request, task.channel_id, notify=True)
        reply = open_message(row, question, addressed(words, where))
        posted = await self._line.say_once(where, reply, nonce(row.id, 0), again=again)
        if posted is not None:
            await self._questions.posted(row.id, words, posted)
            self._watch.add(row.channel_id, row.asker_id)
        elif now - row.opened_at >= GIVEN_UP_MS:
            _log.warning("a question was never posted", call_id=row.task_id)
            await self._questions.settle(row.id, "declined", None, now)

    async def _words(self, row: QuestionRow, task: TaskRow, question: Question) -> str:
        title = await self._commands.title_of(task.installation_id, task.tool)
        worded = await self._narrator.question(row.request_id, title, question)
        await self._questions.worded(row.id, worded.parts[0])
        return worded.parts[0]
