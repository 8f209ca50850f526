"""Links that an answer may not hold, in whatever they are dressed."""

import re
import unicodedata
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.assistant.answer import compose
from bot.policy.links import LinkRules
from tests.support.discord_markdown import masked_links, shown_addresses
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
    "text",
    [
        *(
            "https://evil.example/x",
            "<https://evil.example/x>",
            "HTTPS://EVIL.EXAMPLE",
            "[x](https://evil.example)",
        ),
        *("[x](<https://evil.example> 't')", "[x]: https://evil.example\n[y][x]", "[x](//evil.example)"),
        *("[x](evil.example)", "[x](https://ev\nil.example)", "![x](https://evil.example/a.png)"),
        *(
            "ht**tp**s://evil.example",
            "https:\u200b//evil.example",
            "h\u00adttps://evil.example",
            "https\\://evil.example",
        ),
        *(
            "https:\\/\\/evil.example",
            "||https://||evil.example",
            "ht<t:1>tps://evil.example",
            "https://\nevil.example",
        ),
        *(
            "`https://evil.example`",
            "```\nhttps://evil.example\n```",
            "```evil.example\nx\n```",
            "`ev`il.example",
        ),
        *(
            "evil.example",
            "www.evil.example",
            "evil.example/path",
            "//evil.example/x",
            "evil.example:8080",
            "EVIL.example",
        ),
        *(
            "evil\u2024example",
            "ｅｖｉｌ．ｅｘａｍｐｌｅ",
            "evil。example",
            "evil[.]example",
            "evil(dot)example",
        ),
        *(
            "\u0435vil.exampl\u0435",
            "ev\u200dil.example",
            "evil.exa\u0336mple",
            "evil\ufe0f.example",
            "𝐞𝐯𝐢𝐥.example",
        ),
        *("discord://evil.example", "steam://evil.example", "hxxps://evil.example", "ftp://evil.example"),
        *(
            "mailto:a@evil.example",
            "https∶//evil.example",
            "https:⁄⁄evil.example",
            "请看evil.example吧",
            "@evil.example",
        ),
        *('<a href="https://evil.example">x</a>', "user@evil.example/x", "https://ok.example@evil.example"),
        *(
            "[https://evil.example](https://evil.example)",
            "[a [b](https://evil.example)](https://evil.example)",
        ),
    ],
)
def test_no_disguise_lets_a_link_through(text: str) -> None:
    shown = composed(f"Before {text} after")
    assert "evil.example" not in squashed(shown)
    assert shown.startswith("Before ")
    assert masked_links(shown) == shown_addresses(shown) == []


@pytest.mark.parametrize(
    "text",
    [
        *(
            "evil.co",
            "evil.io/x",
            "discord.gg/abc",
            "1.2.3.4:80/x",
            "www.evil.internal",
            "xn--80ak6aa92e.com",
            "привет.рф",
        ),
        *(
            "javascript:alert(1)",
            "data:text/html,x",
            "tel:+123",
            "sms:123",
            "vbscript:x",
            "magnet:?xt=1",
            "x.store/y",
        ),
        *("setup.sh/install", "evil.is/x", "Evil.Shop/x", "steam://run/1", "intent:x"),
    ],
)
def test_other_schemes_and_bare_hosts_are_links_too(text: str) -> None:
    assert composed(f"a {text} b") == "a (link removed) b"


TWINS = {"а": "a", "е": "e", "о": "o", "с": "c", "р": "p", "х": "x", "і": "i", "ѕ": "s"}


def squashed(text: str) -> str:
    """`text` as a suspicious reader sees it: without marks, signs and hidden characters, in plain Latin."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = "".join(TWINS.get(char, char) for char in plain)
    for dot in ("\u3002", "[.]", "(dot)"):
        plain = plain.replace(dot, ".")
    return "".join(char for char in plain if not _is_passed_over(char))


def _is_passed_over(char: str) -> bool:
    hidden = unicodedata.category(char) in {"Cf", "Cc", "Co", "Cn"} and char not in "\n\t"
    return hidden or char in "*_~|`\\\u2800\u3164\ufe0f" or unicodedata.combining(char) == 1


PIECES = st.sampled_from(
    [
        *(
            "https",
            "http",
            ":",
            "//",
            "://",
            "https://",
            "evil",
            ".",
            "example",
            "evil.example",
            "/path",
            "www.",
            "[x](",
        ),
        *(
            ")",
            "](",
            "[",
            "]",
            "<",
            ">",
            "`",
            "```",
            "**",
            "_",
            "~~",
            "||",
            "\\",
            "\n",
            " ",
            "\u200b",
            "\u00ad",
            "\u200d",
        ),
        *(
            "\ufe0f",
            "\u2060",
            "．",
            "。",
            "ｅ",
            "\u0435vil",
            "[.]",
            "javascript:",
            "[1]: ",
            "@",
            "!",
            "(",
            "co",
            ".com",
        ),
        *(MENU, f"<{MENU}>", f"[x]({MENU})", "<@5>", "@everyone", "<@&5>", "a", "(link removed)", "…"),
    ]
)


@settings(max_examples=300)
@given(st.lists(PIECES | st.text(max_size=2), max_size=30).map("".join))
def test_of_any_mixture_only_listed_links_are_left(text: str) -> None:
    parts = compose(text, allowed=ALLOWED, links=RULES)
    for part in parts:
        assert 0 < units(part) <= 2_000
        assert part.count("```") % 2 == 0
        assert masked_links(part) == []
        assert set(shown_addresses(part)) <= set(ALLOWED)
        assert re.search(r"@(?:everyone|here)|<@&", part, re.IGNORECASE) is None
        rest = part
        for url in ALLOWED:
            rest = rest.replace(f"<{url}>", " ")
        assert not re.search(
            r"[a-z]://[a-z0-9]|(?<![a-z0-9])javascript:[a-z0-9]|(?<![\w@.-])evil\.(?:example|com?)\b|(?<![\w.-])www\.[a-z0-9]",
            squashed(rest),
        )
