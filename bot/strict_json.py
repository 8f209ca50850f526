"""Strict JSON for everything that somebody else wrote.

`json.loads` takes NaN, duplicate keys and lone surrogates, and answers hostile depth with RecursionError.
Here each of them is `NotJson`, with a reason that never quotes the input.
"""

import json
import math
import re
from typing import Any, NoReturn, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

MAX_DEPTH = 64
MAX_DIGITS = 4_000
_BOM = b"\xef\xbb\xbf"
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % (MAX_DIGITS + 1))
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


class NotJson(ValueError):
    """The bytes are no JSON that Kennel takes; `str()` is a reason like "has a key twice"."""


def parse(data: bytes) -> Any:
    """Read `data` as one UTF-8 JSON text, which may begin with one byte order mark (RFC 8259, section 8.1).

    Raises `NotJson` for anything else, and for NaN, infinities, duplicate keys, lone surrogates, more than
    64 levels or numbers of more than 4,000 digits.
    """
    try:
        text = data.removeprefix(_BOM).decode()
    except UnicodeDecodeError:
        raise NotJson("is not UTF-8") from None
    if _LONG_NUMBER.search(data):
        raise NotJson(f"has a number of more than {MAX_DIGITS} digits")
    if text.count("[") + text.count("{") > MAX_DEPTH and _depth(text) > MAX_DEPTH:
        raise NotJson(f"is nested more than {MAX_DEPTH} levels deep")
    try:
        value = _DECODER.decode(text)
    except NotJson:
        raise
    except (ValueError, RecursionError):
        raise NotJson("is not valid JSON") from None
    if "\\u" in text:
        _refuse_surrogates(value)
    return value


def dump(value: Json) -> bytes:
    """`value` as compact UTF-8 JSON. Raises `NotJson` for NaN, infinities and lone surrogates."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except ValueError:
        raise NotJson("cannot be written as JSON") from None


def canonical(value: Json) -> bytes:
    """As `dump`, with sorted keys: equal values give equal bytes."""
    try:
        return json.dumps(
            value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True
        ).encode()
    except ValueError:
        raise NotJson("cannot be written as JSON") from None


def _depth(text: str) -> int:
    deepest = level = 0
    for char in _STRINGS.sub('""', text):
        if char in "[{":
            level += 1
            deepest = max(deepest, level)
        elif char in "]}":
            level -= 1
    return deepest


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise NotJson("has a key twice")
    return result


def _constant(_: str) -> NoReturn:
    raise NotJson("has a number that JSON does not know")


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise NotJson("has a number that is too large")
    return value


def _refuse_surrogates(value: Any) -> None:
    if isinstance(value, str):
        if _SURROGATE.search(value):
            raise NotJson("has half of a surrogate pair")
    elif isinstance(value, dict):
        for key, inner in value.items():  # pyright: ignore[reportUnknownVariableType]
            _refuse_surrogates(key)
            _refuse_surrogates(inner)
    elif isinstance(value, list):
        for inner in value:  # pyright: ignore[reportUnknownVariableType]
            _refuse_surrogates(inner)


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_constant, parse_float=_float)
