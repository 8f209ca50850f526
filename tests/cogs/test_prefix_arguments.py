"""What people type behind a prefix command, and what the tool gets from it."""

import contextlib
import time

import pytest

from bot.errors import BadArguments
from bot.strict_json import Json
from cogs.options import usage_line
from cogs.prefix_arguments import parse_arguments
from tests.support.options import command, option
from tests.support.prefix_command import SNACKS, Guild, parse, problems

PLAIN = (
    option("first", required=True),
    option("number", "integer", required=True),
    option("loud", "boolean"),
)


@pytest.mark.parametrize(
    "flag",
    [
        "--count=2",
        "--count 2",
        "--count = 2",
        "--count =2",
        "--count= 2",
        "--Count=2",
        "--COUNT=2",
        "—count=2",
        "—Count 2",
        "–count = 2",
        "――count=2",
        "––count=2",
        "—-count=2",
        '--count="2"',
        "--count “2”",
        "--count\n=\t2",
    ],
)
@pytest.mark.parametrize("where", ["{} ana for you", "ana {} for you", "ana for {} you", "ana for you {}"])
def test_a_flag_may_be_written_and_placed_in_any_of_these_ways(flag: str, where: str) -> None:
    assert parse(where.format(flag)) == {"to": "ana", "note": "for you", "count": 2}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a b --count=2 --tag="two words"', {"to": "a", "note": "b", "count": 2, "tag": "two words"}),
        ("  a \t b\n", {"to": "a", "note": "b"}),
        ("a hello   there\n  indented", {"to": "a", "note": "hello   there\n  indented"}),
        ("a one --loud  two", {"to": "a", "note": "one two", "loud": True}),
        ('a "just quoted"', {"to": "a", "note": "just quoted"}),
        ('a "just quoted" --loud', {"to": "a", "note": "just quoted", "loud": True}),
        ('a "quoted" and more', {"to": "a", "note": '"quoted" and more'}),
        ('a "hello", she said', {"to": "a", "note": '"hello", she said'}),
        ('a "" ', {"to": "a", "note": ""}),
        ('"a b" c', {"to": "a b", "note": "c"}),
        ("--note=x y", {"to": "y", "note": "x"}),
        ("--to a for you", {"to": "a", "note": "for you"}),
        ("for you --to=a", {"to": "a", "note": "for you"}),
        ("a x --loud yes", {"to": "a", "note": "x yes", "loud": True}),
        ("a x --loud=yes", {"to": "a", "note": "x", "loud": True}),
        ("a x --loud = off", {"to": "a", "note": "x", "loud": False}),
        ("a x --loud= 0 y", {"to": "a", "note": "x y", "loud": False}),
        ("a x --count -5 --price -.5", {"to": "a", "note": "x", "count": -5, "price": -0.5}),
        ("a -5 - -x", {"to": "a", "note": "-5 - -x"}),
        ("a 1 = 2 == 3", {"to": "a", "note": "1 = 2 == 3"}),
        ("a well-known no—one 5--6", {"to": "a", "note": "well-known no—one 5--6"}),
        ("a --tag=x=y z", {"to": "a", "note": "z", "tag": "x=y"}),
    ],
)
def test_words_flags_and_the_rest_find_their_options(text: str, expected: dict[str, Json]) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    "quoted",
    ['"{}"', "“{}”", "”{}”", "„{}“", "«{}»", "»{}«", "'{}'", "‘{}’", "‚{}‘", "‹{}›"],
)
def test_straight_curly_and_angle_quotes_quote_and_nothing_in_them_is_a_flag(quoted: str) -> None:
    text = quoted.format("--loud is fine")
    assert parse(f"a {text}") == {"to": "a", "note": "--loud is fine"}
    assert parse(f"{text} b") == {"to": "--loud is fine", "note": "b"}
    assert parse(f"a b —tag={quoted.format('--a b')}") == {"to": "a", "note": "b", "tag": "--a b"}
    assert parse(f"a b --tag = {quoted.format('= c')}") == {"to": "a", "note": "b", "tag": "= c"}


@pytest.mark.parametrize(
    "text",
    [
        "don't",
        "don’t stop",
        "'tis fine",
        "’tis fine",
        "rock 'n' roll",
        "it's 5\" wide",
        'say"hi" to Ana\'s',
        "'it's two' x",
    ],
)
def test_an_apostrophe_or_a_quote_inside_a_word_is_a_letter(text: str) -> None:
    assert parse(f"a {text} --loud") == {"to": "a", "note": text, "loud": True}


def test_an_apostrophe_inside_a_quoted_text_does_not_close_it() -> None:
    assert parse("'don't stop' b") == {"to": "don't stop", "note": "b"}
    assert parse("‘don’t stop’ b") == {"to": "don’t stop", "note": "b"}


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("a -- --count=2 is text", "--count=2 is text"),
        ("a — --count=2 is text", "--count=2 is text"),
        ("-- a --loud", "--loud"),
        ("a x -- --loud", "x --loud"),
        ("a -- -- —loud", "-- —loud"),
        ('a -- "quotes stay" "as they are', '"quotes stay" "as they are'),
    ],
)
def test_after_a_lone_double_dash_all_is_text(text: str, note: str) -> None:
    assert parse(text) == {"to": "a", "note": note}


