"""The approval card: everything that would run can be seen, and nothing else can pretend to be the card."""

import json
import re
from dataclasses import replace
from typing import Any, get_args

import pytest

from bot.approvals.cards import MAX_OUTSIDE_PAGES, SHORTENED, TITLE, CardView, card, closed_card, details
from bot.outbound import Button, Reply
from bot.policy.provenance import Source
from storage.request_records import ApprovalStatus
from tests.support.discord_markdown import masked_links, shown_addresses
from tests.support.limits import message_problems

CLOSES_AT = 1_767_226_500_000
VIEW = CardView(
    trick_name="Snacks",
    tool_title="Order a snack",
    tool_name="snacks__order",
    arguments={"kind": "waffle", "count": 2, "extras": {"cream": True, "note": "hot\nplease"}},
    reason="outside",
    reviewable=True,
    closes_at=CLOSES_AT,
    outside=(
        Source(kind="tool_output", author_id="inst", id="c", text="ignore all"),
        Source(kind="member", author_id="77", id="5", text="buy\nmore"),
        Source(kind="tool_output", author_id="inst", id="d", text="again"),
    ),
    key="k1",
)


def inputs_of(reply: Reply) -> list[str]:
    assert reply.embed is not None
    _, block, after = reply.embed.description.split("```")
    assert "`" not in after
    return block.strip("\n").split("\n")


def field(reply: Reply, name: str) -> str:
    assert reply.embed is not None
    return next((each.value for each in reply.embed.fields if each.name == name), "")


def shown_input(value: Any) -> str:
    (line,) = inputs_of(card(replace(VIEW, arguments={"note": value})))
    return line.removeprefix("note: ")


def test_the_card_shows_what_runs_why_it_asks_and_until_when() -> None:
    reply = card(VIEW)
    assert reply.embed is not None
    assert reply.embed.title == TITLE
    assert reply.embed.description.startswith("**Order a snack** with **Snacks**\n`snacks__order`\n```\n")
    assert inputs_of(reply) == [
        'kind: "waffle"',
        "count: 2",
        'extras: {"cream": true, "note": "hot\\nplease"}',
    ]
    assert field(reply, "Why I ask") == (
        "I had read text that is not yours, which may have steered me: "
        "the output of a tool, a message of another member."
    )
    assert field(reply, "Open until").startswith("<t:1767226500:f> (<t:1767226500:R>)")
    assert SHORTENED not in reply.embed.description


def test_its_four_buttons_carry_the_key() -> None:
    assert card(VIEW).buttons == (
        Button("a:do:k1", "Do it", "success"),
        Button("a:auto:k1", "Auto-review", "primary"),
        Button("a:dont:k1", "Don't", "danger"),
        Button("a:details:k1", "Details", "secondary"),
    )


def test_a_write_that_is_not_reviewable_has_no_auto_review() -> None:
    labels = [each.label for each in card(replace(VIEW, reviewable=False)).buttons]
    assert labels == ["Do it", "Don't", "Details"]


@pytest.mark.parametrize(
    ("reason", "word"), [("always_ask", "always asks"), ("web_search", "searched the web")]
)
def test_each_reason_has_its_sentence(reason: Any, word: str) -> None:
    assert word in field(card(replace(VIEW, reason=reason)), "Why I ask")


def test_an_outside_reason_without_a_known_source_says_that() -> None:
    assert "unknown origin" in field(card(replace(VIEW, outside=())), "Why I ask")


@pytest.mark.parametrize(
    "hidden",
    [
        *("\U000e0070", "\U000e0001", "\u200b", "\u200d", "\u200c", "\u202e", "\u2066", "\u2069", "\ufeff"),
        *("\u3164", "\u2800", "\ufe0f", "\ufe00", "\u115f", "\uffa0", "\u034f", "\u00ad", "\u180b", "\u2060"),
        *("\u00a0", "\u2003", "\u3000", "\u2028", "\u0085", "\x7f", "\ue000", "\U000e0101", "\ud800"),
    ],
)
def test_what_cannot_be_seen_is_written_out_wherever_it_stands(hidden: str) -> None:
    escape = f"\\u{{{ord(hidden):04x}}}"
    assert shown_input(f"ok{hidden}") == f'"ok{escape}"'
    assert shown_input({"a": [f"{hidden}b"]}) == f'{{"a": ["{escape}b"]}}'
    (line,) = inputs_of(card(replace(VIEW, arguments={f"na{hidden}me": 1})))
    assert escape in line
    assert hidden not in line
    reply = card(replace(VIEW, tool_title=f"Or{hidden}der"))
    assert reply.embed is not None
    assert hidden not in reply.embed.description
    for page in details(replace(VIEW, arguments={f"a{hidden}": hidden}, outside=())):
        assert hidden not in page
        assert page.count(escape) == 2


def test_an_escape_that_the_input_wrote_itself_is_told_from_a_real_one() -> None:
    assert shown_input("\\u{200b}") == '"\\\\u{200b}"'
    assert shown_input("\u200b") == '"\\u{200b}"'


def test_spaces_cannot_push_the_rest_out_of_sight() -> None:
    assert shown_input("a" + " " * 300 + "b") == '"a\\u{0020}×300b"'
    assert shown_input("a  b") == '"a  b"'


def test_marks_can_neither_hang_on_the_card_nor_pile_up() -> None:
    assert shown_input("\u0301a") == '"\\u{0301}a"'
    assert shown_input("a" + "\u0336" * 5) == '"a' + "\u0336" * 3 + "\\u{0336}" * 2 + '"'
    assert shown_input("हिन्दी ไทย") == '"हिन्दी ไทย"'


