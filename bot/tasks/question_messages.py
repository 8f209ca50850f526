"""What a question looks like in Discord, open and closed."""

import json
from collections.abc import Mapping

from bot.outbound import MAX_CONTENT, Button, Reply
from bot.strict_json import Json
from bot.tasks.questions import Field, Question
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
    if row.status != "answered":
        return CLOSED.get(row.status, "")
    content: dict[str, Json] = json.loads(row.answer) if row.answer is not None else {}
    if question is None or not content:
        return "Answered."
    told = [
        (field.label, _shown(field, content[field.name]))
        for field in question.fields
        if field.name in content
    ]
    if len(told) == 1:
        return f"Answered: {told[0][1]}"
    return clamp("Answered: " + "; ".join(f"{escape(label)}: {value}" for label, value in told), ANSWER_LIMIT)


def _shown(field: Field, value: Json) -> str:
    """A value as the asker knows it: the labels of choices, anything else on one line without markdown."""
    values = value if isinstance(value, list) else [value]
    labels = {choice.value: choice.label for choice in field.choices}
    texts = [str(labels.get(each, each)) if isinstance(each, str | bool) else str(each) for each in values]
    return escape(clamp(one_line(", ".join(texts)), ANSWER_LIMIT))
