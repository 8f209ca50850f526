"""Our mirroring headers against the official SDK's own codec and checks."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp.shared.inbound import decode_header_value, find_invalid_x_mcp_header, validate_mcp_param_headers

from bot.errors import BadArguments
from bot.mcp.headers import annotation_problem, encode_value, parameter_headers, routing_headers
from bot.strict_json import Json

TYPES = st.sampled_from(["string", "integer", "boolean", "number", ["string"], None, "object"])
TOKENS = st.sampled_from(["Region", "region", "X-1", "", "a b", "ä", 7, None])


def annotated(kind: Any, token: Any, more: Any) -> dict[str, Any]:
    return {"type": kind, "x-mcp-header": token, **more}


def with_properties(below: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": below}


SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    st.builds(annotated, TYPES, TOKENS, st.just({})) | st.just({"type": "string"}) | st.booleans(),
    lambda inner: (
        st.dictionaries(
            st.sampled_from(["items", "allOf", "properties", "$defs", "default", "x-other", "not"]),
            inner | st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
            max_size=3,
        )
        | st.builds(with_properties, st.dictionaries(st.sampled_from("abc"), inner))
    ),
    max_leaves=8,
)
ARGUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=50),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@given(st.text(st.characters(exclude_categories=["Cs"])))
@example("")
@example(" edge")
@example("edge ")
@example("tab\there")
@example("=?base64?eA==?=")
@example("=?base64?\n?=")
def test_every_text_comes_back_from_its_header(text: str):
    encoded = encode_value(text)
    assert decode_header_value(encoded) == text
    assert encoded.isascii()
    assert encoded.isprintable()
    assert encoded == encoded.strip()


def test_plain_text_stays_readable():
    assert encode_value("snack_menu") == "snack_menu"
    assert encode_value("two words") == "two words"


@given(SCHEMAS)
def test_a_schema_is_refused_exactly_where_the_official_sdk_refuses_it(schema: Any):
    assert (annotation_problem(schema) is None) == (find_invalid_x_mcp_header(schema) is None)


@given(SCHEMAS, st.dictionaries(st.sampled_from("abc"), ARGUMENTS, max_size=3))
def test_what_is_mirrored_agrees_with_the_official_servers_check(schema: Any, arguments: dict[str, Json]):
    if annotation_problem(schema) is not None:
        return
    try:
        headers = parameter_headers(schema, arguments)
    except BadArguments:  # an argument of the wrong type, which the schema's own check finds first
        return
    assert validate_mcp_param_headers(schema, arguments, headers) is None


def one(kind: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": {"type": kind, "x-mcp-header": "A"}}}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("string", "x" * 2_049),
        ("string", "ä" * 1_000),
        ("integer", 2**53),
        ("integer", -(10**399)),
        ("integer", 1e300),
        ("integer", 1.5),
        ("string", ["x"]),
    ],
)
def test_a_value_that_no_header_can_carry_is_refused(kind: str, value: Any):
    with pytest.raises(BadArguments) as caught:
        parameter_headers(one(kind), {"a": value})
    assert "`a`" in caught.value.sentence


def test_a_whole_number_written_as_a_fraction_is_mirrored_as_the_integer():
    assert parameter_headers(one("integer"), {"a": 3.0}) == {"Mcp-Param-A": "3"}


def test_the_name_of_a_request_is_mirrored_by_the_same_codec():
    assert routing_headers("tasks/get", "ä")["Mcp-Name"] == encode_value("ä")
    assert "Mcp-Name" not in routing_headers("tools/list")
