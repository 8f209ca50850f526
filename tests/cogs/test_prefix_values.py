"""What one typed value may look like for each type of option."""

import pytest

from bot.manifest import OptionType
from tests.support.options import option
from tests.support.prefix_command import parse, problems


@pytest.mark.parametrize(
    "typed", ["1e3", "0x10", "１２", "1_000", "NaN", "inf", "1.0", "+5", "", "--5", "5-", "1 000", "²"]
)
def test_a_whole_number_is_written_in_plain_digits(typed: str) -> None:
    assert problems(f'a b --count="{typed}"')[0].endswith("is not a whole number.")


@pytest.mark.parametrize(
    "typed", ["1e3", "0x10", "１.５", "1_0.5", "NaN", "Infinity", "1,5", "1.", ".", "-", "1.2.3"]
)
def test_a_number_is_written_in_plain_decimal_notation(typed: str) -> None:
    assert problems(f'a b --price="{typed}"')[0].endswith("is not a number.")


@pytest.mark.parametrize(("typed", "value"), [("007", 7), ("-0", 0), ("9007199254740991", 2**53 - 1)])
def test_whole_numbers_arrive_exactly(typed: str, value: int) -> None:
    assert parse(f"a b --count={typed}")["count"] == value


@pytest.mark.parametrize(
    ("flag", "told"),
    [
        ("--count=9007199254740992", "`count`: `9007199254740992` is more than 9007199254740991."),
        ("--count=-9007199254740992", "`count`: `-9007199254740992` is less than -9007199254740991."),
        ("--price=9007199254740993", "`price`: `9007199254740993` is more than 9007199254740992."),
        (f"--price={'9' * 400}.5", f"`price`: `{'9' * 57}…` is more than 9007199254740992."),
    ],
)
def test_numbers_beyond_what_discord_takes_are_refused(flag: str, told: str) -> None:
    assert problems(f"a b {flag}") == [told]


def test_limits_of_numbers_and_texts_are_inclusive_and_told() -> None:
    options = (option("n", "integer", minimum=2, maximum=4), option("t", min_length=2, max_length=3))
    assert parse("--n=2 --t=ab", options) == {"n": 2, "t": "ab"}
    assert parse("--n=4 --t=abc", options) == {"n": 4, "t": "abc"}
    assert problems("--n=1 --t=a", options) == [
        "`n`: `1` is less than 2.",
        "`t`: `a` is shorter than 2 characters.",
    ]
    assert problems("--n=5 --t=abcd", options) == [
        "`n`: `5` is more than 4.",
        "`t`: `abcd` is longer than 3 characters.",
    ]


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("Dark chocolate", "dark"),
        ("dark  CHOCOLATE", "dark"),
        ("DARK", "dark"),
        ("dark", "dark"),
        ("milk", "Milk"),
    ],
)
def test_a_choice_is_taken_by_its_name_or_value_in_any_case(typed: str, value: str) -> None:
    options = (option("kind", required=True, choices=(("Dark chocolate", "dark"), ("With milk", "Milk"))),)
    assert parse(typed, options) == {"kind": value}


def test_an_exact_choice_goes_before_one_in_another_case_and_a_name_before_a_value() -> None:
    options = (option("kind", choices=(("A", "b"), ("a", "c"), ("b", "d"))),)
    assert [parse(f"--kind={typed}", options)["kind"] for typed in "Aab"] == ["b", "c", "d"]


@pytest.mark.parametrize(
    ("typed", "value"), [("Two", 2), ("2", 2), ("2.5", 2.5), ("2.50", 2.5), ("half", 2.5)]
)
def test_a_number_among_choices_is_taken_by_name_or_value(typed: str, value: float) -> None:
    options = (option("size", "number", choices=(("Two", 2), ("Half", 2.5))),)
    assert parse(f"--size={typed}", options) == {"size": value}


def test_what_is_no_choice_is_told_with_the_choices() -> None:
    options = (option("kind", choices=(("Red", "r"), ("Blue", "b"))),)
    assert problems("--kind=green", options) == ["`kind`: `green` is none of `Red, Blue`."]


@pytest.mark.parametrize(
    ("kind", "typed", "value"),
    [
        ("user", "<@101>", "101"),
        ("user", "<@!101>", "101"),
        ("user", "101", "101"),
        ("channel", "<#202>", "202"),
        ("channel", "202", "202"),
        ("role", "<@&303>", "303"),
        ("role", "303", "303"),
    ],
)
def test_mentions_and_ids_of_this_server_become_ids(kind: OptionType, typed: str, value: str) -> None:
    options = (option("it", kind, required=True),)
    assert parse(typed, options) == {"it": value}


@pytest.mark.parametrize(
    ("kind", "typed", "what"),
    [
        ("user", "<@102>", "a member"),
        ("user", "<@&101>", "a member"),
        ("user", "<#101>", "a member"),
        ("user", "<@101", "a member"),
        ("user", "0101", "a member"),
        ("user", "１０１", "a member"),
        ("user", "ana", "a member"),
        ("user", "@everyone", "a member"),
        ("channel", "<#203>", "a channel"),
        ("channel", "<@202>", "a channel"),
        ("role", "<@303>", "a role"),
        ("role", "304", "a role"),
    ],
)
def test_what_does_not_belong_to_this_server_is_refused(kind: OptionType, typed: str, what: str) -> None:
    options = (option("it", kind, required=True),)
    assert problems(typed, options) == [
        f"`it`: `{typed}` is not {what} of this server; mention {what} or give an id."
    ]
