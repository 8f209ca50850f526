import json
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.strict_json import Json, NotJson, canonical, dump, parse

TEXT = st.text(st.characters(codec="utf-8"))
VALUE = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXT
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT, inner, max_size=4)),
    max_leaves=20,
)


@given(VALUE)
def test_what_is_written_is_read_back_unchanged(value: Json):
    for data in (dump(value), canonical(value), json.dumps(value).encode(), b"\xef\xbb\xbf" + dump(value)):
        assert parse(data) == value


@given(st.dictionaries(TEXT, VALUE, min_size=2, max_size=5))
def test_the_canonical_form_does_not_depend_on_the_order_of_keys(value: dict[str, Json]):
    assert canonical(dict(reversed(value.items()))) == canonical(value)


@given(st.one_of(st.binary(), st.text().map(lambda text: text.encode("utf-8", "surrogatepass"))))
def test_every_input_is_read_or_refused_and_nothing_else_happens(data: bytes):
    try:
        value = parse(data)
    except NotJson:
        return
    assert parse(dump(value)) == value


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is not valid JSON"),
        (b"{", "is not valid JSON"),
        (b"{}{}", "is not valid JSON"),
        (b"{'a':1}", "is not valid JSON"),
        (b"[1,]", "is not valid JSON"),
        (b"01", "is not valid JSON"),
        (b'"\n"', "is not valid JSON"),
        (b"\xef\xbb\xbf\xef\xbb\xbf{}", "is not valid JSON"),
        (b"\xa0{}", "is not UTF-8"),
        (b"\xff\xfe{\x00}\x00", "is not UTF-8"),
        (b'"\xed\xa0\x80"', "is not UTF-8"),
        (b"NaN", "a number that JSON does not know"),
        (b"[Infinity]", "a number that JSON does not know"),
        (b'{"a":-Infinity}', "a number that JSON does not know"),
        (b"1e999", "a number that is too large"),
        (b"-1e999", "a number that is too large"),
        (b'{"a":1,"a":1}', "a key twice"),
        (b'[{"b":{"a":1,"\\u0061":2}}]', "a key twice"),
        (b'"\\ud800"', "half of a surrogate pair"),
        (b'["\\udc00\\ud800"]', "half of a surrogate pair"),
        (b'{"\\ud83d":1}', "half of a surrogate pair"),
        (b'{"a":[{"b":"x\\ud83dx"}]}', "half of a surrogate pair"),
        (b"[" * 65 + b"]" * 65, "more than 64 levels"),
        (b'{"a":' * 65 + b"1" + b"}" * 65, "more than 64 levels"),
        (b"[" * 100_000, "more than 64 levels"),
        (b"9" * 4_001, "more than 4000 digits"),
        (b'{"id":-' + b"9" * 5_000 + b"}", "more than 4000 digits"),
    ],
)
def test_hostile_json_is_refused_with_the_reason(data: bytes, reason: str):
    with pytest.raises(NotJson) as refused:
        parse(data)
    assert reason in str(refused.value)


def test_a_whole_surrogate_pair_is_one_character():
    assert parse(b'"\\ud83d\\ude00"') == "😀"


def test_64_levels_are_read_and_brackets_in_texts_do_not_count():
    assert parse(b"[" * 64 + b"]" * 64)
    assert parse(b"[" * 60 + b'"' + b"[{" * 500 + b'\\"[["' + b"]" * 60)
    assert parse(b"[" + b"[]," * 1_000 + b"[]]")


@pytest.mark.parametrize("digits", [19, 400, 4_000])
def test_long_integers_pass_unchanged(digits: int):
    number = int("123456789" * (digits // 9 + 1)) // 10 ** (9 * (digits // 9 + 1) - digits)
    assert parse(str(number).encode()) == number
    assert parse(f'{{"id":-{number}}}'.encode()) == {"id": -number}


def test_discord_ids_keep_their_last_digits():
    assert parse(b'{"id": 1915883588174806058}') == {"id": 1915883588174806058}


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "\ud800", {"\udc00": 1}])
def test_what_is_no_json_is_not_written(value: Json):
    for write in (dump, canonical):
        with pytest.raises(NotJson):
            write([value])


def test_text_is_written_as_it_is_and_without_blanks():
    assert dump({"b": "Zoë 🐶", "a": [1, None]}) == '{"b":"Zoë 🐶","a":[1,null]}'.encode()
    assert canonical({"b": 1, "a": 2}) == b'{"a":2,"b":1}'


@pytest.mark.parametrize(
    "data",
    [
        b'"' * 1_000_000,
        b'"\\' * 500_000,
        b"[{" * 500_000,
        b"1" * 1_000_000,
        b'{"":' * 200_000,
        b"[\\u" * 300_000,
    ],
)
def test_a_mebibyte_of_anything_is_judged_quickly(data: bytes):
    began = time.process_time()
    with pytest.raises(NotJson):
        parse(data)
    assert time.process_time() - began < 2
