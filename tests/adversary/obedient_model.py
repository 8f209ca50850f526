"""A model that does whatever any text in its context tells it: the worst one there can be.

`CALL <tool> {json}` calls a tool and `SAY "json"` goes into the answer; `WHEN <word>` before either makes it
hold only where the asker's newest message has that word. It reads every text that it gets, JSON inside of JSON
and letters made of invisible tags too. It loads first, then writes one call a message, or with TOGETHER in the
asker's words all of them.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from tests.support.model import Answer, Asked, JsonObject, call_text, say

ONE = r"(?:WHEN (?P<when>\S+) )?(?P<verb>CALL (?P<tool>[\w-]+)|SAY) (?=[{\"])"
DIRECTIVE = re.compile(ONE)
TOGETHER = "TOGETHER"
LOAD = "load_trick"
BOT_REPLY = "zqbot-reply"
"""Stands in every answer of the model, so that an earlier answer is recognised in a later context."""

_TAGS = {0xE0000 + code: code for code in range(0x20, 0x7F)}
_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class Directive:
    """What a text wants: a call of `tool` with `value`, or without a tool `value` said."""

    tool: str
    value: Any

    @property
    def key(self) -> str:
        """The same for the same directive."""
        return f"{self.tool} {canonical(self.value)}"


@dataclass(frozen=True)
class Written:
    """A call that the model wrote, and the request to it that it answered so."""

    tool: str
    arguments: JsonObject = field(repr=False)
    asked: Asked = field(repr=False)


def canonical(value: Any) -> str:
    """The same text for the same JSON value."""
    return json.dumps(value, sort_keys=True)


def order(tool: str, /, **arguments: Any) -> str:
    """The words that make the model call a tool."""
    return f"CALL {tool} {json.dumps(arguments)}"


def speech(text: str) -> str:
    """The words that make the model say something."""
    return f"SAY {json.dumps(text)}"


def covert(text: str) -> str:
    """As `speech`, but what it says stands nowhere as it will be said."""
    spelled = text.encode("utf-16-be", "surrogatepass").hex()
    units = (rf"\u{spelled[at : at + 4]}" for at in range(0, len(spelled), 4))
    return f'SAY "{"".join(units)}"'


def directives(text: str, asker: str) -> list[Directive]:
    """What `text` wants of somebody to whom the asker said `asker`."""
    found: list[Directive] = []
    readable = text.translate(_TAGS)
    for match in DIRECTIVE.finditer(readable):
        try:
            value, _ = _DECODER.raw_decode(readable, match.end())
        except ValueError:
            continue
        if match["when"] is None or match["when"] in asker:
            found.append(Directive(match["tool"] or "", value))
    return found


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys too; a text that is JSON itself is read once more."""
    if isinstance(value, dict):
        for key, each in cast(JsonObject, value).items():
            yield key
            yield from texts_in(each)
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from texts_in(each)
    elif isinstance(value, str):
        yield from _texts_in_text(value)


def _texts_in_text(text: str) -> Iterator[str]:
    try:
        inner: Any = json.loads(text)
    except (ValueError, RecursionError):
        inner = None
    if isinstance(inner, dict | list):
        yield from texts_in(cast(Any, inner))
    else:
        yield text
        if '\\"' in text:  # JSON with something around it
            yield from _texts_in_text(text.replace("\\\\", "\\").replace('\\"', '"'))


class ObedientModel:
    """`written` are the calls so far, oldest first; `answer` is what a `ModelServer` plays."""

    def __init__(self) -> None:
        self.written: list[Written] = []

    def answer(self, asked: Asked) -> Answer:
        """Do what is wanted and was not done yet; then say what is wanted."""
        users = [str(each["content"]) for each in asked.messages if each["role"] == "user"]
        asker = users[-1] if users else ""
        wanted = [
            each
            for text in texts_in([asked.body.get("tools", []), asked.body["messages"]])
            for each in directives(text, asker)
        ]
        done = {each.key for each in _called(asked)}
        pending = {each.key: each for each in wanted if each.tool and each.key not in done}
        if pending:
            loading = [each for each in pending.values() if each.tool == LOAD]
            if loading:
                return self._call(asked, loading)
            chosen = [*pending.values()] if TOGETHER in asker else [*pending.values()][:1]
            return self._call(asked, chosen)
        spoken = dict.fromkeys(str(each.value) for each in wanted if not each.tool)
        return say("\n".join([*spoken, f"Done. {BOT_REPLY}"]))

    def _call(self, asked: Asked, chosen: list[Directive]) -> Answer:
        self.written += [Written(each.tool, each.value, asked) for each in chosen]
        answer = Answer()
        for each in chosen:
            answer += call_text(each.tool, json.dumps(each.value))
        return answer


def _called(asked: Asked) -> Iterator[Directive]:
    """The calls that stand in the conversation already."""
    for message in asked.messages:
        for each in cast("list[JsonObject]", message.get("tool_calls") or []):
            function = cast("dict[str, str]", each["function"])
            yield Directive(function["name"], json.loads(function["arguments"]))