def test_a_long_dash_between_the_words_of_the_text_is_punctuation_and_loses_no_flag() -> None:
    assert parse("a well — maybe – not --loud") == {"to": "a", "note": "well — maybe – not", "loud": True}


def test_a_lone_long_dash_is_the_double_dash_where_no_text_takes_the_rest() -> None:
    assert parse("— --x 7", PLAIN) == {"first": "--x", "number": 7}
    assert parse("--note=x — --loud") == {"to": "--loud", "note": "x"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["`to` is missing.", "`note` is missing."]),
        ("a", ["`note` is missing."]),
        ("a b --size=2", ["`--size` is none of this command's options."]),
        ("a b —sizes", ["`—sizes` is none of this command's options."]),
        ("a b ---", ["`---` is none of this command's options."]),
        ("a b --=2", ["`--` is none of this command's options."]),
        ("a b --->", ["`--->` is none of this command's options."]),
        ("a b --count=2 --COUNT 3", ["`--COUNT` is given more than once."]),
        ("a b --count", ["`--count` needs a value."]),
        ("a b --count=", ["`--count` needs a value."]),
        ("a b --count = ", ["`--count` needs a value."]),
        ("a b --count --loud", ["`--count` needs a value."]),
        ("a b --count -- 2", ["`--count` needs a value."]),
        ("a b --loud=", ["`--loud` needs a value."]),
        ("--to b", ["`note` is missing."]),
        ("a --note", ["`--note` needs a value."]),
        ("--note=x y z w", ["`z w` is more than this command takes."]),
        ('a "open text', ['The quote at `"open text` is never closed; `--` before it makes it plain text.']),
        ('a b --tag="x', ['The quote at `"x` is never closed; `--` before it makes it plain text.']),
        ("a b --tag=0123456789abc", ["`tag`: `0123456789abc` is longer than 12 characters."]),
        ("a b --loud=maybe", ["`loud`: `maybe` is neither yes nor no."]),
        (
            "a b --count=x --price=1,5 --size --loud=2",
            [
                "`--size` is none of this command's options.",
                "`count`: `x` is not a whole number.",
                "`price`: `1,5` is not a number.",
                "`loud`: `2` is neither yes nor no.",
            ],
        ),
    ],
)
def test_whatever_is_wrong_is_told_with_the_word_it_is_about(text: str, expected: list[str]) -> None:
    assert problems(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a 7", {"first": "a", "number": 7}),
        ("--number=7 a", {"first": "a", "number": 7}),
        ("7 --first a", {"first": "a", "number": 7}),
    ],
)
def test_required_options_come_by_position_or_by_name(text: str, expected: dict[str, Json]) -> None:
    assert parse(text, PLAIN) == expected


def test_where_no_text_takes_the_rest_more_words_are_a_problem() -> None:
    assert problems("a 7 b  c", PLAIN) == ["`b c` is more than this command takes."]
    assert problems("7", ()) == ["`7` is more than this command takes."]
    assert parse("", ()) == {}


def test_what_was_typed_is_shown_short_visible_and_unable_to_leave_its_code_span() -> None:
    assert problems("a b --x\u200b`y") == ["`--x\\u{200b}ˋy` is none of this command's options."]
    (told,) = problems(f"a b --{'x' * 500}")
    assert told == f"`--{'x' * 55}…` is none of this command's options."


def test_a_thousand_problems_fit_into_one_message() -> None:
    long_usage = usage_line("^", command(), [option(f"{'o' * 30}{number}") for number in range(25)])
    with pytest.raises(BadArguments) as told:
        parse_arguments("--a " * 1_000, SNACKS, usage=long_usage, known=Guild())
    assert len(told.value.sentence) <= 2_000
    assert told.value.problems[-1].startswith("Problems that are not listed here: 9")


def test_characters_that_no_wire_format_carries_are_left_out() -> None:
    assert parse("a b\0c\ud800d") == {"to": "a", "note": "bcd"}


@pytest.mark.parametrize(
    "hostile",
    [
        "-",
        "—",
        "--a ",
        "--tag=",
        "'a ",
        "‘a ",
        '"',
        '"a" ',
        "a",
        " ",
        "=",
        "= ",
        "--count ",
        "--tag = ",
        "\n",
        "--",
        "“a” ",
    ],
)
def test_the_time_it_takes_grows_with_the_length_and_no_faster(hostile: str) -> None:
    text = hostile * (40_000 // len(hostile))
    started = time.perf_counter()
    with contextlib.suppress(BadArguments):
        parse(text)
    assert time.perf_counter() - started < 5
