"""Where in a JSON Schema (2020-12) subschemas stand, and where plain data does."""

from collections.abc import Iterator

from bot.strict_json import Json

_ONE = frozenset(
    {
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
_LIST = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_DEFINITIONS = frozenset({"$defs", "definitions"})
_MAP = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})


def subschemas(schema: Json) -> Iterator[tuple[str, str | None, Json]]:
    """Every direct subschema of `schema`: keyword, key under it (for keywords that hold a map), subschema.

    Instance data (`default`, `const`, `enum`, `examples`) and unknown keywords hold no subschemas.
    """
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        if keyword in _ONE:
            yield keyword, None, value
        elif keyword in _LIST and isinstance(value, list):
            for inner in value:
                yield keyword, None, inner
        elif keyword in _MAP and isinstance(value, dict):
            for key, inner in value.items():
                yield keyword, key, inner


def applied(schema: Json) -> Iterator[Json]:
    """The direct subschemas that `schema` itself applies; definitions wait for a reference."""
    return (inner for keyword, _, inner in subschemas(schema) if keyword not in _DEFINITIONS)
