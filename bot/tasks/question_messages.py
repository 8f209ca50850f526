"""What a question looks like in Discord, open and closed."""

import json
from collections.abc import Mapping

from bot.outbound import MAX_CONTENT, Button, Reply
from bot.strict_json import Json
from bot.tasks.questions import Question
from bot.text import clamp, escape, length, one_line
from storage.request_records import QuestionRow

ANSWER_LIMIT = 300
CLOSED: Mapping[str, str] = {
    "declined": "No answer was given.",
    "closed": "The work has ended, so this needs no answer any more.",
}


def open_message(row: QuestionRow, question: Question, words: str) -> Reply:
    """The bot's words with a button for each choice, or one that opens the form, and Skip.

    Custom ids are `q:c<index>:<key>`, `q:form:<key>` and `q:skip:<key>`.
    """
    choices = question.choices
    if choices is None:
        answers = (Button(f"q:form:{row.key}", "Answer", "primary"),)
    else:
        answers = tuple(
            Button(f"q:c{index}:{row.key}", choice.label, "primary") for index, choice in enumerate(choices)
        )
    return Reply(content=clamp(words, MAX_CONTENT), buttons=(*answers, Button(f"q:skip:{row.key}", "Skip")))


def closed_message(row: QuestionRow, question: Question | None) -> Reply:
    """The same without buttons, with what was answered; `question` is None when its text was erased."""
    note = f"-# {_outcome(row, question)}"
    words = clamp(row.words or "", MAX_CONTENT - length(note) - 1)
    return Reply(content=f"{words}\n{note}".lstrip())


def _outcome(row: QuestionRow, question: Question | None) -> str:
    """What was picked; what somebody wrote into a form, which only they see, is not shown to the channel."""
    if row.status != "answered":
        return CLOSED.get(row.status, "")
    content: dict[str, Json] = json.loads(row.answer) if row.answer is not None else {}
    if question is None or not content or not question.choices:
        return "Answered."
    (field,) = question.fields
    labels = {choice.value: choice.label for choice in question.choices}
    value = content.get(field.name)
    picked = labels.get(value, "") if isinstance(value, str | bool) else ""
    return f"Answered: {escape(clamp(one_line(picked), ANSWER_LIMIT))}"
