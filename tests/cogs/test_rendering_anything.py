"""Whatever a result holds, what is drawn of it is a message that Discord takes."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.outbound import Embed, LinkButton, Reply
from bot.policy.links import LinkRules
from bot.presentation.checks import present, read_presentation
from bot.presentation.models import Action, Presentation, PresentationField, PresentationLink
from cogs.rendering import fit
from tests.support.discord_markdown import masked_links, shown_addresses
from tests.support.limits import message_problems, payload_problems

RULES = LinkRules(frozenset({"bad.example"}))
LONG_URL = "https://ok.example/" + "x" * 600


def draw(presentation: Presentation, *, embeds: bool = True, title: str = "") -> Reply:
    keys = {f"a{number}": f"key{number}" for number in range(9)}
    return fit(presentation, RULES, embeds=embeds, keys=keys, title=title)


def action(number: int, label: str = "Save") -> Action:
    return Action(f"a{number}", label, "save_snack", {})


PIECES = st.sampled_from(
    [
        *(
            "[",
            "]",
            "](",
            ")",
            "<",
            ">",
            "\\",
            "`",
            "```",
            " ",
            "\n",
            "…",
            "@everyone",
            "<@1>",
            "😀",
            "\u200b",
        ),
        *(
            "https://ok.example/a",
            "http://x.example",
            "https://bad.example",
            "bank.example",
            "\u2800",
            "\u202e",
        ),
        *("[bank.example](https://ok.example)", "[x](http://y.example)", "y" * 400, "😀" * 300, " " * 200),
    ]
)
TEXT = st.lists(PIECES | st.text(max_size=4), max_size=14).map("".join)
URL = st.sampled_from(
    ["https://ok.example/", LONG_URL, "https://münchen.de/ä", "http://x.example", LONG_URL + "y" * 1_000]
)
PRESENTATIONS = st.builds(
    Presentation,
    TEXT | TEXT.map(lambda text: text * 4),
    st.lists(st.builds(PresentationField, TEXT, TEXT), max_size=30).map(tuple),
    st.lists(st.builds(PresentationLink, TEXT, URL | TEXT), max_size=12).map(tuple),
    st.lists(st.integers(0, 8), unique=True, max_size=8).flatmap(
        lambda numbers: st.tuples(*(st.builds(action, st.just(number), TEXT) for number in numbers))
    ),
)


def assert_sound(reply: Reply) -> None:
    """Discord takes it, and no link in it is disguised or has a problem."""
    assert message_problems(reply) == []
    embed = reply.embed or Embed()
    for text in (reply.content, embed.description, *(field.value for field in embed.fields)):
        assert masked_links(text) == []
        assert [address for address in shown_addresses(text) if RULES.problem(address)] == []
    assert "@everyone" not in reply.content
    urls = [button.url for button in reply.buttons if isinstance(button, LinkButton)]
    assert [url for url in urls if RULES.problem(url)] == []


@settings(max_examples=150, deadline=None)
@given(PRESENTATIONS, st.booleans(), TEXT)
def test_discord_takes_whatever_is_drawn_and_no_link_is_disguised(
    presentation: Presentation, embeds: bool, title: str
) -> None:
    assert_sound(draw(presentation, embeds=embeds, title=title))


JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5),
    max_leaves=8,
)


def maybe_broken(**parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({}, optional={key: part | JSON_VALUES for key, part in parts.items()})


PUPS = maybe_broken(
    text=TEXT,
    fields=st.lists(maybe_broken(label=TEXT, value=TEXT), max_size=30),
    links=st.lists(maybe_broken(label=TEXT, url=URL), max_size=12),
    actions=st.lists(
        maybe_broken(
            id=st.sampled_from([f"a{number}" for number in range(9)]),
            label=TEXT,
            tool=st.just("save_snack"),
            arguments=JSON_VALUES,
        ),
        max_size=8,
    ),
)


@settings(max_examples=100, deadline=None)
@given(PUPS | JSON_VALUES, st.booleans())
def test_any_pup_can_be_drawn(raw: Any, embeds: bool) -> None:
    presentation, _ = read_presentation(raw, frozenset({"save_snack"}))
    assert_sound(draw(presentation, embeds=embeds))


@settings(max_examples=100, deadline=None)
@given(JSON_VALUES, st.lists(TEXT, max_size=4), st.booleans())
def test_any_result_can_be_drawn(structured: Any, texts: list[str], embeds: bool) -> None:
    presentation, _ = present(structured, texts, frozenset())
    assert_sound(draw(presentation, embeds=embeds))


ROW = {"type": 1, "components": [{"type": 2, "style": 2, "label": "a", "custom_id": "a"}]}
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"content": " "}, "empty"),
    ({"content": "x" * 2_001}, "2001 units"),
    ({"content": "😀" * 1_001}, "2002 units"),
    ({"embeds": [{}]}, "is empty"),
    ({"embeds": [{"description": "x" * 4_097}]}, "4097 units"),
    ({"embeds": [{"fields": [{"name": " ", "value": "x"}]}]}, "name is empty"),
    ({"embeds": [{"fields": [{"name": "x", "value": "x" * 1_025}]}]}, "1025 units"),
    ({"embeds": [{"fields": [{"name": "x", "value": "x"}] * 26}]}, "26 fields"),
    ({"embeds": [{"description": "x" * 4_000}, {"description": "x" * 2_001}]}, "6001 units in all"),
    ({"embeds": [{"description": "x"}] * 11}, "11 embeds"),
    ({"components": [ROW, ROW]}, "stands twice"),
    ({"content": "x", "components": [{"type": 1, "components": []}]}, "has 0 components"),
    ({"content": "x", "components": [ROW] * 6}, "6 rows"),
    (
        {"components": [{"type": 1, "components": [{"type": 2, "label": "a" * 81, "custom_id": "a"}]}]},
        "81 units",
    ),
    ({"components": [{"type": 1, "components": [{"type": 2, "label": "", "custom_id": "a"}]}]}, "neither"),
    ({"components": [{"type": 1, "components": [{"type": 2, "label": "a", "custom_id": "a" * 101}]}]}, "101"),
    ({"components": [{"type": 1, "components": [{"type": 2, "label": "a"}]}]}, "no custom id"),
    (
        {"components": [{"type": 1, "components": [{"type": 2, "style": 5, "label": "a", "url": LONG_URL}]}]},
        "URL has",
    ),
    (
        {"components": [{"type": 1, "components": [{"type": 3, "custom_id": "a", "options": []}]}]},
        "0 options",
    ),
    ({"flags": 1 << 15, "content": "x", "components": [ROW]}, "too"),
]


@pytest.mark.parametrize(("payload", "problem"), REFUSED)
def test_the_checker_knows_what_discord_refuses(payload: dict[str, Any], problem: str) -> None:
    assert any(problem in told for told in payload_problems(payload)), payload_problems(payload)
