"""The approval card: what a write would do, so that what is shown and what runs cannot differ.

Everything here is pure and fits Discord's limits, counted in UTF-16 units. The card's own words stand in its
title and fields; what others wrote stands on the one line of names, and in the code block of the inputs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bot.approvals.inputs import blocks, cut, input_line, mixed_words, shown, spelled_out, whole_text
from bot.outbound import Button, Embed, EmbedField, Reply
from bot.policy.provenance import Source, SourceKind
from bot.strict_json import Json
from bot.text import clamp, escape, legible, length, one_line
from storage.request_records import ApprovalReason, ApprovalStatus

TITLE = "Shall I do this?"
SHORTENED = "(shortened: **Details** shows the rest)"

MAX_NAME = 80
MAX_TOOL_NAME = 200
MAX_INPUT = 700
MAX_INPUTS = 3_000
MAX_WORDS = 5
MAX_WORD = 60
MAX_SENTENCE = 1_000
MAX_PAGE = 1_800
MAX_OUTSIDE_PAGES = 8

_FENCE = "```"
_VERBS = (
    ("do", "Do it", "success"),
    ("auto", "Auto-review", "primary"),
    ("dont", "Don't", "danger"),
    ("details", "Details", "secondary"),
)
_CLOSED: Mapping[ApprovalStatus, str] = {
    "open": "Closed",
    "approved": "Closed: you agreed",
    "auto_approved": "Closed: auto-reviewed",
    "declined": "Closed: you said Don't",
    "expired": "Closed: time ran out",
    "cancelled": "Closed: called off",
    "stopped": "Closed: stopped",
}
_ORIGINS: Mapping[SourceKind, str] = {
    "asker": "your own words",
    "summaries": "the list of tricks",
    "definitions": "the instructions of another trick",
    "tool_output": "the output of a tool",
    "bot_reply": "an earlier reply of mine",
    "member": "a message of another member",
    "other": "a message of a bot or webhook",
    "guidance": "this server's guidance",
    "web_page": "a web page",
    "unknown": "text of unknown origin",
}
_AUTHORS = frozenset[SourceKind]({"member", "other"})


@dataclass(frozen=True, slots=True)
class CardView:
    """What a card shows. `tool_name` is `<trick id>__<tool>`, `closes_at` in ms since the epoch.

    `key` is what the buttons carry; `outside` the texts that had a say when the model wrote the call.
    """

    trick_name: str
    tool_title: str
    tool_name: str
    arguments: Mapping[str, Json] = field(repr=False)
    reason: ApprovalReason
    reviewable: bool
    closes_at: int
    outside: tuple[Source, ...] = field(repr=False)
    key: str


def card(view: CardView) -> Reply:
    """The open card: one embed and its buttons, without Auto-review where the write is not reviewable."""
    inputs, whole = _inputs(view.arguments)
    seconds = view.closes_at // 1000
    fields = [
        *_care(view.arguments),
        EmbedField("Why I ask", _why(view)),
        EmbedField(
            "Open until", f"<t:{seconds}:f> (<t:{seconds}:R>). Only the person who asked me may press."
        ),
    ]
    lines = (_names(view), inputs, *(() if whole else (SHORTENED,)))
    verbs = (each for each in _VERBS if each[0] != "auto" or view.reviewable)
    return Reply(
        embed=Embed(title=TITLE, description="\n".join(lines), fields=tuple(fields)),
        buttons=tuple(Button(f"a:{verb}:{view.key}", label, style) for verb, label, style in verbs),
    )


def closed_card(view: CardView, status: ApprovalStatus, sentence: str) -> Reply:
    """The card once it is closed: small print without inputs or buttons. `sentence` is ours; it may be empty."""
    said = clamp(" ".join(legible(sentence).split()), MAX_SENTENCE) if one_line(sentence) else ""
    lines = (_names(view), said)
    small = "\n".join(f"-# {line}" for text in lines for line in text.split("\n") if line)
    return Reply(embed=Embed(title=_CLOSED[status], description=small))


def details(view: CardView) -> tuple[str, ...]:
    """All inputs as JSON, then the outside texts with where they are from; messages of at most 2,000 units.

    The inputs are never cut. Of all outside text at most eight messages are shown, and the last says so.
    """
    inputs = _pages("**All inputs, as JSON**", whole_text(view.arguments))
    outside: list[str] = []
    count = len(view.outside)
    for number, source in enumerate(view.outside, 1):
        heading = f"**Text that is not yours, {number} of {count}:** {_origin(source)}"
        text = shown(source.text.replace("\r\n", "\n").replace("\t", "    "))
        for page in _pages(heading, text if text.strip() else "(nothing)"):
            if len(outside) == MAX_OUTSIDE_PAGES:
                outside[-1] += "\nThere is more of it than fits here."
                return (*inputs, *outside)
            outside.append(page)
    return (*inputs, *outside)


def _names(view: CardView) -> str:
    title, trick = (_name(text) for text in (view.tool_title, view.trick_name))
    tool = cut(shown(view.tool_name).replace("`", "ˋ").replace("\n", "\\n"), MAX_TOOL_NAME)
    return f"**{title or '?'}**{f' with **{trick}**' if trick else ''}\n`{tool or '?'}`"


def _name(text: str) -> str:
    """A name as one line that can be neither markdown nor taken for more than a name."""
    return escape(cut(shown(" ".join(text.split())), MAX_NAME))


def _inputs(arguments: Mapping[str, Json]) -> tuple[str, bool]:
    """The code block of the inputs, or that there are none; and whether nothing was cut."""
    if not arguments:
        return "No inputs.", True
    lines: list[str] = []
    left, whole = MAX_INPUTS, True
    for number, (name, value) in enumerate(arguments.items()):
        line, complete = input_line(name, value, MAX_INPUT)
        left -= length(line) + 1
        if left < 0:
            left_out = len(arguments) - number
            return f"{_block(lines)}\nand {left_out} more {'input' if left_out == 1 else 'inputs'}", False
        lines.append(line)
        whole = whole and complete
    return _block(lines), whole


def _block(lines: Sequence[str]) -> str:
    return "\n".join((_FENCE, *lines, _FENCE))


def _care(arguments: Mapping[str, Json]) -> Iterator[EmbedField]:
    words = mixed_words(arguments)
    if words:
        named = [f"`{cut(spelled_out(word), MAX_WORD)}`" for word in words[:MAX_WORDS]]
        more = f" and {len(words) - MAX_WORDS} more" if len(words) > MAX_WORDS else ""
        text = f"Letters of different alphabets stand in one word: {', '.join(named)}{more}."
        yield EmbedField("Look closely", text)


def _why(view: CardView) -> str:
    match view.reason:
        case "always_ask":
            return "This tool always asks before it acts."
        case "web_search":
            return "I searched the web for this, and what stands there may have steered me."
        case "outside":
            kinds = dict.fromkeys(_ORIGINS[source.kind] for source in view.outside)
            named = ", ".join(kinds) or _ORIGINS["unknown"]
            return f"I had read text that is not yours, which may have steered me: {named}."


def _origin(source: Source) -> str:
    by = f", <@{source.author_id}>" if source.kind in _AUTHORS and source.author_id.isdecimal() else ""
    return f"{_ORIGINS[source.kind]}{by}"


def _pages(heading: str, text: str) -> list[str]:
    pieces = list(blocks(text, MAX_PAGE))
    headings = (heading if number == 0 else f"{heading} (continued)" for number in range(len(pieces)))
    return [f"{each}\n{_block((piece,))}" for each, piece in zip(headings, pieces, strict=True)]
