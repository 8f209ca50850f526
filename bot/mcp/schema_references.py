"""What the `$ref`s of a JSON Schema make of its size.

A reference is one line, but what it refers to is checked anew at every use: twenty-six definitions that each
name the next one twice are 67 million checks. So the size of a schema is counted as if every reference were
written out.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from bot.mcp.schema_positions import applied, subschemas
from bot.strict_json import Json

MAX_REFERENCES = 200
"""How many different references a schema may have."""

_KEYWORDS = ("$ref", "$dynamicRef")
_UNEVALUATED = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_UNEVALUATED_FACTOR = 3  # what such a keyword has to look at, it looks at once more
_MAX_DOUBLINGS = 16


class BadReference(ValueError):
    """A reference that cannot be followed; `str()` completes "the schema …"."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much there is to check: `weight` counts subschemas with references written out once.

    `branches` is the number of references by which definitions contain themselves; 0 for most schemas.
    """

    weight: float
    branches: int


def extent(schema: Json) -> Extent:
    """Measure a schema of bounded depth. Raises `BadReference`."""
    targets: dict[str, Json] = {"#": schema}
    edges: dict[str, list[str]] = {}
    while todo := targets.keys() - edges.keys():
        for name in todo:
            edges[name] = list(_references(targets[name]))
            targets |= {ref: _resolve(schema, ref) for ref in edges[name] if ref not in targets}
            if len(targets) > MAX_REFERENCES:
                raise BadReference(f"has more than {MAX_REFERENCES} different references")
    reachable = {name: _reachable(name, edges) for name in edges}
    weights: dict[str, float] = {}
    branches = 0
    # What a target leads to is not more than what it leads to itself, so this order comes to it first.
    for name in sorted(edges, key=lambda each: (len(reachable[each]), each not in reachable[each])):
        if name in weights:
            continue
        cycle = {other for other in reachable[name] if name in reachable[other]}
        if not cycle:
            weights[name] = _weight(targets[name], weights)
            continue
        inside = sum(ref in cycle for other in cycle for ref in edges[other])
        branches += inside
        once = weights | dict.fromkeys(cycle, 1.0)
        total = sum(_weight(targets[other], once) for other in cycle)
        doublings = min(len(cycle), inside - len(cycle) + 1)
        weights |= dict.fromkeys(cycle, total * 2**doublings if doublings <= _MAX_DOUBLINGS else math.inf)
    return Extent(weights["#"], branches)


def _references(schema: Json) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    yield from own_references(schema)
    for inner in applied(schema):
        yield from _references(inner)


def own_references(schema: dict[str, Json]) -> Iterator[str]:
    """The references that stand in `schema` itself. Raises `BadReference` for one to another document."""
    for keyword in _KEYWORDS:
        if keyword in schema:
            ref = schema[keyword]
            if not isinstance(ref, str) or not ref.startswith("#"):
                raise BadReference("refers to something outside itself")
            yield ref


def _reachable(start: str, edges: dict[str, list[str]]) -> set[str]:
    """Every target that `start` leads to; itself only if it does so by way of a reference."""
    found: set[str] = set()
    todo = list(edges[start])
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += edges[name]
    return found


def _weight(schema: Json, weights: dict[str, float]) -> float:
    if not isinstance(schema, dict):
        return 1.0
    weight = 1.0 + sum(weights[ref] for ref in own_references(schema))
    weight += sum(_weight(inner, weights) for inner in applied(schema))
    return weight * _UNEVALUATED_FACTOR if _UNEVALUATED & schema.keys() else weight


def _resolve(schema: Json, ref: str) -> Json:
    """What `ref` (`#`, `#/a/json/pointer` or `#anchor`) means in `schema`."""
    if ref == "#":
        return schema
    found = _follow(schema, ref[2:]) if ref.startswith("#/") else _anchored(schema, ref[1:])
    if not isinstance(found, dict | bool):
        raise BadReference("has a reference that leads nowhere")
    return found


def _follow(schema: Json, pointer: str) -> Json:
    """The value at a JSON Pointer in a fragment (RFC 6901); None when there is none."""
    found = schema
    for token in unquote(pointer).split("/"):
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict):
            found = found.get(key)
        elif isinstance(found, list) and key.isascii() and key.isdecimal() and len(key) < 6:
            found = found[int(key)] if int(key) < len(found) else None
        else:
            return None
    return found


def _anchored(schema: Json, anchor: str) -> Json:
    if not isinstance(schema, dict):
        return None
    if anchor in (schema.get("$anchor"), schema.get("$dynamicAnchor")):
        return schema
    return next(filter(None, (_anchored(inner, anchor) for _, _, inner in subschemas(schema))), None)