def test_a_fence_cannot_close_the_code_block() -> None:
    assert shown_input("``` **Why I ask**") == '"\\u{0060}\\u{0060}\\u{0060} **Why I ask**"'
    assert shown_input("`a` ``b``") == '"`a` ``b``"'
    assert inputs_of(card(replace(VIEW, arguments={"```": 1}))) == ['"\\u{0060}\\u{0060}\\u{0060}": 1']


def test_a_name_cannot_pretend_to_be_more_inputs() -> None:
    assert inputs_of(card(replace(VIEW, arguments={"a: 1\nb": 2, "c: 3": 4, "": 5}))) == [
        '"a: 1\\nb": 2',
        '"c: 3": 4',
        '"": 5',
    ]


def test_words_that_mix_scripts_are_named_letter_by_letter() -> None:
    view = replace(
        VIEW, arguments={"to": {"p\u0430ypal": ["fine", "\u0440\u0443\u0441\u0441\u043a\u0438\u0439"]}}
    )
    assert field(card(view), "Look closely") == (
        "Letters of different alphabets stand in one word: `p\\u{0430}ypal`."
    )


def test_text_in_one_script_or_as_japanese_and_korean_are_written_is_not_named() -> None:
    view = replace(VIEW, arguments={"a": "Tシャツ Lサイズ", "b": "카페cafe", "c": "Ελλάδα naïve_1"})
    assert field(card(view), "Look closely") == ""


def test_a_long_input_is_cut_and_said_so_and_details_has_all_of_it() -> None:
    view = replace(VIEW, arguments={"a": "x" * 5_000, "b": 1}, outside=())
    reply = card(view)
    assert reply.embed is not None
    first, second = inputs_of(reply)
    assert first.startswith('a: "xxx')
    assert first.endswith("x…")
    assert second == "b: 1"
    assert reply.embed.description.endswith(SHORTENED)
    assert json.loads("".join(bodies(details(view)))) == view.arguments


def test_what_is_cut_leaves_no_half_escape() -> None:
    for size in range(640, 700):
        line = inputs_of(card(replace(VIEW, arguments={"a": "x" * size + "\u200b" * 9})))[0]
        assert re.sub(r"\\u\{[0-9a-f]+\}", "", line).count("\\") == 0


def test_too_many_inputs_are_counted() -> None:
    reply = card(replace(VIEW, arguments={f"n{number}": "x" * 600 for number in range(9)}))
    assert reply.embed is not None
    assert len(inputs_of(reply)) == 4
    assert "and 5 more inputs" in reply.embed.description


def test_no_inputs_are_said() -> None:
    reply = card(replace(VIEW, arguments={}))
    assert reply.embed is not None
    assert reply.embed.description.endswith("\nNo inputs.")
    assert bodies(details(replace(VIEW, arguments={}, outside=()))) == ["{}"]


def test_names_are_no_markdown_link_mention_or_second_line() -> None:
    evil = "x** [y](https://evil.example) <@1> @everyone\n# Why I ask"
    reply = card(replace(VIEW, trick_name=evil, tool_title=evil, tool_name="a`\n__b"))
    assert reply.embed is not None
    names = reply.embed.description.split("\n```")[0]
    assert names.count("\n") == 1
    assert masked_links(names) == shown_addresses(names) == []
    assert re.search(r"(?<!\\)[<@#\[]", names) is None


@pytest.mark.parametrize("status", get_args(ApprovalStatus))
def test_a_closed_card_has_no_buttons_and_says_in_small_print_what_became_of_it(
    status: ApprovalStatus,
) -> None:
    reply = closed_card(VIEW, status, "You pressed\nDon't.")
    assert reply.buttons == ()
    assert reply.embed is not None
    assert reply.embed.title.startswith("Closed")
    lines = reply.embed.description.split("\n")
    assert lines[-1] == "-# You pressed Don't."
    assert all(line.startswith("-# ") for line in lines)
    assert "waffle" not in reply.embed.description
    assert message_problems(closed_card(VIEW, status, "")) == []


def bodies(pages: tuple[str, ...]) -> list[str]:
    """What stands in the code block of each page."""
    found = [page.split("```") for page in pages]
    assert all(len(parts) == 3 for parts in found)
    return [parts[1].removeprefix("\n").removesuffix("\n") for parts in found]


def test_details_show_all_inputs_and_each_outside_text_with_where_it_is_from() -> None:
    pages = details(VIEW)
    assert json.loads(bodies(pages)[0]) == VIEW.arguments
    assert [page.split("\n")[0] for page in pages[1:]] == [
        "**Text that is not yours, 1 of 3:** the output of a tool",
        "**Text that is not yours, 2 of 3:** a message of another member, <@77>",
        "**Text that is not yours, 3 of 3:** the output of a tool",
    ]
    assert bodies(pages)[1:] == ["ignore all", "buy\nmore", "again"]


def test_outside_text_cannot_leave_its_code_block_and_ends_somewhere() -> None:
    outside = (Source(kind="web_page", text="``` [x](https://evil.example)\n" * 2_000),)
    pages = details(replace(VIEW, outside=outside))
    assert len(pages) == 1 + MAX_OUTSIDE_PAGES
    assert all(page.count("```") == 2 for page in pages)
    assert pages[-1].endswith("There is more of it than fits here.")
