"""Which schemas of tricks are taken, and that neither that nor checking by them can take long."""

import time
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bot.mcp.schemas import argument_problems, schema_problem

JsonObject = dict[str, Any]
QUICK = 2.0  # seconds; unbounded, each of these takes hours


def of(**properties: Any) -> JsonObject:
    return {"type": "object", "properties": properties}


def ref(name: str) -> JsonObject:
    return {"$ref": f"#/$defs/{name}"}


def chain(levels: int, link: Callable[[JsonObject], JsonObject], leaf: Any = True) -> JsonObject:
    """Definitions that each apply the next one as `link` says."""
    defs: JsonObject = {f"d{n}": link(ref(f"d{n + 1}")) for n in range(levels)}
    return {"type": "object", "$ref": "#/$defs/d0", "$defs": {**defs, f"d{levels}": leaf}}


def nested(levels: int, end: Any) -> Any:
    for _ in range(levels):
        end = {"a": end}
    return end


def deep(levels: int) -> JsonObject:
    schema: JsonObject = {"type": "string"}
    for _ in range(levels - 1):
        schema = of(a=schema)
    return schema


# ---- Limits ----


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        deep(20),
        of(**{f"p{n}": {"type": "string"} for n in range(999)}),
        of(a={"type": "string", "description": "x" * 65_000}),
        {**of(a=ref("x")), "$defs": {"x": {"type": "string"}}},
        {**of(a={"$ref": "#/definitions/x~1y%20z"}), "definitions": {"x/y z": {}}},
        {**of(a={"$ref": "#here"}), "$defs": {"x": {"$anchor": "here"}}},
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"},
        {"$id": "https://x.example/tool", "type": "object"},
        of(children={"type": "array", "items": {"$ref": "#"}}),
        of(a={"default": {"$ref": "https://x.example/not-a-reference"}}),
        of(a={"pattern": r"^(?!\.)[A-Za-z0-9_'+\-\.]*[A-Za-z0-9_+-]@([A-Za-z0-9-]+\.)+[A-Za-z]{2,}$"}),
        of(a={"pattern": r"^[^@]{1,64}@.{1,255}$"}),
    ],
)
def test_an_ordinary_schema_is_taken(schema: JsonObject):
    assert schema_problem(schema) is None


REFUSED: list[tuple[Any, str]] = [
    (None, "object"),
    ({}, "object"),
    ({"type": ["object"]}, "object"),
    (deep(21), "20 levels"),
    (of(**{f"p{n}": True for n in range(1_000)}), "1,000 nodes"),
    (of(a={"description": "x" * 66_000}), "64 KiB"),
    (of(a={"$ref": "https://x.example/schema"}), "outside"),
    (of(a={"$ref": "other.json#/a"}), "outside"),
    (of(a={"$ref": 7}), "outside"),
    ({"type": "object", "$defs": {"unused": {"$ref": "file:///etc/passwd"}}}, "outside"),
    (of(a={"$dynamicRef": "https://x.example/schema#x"}), "outside"),
    (of(a=ref("nowhere")), "nowhere"),
    (of(a={"$ref": "#nowhere"}), "nowhere"),
    (of(a={"$ref": "#/type"}), "nowhere"),
    ({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}, "2020-12"),
    (of(a={"$schema": "https://x.example/own"}), "2020-12"),
    (of(a={"$id": "https://x.example/other"}), "$id"),
    (of(a={"type": "objekt"}), "valid JSON Schema"),
    (of(a={"pattern": "("}), "valid JSON Schema"),
    (of(a={"minLength": -1}), "valid JSON Schema"),
    (of(**{f"p{n}": {"pattern": "a"} for n in range(51)}), "50 patterns"),
    (of(a={"pattern": "((a{1,100}){1,100}){1,100}"}), "repeat"),
    (
        of(**{f"p{n}": ref(f"d{n}") for n in range(201)}) | {"$defs": {f"d{n}": {} for n in range(201)}},
        "200",
    ),
]


@pytest.mark.parametrize(("schema", "reason"), REFUSED)
def test_a_schema_beyond_the_limits_is_refused_with_its_reason(schema: Any, reason: str):
    problem = schema_problem(schema)
    assert problem is not None
    assert reason in problem


LINKS: dict[str, Callable[[JsonObject], JsonObject]] = {
    "allOf": lambda r: {"allOf": [r, r]},
    "anyOf": lambda r: {"anyOf": [r, r]},
    "oneOf": lambda r: {"oneOf": [r, r]},
    "if": lambda r: {"if": r, "then": r, "else": r},
    "beside": lambda r: {**r, "not": r},
    "properties": lambda r: {"allOf": [{"properties": {"a": r}}, {"properties": {"a": r}}]},
    "unevaluated": lambda r: {"allOf": [r, r], "unevaluatedProperties": False},
    "dependent": lambda r: {"dependentSchemas": {"a": r, "b": r}},
}


@pytest.mark.parametrize("link", LINKS)
def test_references_that_double_twenty_six_times_are_refused_at_once(link: str):
    started = time.perf_counter()
    problem = schema_problem(chain(26, LINKS[link]))
    assert problem is not None
    assert "multiplies" in problem
    assert time.perf_counter() - started < QUICK


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("end", [1, "x", {}])
def test_what_is_taken_is_checked_quickly(link: str, end: Any):
    levels = next(
        n for n in range(25, 0, -1) if schema_problem(chain(n, LINKS[link], {"type": "string"})) is None
    )
    started = time.perf_counter()
    argument_problems(chain(levels, LINKS[link], {"type": "string"}), nested(30, end))
    assert time.perf_counter() - started < QUICK


