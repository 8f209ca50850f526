"""JSON Schemas that tricks write: which of them Kennel takes, and whether arguments fit one.

Whoever writes the schema also decides how long checking takes, so everything is bounded before the library
sees it: size, depth, number of subschemas, references and patterns. Nothing is ever fetched.
"""

import hashlib
import math
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

import jsonschema_rs

from bot import strict_json
from bot.mcp.argument_sentences import GENERAL, sentence_of
from bot.mcp.patterns import MAX_STATES, pattern_states
from bot.mcp.schema_positions import subschemas
from bot.mcp.schema_references import BadReference, Extent, extent, own_references
from bot.strict_json import Json

MAX_BYTES: Final = 65_536
MAX_LEVELS: Final = 20
MAX_NODES: Final = 1_000
MAX_PATTERNS: Final = 50
MAX_WEIGHT: Final = 50_000
MAX_PROBLEMS: Final = 5

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PATTERN_OPTIONS = jsonschema_rs.FancyRegexOptions(backtrack_limit=10_000, size_limit=600_000)
_MAX_EFFORT = 5_000_000  # weight of the schema times nodes of the arguments: a second or two
_MAX_MATCHING = 20_000_000  # states of the patterns times characters of the arguments: as much
_MAX_EXPLAINED = 2_000  # listing every error does not take the short cuts that a plain yes or no takes
_MAX_EXPLAINED_BYTES = 32_768


def schema_problem(schema: Json) -> str | None:
    """Why the input schema of a tool cannot be used, completing "the schema …"; None if it can be.

    It has to be JSON Schema 2020-12 with `"type": "object"` at its root, at most 64 KiB of JSON, 20 levels
    and 1,000 nodes (subschemas), without references to anything outside itself or references that multiply.
    """
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return 'does not have `"type": "object"` at its root'
    if len(strict_json.canonical(schema)) > MAX_BYTES:
        return f"is larger than {MAX_BYTES // 1024} KiB"
    problem = _shape_problem(schema)
    if problem:
        return problem
    try:
        if extent(schema).weight > MAX_WEIGHT:
            return "multiplies by its references to more than can be checked"
    except BadReference as exc:
        return str(exc)
    return None if _compile(schema, formats=False) else "is not valid JSON Schema"


def argument_problems(
    schema: dict[str, Json], arguments: Mapping[str, Json], *, formats: bool = False
) -> tuple[str, ...]:
    """What is wrong with `arguments` by a schema that `schema_problem` let pass; at most five sentences.

    The sentences name properties and say what is allowed; they never repeat a value. With `formats` the
    keyword `format` is checked too, which JSON Schema otherwise takes for a mere remark.
    """
    return _Compiled(schema, formats=formats).problems(dict(arguments))


class ArgumentChecker:
    """`argument_problems` for many calls: keeps the `capacity` schemas used last in their compiled form."""

    def __init__(self, capacity: int = 128) -> None:
        self._capacity = capacity
        self._compiled: OrderedDict[bytes | str, _Compiled] = OrderedDict()

    def argument_problems(
        self, schema: dict[str, Json], arguments: Mapping[str, Json], *, key: str | None = None
    ) -> tuple[str, ...]:
        """As the function. `key` names the schema, as the definition's hash does; without it the text does."""
        name = key if key is not None else hashlib.sha256(strict_json.canonical(schema)).digest()
        compiled = self._compiled.get(name)
        if compiled is None:
            compiled = self._compiled[name] = _Compiled(schema, formats=False)
            if len(self._compiled) > self._capacity:
                self._compiled.popitem(last=False)
        else:
            self._compiled.move_to_end(name)
        return compiled.problems(dict(arguments))


