"""The demo's model: a few rules instead of a neural network, so that conversations need no account.

It does what a model in earnest does with the same messages: loads the trick, calls a tool, and says the result
in a sentence. Everything around it, cards and tasks included, is the real thing.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from bot.llm.model import (
    MAX_SECONDS,
    AssistantMessage,
    Completion,
    Message,
    ToolCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
)

TRICK = "snack_club"
_SNACKS = ("popcorn", "fruit", "pretzels")
_HELP = (
    "This demo's model knows a few sentences: ask me **what snacks are there?**, reply to my answer with "
    "**save fruit for me**, or say **help me choose a snack**."
)


@dataclass(frozen=True, slots=True)
class _Wish:
    """The tool that an asker's message wants."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def name(self) -> str:
        return f"{TRICK}__{self.tool}"


class ScriptedModel:
    """`bot.llm.model.Model` for the sample trick."""

    async def complete(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec] = (),
        *,
        seconds: float = MAX_SECONDS,
        max_output_tokens: int = 4_096,
    ) -> Completion:
        """The next word of the script."""
        if system.startswith("auto-review"):
            return _say('{"pass": true, "reason": "Only what was asked for."}')
        if system.startswith("question: read"):
            return _say('{"answers": false}')
        at = max((i for i, each in enumerate(messages) if isinstance(each, UserMessage)), default=0)
        told = messages[at]
        text = told.text if isinstance(told, UserMessage) else ""
        event = _event(text)
        if event is not None:
            return _say(_words_for(event))
        return _step(_wish(text), messages[at + 1 :], {tool.name for tool in tools})

    async def aclose(self) -> None:
        """Nothing is open."""


def _step(wish: _Wish | None, since: Sequence[Message], tools: set[str]) -> Completion:
    if wish is None:
        return _say(_HELP)
    results = {each.name: each.content for each in since if isinstance(each, ToolMessage)}
    if wish.name in results:
        return _say(_words(wish, json.loads(results[wish.name])))
    if wish.name in tools:
        return _call(wish.name, wish.arguments)
    if "load_trick" in tools and "load_trick" not in results:
        return _call("load_trick", {"trick": TRICK})
    return _say("I cannot do that for you here.")


def _wish(text: str) -> _Wish | None:
    words = set(re.findall(r"[a-z]+", text.lower()))
    snack = next((each for each in _SNACKS if each in words), None)
    if snack is not None and (words & {"save", "remember"} or words == {snack}):
        return _Wish("save_snack", {"snack": snack})
    if words & {"order", "buy"} and snack is not None:
        return _Wish("order_snacks", {"snack": snack, "count": 1})
    if words & {"forget", "clear"}:
        return _Wish("clear_snacks")
    if words & {"choose", "pick"}:
        return _Wish("choose_snack")
    if words & {"favorites", "favourites", "popular"}:
        return _Wish("snack_favorites")
    if words & {"snack", "snacks", "menu"}:
        return _Wish("snack_menu")
    return None


def _words(wish: _Wish, content: dict[str, Any]) -> str:
    kennel, data = content.get("kennel", {}), content.get("data", {})
    if "working" in kennel:
        return "I am looking into the cupboard for you. This takes a moment."
    if kennel:
        return str(kennel.get("error") or "All right, I left everything as it was.")
    match wish.tool:
        case "snack_menu":
            return f"There are {', '.join(data['choices'])}. Reply with one of them and I will save it."
        case "save_snack":
            return f"Done: {data['saved']} is saved for you."
        case "order_snacks":
            return f"Ordered. It costs {data['price']}."
        case "clear_snacks":
            return f"Forgotten: {data['cleared']} saved snacks."
        case "choose_snack":
            return f"I would take {data['snack']}."
        case _:
            counts = ", ".join(f"{snack} ({count})" for snack, count in data["counts"].items())
            return f"Saved so far: {counts or 'nothing'}."


def _words_for(event: dict[str, Any]) -> str:
    match event.get("what"):
        case "progress":
            return f"Still at it: {str(event.get('status', '')).rstrip('.').lower()}."
        case "question":
            return "What do you feel like?"
        case _:
            result = json.loads(event.get("result", "{}")).get("data", {})
            return f"I would take {result.get('snack', 'whatever is left')}."


def _event(text: str) -> dict[str, Any] | None:
    """What Kennel tells the model in the place of a person, None for a person's own words."""
    try:
        event = json.loads(text)["event"]
    except (ValueError, TypeError, KeyError):
        return None
    return cast("dict[str, Any]", event) if isinstance(event, dict) else None


def _say(text: str) -> Completion:
    return Completion(AssistantMessage(text=text))


def _call(name: str, arguments: dict[str, Any]) -> Completion:
    return Completion(
        AssistantMessage(calls=(ToolCall(id=name, name=name, arguments=json.dumps(arguments)),))
    )
