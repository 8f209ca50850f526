"""Which links a message or a result allows, as an answer reads them."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.assistant.answer import compose, extract_links, links_in_result
from bot.policy.links import LinkRules
from bot.strict_json import Json

RULES = LinkRules(frozenset({"bad.example"}))


MENU = "https://ok.example/menu"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            f"see {MENU}. And (https://a.example/b_(c)), https://c.example!",
            (MENU, "https://a.example/b_(c)", "https://c.example"),
        ),
        (f"<{MENU}> **{MENU}** [x]({MENU} 't')", (MENU,)),
        ("[https://a.example](https://b.example/.)", ("https://a.example", "https://b.example/")),
        ('`https://a.example`, "https://b.example"', ("https://a.example", "https://b.example")),
        ("http://a.example evil.example https://u@a.example javascript:x", ()),
        ("", ()),
    ],
)
def test_the_links_of_a_message_are_found_character_for_character(text: str, found: tuple[str, ...]) -> None:
    assert set(extract_links(text)) == set(found)


def test_the_links_of_a_result_are_found_however_deep() -> None:
    result: Json = {
        "structuredContent": {
            "pup": {"links": [{"label": "x", "url": "https://a.example/x_"}]},
            "https://k.example": 1,
        },
        "content": [{"type": "text", "text": '{"url": "https://b.example/c?d=1"}, see https://d.example.'}],
        "n": None,
    }
    found = links_in_result(result)
    assert {
        "https://a.example/x_",
        "https://b.example/c?d=1",
        "https://d.example",
        "https://k.example",
    } <= set(found)
    shown = compose("https://a.example/x_", allowed=found, links=RULES)
    assert shown == ("<https://a.example/x_>",)


URLS = st.from_regex(
    r"https://[a-z]{1,8}\.example(/[a-zA-Z0-9_.~-]{0,12}){0,2}(\?[a-z]=[0-9])?", fullmatch=True
).filter(lambda url: RULES.problem(url) is None)


AROUND = st.sampled_from(
    [("", ""), ("<", ">"), ("**", "**"), ("(", ")"), ("[x](", ")"), ("", "."), ('"', '"'), ("`", "`")]
)


@settings(max_examples=150)
@given(URLS, AROUND, AROUND)
def test_a_link_that_the_asker_wrote_survives_however_either_writes_it(
    url: str, asked: tuple[str, str], told: tuple[str, str]
) -> None:
    found = extract_links(f"what is {asked[0]}{url}{asked[1]} then")
    parts = compose(f"It is {told[0]}{url}{told[1]} then", allowed=found, links=RULES)
    assert re.search(r"<https://[^<>]+>", parts[0])
    assert "removed" not in parts[0]


@pytest.mark.parametrize(
    "text",
    [
        MENU + "<" * 60_000,
        f"{MENU}{')' * 60_000}",
        "https://" + "\u0430." * 100_000,
        "<https://" * 20_000,
        f"://{'[a](' * 50_000}",
    ],
)
def test_no_result_keeps_everybody_waiting_while_its_links_are_read(text: str) -> None:
    began = time.process_time()
    links_in_result({"content": [{"type": "text", "text": text}]})
    assert time.process_time() - began < 1.5
