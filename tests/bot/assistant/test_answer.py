"""What an answer becomes: messages with listed links alone, and no pings."""

from collections.abc import Sequence

import pytest

from bot.assistant.answer import CUT, MAX_MESSAGES, compose
from bot.policy.links import LinkRules
from tests.support.limits import units

RULES = LinkRules(frozenset({"bad.example"}))


MENU = "https://ok.example/menu"


ALLOWED = (
    MENU,
    "https://ok.example",
    "https://ok.example/x_",
    "http://plain.example",
    "https://bad.example/x",
)


def composed(text: str, notes: Sequence[str] = ()) -> str:
    parts = compose(text, allowed=ALLOWED, links=RULES, notes=notes)
    return "\n".join(parts)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"See {MENU}.", f"See <{MENU}>."),
        (f"({MENU}), <{MENU}>!", f"(<{MENU}>), <{MENU}>!"),
        (f"**{MENU}**", f"**<{MENU}>**"),
        (f"`{MENU}`", f"`<{MENU}>`"),
        (f"[our menu]({MENU})", f"our menu (<{MENU}>)"),
        (f"[bank.example]({MENU})", f"<{MENU}>"),
        (
            "https://ok.example/x_ <https://ok.example/x_>!",
            "<https://ok.example/x_> <https://ok.example/x_>!",
        ),
        ("https://ok.example.", "<https://ok.example>."),
        (f"[menu](<{MENU}.>)", f"menu (<{MENU}>.)"),
    ],
)
def test_a_listed_link_stays_without_a_preview(text: str, shown: str) -> None:
    assert composed(text) == shown


@pytest.mark.parametrize(
    "url",
    [
        *(
            f"{MENU}s",
            f"{MENU}/",
            f"{MENU}?a",
            "https://OK.example/menu",
            "https://ok.example/",
            "HTTPS://ok.example",
        ),
        *(
            "http://plain.example",
            "https://bad.example/x",
            "https://user@ok.example",
            "https://ok.example:444",
        ),
    ],
)
def test_any_other_link_is_removed_though_it_differs_by_one_character_or_was_listed_and_has_a_problem(
    url: str,
) -> None:
    assert composed(f"a {url} b") == "a (link removed) b"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "menu.pdf",
            "main.py README.md",
            "v1.2.3 and 1.2.3.4",
            "e.g. this, i.e. z.B. U.S.A.",
            "3.14 or 10.0.0.0/24",
        ),
        *(
            "done.The end",
            "Node.js",
            "and/or he/she",
            "a::b",
            "Note: this",
            "12:30",
            "a@b.com",
            "x = y//z",
            "C:\\dir",
        ),
        *(
            "<t:1700000000:R> <#4> <:e:5> <a:e:5> </order now:6> <id:customize>",
            "…so",
            "Привет.Но",
        ),
        *("https", "It begins with https: and two slashes", "[x] (y)"),
        *("# A\n> b\n- c", "data: 5", "tel: 5"),
    ],
)
def test_what_is_no_link_stays(text: str) -> None:
    assert composed(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("I did it.So what", "I did it. So what"),
        ("Fine.Here you go", "Fine. Here you go"),
        ("use os.name or asyncio.run(x)", "use os. name or asyncio. run(x)"),
        ("self.app.state", "self. app.state"),
        ("5.am", "5. am"),
    ],
)
def test_where_a_host_is_unlikely_a_blank_parts_it(text: str, shown: str) -> None:
    assert composed(text) == shown


def test_only_roles_and_everyone_lose_their_mention() -> None:
    assert composed("<@1> <@!1> <@2> <@!2> <@&3> @everyone @HERE") == (
        "<@1> <@1> <@2> <@2> role 3 @\u200beveryone @\u200bHERE"
    )


def test_an_address_with_everyone_in_it_stays_as_it_is() -> None:
    url = "https://ok.example/@everyone"
    assert compose(url, allowed=(url,), links=RULES) == (f"<{url}>",)


@pytest.mark.parametrize("text", ["", " \n", "\u200b\u2800", "\ud800", "\x00"])
def test_of_nothing_there_is_no_message(text: str) -> None:
    assert compose(text, allowed=(), links=RULES, notes=("n",)) == ()


def test_notes_end_the_last_message_in_small_print() -> None:
    assert (
        composed("Hello", notes=("Auto-reviewed:\nOrder", "More"))
        == "Hello\n-# Auto-reviewed: Order\n-# More"
    )
    full = "x" * 1_995
    parts = compose(full, allowed=(), links=RULES, notes=("Auto-reviewed",))
    assert parts == (full, "-# Auto-reviewed")


@pytest.mark.parametrize(
    "text", ["word " * 5_000, "x" * 50_000, "```py\n" + "line\n" * 5_000, "https://ok.example " * 900]
)
def test_a_very_long_answer_is_cut_and_says_so_below_the_notes(text: str) -> None:
    parts = compose(text, allowed=ALLOWED, links=RULES, notes=("Noted",))
    assert len(parts) == MAX_MESSAGES
    assert parts[-1].endswith(f"\n-# Noted\n-# {CUT}")
    assert all(units(part) <= 2_000 and part.count("```") % 2 == 0 for part in parts)


def test_a_link_that_no_message_holds_is_removed() -> None:
    url = "https://ok.example/" + "a" * 1_950
    assert compose(url, allowed=(url,), links=RULES) == ("(link removed)",)
