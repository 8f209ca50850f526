"""How a call is sent again that asked back before it began (MCP 2026-07-28, multi round trip requests)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.errors import SecretUnreadable, TaskFailed
from bot.mcp import Elicitation, InputRequiredResult
from bot.signing import SecretBox
from bot.strict_json import Json, dump
from storage.request_records import TaskRow

MAX_ROUNDS = 10
"""The most times that one call may ask back."""


@dataclass(frozen=True, slots=True)
class Resume:
    """What `TaskRow.resume` holds, sealed: the trick's state, our arguments, and its open questions.

    `questions` have the trick's keys. `round` counts how often the call has asked back. `sent` says that
    the answers of this round are on their way, or were when a process died.
    """

    state: str | None
    arguments: Mapping[str, Json]
    questions: Mapping[str, Elicitation]
    round: int
    sent: bool = False

    @property
    def requests(self) -> dict[str, Elicitation]:
        """The questions with keys that are unique for the whole call: a trick may use its own in every round."""
        return {f"{self._prefix}{key}": question for key, question in self.questions.items()}

    def own_keys(self, responses: Mapping[str, Json]) -> dict[str, Json]:
        """Those of `responses`, which have keys of `requests`, that answer this round, with the trick's keys."""
        return {
            key.removeprefix(self._prefix): response
            for key, response in responses.items()
            if key.startswith(self._prefix)
        }

    @property
    def _prefix(self) -> str:
        return f"{self.round}:"

    def asked_again(self, reply: InputRequiredResult) -> "Resume":
        """The next round. Raises `TaskFailed` after the tenth."""
        if self.round >= MAX_ROUNDS:
            raise TaskFailed
        questions = {key: each for key, each in reply.input_requests.items() if isinstance(each, Elicitation)}
        return replace(self, state=reply.request_state, questions=questions, round=self.round + 1, sent=False)

    def seal(self, box: SecretBox, row_id: str) -> str:
        """As it is stored in the row `row_id`."""
        questions: dict[str, Json] = {
            key: {"message": each.message, "schema": each.requested_schema}
            for key, each in self.questions.items()
        }
        stored: dict[str, Json] = {
            "state": self.state,
            "arguments": dict(self.arguments),
            "questions": questions,
            "round": self.round,
            "sent": self.sent,
        }
        return box.seal(row_id, dump(stored).decode())


def first_round(arguments: Mapping[str, Json]) -> Resume:
    """Before anything was asked."""
    return Resume(state=None, arguments=arguments, questions={}, round=0)


def open_resume(box: SecretBox, row: TaskRow) -> Resume:
    """What the row holds. Raises `TaskFailed` when that was erased or cannot be opened."""
    if row.resume is None:
        raise TaskFailed
    try:
        stored: dict[str, Any] = json.loads(box.open(row.id, row.resume))
    except SecretUnreadable:
        raise TaskFailed from None
    questions = {
        key: Elicitation(each["message"], each["schema"]) for key, each in stored["questions"].items()
    }
    return Resume(stored["state"], stored["arguments"], questions, stored["round"], stored["sent"])
