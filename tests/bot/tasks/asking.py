"""Questions for the tests, and any question at all that a trick may ask."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from bot.strict_json import Json
from bot.tasks.questions import Question, read_question

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def question(*required: str, message: str = "Which one?", **properties: Any) -> Question:
    """The question with these properties, of which `required` have to be there."""
    return made(properties, *required, message=message)


def made(properties: Mapping[str, Any], *required: str, message: str = "Which one?") -> Question:
    """As `question`, for names that are no arguments."""
    return read_question(message, {"type": "object", "properties": {**properties}, "required": [*required]})


def choice(*values: str, **titled: str) -> dict[str, Json]:
    """A choice of `values`, or of `titled` with their titles."""
    if titled:
        return {"type": "string", "oneOf": [{"const": value, "title": t} for value, t in titled.items()]}
    return {"type": "string", "enum": [*values]}


def choices(*values: str, **limits: int) -> dict[str, Json]:
    """A list of some of `values`."""
    return {"type": "array", "items": {"type": "string", "enum": [*values]}, **limits}


@st.composite
def properties(draw: st.DrawFn) -> tuple[dict[str, Any], Any]:
    """A property of any kind the specification has, and a value that fits it."""
    kind = draw(st.sampled_from(["string", "format", "number", "integer", "boolean", "choice", "choices"]))
    told = draw(st.fixed_dictionaries({}, optional={"title": TEXTS, "description": TEXTS}))
    match kind:
        case "string":
            value = draw(TEXTS.map(str.strip).filter(bool))
            prop: dict[str, Any] = {
                "type": "string",
                "minLength": draw(st.integers(0, len(value))),
                "maxLength": draw(st.integers(max(1, len(value)), 9_000)),
            }
        case "format":
            value = draw(st.dates()).isoformat()
            prop = {"type": "string", "format": "date"}
        case "number" | "integer":
            numbers = st.integers(-(10**300), 10**300)
            if kind == "number":
                numbers |= st.floats(allow_nan=False, allow_infinity=False)
            value = draw(numbers)
            prop = {"type": kind, "minimum": value, "maximum": value}
        case "boolean":
            value, prop = draw(st.booleans()), {"type": "boolean"}
        case _:
            value, prop = draw(_choosing(several=kind == "choices"))
    if draw(st.booleans()):
        prop["default"] = value
    return {**told, **prop}, value


@st.composite
def _choosing(draw: st.DrawFn, *, several: bool) -> tuple[Any, dict[str, Any]]:
    values = draw(st.lists(TEXTS, min_size=1, max_size=25, unique=True))
    titled = draw(st.sampled_from(["enum", "enumNames", "oneOf", "anyOf"]))
    shape: dict[str, Any] = {"type": "string", "enum": values}
    if titled == "enumNames":
        shape["enumNames"] = draw(st.lists(TEXTS, min_size=len(values), max_size=len(values)))
    elif titled != "enum":
        shape = {"type": "string", titled: [{"const": value, "title": draw(TEXTS)} for value in values]}
    if not several:
        return draw(st.sampled_from(values)), shape
    picked = draw(st.lists(st.sampled_from(values), unique=True))
    limits = {"minItems": draw(st.integers(0, len(picked))), "maxItems": len(picked)}
    return picked, {"type": "array", "items": shape, **limits}
