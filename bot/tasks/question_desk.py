"""Questions from their posting to their end: buttons, forms and words. The row decides, once."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bot.clock import Clock
from bot.errors import CardClosed, NotYours
from bot.outbound import FormPage, Reply
from bot.strict_json import Json, dump
from bot.tasks.form_reading import draft_of, read_form, read_page
from bot.tasks.forms import Given, page
from bot.tasks.literals import literal
from bot.tasks.narrator import Narrator
from bot.tasks.question_posts import QuestionPosts
from bot.tasks.question_rows import question_of
from bot.tasks.questions import Question, problems
from storage.questions import Questions
from storage.request_records import QuestionRow, QuestionStatus

BATCH = 100
MAX_WRONG = 3
NO_ANSWER = "I could not find an answer to the question in that."
DECLINED = "That did not fit either, so I have told the trick that there is no answer. You can ask again."

WordsKind = Literal["taken", "wrong", "declined", "not_an_answer"]


@dataclass(frozen=True, slots=True)
class WordsOutcome:
    """What a message was to a question; `sentence` is what its writer is told, empty for nothing."""

    kind: WordsKind
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class FormOutcome:
    """What became of a page: `page` is the one to fill in next, None when the answer was taken.

    With `problems`, sentences, that page was filled in before and has to be put right.
    """

    page: int | None
    problems: tuple[str, ...] = ()


class QuestionDesk:
    """Takes answers. What is accepted fits the question's schema, and the poller sends it."""

    def __init__(self, questions: Questions, posts: QuestionPosts, narrator: Narrator, clock: Clock) -> None:
        self._questions = questions
        self._posts = posts
        self._narrator = narrator
        self._clock = clock

    async def post_due(self) -> int:
        """Post new questions, see `QuestionPosts`."""
        return await self._posts.post_due()

    async def fold_due(self) -> int:
        """Take the buttons from decided questions, see `QuestionPosts`."""
        return await self._posts.fold_due()

    async def expire_due(self) -> int:
        """Decline questions that nobody answered for a day; gives back how many those were."""
        return len(await self._questions.expire_due(self._clock.now_ms(), BATCH))

    async def press(self, key: str, choice: int | Literal["skip"], presser_id: str) -> Reply:
        """A button was pressed: Skip, or the choice at this index. Gives how the message looks from now on.

        Raises `NotYours`, or `CardClosed` when the question is decided or was never.
        """
        row = await self._open(key, presser_id)
        if choice == "skip":
            return self._posts.closed(await self._settle(row, "declined"))
        content = question_of(row).picked(choice)
        if content is None:
            raise CardClosed
        return self._posts.closed(await self._settle(row, "answered", content))

    async def form(self, key: str, presser_id: str, number: int = 0) -> FormPage:
        """A page of the form, counted from 0, with what was filled in before. Raises as `press`."""
        row = await self._open(key, presser_id)
        return page(question_of(row), number, _draft(row))

    async def submit(
        self, key: str, presser_id: str, number: int, values: Mapping[str, Given]
    ) -> FormOutcome:
        """A page was filled in: keep it, and with the last one answer. Raises as `press`.

        A form that does not fit is no wrong reply: whoever fills it in sees why and tries again.
        """
        row = await self._open(key, presser_id)
        question = question_of(row)
        draft = {**_draft(row), **draft_of(question, values)}
        await self._questions.save_draft(row.id, dump(draft).decode())
        _, wrong = read_page(question, number, values)
        if wrong:
            return FormOutcome(number, wrong)
        if number + 1 < len(question.pages):
            return FormOutcome(number + 1)
        content, wrong = read_form(question, draft)
        if wrong:
            return FormOutcome(_first_wrong(question, draft), wrong)
        await self._posts.fold(await self._settle(row, "answered", content))
        return FormOutcome(None)

    async def to_reply(self, message_id: str, member_id: str) -> QuestionRow | None:
        """The open question to this member that this message asks, for a direct reply."""
        row = await self._questions.by_message(message_id)
        if row is None or row.asker_id != member_id or not self._is_open(row):
            return None
        return row

    async def newest(self, channel_id: str, member_id: str) -> QuestionRow | None:
        """The member's newest question in the channel that any next message may still answer."""
        return await self._questions.newest_open(channel_id, member_id, self._clock.now_ms())

    async def words(
        self,
        row: QuestionRow,
        text: str,
        *,
        direct: bool,
        in_thread: bool = False,
        literal_only: bool = False,
    ) -> WordsOutcome:
        """Take a message of the asker, without a mention in front, as the answer to `row` if it is one.

        `direct`: it replies to the question. `in_thread`: it stands in a thread of the bot's. Of any other
        message nothing is made that is no answer. `literal_only`: it is addressed to the assistant, and only an
        answer when it fits as it stands. Raises `CardClosed` when the question was decided meanwhile.
        """
        question = question_of(row)
        content: Mapping[str, Json] | None = literal(question, text, direct)
        if literal_only and (content is None or problems(question, content)):
            return WordsOutcome("not_an_answer")
        if content is None:
            reading = await self._narrator.read_answer(question, text)
            content = None if reading == "not_an_answer" else reading
        if content is None:
            return (
                await self._count_wrong(row, (NO_ANSWER,))
                if direct or in_thread
                else WordsOutcome("not_an_answer")
            )
        found = problems(question, content)
        if found:
            return await self._count_wrong(row, found)
        await self._posts.fold(await self._settle(row, "answered", content))
        return WordsOutcome("taken")

    async def _count_wrong(self, row: QuestionRow, found: tuple[str, ...]) -> WordsOutcome:
        number = await self._questions.wrong(row.id)
        if number == 0:
            raise CardClosed
        if number < MAX_WRONG:
            again = "Try again, or press **Skip**."
            return WordsOutcome("wrong", " ".join((*found, again)))
        await self._posts.fold(await self._settle(row, "declined"))
        return WordsOutcome("declined", DECLINED)

    async def _open(self, key: str, presser_id: str) -> QuestionRow:
        row = await self._questions.by_key(key)
        if row is None:
            raise CardClosed
        if row.asker_id != presser_id:
            raise NotYours
        if not self._is_open(row):
            raise CardClosed
        return row

    async def _settle(
        self, row: QuestionRow, status: QuestionStatus, content: Mapping[str, Json] | None = None
    ) -> QuestionRow:
        answer = None if content is None else dump(dict(content)).decode()
        settled = await self._questions.settle(row.id, status, answer, self._clock.now_ms())
        if settled is None:
            raise CardClosed
        return settled

    def _is_open(self, row: QuestionRow) -> bool:
        return row.status == "open" and row.closes_at > self._clock.now_ms() and row.message is not None


def _draft(row: QuestionRow) -> dict[str, Json]:
    return json.loads(row.draft) if row.draft is not None else {}


def _first_wrong(question: Question, draft: Mapping[str, Json]) -> int:
    """The first page that does not fit; the first of all where only the whole does not."""
    pages = range(len(question.pages))
    return next((number for number in pages if read_page(question, number, draft)[1]), 0)
