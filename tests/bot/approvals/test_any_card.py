"""Any inputs at all: the card fits Discord, hides nothing, and imitates nothing."""

import json
import re
import unicodedata
from dataclasses import replace
from typing import Any, get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.approvals.cards import CardView, card, closed_card, details
from bot.outbound import Reply
from bot.policy.provenance import Source, SourceKind
from tests.support.limits import message_problems, units


def inputs_of(reply: Reply) -> list[str]:
    assert reply.embed is not None
    _, block, after = reply.embed.description.split("```")
    assert "`" not in after
    return block.strip("\n").split("\n")


def bodies(pages: tuple[str, ...]) -> list[str]:
    """What stands in the code block of each page."""
    found = [page.split("```") for page in pages]
    assert all(len(parts) == 3 for parts in found)
    return [parts[1].removeprefix("\n").removesuffix("\n") for parts in found]


TEXT = st.text(max_size=30) | st.text(
    alphabet=st.sampled_from("`*_~|<@&#:/\\\"' \n\t[]()\u200b\u202e\u2800\ufe0f\U000e0041é中😀e\u0301а1"),
    max_size=900,
)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
SOURCES = st.builds(
    Source,
    kind=st.sampled_from(get_args(SourceKind)),
    author_id=TEXT,
    id=TEXT,
    text=TEXT | st.just("x" * 5_000),
)
VIEWS = st.builds(
    CardView,
    trick_name=TEXT,
    tool_title=TEXT,
    tool_name=TEXT,
    arguments=st.dictionaries(TEXT, JSON, max_size=30),
    reason=st.sampled_from(["always_ask", "web_search", "outside"]),
    reviewable=st.booleans(),
    closes_at=st.integers(0, 4_000_000_000_000),
    outside=st.lists(SOURCES, max_size=4).map(tuple),
    key=st.just("k" * 16),
)


def hides(text: str) -> bool:
    """Whether a reader might not see a character: judged by Unicode's categories, and the blanks that have a shape."""
    blanks = "\u3164\u2800\ufe0f\u115f\u1160\uffa0\u034f"
    return any(
        (unicodedata.category(char) in {"Cf", "Cc", "Cs", "Co", "Zl", "Zp", "Zs"} and char not in " \n")
        or char in blanks
        for char in text
    )


@settings(max_examples=150)
@given(VIEWS)
def test_any_card_fits_discord_and_hides_and_imitates_nothing(view: CardView) -> None:
    reply = card(view)
    assert message_problems(reply) == []
    assert reply.embed is not None
    assert not hides(reply.embed.description)
    head, *block = reply.embed.description.split("```")
    assert len(block) == (2 if view.arguments else 0)
    assert head.count("\n") == 2 if view.arguments else head.endswith("\nNo inputs.")
    if view.arguments:
        assert len(inputs_of(reply)) <= len(view.arguments)
    known = {"Look closely", "Why I ask", "Open until"}
    assert {each.name for each in reply.embed.fields} <= known
    assert message_problems(closed_card(view, "expired", view.tool_title)) == []


@settings(max_examples=150)
@given(VIEWS)
def test_any_details_fit_and_hold_the_inputs_whole(view: CardView) -> None:
    pages = details(view)
    assert all(0 < units(page) <= 2_000 and page.count("```") == 2 for page in pages)
    assert not any(hides(page) for page in pages)
    inputs = "".join(bodies(pages[: len(details(replace(view, outside=())))]))
    assert read_back(inputs) == view.arguments


def read_back(text: str) -> Any:
    """The JSON that `details` wrote out, its escapes undone as a reader would."""
    text = re.sub(r"(?<!\\)((?:\\\\)*)\\u\{0020\}×(\d+)", lambda m: m[1] + " " * int(m[2]), text)

    def undo(match: re.Match[str]) -> str:
        point = int(match[2], 16)
        pair = chr(point).encode("utf-16-be", "surrogatepass").hex()
        return match[1] + "".join(f"\\u{pair[at : at + 4]}" for at in range(0, len(pair), 4))

    return json.loads(re.sub(r"(?<!\\)((?:\\\\)*)\\u\{([0-9a-f]+)\}", undo, text))
