"""What the task machinery wants of whoever finds the words: the assistant's model, without tools.

Nothing here raises because a model fails: the words then are a fixed sentence of Kennel's own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from bot.mcp import CallToolResult
from bot.strict_json import Json
from bot.tasks.questions import Question

STILL_WORKING = "Still working on it."
"""What is said of progress for which there are no better words."""

EndKind = Literal["completed", "failed", "lost", "expired"]


@dataclass(frozen=True, slots=True)
class EndOutcome:
    """How a task ended. `result` is there when it completed; everything else is told by a fixed sentence.

    `sentence` says in Kennel's own words why it did not complete.
    """

    kind: EndKind
    result: CallToolResult | None = field(default=None, repr=False)
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Worded:
    """Contents ready to be posted, at most 2,000 characters each, links cleaned; there is at least one."""

    parts: tuple[str, ...] = field(repr=False)


Reading = Mapping[str, Json] | Literal["not_an_answer"]
"""What a message is to a question: the content of the answer, unchecked, or no answer at all."""


class Narrator(Protocol):
    """Finds the words for what a task reports, in the voice and language of the request's conversation."""

    async def progress(self, request_id: str, tool_title: str, status_text: str) -> Worded:
        """Words for a changed status text. `status_text` is the trick's: data that may lie."""
        ...

    async def question(self, request_id: str, tool_title: str, question: Question) -> Worded:
        """The question in Kennel's words; one part that leaves room for nothing else."""
        ...

    async def end(self, request_id: str, tool_title: str, outcome: EndOutcome) -> Worded:
        """Words for the end. The model is woken without tools: this is an automatic continuation."""
        ...

    async def read_answer(self, question: Question, text: str) -> Reading:
        """Whether `text` answers the question and how; `not_an_answer` also when the model fails."""
        ...
