"""A narrator whose words are known, and who reads answers by a script."""

from dataclasses import dataclass, field

from bot.strict_json import Json
from bot.tasks.narrator import EndOutcome, Reading, Worded
from bot.tasks.questions import Question


@dataclass
class ScriptedNarrator:
    """Says what it was told, plainly. `readings` maps messages to the contents that a model finds in them."""

    readings: dict[str, dict[str, Json]] = field(default_factory=dict[str, dict[str, Json]])
    read: list[str] = field(default_factory=list[str])
    worded: int = 0

    async def progress(self, request_id: str, tool_title: str, status_text: str) -> Worded:
        return self._say(f"{tool_title}: {status_text}")

    async def question(self, request_id: str, tool_title: str, question: Question) -> Worded:
        return self._say(f"{tool_title} asks: {question.message}")

    async def end(self, request_id: str, tool_title: str, outcome: EndOutcome) -> Worded:
        if outcome.result is None:
            return self._say(f"{outcome.kind}: {outcome.sentence}")
        return self._say(f"{outcome.kind}: {outcome.result.structured_content}")

    async def read_answer(self, question: Question, text: str) -> Reading:
        self.read.append(text)
        return self.readings.get(text, "not_an_answer")

    def _say(self, text: str) -> Worded:
        self.worded += 1
        return Worded((text,))