class _Compiled:
    """A schema ready to check arguments."""

    def __init__(self, schema: dict[str, Json], *, formats: bool) -> None:
        try:
            self._extent = extent(schema)
        except BadReference:
            self._extent = Extent(math.inf, 0)
        self._states = sum(map(pattern_states, _patterns(schema)))
        usable = self._extent.weight <= MAX_WEIGHT
        self._validator = _compile(schema, formats=formats) if usable else None

    def problems(self, arguments: dict[str, Json]) -> tuple[str, ...]:
        validator = self._validator
        if validator is None:
            return ("The input cannot be checked, because the tool's schema cannot be used.",)
        if self._is_too_much(arguments):
            return ("The input is too large to be checked.",)
        if validator.is_valid(arguments):
            return ()
        if not self._is_explainable(arguments):
            return (GENERAL,)
        errors = islice(validator.iter_errors(arguments), MAX_PROBLEMS)
        return tuple(dict.fromkeys(sentence_of(error) for error in errors))

    def _is_too_much(self, arguments: dict[str, Json]) -> bool:
        weight, states = self._extent.weight, self._states
        if weight > MAX_NODES and weight * _size(arguments).nodes > _MAX_EFFORT:
            return True
        return states > 0 and states * len(strict_json.dump(arguments)) > _MAX_MATCHING

    def _is_explainable(self, arguments: dict[str, Json]) -> bool:
        levels = _size(arguments).levels
        if levels > strict_json.MAX_DEPTH:
            return False
        steps = self._extent.weight * max(1, self._extent.branches) ** levels
        return steps <= _MAX_EXPLAINED and len(strict_json.dump(arguments)) <= _MAX_EXPLAINED_BYTES


def _compile(schema: dict[str, Json], *, formats: bool) -> jsonschema_rs.Draft202012Validator | None:
    try:
        return jsonschema_rs.Draft202012Validator(
            schema, offline=True, validate_formats=formats, pattern_options=_PATTERN_OPTIONS
        )
    except (ValueError, jsonschema_rs.ReferencingError):
        return None


def _shape_problem(schema: dict[str, Json]) -> str | None:
    nodes = 0
    level: list[Json] = [schema]
    for _ in range(MAX_LEVELS):
        nodes += len(level)
        if nodes > MAX_NODES:
            return f"has more than {MAX_NODES:,} nodes"
        for node in level:
            problem = _keyword_problem(node, root=node is schema)
            if problem:
                return problem
        level = [inner for node in level for _, _, inner in subschemas(node)]
    if level:
        return f"has more than {MAX_LEVELS} levels"
    patterns = list(_patterns(schema))
    if len(patterns) > MAX_PATTERNS:
        return f"has more than {MAX_PATTERNS} patterns"
    if sum(map(pattern_states, patterns)) > MAX_STATES:
        return "has patterns that repeat too often"
    return None


def _keyword_problem(node: Json, *, root: bool) -> str | None:
    if not isinstance(node, dict):
        return None
    dialect = node.get("$schema", _DIALECT)
    if not isinstance(dialect, str) or dialect.removesuffix("#") != _DIALECT:
        return "is written in another dialect than JSON Schema 2020-12"
    try:
        list(own_references(node))
    except BadReference as exc:
        return str(exc)
    return None if root or "$id" not in node else "has an `$id` below its root"


def _patterns(schema: Json) -> Iterator[str]:
    pattern = schema.get("pattern") if isinstance(schema, dict) else None
    if isinstance(pattern, str):
        yield pattern
    for keyword, key, inner in subschemas(schema):
        if keyword == "patternProperties" and key is not None:
            yield key
        yield from _patterns(inner)


@dataclass(frozen=True, slots=True)
class _Size:
    nodes: int
    levels: int


def _size(arguments: Json) -> _Size:
    """How many values `arguments` has, and how deep they are nested."""
    nodes, levels = 0, 0
    level: list[Json] = [arguments]
    while level:
        nodes, levels = nodes + len(level), levels + 1
        below: list[Json] = []
        for value in level:
            if isinstance(value, dict):
                below += value.values()
            elif isinstance(value, list):
                below += value
        level = below
    return _Size(nodes, levels)
