"""The owner's log as one page of a message, whatever it has to show."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.outbound import Button, Reply
from bot.policy.audiences import AccessRules
from bot.text import length
from bot.tricks.failures import ADVICE, advice
from bot.tricks.installed import Installed
from bot.tricks.log import KEPT, Failure
from cogs.owner_log import PER_PAGE, log_panel
from tests.support.manifests import manifest_json, read
from tests.support.records import NOW, installation

SECONDS = NOW // 1000


def failure(**changes: Any) -> Failure:
    """A slash command that failed after a second and a half."""
    values: dict[str, Any] = {
        "at": NOW,
        "origin": "slash",
        "what": "eat_snack",
        "id": "c" * 32,
        "fate": "failed",
        "took": 1_500,
        "failure": "Nothing is served at this address (HTTP 404).",
        "advice": advice("HttpFailure"),
        "said": "",
    }
    return Failure(**values | changes)


def shown(*failures: Failure, page: int = 0, name: str = "Snack Club") -> Reply:
    """The page of the log of a trick with this name."""
    row = installation(name=name, trick_id="snack_club")
    return log_panel(Installed(row, read(manifest_json()), AccessRules(), {}, ()), failures, page)


def entries(reply: Reply) -> list[tuple[str, str]]:
    """The fields of a page."""
    assert reply.embed is not None
    return [(field.name, field.value) for field in reply.embed.fields]


def labels(reply: Reply) -> list[tuple[str, str]]:
    """Its buttons."""
    return [(each.label, each.custom_id) for each in reply.buttons if isinstance(each, Button)]


def test_an_entry_says_when_what_which_call_how_long_why_and_what_to_do() -> None:
    ((name, value),) = entries(shown(failure(said="no such page")))
    assert name == "Slash command: eat\\_snack"
    assert value.split("\n") == [
        f"<t:{SECONDS}:f> (<t:{SECONDS}:R>), after 1.5 s, call `{'c' * 32}`",
        "**Failed.** Nothing is served at this address (HTTP 404).",
        advice("HttpFailure"),
        "It said:",
        "```",
        "no such page",
        "```",
    ]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"fate": "unknown"}, "**Unknown whether it happened.**"),
        ({"fate": "given_up", "origin": "event", "attempts": 9}, "**Given up** after 9 tries."),
        (
            {"fate": "retrying", "origin": "event", "attempts": 1, "next_at": NOW + 5_000},
            f"**Not delivered yet:** 1 try so far, the next <t:{SECONDS + 5}:R>.",
        ),
        ({"fate": "retrying", "origin": "event", "attempts": 2}, "**Not delivered yet:** 2 tries so far."),
    ],
)
def test_how_it_stands_is_told_in_words(changes: dict[str, Any], told: str) -> None:
    ((_, value),) = entries(shown(failure(**changes)))
    assert told in value
    assert ("delivery `" in value) == (changes.get("origin") == "event")


def test_what_the_trick_said_hides_nothing_and_leaves_no_code_block() -> None:
    ((_, value),) = entries(shown(failure(said="a\u200bb ``` <@1> [x](https://evil.example)\r\n@everyone")))
    assert "a\\u{200b}b" in value
    assert value.count("```") == 2
    assert value.endswith("\n```")


def test_nothing_that_failed_is_said_so() -> None:
    embed = shown().embed
    assert embed is not None
    assert "Nothing is known to have failed at **Snack Club**" in embed.description


def test_pages_turn_and_one_too_many_is_the_last() -> None:
    many = [failure(id=f"{n:032}") for n in range(KEPT)]
    first, middle, last, beyond = (shown(*many, page=page) for page in (0, 1, 2, 9))
    assert [len(entries(each)) for each in (first, middle, last)] == [PER_PAGE] * 3
    assert labels(first) == [("Older", "l:1:snack_club")]
    assert labels(middle) == [("Newer", "l:0:snack_club"), ("Older", "l:2:snack_club")]
    assert labels(last) == [("Newer", "l:1:snack_club")]
    assert beyond == last
    assert labels(shown(*many[:PER_PAGE])) == []
    assert first.embed is not None
    assert "the newest 15" in first.embed.footer


_texts = st.text(st.sampled_from("ab `\n\u200b🦴*_<>@\x00\ud800\u3164"), max_size=500)


@given(_texts, st.sampled_from([*ADVICE]), st.booleans(), st.text(max_size=80))
def test_any_page_fits_discord(words: str, kind: str, unknown: bool, name: str) -> None:
    told = advice(kind, unknown=unknown)
    entry = failure(said=words, advice=told, failure="x" * 200, what="t" * 48, origin="assistant")
    reply = shown(*[entry] * KEPT, name=name)
    assert reply.embed is not None
    assert all(length(part) > 0 for field in entries(reply) for part in field)
    assert all(length(name) <= 256 and length(value) <= 1_024 for name, value in entries(reply))
    texts = [reply.embed.title, reply.embed.footer, *(part for field in entries(reply) for part in field)]
    assert sum(map(length, texts)) <= 6_000
    assert all("\ud800" not in text for text in texts)
