"""Any text behind a prefix command, and any arguments written out, in every spelling."""

import json

from hypothesis import example, given
from hypothesis import strategies as st

from bot.errors import BadArguments
from bot.strict_json import Json
from cogs.options import OptionSpec
from tests.support.options import specs
from tests.support.prefix_command import SNACKS, parse

typed_text = st.lists(
    st.sampled_from(
        [
            "--",
            "—",
            "–",
            "=",
            " ",
            "\n",
            '"',
            "“",
            "”",
            "'",
            "’",
            "a",
            "b",
            "5",
            "-",
            "<@101>",
            "\u200b",
            "\0",
        ]
    )
    | st.text(max_size=4),
    max_size=40,
).map("".join)


@st.composite
def text_for_options(draw: st.DrawFn) -> tuple[tuple[OptionSpec, ...], str]:
    options = draw(specs())
    known = [f"--{each.name}" for each in options] or ["--x"]
    parts = draw(st.lists(st.sampled_from(known) | typed_text | st.just(" 5 "), max_size=8))
    return options, "".join(parts)


@given(text_for_options())
@example((SNACKS, '--note="'))
def test_any_text_becomes_arguments_that_fit_or_is_refused(case: tuple[tuple[OptionSpec, ...], str]) -> None:
    options, text = case
    arguments, refusal = attempt(text, options)
    if refusal is not None:
        assert refusal.problems
        assert len(refusal.sentence) <= 2_000
        return
    by_name = {each.name: each for each in options}
    assert {each.name for each in options if each.required} <= set(arguments) <= set(by_name)
    json.dumps(arguments, allow_nan=False).encode()
    for name, value in arguments.items():
        assert fits(by_name[name], value)


def attempt(text: str, options: tuple[OptionSpec, ...]) -> tuple[dict[str, Json], BadArguments | None]:
    try:
        return parse(text, options), None
    except BadArguments as error:
        return {}, error


def fits(spec: OptionSpec, value: Json) -> bool:
    if spec.type == "boolean":
        return isinstance(value, bool)
    if spec.type in ("user", "channel", "role"):
        return value == {"user": "101", "channel": "202", "role": "303"}[spec.type]
    if spec.choices:
        return value in [each for _, each in spec.choices]
    size: int | float
    if spec.type == "string":
        assert isinstance(value, str)
        size, low, high = len(value), spec.min_length, spec.max_length
    else:
        assert isinstance(value, int if spec.type == "integer" else int | float)
        size, low, high = value, spec.minimum, spec.maximum
        assert abs(size) <= 2**53
    return (low is None or size >= low) and (high is None or size <= high)


PAIRS = (('"', '"'), ("“", "”"), ("«", "»"), ("'", "'"))
SPELLINGS = ("--{}={}", "--{} {}", "--{} = {}", "—{}={}", "–{}\n{}", "--{}= {}", "--{} ={}")

values_by_type: dict[str, st.SearchStrategy[Json]] = {
    "string": st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)
    | st.sampled_from(["--loud", "two words", "don't", "a=b", "-5", "", "—", '5" x 4" wide']),
    "integer": st.integers(-(2**53) + 1, 2**53 - 1),
    "number": st.decimals(-9_000_000, 9_000_000, places=4).map(float) | st.integers(-(2**53), 2**53),
    "boolean": st.booleans(),
    "user": st.just("101"),
    "channel": st.just("202"),
    "role": st.just("303"),
}


def quote(text: str, draw: st.DrawFn) -> str | None:
    """`text` between quotes that it does not close itself, None if every kind would be closed too early."""
    able = [
        pair
        for pair in PAIRS
        if not any(mark in text for mark in {pair[1], "“" if pair[1] == "”" else pair[1]})
    ]
    if not able:
        return None
    opener, closer = draw(st.sampled_from(able))
    return f"{opener}{text}{closer}"


@st.composite
def typed_commands(draw: st.DrawFn) -> tuple[tuple[OptionSpec, ...], dict[str, Json], str]:
    """Options, arguments for them, and a text that gives these arguments."""
    options = tuple(OptionSpec(each.name, "x", each.type, each.required) for each in draw(specs()))
    arguments: dict[str, Json] = {}
    words: list[str] = []
    flags: list[str] = []
    for each in options:
        if not each.required and draw(st.booleans()):
            continue
        value = draw(values_by_type[each.type])
        typed = (
            quote(value, draw)
            if each.type == "string" and isinstance(value, str)
            else json.dumps(value).strip('"')
        )
        if typed is None:
            typed, value = "x", "x"
        arguments[each.name] = value
        if each.required and draw(st.booleans()):
            words.append(typed)
            continue
        usable = SPELLINGS
        if each.type == "boolean":
            usable = (*(spelling for spelling in SPELLINGS if "=" in spelling), *(("—{}",) if value else ()))
        name = draw(st.sampled_from([each.name, each.name.upper(), each.name.title()]))
        flags.append(draw(st.sampled_from(usable)).format(name, typed))
    for flag in flags:
        words.insert(draw(st.integers(0, len(words))), flag)
    return options, arguments, draw(st.sampled_from([" ", "\n", "  "])).join(words)


@given(typed_commands())
def test_written_out_arguments_are_read_back_in_every_spelling(
    case: tuple[tuple[OptionSpec, ...], dict[str, Json], str],
) -> None:
    options, arguments, text = case
    assert parse(text, options) == arguments