SELF = ref("n")
RECURSIVE: dict[str, JsonObject] = {
    "itself": {"allOf": [SELF]},
    "twice": {"allOf": [{"properties": {"a": SELF}}, {"properties": {"a": SELF}}]},
    "many": {"allOf": [{"properties": {"a": SELF}}] * 240},
    "any": {"anyOf": [{"properties": {"a": SELF}, "required": ["b"]}] * 100},
    "unevaluated": {"allOf": [{"properties": {"a": SELF}}] * 2, "unevaluatedProperties": False},
    "patterns": {"patternProperties": {"a": SELF, "^a": SELF}},
}


@pytest.mark.parametrize("kind", RECURSIVE)
@pytest.mark.parametrize("end", [1, {}, {"b": 1}])
def test_a_schema_that_contains_itself_is_refused_or_checked_quickly(kind: str, end: Any):
    schema: JsonObject = {**of(x=SELF), "$defs": {"n": RECURSIVE[kind]}}
    started = time.perf_counter()
    schema_problem(schema)
    argument_problems(schema, {"x": nested(60, end)})
    assert time.perf_counter() - started < QUICK


@pytest.mark.parametrize("count", [5, 10, 25])
def test_definitions_that_all_contain_each_other_are_refused_or_checked_quickly(count: int):
    defs = {
        f"d{n}": {"allOf": [{"properties": {"a": ref(f"d{m}")}} for m in range(count)]} for n in range(count)
    }
    schema: JsonObject = {**of(x=ref("d0")), "$defs": defs}
    started = time.perf_counter()
    schema_problem(schema)
    argument_problems(schema, {"x": nested(30, 1)})
    assert time.perf_counter() - started < QUICK


def test_the_root_in_its_own_all_of_is_harmless():
    schema: JsonObject = {"type": "object", "allOf": [{"$ref": "#"}], "required": ["a"]}
    assert schema_problem(schema) is None
    assert argument_problems(schema, {"a": 1}) == ()
    assert argument_problems(schema, {}) != ()


@pytest.mark.parametrize("pattern", ["^(a+)+$", r"^(a+)+\1$", r"^(?=a)(a|a?)+$", r"^(\w{1,1000})+$"])
def test_a_pattern_cannot_hang_the_process(pattern: str):
    schema = of(a={"type": "string", "pattern": pattern})
    assert schema_problem(schema) is None
    started = time.perf_counter()
    argument_problems(schema, {"a": "a" * 4_000 + "!"})
    assert time.perf_counter() - started < QUICK


def test_arguments_too_large_for_the_patterns_are_told_so():
    schema = of(a={"type": "string", "pattern": "^(a{1,4000})$"})
    assert argument_problems(schema, {"a": "a" * 1_000}) == ()
    assert argument_problems(schema, {"a": "a" * 100_000}) == ("The input is too large to be checked.",)


def test_a_schema_that_cannot_be_used_fits_nothing():
    for schema in (chain(26, LINKS["allOf"]), of(a={"$ref": "https://x.example"}), of(a={"type": "objekt"})):
        (problem,) = argument_problems(schema, {})
        assert "cannot be checked" in problem


# ---- Anything ----

KEYS = st.sampled_from(["a", "b", "é", ""])
SIMPLE = st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=4)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SIMPLE, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
)
RULES: st.SearchStrategy[Any] = st.recursive(
    st.booleans()
    | st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "integer", "boolean", "null", "object", "array", "number"]),
            "enum": st.lists(SIMPLE, min_size=1, max_size=3, unique_by=repr),
            "minimum": st.integers(-9, 9),
            "maxLength": st.integers(0, 5),
            "pattern": st.sampled_from(["a", "^b+$", "(a|b)*"]),
            "required": st.lists(KEYS, max_size=2, unique=True),
            "$ref": st.sampled_from(["#", "#/$defs/x", "#/$defs/y"]),
        },
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(KEYS, inner, max_size=3),
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=3),
            "not": inner,
            "additionalProperties": inner,
        },
    ),
    max_leaves=10,
)


@given(RULES, RULES, RULES, st.dictionaries(KEYS, VALUES, max_size=3))
def test_arguments_are_judged_as_another_library_judges_them(
    rule: Any, x: Any, y: Any, arguments: JsonObject
):
    schema = {**of(a=rule), "$defs": {"x": x, "y": y}}
    assume(schema_problem(schema) is None)
    try:
        validator: Any = jsonschema.Draft202012Validator(schema)
        expected = validator.is_valid(arguments)
    except RecursionError:  # the other library follows a definition that is nothing but itself for ever
        return
    assert (argument_problems(schema, arguments) == ()) == expected


@given(VALUES | RULES, VALUES)
def test_any_json_gets_a_verdict(schema: Any, arguments: Any):
    problem = schema_problem(schema)
    assert problem is None or problem
    if isinstance(schema, dict) and isinstance(arguments, dict):
        assert all(sentence.endswith(".") for sentence in argument_problems(schema, arguments))  # pyright: ignore[reportUnknownArgumentType]
