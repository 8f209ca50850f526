"""How a manifest's models state their rules: every rule broken is one plain sentence at one place.

pydantic collects what is wrong with single values and with single parts in one pass. A rule of ours is a
function that gives a sentence or None; it is skipped for what was stored, because that was checked when it
came in and must stay readable after a rule has become stricter.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeGuard, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import InitErrorDetails, PydanticCustomError

TRUSTED = "stored"
"""The validation context under which our own rules are skipped."""

BROKEN_RULE = "kennel_rule"
"""The error type under which pydantic carries a sentence of ours."""

Value = TypeVar("Value")
Place = tuple[str | int, ...]
"""Where something is, below the part that is checked: `("choices", 0, "value")`."""


class Part(BaseModel):
    """A part of a manifest: immutable, exact types, no unknown fields; camelCase on the wire."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
    )


class CheckedPart(Part, ABC):
    """A part whose fields also have to fit each other."""

    @abstractmethod
    def contradictions(self) -> Iterator[tuple[Place, str]]:
        """What does not fit, each with its place below this part and a sentence."""

    @model_validator(mode="after")
    def _fits_together(self, info: ValidationInfo) -> "CheckedPart":
        if info.context is not TRUSTED:
            refuse(self.contradictions())
        return self


def sentence(message: str) -> PydanticCustomError:
    """`message` in the form in which pydantic collects it."""
    return PydanticCustomError(BROKEN_RULE, "{message}", {"message": message})


def refuse(found: Iterator[tuple[Place, str]]) -> None:
    """Raise everything in `found` at once, if there is anything."""
    details = [InitErrorDetails(type=sentence(message), loc=place, input=None) for place, message in found]
    if details:
        raise ValidationError.from_exception_data("manifest", details)


def rule(problem: Callable[[Value], str | None]) -> AfterValidator:
    """A field's rule: `problem` gives the sentence for a value that breaks it."""

    def check(value: Value, info: ValidationInfo) -> Value:
        if info.context is not TRUSTED and (message := problem(value)) is not None:
            raise sentence(message)
        return value

    return AfterValidator(check)


def entries(least: int, most: int) -> BeforeValidator:
    """The rule for the number of entries of a list, broken ones counted; a longer list is not looked into."""

    def check(value: object, info: ValidationInfo) -> object:
        if info.context is TRUSTED or not is_list(value) or least <= len(value) <= most:
            return value
        raise sentence(f"Must have at most {most} entries." if value else "Must not be empty.")

    return BeforeValidator(check)


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Whether `value` is a JSON array, or the tuple that becomes of one."""
    return isinstance(value, list | tuple)


def _not_null(value: object) -> object:
    if value is None:
        raise sentence("Must not be null; leave it out instead.")
    return value


NOT_NULL = BeforeValidator(_not_null)
"""For a field that may be missing: null is not the same."""


def repeats(values: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    """The index of each value that stood before, with the index where it first stood."""
    first: dict[Hashable, int] = {}
    for index, value in enumerate(values):
        earlier = first.setdefault(value, index)
        if earlier != index:
            yield index, earlier


def _distinct(values: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    if info.context is not TRUSTED:
        refuse(((index,), "Stands here twice.") for index, _ in repeats(values))
    return values


DISTINCT = AfterValidator(_distinct)
"""For a list of words: none twice."""
