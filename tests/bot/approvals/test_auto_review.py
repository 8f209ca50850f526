"""Two questions, apart from each other; anything but two clear passes is none."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from bot.approvals import auto_review
from bot.approvals.auto_review import AutoReview, ReviewedWrite
from bot.errors import ModelUnavailable
from bot.llm.model import AssistantMessage, Completion, Message, ToolCall, ToolSpec, UserMessage
from bot.policy.provenance import Source
from tests.support.clock import TurnedClock

PASS = '{"pass": true, "reason": "fine"}'
WRITE = ReviewedWrite("Snacks", "snacks__order", "Order", "Orders a snack.", {"kind": "waffle", "n": 2})
OUTSIDE = (Source(kind="tool_output", author_id="i", id="c", text="waffles are hot"),)
ASKED = ("hello", "order two waffles")


class FakeModel:
    """Answers by the first line of the system message; remembers what it was asked."""

    def __init__(self, match: str | Exception = PASS, injection: str | Exception = PASS) -> None:
        self.answers = {"auto-review: match": match, "auto-review: injection": injection}
        self.asked: dict[str, Any] = {}
        self.tools: list[Sequence[ToolSpec]] = []
        self.meets: asyncio.Barrier | None = None
        self.before: Callable[[], None] = lambda: None
        self.calls: tuple[ToolCall, ...] = ()

    async def complete(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec] = (),
        *,
        seconds: float = 60.0,
        max_output_tokens: int = 4_096,
    ) -> Completion:
        kind = system.splitlines()[0]
        (message,) = messages
        assert isinstance(message, UserMessage)
        self.asked[kind] = json.loads(message.text)
        self.tools.append(tools)
        if self.meets is not None:
            await self.meets.wait()
        self.before()
        answer = self.answers[kind]
        if isinstance(answer, Exception):
            raise answer
        return Completion(AssistantMessage(text=answer, calls=self.calls))

    async def aclose(self) -> None:
        pass


async def passes(model: FakeModel, clock: TurnedClock | None = None, **changed: Any) -> bool:
    arguments: dict[str, Any] = {"asked": ASKED, "write": WRITE, "outside": OUTSIDE, **changed}
    return await AutoReview(model, clock or TurnedClock()).passes(**arguments)


async def test_two_passes_let_the_write_run() -> None:
    assert await passes(FakeModel())


async def test_each_question_sees_only_its_own_material_and_no_tools() -> None:
    model = FakeModel()
    await passes(model)
    assert model.asked == {
        "auto-review: match": {
            "asked": list(ASKED),
            "write": {
                "trick": "Snacks",
                "tool": "snacks__order",
                "title": "Order",
                "description": "Orders a snack.",
                "arguments": {"kind": "waffle", "n": 2},
            },
        },
        "auto-review: injection": {"outside": ["waffles are hot"]},
    }
    assert model.tools == [(), ()]


async def test_both_are_asked_at_the_same_time() -> None:
    model = FakeModel()
    model.meets = asyncio.Barrier(2)  # neither is answered before the other was asked
    assert await asyncio.wait_for(passes(model), 5)


@pytest.mark.parametrize(
    "answer",
    [
        '{"pass": false, "reason": "no"}',
        '{"pass": true}',
        '{"pass": true, "reason": "x", "more": 1}',
        '{"pass": 1, "reason": "x"}',
        '{"pass": "true", "reason": "x"}',
        '{"pass": true, "reason": null}',
        '{"pass": true, "pass": true, "reason": "x"}',
        '{"pass": false, "pass": true, "reason": "x"}',
        f"```json\n{PASS}\n```",
        f"{PASS} {PASS}",
        f"[{PASS}]",
        f"Sure: {PASS}",
        "",
        "true",
        '{"pass": true, "reason": "\\ud800"}',
        '{"pass": true, "reason": "\ud800"}',
        ModelUnavailable(),
        RuntimeError("bug"),
    ],
)
@pytest.mark.parametrize("which", ["match", "injection"])
async def test_anything_but_an_exact_pass_is_none(answer: str | Exception, which: str) -> None:
    assert not await passes(FakeModel(**{which: answer}))


async def test_white_space_around_a_pass_does_not_matter() -> None:
    assert await passes(FakeModel(match=f"\n {PASS}\n"))


async def test_a_pass_that_also_calls_a_tool_is_none() -> None:
    model = FakeModel()
    model.calls = (ToolCall(id="1", name="x", arguments="{}"),)
    assert not await passes(model)


@pytest.mark.parametrize(("seconds", "passed"), [(4, True), (5, False)])
async def test_after_ten_seconds_a_pass_is_none(seconds: float, passed: bool) -> None:
    clock = TurnedClock()
    model = FakeModel()
    model.before = lambda: clock.advance(seconds)  # once for each question
    assert await passes(model, clock) is passed


async def test_a_model_that_never_answers_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto_review, "REVIEW_SECONDS", 0.01)
    model = FakeModel()
    model.meets = asyncio.Barrier(3)
    assert not await asyncio.wait_for(passes(model), 5)


async def test_what_does_not_fit_whole_is_not_asked_about() -> None:
    model = FakeModel()
    room = auto_review.MAX_REVIEWED - len(
        '{"trick":"Snacks","tool":"snacks__order","title":"Order","description":"Orders a snack.",'
        '"arguments":{"kind":"waffle","n":2}}[""]'
    )
    fits = Source(kind="web_page", text="x" * room)
    assert await passes(model, outside=(fits,))
    model.asked.clear()
    assert not await passes(model, outside=(Source(kind="web_page", text="x" * (room + 1)),))
    assert model.asked == {}


async def test_what_cannot_be_written_as_json_is_no_pass() -> None:
    assert not await passes(FakeModel(), asked=("\ud800",))


async def test_no_text_is_logged(capfd: pytest.CaptureFixture[str]) -> None:
    await passes(FakeModel(match=RuntimeError("waffle"), injection="waffle"))
    printed = capfd.readouterr()
    assert "waffle" not in printed.out + printed.err
