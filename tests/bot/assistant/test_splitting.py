"""Messages that each read well alone, and together are the whole."""

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.assistant.graphemes import borders
from bot.assistant.splitting import split
from tests.support.limits import units


@pytest.mark.parametrize(
    "cluster",
    [
        *(
            "e\u0301",
            "👩‍💻",
            "👨‍👩‍👧‍👦",
            "❤️",
            "👍🏽",
            "🇩🇪",
            "🏴\U000e0067\U000e0062\U000e007f",
            "각",
            "\u1100\u1161\u11a8",
            "한\u11a8",
        ),
        *("नि", "\r\n", "1️⃣", "a\u0336\u0301\u0300"),
    ],
)
def test_what_reads_as_one_character_is_never_cut(cluster: str) -> None:
    assert list(borders(f"a{cluster}b")) == [1, 1 + len(cluster), 2 + len(cluster)] or cluster[0] == "\r"
    assert list(borders(cluster * 2)) == [len(cluster), 2 * len(cluster)]
    for part in split(cluster * 900, 200):
        assert part.replace(cluster, "").strip() == ""


def test_two_flags_are_two_characters() -> None:
    assert list(borders("🇩🇪🇫🇷🇮")) == [2, 4, 5]
    assert list(borders("")) == []


def test_a_paragraph_is_kept_whole_before_a_line_a_sentence_and_a_word() -> None:
    a, b = "a" * 120, "b" * 120
    assert split(f"{a}\n\n{b}", 200) == (a, b)
    assert split(f"{a}\nx y. z\n\n{b}", 200) == (f"{a}\nx y. z", b)
    assert split(f"{a}\n{b}", 200) == (a, b)
    assert split(f"{a}. {b} {a}", 200) == (f"{a}.", b, a)
    assert split(f"{a} {b}", 200) == (a, b)
    assert split("x" * 450, 200) == ("x" * 196, "x" * 196, "x" * 58)
    assert split("short", 200) == ("short",)


def test_a_code_block_is_closed_and_opened_again_with_its_language() -> None:
    lines = [f"print({number:03})" for number in range(40)]
    parts = split("Look:\n```py\n" + "\n".join(lines) + "\n```\nThat was it.", 200)
    assert len(parts) > 2
    assert parts[0].startswith("Look:\n```py\nprint(000)\n")
    assert all(part.startswith("```py\n") for part in parts[1:])
    assert all(part.endswith("\n```") for part in parts[:-1])
    assert parts[-1].endswith("\n```\nThat was it.")
    assert [line for part in parts for line in part.split("\n") if line.startswith("print")] == lines


def test_a_code_block_that_begins_or_ends_at_the_cut_leaves_no_empty_one() -> None:
    for size in range(150, 200):
        parts = split("y" * size + "\n```py\n" + "x" * size + "\n```\n" + "z" * size, 200)
        assert all(re.search(r"```(?:py)?\s*```", part) is None for part in parts)
        assert "".join(parts).count("x") == size
        assert "".join(parts).count("z") == size


def test_a_code_block_that_is_never_closed_is_closed() -> None:
    assert split("```py\nx") == ("```py\nx\n```",)


@pytest.mark.parametrize(
    "whole", ["<https://ok.example/" + "a" * 100 + ">", "<@123456789012345678>", "<:emoji:123456>"]
)
def test_no_cut_goes_through_a_link_or_a_mention(whole: str) -> None:
    for size in range(80, 200):
        parts = split("x" * size + whole + "y" * 60, 200)
        assert sum(part.count(whole) for part in parts) == 1


def test_what_fits_nowhere_is_cut_all_the_same() -> None:
    parts = split("<" + "a" * 500 + ">", 200)
    assert "".join(parts) == "<" + "a" * 500 + ">"
    marks = split("e" + "\u0301" * 900, 200)
    assert "".join(marks) == "e" + "\u0301" * 900


TEXTS = st.lists(
    st.sampled_from(
        [
            *(
                "word ",
                "A sentence. ",
                "\n",
                "\n\n",
                "```",
                "```py\n",
                "\n```\n",
                "`x`",
                "<https://ok.example/a>",
                "<@1>",
            ),
            *("👩‍💻", "🇩🇪", "e\u0301", "x" * 70, "> q\n", "- l\n", "  ", "**b**", "한", "😀" * 30, "<", "$"),
        ]
    )
    | st.text(
        st.characters(exclude_characters="`", exclude_categories=["L", "N", "Cs", "P", "S"]) | st.just("é"),
        max_size=5,
    ),
    max_size=60,
).map("".join)


def bare(text: str) -> str:
    """`text` without what splitting may add or leave out: white space, fences and the one language used here."""
    return re.sub(r"```|py|\s+", "", text)


@settings(max_examples=300)
@given(TEXTS, st.sampled_from([200, 300, 2_000]))
def test_together_the_messages_are_the_text(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert all(part.strip() and units(part) <= limit for part in parts)
    assert all(part.count("```") % 2 == 0 for part in parts)
    visible = "".join(bare(part) for part in parts)
    hidden = {"Cf", "Cc", "Cn", "Co", "Cs", "Mn"}
    lost = [char for char in bare(text) if unicodedata.category(char) not in hidden]
    assert [char for char in visible if unicodedata.category(char) not in hidden] == lost
